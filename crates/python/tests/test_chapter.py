"""Every printed result of the Debugging Book's chapter on reducing inputs, by `DeltaDebugger`."""

import ast
import re

import pytest

import chapter
import nubbin
from chapter import FAILING_INPUT, list_error, myeval, mystery, remove_html_markup, string_error
from nubbin import DeltaDebugger


def outcomes(log):
    """Returns the arguments and outcomes in a log with one argument."""
    found = re.findall(r"^Test #\d+ \w+\(\w+=(.*)\): (PASS|FAIL|UNRESOLVED)", log, re.MULTILINE)
    return [(ast.literal_eval(argument), outcome) for argument, outcome in found]


# The results printed in the chapter: the tested inputs, in order.

SMALLEST = [
    (FAILING_INPUT, "FAIL"),
    ("", "PASS"),
    ('V"/+!aF-(V4EO', "PASS"),
    ("z*+s/Q,7)2@0_", "PASS"),
    ("-(V4EOz*+s/Q,7)2@0_", "FAIL"),
    ("*+s/Q,7)2@0_", "PASS"),
    ("-(V4EOz7)2@0_", "FAIL"),
    ("7)2@0_", "PASS"),
    ("-(V4EOz", "PASS"),
    ("-(V47)2@0_", "FAIL"),
    ("-(V4@0_", "PASS"),
    ("-(V47)2", "FAIL"),
    ("-7)2", "PASS"),
    ("(V4", "PASS"),
    ("-47)2", "PASS"),
    ("-(V7)2", "FAIL"),
    ("-(V2", "PASS"),
    ("(V7)", "FAIL"),
    ("7)", "PASS"),
    ("(V", "PASS"),
    ("(7)", "FAIL"),
    ("()", "FAIL"),
    (")", "PASS"),
    ("(", "PASS"),
]
LARGEST = [
    (FAILING_INPUT, "FAIL"),
    ("", "PASS"),
    ("z*+s/Q,7)2@0_", "PASS"),
    ("-(V4EOz*+s/Q,7)2@0_", "FAIL"),
    ('V"/+!aFz*+s/Q,7)2@0_', "PASS"),
    ('V"/+!aF4EOz*+s/Q,7)2@0_', "PASS"),
    ('V"/+!aF-4EOz*+s/Q,7)2@0_', "PASS"),
    ('V"/+!aF-V4EOz*+s/Q,7)2@0_', "PASS"),
]
DIFFERENCE = [
    (FAILING_INPUT, "FAIL"),
    ("", "PASS"),
    ('V"/+!aF-(V4EO', "PASS"),
    ("z*+s/Q,7)2@0_", "PASS"),
    ('V"/+!aFz*+s/Q,7)2@0_', "PASS"),
    ("-(V4EOz*+s/Q,7)2@0_", "FAIL"),
    ("-(Vz*+s/Q,7)2@0_", "FAIL"),
    ("(Vz*+s/Q,7)2@0_", "FAIL"),
    ("(z*+s/Q,7)2@0_", "FAIL"),
]


def test_the_failing_call_is_recorded():
    with DeltaDebugger() as dd:
        mystery(FAILING_INPUT)
    assert dd.function() is mystery
    assert dd.args() == {"inp": FAILING_INPUT}
    assert repr(dd.exception()) == "ValueError('Invalid input')"
    assert dd.format_call() == f"mystery(inp={FAILING_INPUT!r})"
    assert dd.format_call({"inp": "foo"}) == "mystery(inp='foo')"
    assert dd.format_exception() == "ValueError: Invalid input"
    assert dd.format_exception(KeyError()) == "KeyError"
    assert dd.call({"inp": "foo"}) is None
    with pytest.raises(ValueError, match="Invalid input"):
        dd.call()


def test_tests_are_logged_counted_and_cached(capsys):
    with DeltaDebugger(log=True) as dd:
        mystery(FAILING_INPUT)
    assert [dd.test({"inp": text}) for text in (FAILING_INPUT, "123", "123")] == ["FAIL", "PASS", "PASS"]
    assert dd.tests == 2
    assert capsys.readouterr().out.splitlines() == [
        f"Observed mystery(inp={FAILING_INPUT!r}) raising ValueError: Invalid input",
        f"Test #1 mystery(inp={FAILING_INPUT!r}): FAIL (ValueError: Invalid input)",
        "Test #2 mystery(inp='123'): PASS",
    ]


def test_the_search_is_a_separate_method(capsys):
    with DeltaDebugger(log=2) as dd:
        mystery(FAILING_INPUT)
    assert dd.dd("inp", {"inp": FAILING_INPUT}) == ("", "()", "()")
    log = capsys.readouterr().out
    assert dd.tests <= 24
    assert sorted(outcomes(log)) == sorted(SMALLEST)
    lines = log.splitlines()
    steps = ("Reduce to complement", "No reduction found", "Increase granularity")
    assert [lines.count(step) for step in steps] == [8, 5, 4]
    assert lines[3:6] == ["Passing input: ''", f"Failing input: {FAILING_INPUT!r}", "Granularity:   2"]


def test_the_smallest_arguments(capsys):
    with DeltaDebugger(log=True) as dd:
        mystery(FAILING_INPUT)
    assert repr(dd) == "mystery(inp='()')"
    log = capsys.readouterr().out
    assert outcomes(log) == SMALLEST  # 24 tests
    assert log.splitlines()[-2:] == ["Minimized inp to '()'", "Minimized failing call to mystery(inp='()')"]
    assert dd.min_args() == {"inp": "()"}
    assert dd.tests == 0  # no argument is tested twice
    with DeltaDebugger() as dd:
        mystery(FAILING_INPUT)
    assert dd.min_args() == {"inp": "()"}
    assert dd.tests <= 24


def test_the_largest_passing_arguments(capsys):
    with DeltaDebugger(log=True) as dd:
        mystery(FAILING_INPUT)
    assert dd.max_args() == {"inp": 'V"/+!aF-V4EOz*+s/Q,7)2@0_'}
    assert dd.tests <= 8
    log = capsys.readouterr().out
    assert outcomes(log) == LARGEST
    assert log.splitlines()[-1] == """Maximized passing call to mystery(inp='V"/+!aF-V4EOz*+s/Q,7)2@0_')"""


def test_the_smallest_difference(capsys):
    with DeltaDebugger(log=True) as dd:
        mystery(FAILING_INPUT)
    assert dd.min_arg_diff() == ({"inp": "z*+s/Q,7)2@0_"}, {"inp": "(z*+s/Q,7)2@0_"}, {"inp": "("})
    assert dd.tests <= 9
    log = capsys.readouterr().out
    assert outcomes(log) == DIFFERENCE
    assert log.splitlines()[-4:] == [
        "Maximized inp to 'z*+s/Q,7)2@0_'",
        "Minimized inp to '(z*+s/Q,7)2@0_'",
        "Maximized passing call to mystery(inp='z*+s/Q,7)2@0_')",
        "Minimized failing call to mystery(inp='(z*+s/Q,7)2@0_')",
    ]


def test_the_plain_function_has_the_same_result():
    tests = []
    fails = lambda text: 0 <= text.find("(") < text.find(")")  # noqa: E731
    assert nubbin.ddmin(FAILING_INPUT, fails, on_test=lambda part, verdict: tests.append(part)) == "()"
    # The chapter's `ddmin` does not test parts alone, and takes 17 tests; this one is that of the 2002 paper.
    assert len(tests) == len(set(tests)) <= 34


def test_the_expression_of_the_synopsis():
    with DeltaDebugger() as dd:
        myeval("1 + 2 * 3 / 0")
    assert repr(dd) == "myeval(inp='3/0')"
    assert dd.min_args() == {"inp": "3/0"}
    assert dd.max_args() == {"inp": "1 + 2 * 3  "}
    assert dd.min_arg_diff() == ({"inp": " 3 "}, {"inp": " 3 /0"}, {"inp": "/0"})
    assert (dd.function().__name__, dd.args()) == ("myeval", {"inp": "1 + 2 * 3 / 0"})


def test_the_markup_of_the_book(capsys):
    with DeltaDebugger(log=True) as dd:
        remove_html_markup('"x > y"')
    assert dd.min_args() == {"s": '">'}
    assert dd.tests <= 10
    inputs = ['"x > y"', "", '"x >', '"x', " >", "x >", '" >', '">', ">", '"']
    assert [text for text, _ in outcomes(capsys.readouterr().out)] == inputs


def test_several_arguments_in_turn():
    with DeltaDebugger() as dd:
        string_error("foo", "foobar")
    assert dd.min_args() == {"s1": "", "s2": ""}
    assert dd.tests <= 8
    with pytest.raises(AssertionError, match="no substrings"):
        string_error(**dd.min_args())
    with DeltaDebugger() as dd:
        list_error(l1=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], l2=[1, 2, 3], maxlen=5)
    assert repr(dd) == "list_error(l1=[], l2=[], maxlen=5)"


def test_a_program_by_lines():
    lines = chapter.module_lines()
    assert len(lines) == 552
    with DeltaDebugger() as dd:
        chapter.run_simply(lines)
    assert "".join(dd.min_args()["lines"]) == "def remove_html_markup(s):  # type: ignore\n    tag = False\n"
    with DeltaDebugger() as dd:
        chapter.run_with_checks(lines)
    smallest = dd.min_args()["lines"]
    assert "".join(smallest) == chapter.BY_LINES
    assert len(smallest) / len(lines) == 0.025362318840579712


def test_a_program_by_characters():
    with DeltaDebugger() as dd:
        chapter.run_with_checks(list(chapter.BY_LINES))
    assert "".join(dd.min_args()["lines"]) == (
        "def remove_html_markup(s):\n"
        "    tag=False\n"
        "    quote=False\n"
        '    out=""\n'
        "    for c in s:\n"
        "        if c=='<'and not quote:tag=True\n"
        "        if c=='>'and not quote:tag=False\n"
        "        elif c=='\"'or c==\"\"and g:not quote\n"
        "        elif not tag:out=out+c\n"
        "    return out\n"
    )
    assert dd.tests <= 1278


@pytest.fixture
def tree():
    return ast.parse(chapter.MARKUP)


CHECKS = ast.parse(chapter.CHECKS)


def test_a_program_by_nodes_of_its_syntax_tree(tree):
    nodes = chapter.nodes_of(tree)
    assert len(nodes) == 107
    assert ast.unparse(chapter.deleted(tree, nodes[:4] + nodes[5:])).splitlines()[1].strip() != "tag = False"
    assert ast.unparse(chapter.deleted(tree, [])) == ""
    with DeltaDebugger() as dd:
        chapter.run_tree(tree, nodes, CHECKS)
    left = dd.min_args()["keep_list"]
    assert all(any(node is other for other in nodes) for node in left)
    assert len(left) <= 57
    assert dd.tests <= 310
    without_assertion = [line for line in ast.unparse(tree).splitlines() if "assert" not in line]
    assert ast.unparse(chapter.deleted(tree, left)).splitlines() == without_assertion


BY_TRANSFORMATION = """\
def remove_html_markup(s):
    tag = False
    pass
    out = ''
    for c in s:
        if c == '<':
            tag = True
        elif c == '>':
            tag = False
        elif c == '"':
            pass
        elif not tag:
            out = out + c
    return out"""


def test_a_program_by_one_transformation_of_each_node(tree):
    with DeltaDebugger() as dd:
        chapter.run_transformed(tree, chapter.nodes_of(tree), CHECKS)
    left = dd.min_args()["keep_list"]
    assert ast.unparse(chapter.deleted(tree, left, chapter.transformed)) == BY_TRANSFORMATION


def test_the_exercise_several_transformations_of_each_node(tree):
    kept = chapter.transformations(tree)
    with DeltaDebugger() as dd:
        chapter.run_transformations(tree, kept, CHECKS)
    smallest = chapter.transform(tree, dd.min_args()["kept"])
    with pytest.raises(AssertionError, match="My Test"):
        exec(ast.unparse(smallest) + "\n" + chapter.CHECKS, {}, {})
    text = ast.unparse(smallest)
    assert "quote" not in text and "pass" not in text and "assert" not in text
    assert len(chapter.nodes_of(smallest)) < len(chapter.nodes_of(ast.parse(BY_TRANSFORMATION)))


def test_the_same_program_is_smaller_by_its_language():
    def fails(candidate):
        try:
            exec(candidate + "\n" + chapter.CHECKS, {}, {})
        except AssertionError as error:
            return str(error) == "My Test"
        except Exception:
            return None
        return False

    found = nubbin.reduce(chapter.MARKUP, fails, language="python", max_probes=2000)
    assert len(ast.unparse(ast.parse(found.best))) < len(BY_TRANSFORMATION)
