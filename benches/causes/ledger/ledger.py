"""Check a bank statement: ledger.py FILE

The lines of the file are

    open ACCOUNT AMOUNT
    move FROM TO AMOUNT
    close ACCOUNT AMOUNT

An account must have the amount of its `close` line in the end.
"""

import sys


class Account:
    def __init__(self, name, balance):
        self.name = name
        self.balance = balance          # in cents

    def pay(self, other, cents):
        self.balance -= cents
        other.balance += cents


def to_cents(text):
    return int(float(text) * 100)


def to_text(cents):
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02}"


def read_statement(path):
    accounts = {}
    moves = []
    closing = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            kind, *words = line.split()
            cents = to_cents(words[-1])
            if kind == "open":
                accounts[words[0]] = Account(words[0], cents)
            elif kind == "move":
                moves.append((words[0], words[1], cents))
            elif kind == "close":
                closing[words[0]] = cents
            else:
                sys.exit(f"bad line: {line.strip()}")
    return accounts, moves, closing


def differences(accounts, closing):
    """By how much each account differs from what it should be."""
    found = {}
    for name, expected in closing.items():
        found[name] = accounts[name].balance - expected
    return found


def main(arguments):
    accounts, moves, closing = read_statement(arguments[0])
    for source, target, cents in moves:
        accounts[source].pay(accounts[target], cents)
    for account in accounts.values():
        print(f"{account.name:<8}{to_text(account.balance):>8}")

    for name, cents in differences(accounts, closing).items():
        if cents != 0:
            sys.exit(f"{name} is off by {to_text(cents)}")
    print("balanced")


if __name__ == "__main__":
    main(sys.argv[1:])
