//! `nubbin statements`, `nubbin state`, `nubbin causes` and `nubbin explain`, on the programs of the papers
//! in C and Python.

use crate::sandbox::Sandbox;
use crate::tools;
use serde_json::Value;

/// The program of Cleve and Zeller (AADEBUG 2000, section 5) in Python, where its loop produces a trace of 37
/// events.
const SUMS_PYTHON: &str = "\
import sys
sum = 0
mul = 1
a = int(sys.argv[1])
b = int(sys.argv[2])
while a <= b:
    sum = sum + a
    mul = mul * a
    a = a + 1
print('sum =', sum)
print('mul =', mul)
";
/// The same in C.
const SUMS_C: &str = "\
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char *argv[])
{
    int sum, mul, a, b;
    sum = 0;
    mul = 1;
    a = atoi(argv[1]);
    b = atoi(argv[2]);
    while (a <= b) {
        sum = sum + a;
        mul = mul * a;
        a = a + 1;
    }
    printf(\"sum = %d\\n\", sum);
    printf(\"mul = %d\\n\", mul);
    return 0;
}
";
/// The sorting program of Cleve and Zeller (ICSE 2005) in C: it passes the number of its arguments as that of
/// its numbers.
const SAMPLE_C: &str = include_str!("../../benches/causes/shellsort/shellsort.c");
/// The same in Python; the earlier contents of memory follow the numbers.
const SAMPLE_PYTHON: &str = "\
import sys

def shell_sort(a, size):
    gap = size // 2
    while gap > 0:
        for i in range(gap, size):
            value = a[i]
            j = i
            while j >= gap and a[j - gap] > value:
                a[j] = a[j - gap]
                j = j - gap
            a[j] = value
        gap = gap // 2

def main(argc, argv):
    a = [0, 0, 0, 1961]
    for i in range(argc - 1):
        a[i] = int(argv[i + 1])
    shell_sort(a, argc)
    print(*a[:argc - 1])

main(len(sys.argv), sys.argv)
";
/// A program that fails on the list 14, 15, 18, 22, as in Zeller (FSE 2002).
const LIST_C: &str = "\
#include <stdio.h>
#include <stdlib.h>
typedef struct list { int value; struct list *next; } List;
static int check(List *list)
{
    int sum = 0;
    for (List *at = list; at != NULL; at = at->next)
        sum = sum * 3 + at->value;
    return sum;
}
int main(int argc, char *argv[])
{
    List *list = NULL;
    for (int i = argc - 1; i > 0; i--) {
        List *node = malloc(sizeof *node);
        node->value = atoi(argv[i]);
        node->next = list;
        list = node;
    }
    argc = 0;
    argv = NULL;
    puts(check(list) == 589 ? \"bad\" : \"good\");
    return 0;
}
";
const LIST_PYTHON: &str = "\
import sys

class Node:
    def __init__(self, value, next):
        self.value = value
        self.next = next

def check(list):
    sum = 0
    at = list
    while at is not None:
        sum = sum * 3 + at.value
        at = at.next
    return sum

def main(words):
    list = None
    for word in reversed(words):
        list = Node(int(word), list)
    del words, word
    print('bad' if check(list) == 589 else 'good')

main(sys.argv[1:])
";

fn compiled(sandbox: &Sandbox, text: &str, name: &str) {
    // Some containers do not permit debugging.
    let look =
        ["gdb", "-nx", "-q", "-batch", "-ex", "starti", "-ex", "info registers", "--args", "/bin/true"];
    tools::succeeds(&look, "gdb, and leave to trace programs");
    tools::program("cc");
    let file = format!("{name}.c");
    sandbox.file(&file, text);
    let run = sandbox.run("cc", &["-g", "-O0", "-o", name, &file]);
    assert_eq!(run.code(), 0, "{run:?}");
}

/// Runs a command that prints a JSON object.
fn answer(sandbox: &Sandbox, words: &str) -> Value {
    let words: Vec<&str> = words.split(' ').collect();
    let typed = [&words[..1], &["--quiet", "--json"], &words[1..]].concat();
    let run = sandbox.nubbin_confined(&typed);
    assert_eq!(run.code(), 0, "{run:?}");
    serde_json::from_str(&run.stdout).unwrap()
}

/// Returns the lines of the needed events, and the number of runs.
fn needed(found: &Value) -> (Vec<u64>, u64) {
    let events = found["needed"].as_array().unwrap();
    (events.iter().map(|event| event["line"].as_u64().unwrap()).collect(), found["runs"].as_u64().unwrap())
}

/// Returns the descriptions of all causes of a chain, in order, without repetitions.
fn causes(found: &Value) -> Vec<String> {
    let links = found["links"].as_array().unwrap();
    let mut words: Vec<String> =
        links.iter().map(|link| link["words"][0].as_str().unwrap().to_owned()).collect();
    words.dedup();
    words
}

/// Returns whether each cause of a chain was observed to bring about the next one.
fn is_checked(found: &Value) -> bool {
    let transitions = found["transitions"].as_array().unwrap();
    transitions.iter().all(|one| ["same", "other"].contains(&one["effect"].as_str().unwrap_or_default()))
}

#[apply(test)]
fn the_executed_statements_of_the_published_program_in_python_are_reduced_as_published() {
    let sandbox = Sandbox::new();
    sandbox.file("sums.py", SUMS_PYTHON);
    let (both, runs) = needed(&answer(&sandbox, "statements -j1 -- python3 sums.py 0 5"));
    let count = |lines: &[u64], line: u64| lines.iter().filter(|&&one| one == line).count();
    // Neither the conditions of the loop, nor reading `b`, nor the later multiplications.
    assert_eq!([5, 6, 8].map(|line| count(&both, line)), [0, 0, 1], "{both:?}");
    assert_eq!([2, 3, 4, 7, 9, 10, 11].map(|line| count(&both, line)), [1, 1, 1, 5, 5, 1, 1]);
    assert!(runs <= 100, "{runs}");
    let (sum, runs) = needed(&answer(&sandbox, "statements -j1 --stdout sum.=.15 -- python3 sums.py 0 5"));
    assert_eq!([3, 6, 8, 11].map(|line| count(&sum, line)), [0; 4], "{sum:?}");
    assert_eq!((count(&sum, 7), count(&sum, 9), runs <= 100), (5, 5, true));
    let found = answer(&sandbox, "statements -j1 --stdout mul.=.0 -- python3 sums.py 0 5");
    assert_eq!(needed(&found).0, [1, 3, 4, 8, 11]);
    assert_eq!(found["tried_alone"], 5, "each of them was left out alone");
    let ahead = answer(&sandbox, "statements -j4 --stdout mul.=.0 -- python3 sums.py 0 5");
    assert_eq!(ahead["needed"], found["needed"], "the number of jobs changes nothing");
}

#[apply(test)]
fn the_executed_statements_of_the_published_program_in_c_are_reduced_as_published() {
    let sandbox = Sandbox::new();
    compiled(&sandbox, SUMS_C, "sums");
    let (both, runs) = needed(&answer(&sandbox, "statements -j1 -- ./sums 0 5"));
    let count = |line: u64| both.iter().filter(|&&one| one == line).count();
    assert_eq!([9, 10].map(count), [0, 0], "neither `b` nor the conditions: {both:?}");
    assert_eq!((count(11), count(15), count(16)), (5, 1, 1), "{both:?}");
    assert!(count(12) <= 1 && count(13) == 5 && runs <= 100, "{both:?} after {runs}");
}

#[apply(test)]
fn the_chain_of_the_published_sorting_program_is_found_in_c() {
    let sandbox = Sandbox::new();
    compiled(&sandbox, SAMPLE_C, "sample");
    let found = answer(&sandbox, "causes -j1 -- ./sample 7 8 9 -- ./sample 11 14");
    let words = causes(&found);
    assert_eq!(found["failure"], "writes `0`");
    assert_eq!(words[0], "argc = 3, not 4");
    for part in ["numbers[2] = 0, not 9", "value = 0, not", "values[0] = 0, not 7"] {
        assert!(words.iter().any(|words| words.starts_with(part)), "{part}: {words:?}");
    }
    assert!(found["transitions"].as_array().unwrap().len() >= 3);
    assert!(is_checked(&found), "{found}");
    assert!(found["runs"].as_u64().unwrap() <= 240, "{found}");
}

#[apply(test)]
fn the_chain_of_the_published_sorting_program_is_found_in_python() {
    let sandbox = Sandbox::new();
    sandbox.file("sample.py", SAMPLE_PYTHON);
    let found = answer(&sandbox, "causes -j1 -- python3 sample.py 7 8 9 -- python3 sample.py 11 14");
    let words = causes(&found);
    assert_eq!(words.first().map(String::as_str), Some("argc = 3, not 4"), "{words:?}");
    assert!(is_checked(&found), "{found}");
    for part in ["a[2] = 0, not 9", "value = 0, not", "a[0] = 0, not 7"] {
        assert!(words.iter().any(|words| words.starts_with(part)), "{part}: {words:?}");
    }
    // The text contains the same, and where to look.
    let typed = [
        "causes",
        "-q",
        "-o",
        "why.html",
        "--",
        "python3",
        "sample.py",
        "7",
        "8",
        "9",
        "--",
        "python3",
        "sample.py",
        "11",
        "14",
    ];
    let run = sandbox.nubbin_confined(&typed);
    for part in ["argc = 3, not 4", "look at   sample.py:", "checked   each cause leads to the next"] {
        assert!(run.stdout.contains(part), "{part}: {run:?}");
    }
    assert!(sandbox.read("why.html").contains("a[0] = 0, not 7"));
}

#[apply(test)]
fn two_states_differ_by_values_or_by_nodes() {
    let sandbox = Sandbox::new();
    compiled(&sandbox, LIST_C, "list");
    sandbox.file("list.py", LIST_PYTHON);
    let runs = "14 18 20 22 --";
    let c = answer(&sandbox, &format!("state --at list.c:6 -- ./list {runs} ./list 14 15 18 22"));
    let parallel = ["list->next->value = 15, not 18", "list->next->next->value = 18, not 20"];
    assert_eq!(c["cause"]["words"], serde_json::json!(parallel));
    let c = answer(&sandbox, &format!("state --largest --at list.c:6 -- ./list {runs} ./list 14 15 18 22"));
    let commands = c["cause"]["commands"].as_array().unwrap();
    assert!(commands.contains(&"set variable $m1->next = list->next".into()), "{commands:?}");
    let python = "python3 list.py";
    let p = answer(
        &sandbox,
        &format!("state --largest --at list.py:9 --dot l.dot -- {python} {runs} {python} 14 15 18 22"),
    );
    assert!(p["cause"]["commands"].as_array().unwrap().contains(&"nubbin_1.value = 15".into()), "{p}");
    assert_eq!(
        p["way"],
        serde_json::json!(["python3 -m pdb list.py 14 18 20 22", "break list.py:9", "continue"])
    );
    assert!(sandbox.read("l.dot").contains("value = 15"));
}

#[apply(test)]
fn an_array_is_lengthened_and_a_tuple_is_set_as_a_whole() {
    let sandbox = Sandbox::new();
    let long = "\
#include <stdio.h>
#include <string.h>
int main(int argc, char *argv[])
{
    int sum = 0;
    for (int i = 1; i < argc; i++)
        sum += strlen(argv[i]);
    puts(sum > 8 ? \"bad\" : \"good\");
    return 0;
}
";
    compiled(&sandbox, long, "long");
    let found = answer(&sandbox, "state --at long.c:5 -- ./long ab cd -- ./long ab cd hundred");
    let words = ["argc = 4, not 3", "*argv[3] = \"hundred\", which is new", "argv has 4 elements, not 3"];
    assert_eq!(found["cause"]["words"], serde_json::json!(words), "{found}");
    let token = "\
import sys
from collections import namedtuple
from datetime import date
Token = namedtuple('Token', 'text day')
def check(token):
    return 'bad' if token.text == 'x' and token.day.day > 3 else 'good'
def main(text, day):
    token = Token(text, date(2024, 2, int(day)))
    del text, day
    print(check(token))
main(sys.argv.pop(), sys.argv.pop())
";
    sandbox.file("token.py", token);
    let found = answer(&sandbox, "state --at token.py:6 -- python3 token.py 2 y -- python3 token.py 5 x");
    let commands = found["cause"]["commands"].as_array().unwrap();
    let made = "token = tuple.__new__(__import__('sys').modules[\"__main__\"].Token, \
                ('x',__import__('datetime').date(2024, 2, 5),))";
    assert_eq!(commands, &[made], "{found}");
}

#[apply(test)]
fn a_file_is_explained_from_crash_to_causes() {
    let sandbox = Sandbox::new();
    let tool = "import sys\n\ndef read(path):\n    return open(path).read().split()\n\ndef check(words):\n    total = 0\n    for word in words:\n        total = total + 100 // (len(word) - 4)\n    return total\n\nprint(check(read(sys.argv[1])))\n";
    sandbox.file("tool.py", tool);
    sandbox.file("bug.txt", "we\nhave\nto\nstop\n");
    let found = answer(&sandbox, "explain -j1 bug.txt -- python3 tool.py {}");
    assert_eq!(sandbox.read("bug.why/failing/bug.txt").trim(), "have");
    let words = causes(&found);
    assert!(words.iter().any(|words| words.starts_with("word = 'have', not ")), "{words:?}");
    let page = sandbox.read("bug.why/why.html");
    assert!(
        page.contains("<h1>ZeroDivisionError: ") && page.contains(", in check, tool.py:9</h1>"),
        "{page}"
    );
}

#[apply(test)]
fn the_account_comes_first_and_fits_a_screen() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "tool.py",
        "import sys\n\ndef share(word):\n    size = len(word)\n    return 100 // (size - 4)\n\nfor word in open(sys.argv[1]).read().split():\n    print(share(word))\n",
    );
    sandbox.file("bad.txt", "we\nhave\n");
    sandbox.file("good.txt", "we\nhad\n");
    let causes = "causes -q -j1 -- python3 tool.py good.txt -- python3 tool.py bad.txt";
    for command in [causes, "explain -q -j1 bad.txt -- python3 tool.py {}"] {
        let run = sandbox.nubbin_confined(&command.split(' ').collect::<Vec<_>>());
        assert_eq!(run.code(), 0, "{run:?}");
        let (screen, rest) = run.stdout.split_once("\n\n").unwrap();
        let lines: Vec<&str> = screen.lines().collect();
        let message = "failure   ZeroDivisionError: integer division or modulo by zero";
        assert_eq!(
            lines[..3],
            [message, "fails at  tool.py:5 in share", "              return 100 // (size - 4)"]
        );
        assert!(lines.len() <= 24 && lines.iter().all(|line| line.chars().count() <= 100), "{screen}");
        for part in
            ["size = 4", "← line 4: size = len(word)", "(bad.txt:2:1)", "called    tool.py:8 in <module>"]
        {
            assert!(screen.contains(part), "`{part}` in {screen}");
        }
        assert!(rest.contains("look at"), "{rest}");
    }
    let found = answer(&sandbox, "causes -j1 -- python3 tool.py good.txt -- python3 tool.py bad.txt");
    assert_eq!(found["account"]["frames"][0]["values"][0]["value"], "0", "{found}");
}

#[apply(test)]
fn a_module_of_an_environment_below_the_script_is_examined() {
    let sandbox = Sandbox::new();
    tools::succeeds(&["python3", "-c", "import venv"], "the module venv");
    assert_eq!(sandbox.run("python3", &["-m", "venv", "--without-pip", "v"]).code(), 0);
    let library = std::fs::read_dir(sandbox.path("v/lib")).unwrap().next().unwrap().unwrap().file_name();
    let module = format!("v/lib/{}/site-packages/shares.py", library.to_string_lossy());
    sandbox.file(
        &module,
        "def share(text):\n    size = int(text)\n    rest = size - 7\n    return 100 // rest\n",
    );
    sandbox.file("run.py", "import sys\nimport shares\nprint(shares.share(open(sys.argv[1]).read()))\n");
    sandbox.file("good.txt", "5\n");
    sandbox.file("bad.txt", "7\n");
    // The interpreter is given relative to this directory.
    let found = answer(&sandbox, "causes -j1 -- v/bin/python run.py good.txt -- v/bin/python run.py bad.txt");
    let words = causes(&found);
    assert!(words.iter().any(|words| words == "rest = 0, not -2"), "{words:?}");
    let at = |link: &Value| link["place"]["file"].as_str().unwrap().ends_with("shares.py");
    assert!(found["links"].as_array().unwrap().iter().any(at), "{found}");
    let found = answer(&sandbox, "explain -j1 bad.txt -- v/bin/python run.py {}");
    assert_eq!(sandbox.read("bad.why/failing/bad.txt").trim(), "7", "{found}");
}

#[apply(test)]
fn a_failing_module_that_was_not_examined_is_named() {
    let sandbox = Sandbox::new();
    sandbox.file("parts.py", "def share(text):\n    return 100 // (int(text) - 7)\n");
    std::fs::create_dir(sandbox.path("inner")).unwrap();
    sandbox.file(
        "inner/run.py",
        "import sys\nsys.path.append('.')\nfrom parts import share\nprint(share(sys.argv[1]))\n",
    );
    let words = "causes -q --source inner -- python3 inner/run.py 5 -- python3 inner/run.py 7";
    let run = sandbox.nubbin_confined(&words.split(' ').collect::<Vec<_>>());
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stdout.contains("parts.py`, where the run fails"), "{run:?}");
    assert!(!run.stdout.contains("is a cause"), "{run:?}");
}

#[apply(test)]
fn one_line_functions_in_c_are_examined_and_optimised_ones_are_named() {
    let sandbox = Sandbox::new();
    let text = "\
#include <stdlib.h>
static int half(int n) { return n / 2; }
static int share(int n) { if (half(n) == 3) abort(); return 0; }
int main(int argc, char **argv) { return share(argc > 1 ? atoi(argv[1]) : 0); }
";
    compiled(&sandbox, text, "short");
    let found = answer(&sandbox, "causes -j1 -- ./short 4 -- ./short 6");
    let words = causes(&found);
    assert!(words.iter().any(|words| words.starts_with("n = ")), "{words:?}");
    assert_eq!(sandbox.run("cc", &["-g", "-O2", "-o", "fast", "short.c"]).code(), 0);
    let run = sandbox.nubbin_confined(&["causes", "-q", "--", "./fast", "4", "--", "./fast", "6"]);
    let said = run.stdout.clone() + &run.stderr;
    assert!(said.contains("-O2") && said.contains("-O0"), "{run:?}");
}

#[apply(test)]
fn nothing_is_reduced_if_the_program_cannot_be_examined() {
    let sandbox = Sandbox::new();
    compiled(&sandbox, SUMS_C, "sums");
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char *argv[])\n{\n    int c = argc > 1 ? getc(fopen(argv[1], \"r\")) : 0;\n    if (c == 'x')\n        abort();\n    return 0;\n}\n";
    sandbox.file("plain.c", text);
    assert_eq!(sandbox.run("cc", &["-o", "plain", "plain.c"]).code(), 0);
    sandbox.file("bad.txt", "x\ny\n");
    let run = sandbox.nubbin_confined(&["explain", "bad.txt", "--", "./plain", "{}"]);
    assert_eq!(run.code(), 5, "{run:?}");
    assert!(run.stderr.contains("build it with `-g -O0`") && !run.stderr.contains("reducing"), "{run:?}");
    assert!(!sandbox.path("bad.why").exists(), "{run:?}");
}

#[apply(test)]
fn programs_that_cannot_be_examined_are_reported_with_a_hint() {
    let sandbox = Sandbox::new();
    compiled(&sandbox, SUMS_C, "sums");
    sandbox.run("cc", &["-O2", "-o", "plain", "sums.c"]);
    sandbox.file("a.py", "import sys\nprint('same')\n");
    sandbox.file("b.py", "def f(:\n");
    let told = |words: &str, code: i32, parts: &[&str]| {
        let words: Vec<&str> = words.split(' ').collect();
        let run = sandbox.nubbin_confined(&words);
        assert_eq!(run.code(), code, "{words:?}: {run:?}");
        for part in parts {
            assert!(run.stderr.contains(part), "`{part}` in {run:?}");
        }
    };
    told("statements -q --", 2, &["the program is missing", "nubbin statements -- PROGRAM ARGS"]);
    told("statements -- ./plain 0 5", 5, &["debug information", "-g -O0"]);
    told("statements -- ./nothing 0 5", 5, &["./nothing"]);
    told("statements -- python3 b.py", 5, &["b.py"]);
    told("causes -- ./sums 0 5", 2, &["it follows a second `--`"]);
    told("causes -- ./sums 0 5 -- ./sums 0 5", 2, &["both runs are the same"]);
    told("causes -- python3 a.py 1 -- python3 a.py 2", 3, &["write the same"]);
    told("state -- ./sums 0 5 -- ./sums 0 6", 2, &["--at FILE:LINE"]);
    told("state --at x.c:1 -- ./sums 0 5 -- ./sums 0 6", 5, &["x.c"]);
    told("state --at sums.c:12:99 -- ./sums 0 5 -- ./sums 0 6", 5, &["sums.c:12"]);
    told("explain none.txt -- python3 a.py", 7, &["file `none.txt` does not exist"]);
}
