"""Evaluate a formula: formula.py FORMULA [NAME=NUMBER]..."""

import re
import sys

PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2}
TOKEN = re.compile(r"\s*(?:(\d+)|([a-z]+)|([-+*/()]))")


class Number:
    def __init__(self, value):
        self.value = value

    def evaluate(self, names):
        return self.value


class Name:
    def __init__(self, name):
        self.name = name

    def evaluate(self, names):
        return names[self.name]


class Operation:
    def __init__(self, operator, left, right):
        self.operator = operator
        self.left = left
        self.right = right

    def evaluate(self, names):
        left = self.left.evaluate(names)
        right = self.right.evaluate(names)
        if self.operator == "+":
            return left + right
        if self.operator == "-":
            return left - right
        if self.operator == "*":
            return left * right
        return left / right


def tokenize(text):
    text = text.strip()
    tokens = []
    position = 0
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            raise SyntaxError(f"bad character in the formula: {text[position]}")
        tokens.append(match.group().strip())
        position = match.end()
    return tokens


class Parser:
    def __init__(self, tokens):
        self.tokens = tokens
        self.position = 0

    def peek(self):
        if self.position < len(self.tokens):
            return self.tokens[self.position]
        return None

    def take(self):
        token = self.peek()
        self.position += 1
        return token

    def parse_primary(self):
        token = self.take()
        if token == "(":
            inner = self.parse_expression(1)
            if self.take() != ")":
                raise SyntaxError("a closing parenthesis is missing")
            return inner
        if token is None or token in PRECEDENCE or token == ")":
            raise SyntaxError(f"an operand is missing before {token}")
        return Number(int(token)) if token.isdigit() else Name(token)

    def parse_expression(self, lowest):
        """The expression whose operators bind at least as tightly as `lowest`."""
        left = self.parse_primary()
        while PRECEDENCE.get(self.peek(), 0) >= lowest:
            operator = self.take()
            right = self.parse_expression(PRECEDENCE[operator])
            left = Operation(operator, left, right)
        return left


def main(arguments):
    names = {}
    for text in arguments[1:]:
        name, value = text.split("=")
        names[name] = int(value)

    parser = Parser(tokenize(arguments[0]))
    tree = parser.parse_expression(1)
    if parser.peek() is not None:
        raise SyntaxError(f"not expected: {parser.peek()}")
    print(f"{tree.evaluate(names):g}")


if __name__ == "__main__":
    main(sys.argv[1:])
