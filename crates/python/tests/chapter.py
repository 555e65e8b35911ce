"""Reimplementations of the functions on which the Debugging Book's chapter on reducing inputs tests its
debugger, and one more.

They are in a separate module, because pytest rewrites the messages of `assert` in test modules. The text of
`remove_html_markup` is as printed in the chapter, since the results and the numbers of tests depend on it.
"""

import ast
import copy

FAILING_INPUT = 'V"/+!aF-(V4EOz*+s/Q,7)2@0_'

BY_LINES = """\
def remove_html_markup(s):  # type: ignore
    tag = False
    quote = False
    out = ""
    for c in s:
        if c == '<' and not quote:
            tag = True
        elif c == '>' and not quote:
            tag = False
        elif c == '"' or c == "'" and tag:
            quote = not quote
        elif not tag:
            out = out + c
    return out
"""
MARKUP = BY_LINES.replace("    for c", "\n    for c").replace(
    "    return out", "\n    # what holds here\n    assert '<' not in out and '>' not in out\n\n    return out"
)


def mystery(inp):
    if 0 <= inp.find("(") < inp.find(")"):
        raise ValueError("Invalid input")


def myeval(inp):
    return eval(inp)


def string_error(s1, s2):
    if s1 in s2:
        raise AssertionError("no substrings")


def list_error(l1, l2, maxlen):
    if not len(l1) < len(l2) < maxlen:
        raise AssertionError("invalid string length")


def fails_with_x(text, *, flag=False, other="zzz"):
    if "x" in text and not flag:
        raise ValueError("x")


exec(MARKUP)


def module_lines():
    """Returns a module with as many lines as the chapter's, 552, that contains the function among others."""
    others = (
        "import math\nimport sys\n\n",
        "class Point{0}:\n    def __init__(self, x, y):\n        self.x = x\n        self.y = y\n\n"
        "    def length(self):\n        return math.hypot(self.x, self.y)\n\n\n",
        "def largest_{0}(numbers):\n    best = None\n    for number in numbers:\n        if best is None or number > best:\n"
        "            best = number\n    return best\n\n\n",
        "LIMIT_{0} = sys.maxsize // {0}\n\n\n",
    )
    text, number = others[0], 1
    while text.count("\n") < 500:
        text += others[1 + number % 3].format(number)
        if number == 20:
            text += MARKUP + "\n\n"
        number += 1
    lines = text.splitlines(keepends=True)
    return lines + [f"NUMBER_{place} = {place}\n" for place in range(552 - len(lines))]


def run_simply(lines):
    exec("".join(lines) + """assert remove_html_markup('"foo"') == '"foo"', "My Test"\n""", {}, {})


CHECKS = """\
if remove_html_markup('<foo>bar</foo>') != 'bar':
    raise RuntimeError("Missing functionality")
assert remove_html_markup('"foo"') == '"foo"', "My Test"
"""


def run_with_checks(lines):
    exec("".join(lines) + CHECKS, {}, {})


def nodes_of(tree):
    """Returns all nodes of a syntax tree, each before those inside it."""
    return [tree, *(node for child in ast.iter_child_nodes(tree) for node in nodes_of(child))]


def without(node, gone):
    """Returns a copy of a node. `gone` maps removed nodes to their replacements: nothing, a node or several."""
    made = copy.copy(node)
    for field, value in ast.iter_fields(node):
        if isinstance(value, list):
            setattr(made, field, [one for part in value for one in _parts(part, gone)])
        elif isinstance(value, ast.AST):
            left = _parts(value, gone)
            if left:
                setattr(made, field, left[0])
            else:
                delattr(made, field)
    return made


def _parts(value, gone):
    if not isinstance(value, ast.AST):
        return [value]
    if id(value) in gone:
        return gone[id(value)]()
    return [without(value, gone)]


def deleted(tree, keep_list, replace=lambda node: []):
    """Returns a copy of a tree without the nodes that are not in a list; `replace` returns the replacement of
    such a node.

    Constants stay, as in the chapter.
    """
    kept = {id(node) for node in keep_list}
    gone = {}
    for node in nodes_of(tree)[1:]:
        if id(node) not in kept and not isinstance(node, ast.Constant):
            gone[id(node)] = lambda node=node: [one if one in NEW else without(one, gone) for one in replace(node)]
    return without(tree, gone)


NEW = [ast.Pass(lineno=1, col_offset=0), ast.Constant(value=False, lineno=1, col_offset=0)]


def transformed(node):
    """Returns one of the chapter's four transformations, by the class of the node."""
    if isinstance(node, ast.Assign):
        return NEW[:1]
    if isinstance(node, ast.Compare):
        return NEW[1:]
    if isinstance(node, ast.BoolOp):
        return node.values[:1]
    return node.body if isinstance(node, ast.If) else []


def run_tree(tree, keep_list, test_tree):
    _run(deleted(tree, keep_list), test_tree)


def run_transformed(tree, keep_list, test_tree):
    _run(deleted(tree, keep_list, transformed), test_tree)


def _run(tree, test_tree):
    tree.body = tree.body + test_tree.body
    try:
        code = compile(tree, "<string>", "exec")
    except Exception:
        raise SyntaxError("Cannot compile") from None
    exec(code, {}, {})


# The exercise: several transformations of each node, with a list of those that are not applied.


def transformations(tree):
    """Returns all transformations of all nodes, as pairs of a node and a name, in the order in which they are
    tried.
    """
    found = []
    for node in nodes_of(tree)[1:]:
        names = []
        if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef):
            names += ["delete", "pass"]
        if isinstance(node, ast.If):
            names += ["then", "else"]
        if isinstance(node, ast.BoolOp):
            names += ["True", "False", "left", "right"]
        elif isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store):
            names += ["True", "False", "''"]
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names += ["every use by ''"]
        found += [(node, name) for name in names]
    return found


def transform(tree, kept):
    """Returns a copy of a tree with the first transformation of each node that is not excluded."""
    back = {(id(node), name) for node, name in kept}
    gone = {}
    for node, name in transformations(tree):
        if (id(node), name) in back:
            continue
        if name == "every use by ''":
            uses = (one for one in nodes_of(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load))
            for use in uses:
                if use.id == node.id:
                    gone.setdefault(id(use), lambda: [_constant("")])
        else:
            gone.setdefault(id(node), lambda node=node, name=name: _instead(node, name, gone))
    return ast.fix_missing_locations(without(tree, gone))


def _constant(value):
    return ast.Constant(value=value)


def _instead(node, name, gone):
    if name in ("delete", "pass"):
        return [ast.Pass()] if name == "pass" else []
    if name in ("True", "False", "''"):
        return [_constant(ast.literal_eval(name))]
    parts = {"left": lambda: node.values[:1], "right": lambda: node.values[-1:]}
    parts.update({"then": lambda: node.body, "else": lambda: node.orelse})
    return [one for part in parts[name]() for one in _parts(part, gone)]


def run_transformations(tree, kept, test_tree):
    _run(transform(tree, kept), test_tree)
