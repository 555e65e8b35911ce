//! Tests of the accounts of failures of Python and C programs.

use nubbin_oracle::CommandOracle;
use nubbin_state::account::{Account, Kind, Shown, Value};
use nubbin_state::failure::{Failure, Run};
use nubbin_state::input::Inputs;
use nubbin_state::lab::{Bounds, Lab, Program};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Creates a directory with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("it lies in the folder")).expect("a directory");
        std::fs::write(path, text).expect("it is written");
    }
    folder
}

fn lab(folder: &Path, words: &str) -> Lab {
    let program = Program {
        words: words.split(' ').map(Into::into).collect(),
        directory: folder.to_owned(),
        stdin: None,
        sources: Vec::new(),
    };
    let none: [&str; 0] = [];
    let oracle = CommandOracle::new("true", none, Lab::request_name());
    Lab::new(program, &oracle, Bounds::default()).expect("a lab")
}

/// Returns the account of a command's failure, which is learned from the run alone.
fn account(folder: &TempDir, words: &str) -> Account {
    account_of(folder, words, |run| Failure::of_run(run).expect("it ends"))
}

fn account_of(folder: &TempDir, words: &str, failure: impl FnOnce(&Run) -> Failure) -> Account {
    let lab = lab(folder.path(), words);
    let run = lab.plain().expect("a run");
    let mut inputs = Inputs::default();
    if let Ok(content) = std::fs::read(folder.path().join("in.txt")) {
        inputs.file("in.txt", &content);
    }
    Account::of(&lab, &run, &failure(&run), &inputs).expect("runs").expect("the failure is seen")
}

/// Returns the file, line and function of a frame.
fn place(shown: &Shown) -> String {
    let name = shown.file.file_name().unwrap_or_default().to_string_lossy();
    format!("{name}:{} {}", shown.line, shown.function)
}

fn value<'v>(values: &'v [Value], name: &str) -> &'v Value {
    values.iter().find(|value| value.name == name).unwrap_or_else(|| panic!("no `{name}` in {values:?}"))
}

/// Returns the lines of the steps back from a value.
fn lines(value: &Value) -> Vec<u32> {
    value.steps.iter().map(|step| step.line).collect()
}

fn input(value: &Value) -> String {
    value.input.as_ref().map(ToString::to_string).unwrap_or_default()
}

const PART: &str = "\
def part(text):
    value = int(text)
    return 100 // value
";
const NUMBERS: &str = "5 4\n7 0\n";

#[test]
fn the_failing_statement_is_reported_with_values_and_origins() {
    let script =
        format!("import sys\n{PART}for word in open(sys.argv[1]).read().split():\n    print(part(word))\n");
    let folder = folder(&[("a.py", &script), ("in.txt", NUMBERS)]);
    let account = account(&folder, "python3 a.py in.txt");
    assert_eq!((account.kind, account.what.as_str()), (Kind::Exception, "ZeroDivisionError"));
    let places: Vec<String> = account.frames.iter().map(place).collect();
    assert_eq!(places, ["a.py:4 part", "a.py:6 <module>"]);
    let divisor = value(&account.frames[0].values, "value");
    assert_eq!((divisor.value.as_str(), lines(divisor)), ("0", vec![3, 6, 5]));
    // The text is traced back to the input: a single character that occurs there once.
    assert_eq!(divisor.steps[1].input.as_ref().map(ToString::to_string).as_deref(), Some("in.txt:2:3"));
}

#[test]
fn the_index_after_a_text_is_reported_as_an_input_position() {
    let script = "import sys\ntext = open(sys.argv[1]).read()\nat = 0\nwhile text[at] != ')':\n    at += 1\n";
    let folder = folder(&[("a.py", script), ("in.txt", "f(x\n\n")]);
    let account = account(&folder, "python3 a.py in.txt");
    let behind = value(&account.frames[0].values, "len(text)");
    assert_eq!((behind.value.as_str(), input(behind).as_str()), ("5", "in.txt:3:1"));
    assert_eq!(lines(value(&account.frames[0].values, "at")), [5, 3]);
}

#[test]
fn an_attribute_is_traced_to_the_function_that_set_it() {
    let script = "\
import sys
class Reader:
    def __init__(self, text):
        self.parts = text.split()
        self.sum = 0
    def take(self):
        self.parts = self.parts[1:]
    def first(self):
        return self.parts[0]
reader = Reader(open(sys.argv[1]).read())
reader.take()
reader.first()
";
    let folder = folder(&[("a.py", script), ("in.txt", "one\n")]);
    let account = account(&folder, "python3 a.py in.txt");
    let parts = value(&account.frames[0].values, "self.parts");
    assert_eq!((parts.value.as_str(), parts.steps[0].function.as_str()), ("[]", "take"));
}

#[test]
fn plain_objects_are_reported_with_their_origin() {
    let script = "\
import sys
class Node:
    parent = None
def last(name):
    return None
node = Node()
node.parent = last('a')
if sys.argv[1] == 'get':
    print(node.parent.name)
if sys.argv[1] == 'set':
    node.parent.name = 3
node.parent()
";
    let folder = folder(&[("a.py", script)]);
    for word in ["get", "set", "call"] {
        let account = account(&folder, &format!("python3 a.py {word}"));
        let parent = value(&account.frames[0].values, "node.parent");
        assert_eq!((parent.value.as_str(), lines(parent)[0]), ("None", 7), "{word}");
    }
}

#[test]
fn a_raising_statement_is_reported_with_its_condition() {
    let script = "import sys\ndef check(number):\n    if number < 3:\n        sys.exit('too small')\ncheck(int(open(sys.argv[1]).read()))\n";
    let folder = folder(&[("a.py", script), ("in.txt", "2\n")]);
    let account = account(&folder, "python3 a.py in.txt");
    assert_eq!((account.kind, place(&account.frames[0]).as_str()), (Kind::Exit, "a.py:4 check"));
    let condition = account.frames[0].condition.as_ref().expect("a condition");
    assert_eq!((condition.line, value(&condition.values, "number").value.as_str()), (3, "2"));
}

#[test]
fn a_failure_in_the_library_is_reported_with_the_calling_statement() {
    let script =
        "import json, sys\ndef read(text):\n    return json.loads(text)\nread(open(sys.argv[1]).read())\n";
    let folder = folder(&[("a.py", script), ("in.txt", "[1,\n")]);
    let account = account(&folder, "python3 a.py in.txt");
    let failing = account.failing().expect("a frame");
    assert!(failing > 0 && account.frames[0].is_library);
    assert_eq!(place(&account.frames[failing]), "a.py:3 read");
    assert_eq!(input(value(&account.frames[failing].values, "text")), "in.txt:1:1");
}

#[test]
fn a_written_text_is_reported_with_the_first_value_containing_it() {
    let script = "\
import sys
def quoted(text):
    return '<<' + text + '>>'
def page(text):
    return 'page ' + quoted(text)
print(page(open(sys.argv[1]).read().strip()))
";
    let folder = folder(&[("a.py", script), ("in.txt", "word\n")]);
    let account = account_of(&folder, "python3 a.py in.txt", |run| Failure::Writes {
        ends: run.status.expect("it ends"),
        stdout: run.stdout.clone(),
        passes: None,
    });
    // The whole line is computed by `page`.
    assert_eq!((account.kind, place(&account.frames[0]).as_str()), (Kind::Output, "a.py:5 page"));
    assert_eq!(place(&account.written[0]), "a.py:6 <module>");
}

#[test]
fn asyncio_threads_generators_modules_and_other_processes_are_examined() {
    let read = "open(sys.argv[1]).read().split()";
    let of_tasks = "\
import asyncio, sys
async def part(text):
    value = int(text)
    return 100 // value
async def main():
    for word in open(sys.argv[1]).read().split():
        await asyncio.gather(part(word))
asyncio.run(main())
";
    let of_thread = format!(
        "import sys, threading\n{PART}for word in {read}:\n    thread = threading.Thread(target=part, args=(word,))\n    thread.start()\n    thread.join()\n"
    );
    let of_generator = "\
import sys
def parts(path):
    for word in open(path).read().split():
        value = int(word)
        yield 100 // value
print(sum(parts(sys.argv[1])))
";
    let of_child = "import subprocess, sys\nsys.exit(subprocess.run([sys.executable, 'gen.py', sys.argv[1]]).returncode)\n";
    let of_pool = format!(
        "import multiprocessing, sys\n{PART}if __name__ == '__main__':\n    with multiprocessing.get_context(sys.argv[2]).Pool(1) as pool:\n        print(pool.map(part, {read}))\n"
    );
    let of_caught = format!(
        "import sys, traceback\n{PART}for word in {read}:\n    try:\n        part(word)\n    except ZeroDivisionError:\n        traceback.print_exc()\nsys.exit(1)\n"
    );
    let folder = folder(&[
        ("tasks.py", of_tasks),
        ("thread.py", &of_thread),
        ("gen.py", of_generator),
        ("pack/__init__.py", ""),
        ("pack/__main__.py", of_generator),
        ("child.py", of_child),
        ("pool.py", &of_pool),
        ("caught.py", &of_caught),
        ("in.txt", NUMBERS),
    ]);
    for (words, expected) in [
        ("tasks.py in.txt", "tasks.py:4 part"),
        ("thread.py in.txt", "thread.py:4 part"),
        ("gen.py in.txt", "gen.py:5 parts"),
        ("-m pack in.txt", "__main__.py:5 parts"),
        ("child.py in.txt", "gen.py:5 parts"),
        ("pool.py in.txt fork", "pool.py:4 part"),
        ("pool.py in.txt spawn", "pool.py:4 part"),
        ("caught.py in.txt", "caught.py:4 part"),
    ] {
        let account = account_of(&folder, &format!("python3 {words}"), |run| Failure::Ends {
            fails: run.status.expect("it ends"),
            message: None,
            passes: None,
        });
        let shown = &account.frames[account.failing().expect("a frame")];
        assert_eq!(place(shown), expected, "{words}");
        assert_eq!(value(&shown.values, "value").value, "0", "{words}");
        assert!(!lines(value(&shown.values, "value")).is_empty(), "{words}");
    }
}

#[test]
fn the_end_of_a_long_run_is_recorded() {
    let script = "\
import sys
def step(number):
    half = number // 2
    return 1 // (half - 4999)
for number in range(10000):
    step(number)
";
    let folder = folder(&[("a.py", script)]);
    let account = account(&folder, "python3 a.py");
    let half = value(&account.frames[0].values, "half");
    assert_eq!((half.value.as_str(), lines(half)), ("4999", vec![3, 6, 5]));
    assert_eq!(half.steps[2].value, "9998");
}

/// Creates a program in a virtual environment below its directory, with a failing module in the environment.
fn environment() -> TempDir {
    let folder = folder(&[
        ("run.py", "import sys\nfrom pack import work\nwork.total(open(sys.argv[1]).read())\n"),
        ("in.txt", "5\n0\n"),
        ("good.txt", "5\n1\n"),
    ]);
    let made = Command::new("python3")
        .args(["-m", "venv", "--without-pip", "v"])
        .current_dir(folder.path())
        .status()
        .expect("python3 runs");
    assert!(made.success());
    let library = std::fs::read_dir(folder.path().join("v/lib")).expect("a library").next();
    let pack = library.expect("one").expect("it is read").path().join("site-packages/pack");
    std::fs::create_dir_all(&pack).expect("a directory");
    std::fs::write(pack.join("__init__.py"), "NAME = 'pack'\n").expect("it is written");
    let work = "def total(text):\n    return sum(share(line) for line in text.split())\ndef share(line):\n    parts = int(line)\n    return 100 // parts\n";
    std::fs::write(pack.join("work.py"), work).expect("it is written");
    folder
}

#[test]
fn an_environment_below_the_script_is_found_by_a_relative_path() {
    let folder = environment();
    let account = account(&folder, "v/bin/python run.py in.txt");
    assert_eq!(place(&account.frames[0]), "work.py:5 share");
    // Statements of the failing module are examined, those of the library through which it is called are not.
    let mut lab = lab(folder.path(), "v/bin/python run.py in.txt");
    let files = |lab: &Lab| {
        let trace = lab.trace().expect("a trace");
        let name = |file: &Path| file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        trace.places.iter().map(|place| name(&place.file)).collect::<BTreeSet<_>>()
    };
    assert_eq!(files(&lab), BTreeSet::from(["run.py".to_owned()]));
    let run = lab.plain().expect("a run");
    let told = lab.debugger().traceback(&run.stderr).expect("a traceback");
    lab.set_named(told.frames.iter().map(|site| site.file.to_string_lossy().into_owned()).collect());
    assert_eq!(files(&lab), ["__init__.py", "run.py", "work.py"].map(str::to_owned).into());
}

#[test]
fn a_script_of_an_environment_is_examined_by_the_interpreter_in_its_first_line() {
    let folder = environment();
    let script = folder.path().join("v/bin/tool");
    let interpreter = folder.path().join("v/bin/python");
    let text = format!(
        "#!{}\nimport sys\nfrom pack.work import total\ntotal(open(sys.argv[1]).read())\n",
        interpreter.display()
    );
    std::fs::write(&script, text).expect("it is written");
    let path = account(&folder, &format!("{} in.txt", script.display()));
    assert_eq!(place(&path.frames[0]), "work.py:5 share");
}

#[test]
fn the_library_is_examined_only_if_the_failure_is_in_it() {
    let tasks = "import asyncio\nasync def main():\n    1 // 0\nasyncio.run(main())\n";
    let parses = "import json\njson.loads('[1,')\n";
    let folder = folder(&[("tasks.py", tasks), ("parses.py", parses)]);
    for (script, has_library) in [("tasks.py", false), ("parses.py", true)] {
        let mut lab = lab(folder.path(), &format!("python3 {script}"));
        let run = lab.plain().expect("a run");
        let named = lab.debugger().traceback(&run.stderr).expect("a traceback");
        lab.set_named(named.frames.iter().map(|site| site.file.to_string_lossy().into_owned()).collect());
        let trace = lab.trace().expect("a trace");
        let is_own = |file: &Path| file.file_name().is_some_and(|name| name == script);
        assert_eq!(trace.places.iter().any(|place| !is_own(&place.file)), has_library, "{script}");
    }
}

// C programs

/// Compiles a program. Returns `None` if debugging is not permitted here.
fn compiled(text: &str, options: &[&str]) -> Option<TempDir> {
    let mut look = Command::new("gdb");
    look.args(["-nx", "-q", "-batch", "-ex", "starti", "-ex", "info registers", "--args", "/bin/true"]);
    let look = look.stdin(Stdio::null()).output();
    if !look.is_ok_and(|look| look.status.success() && String::from_utf8_lossy(&look.stdout).contains("rip"))
    {
        println!("no gdb that may trace programs: not checked");
        return None;
    }
    let folder = folder(&[("a.c", text), ("in.txt", "7 12 x\n")]);
    let made =
        Command::new("cc").args(["-g", "-o", "a", "a.c"]).args(options).current_dir(folder.path()).status();
    made.is_ok_and(|made| made.success()).then_some(folder)
}

const LIST: &str = "\
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { int value; struct node *next; };
static struct node *make(int value, struct node *next)
{
    struct node *made = malloc(sizeof *made);
    made->value = value;
    made->next = next;
    return made;
}
static void cut(struct node *list)
{
    list->next = NULL;
}
static int second(struct node *list)
{
    return list->next->value;
}
static void limit(int count)
{
    if (count > 2)
        exit(4);
}
int main(int argc, char **argv)
{
    struct node *list = make(1, make(2, NULL));
    char text[16];
    if (strcmp(argv[1], \"cut\") == 0)
        cut(list);
    if (strcmp(argv[1], \"limit\") == 0)
        limit(argc);
    memset(text, 'a', 4);
    text[4] = 0;
    assert(strcmp(argv[1], \"assert\") != 0);
    printf(\"second %d\\n\", second(list));
    printf(\"text %s\\n\", text);
    return 0;
}
";

#[test]
fn in_c_a_value_is_traced_to_the_statement_that_wrote_it() {
    let Some(folder) = compiled(LIST, &["-O0"]) else { return };
    let account = account(&folder, "./a cut");
    assert_eq!((account.kind, account.what.as_str()), (Kind::Signal, "SIGSEGV"));
    assert_eq!(place(&account.frames[0]), "a.c:19 second");
    let next = value(&account.frames[0].values, "list->next");
    assert_eq!((next.value.as_str(), lines(next), next.steps[0].function.as_str()), ("0x0", vec![15], "cut"));
    // An argument comes from the caller's variable, and that from the statement that set it.
    assert_eq!(lines(value(&account.frames[0].values, "list")), [37, 28]);
}

#[test]
fn in_c_assertions_exits_and_output_are_reported_with_their_statement() {
    let Some(folder) = compiled(LIST, &["-O0"]) else { return };
    let asserts = account(&folder, "./a assert");
    assert_eq!((asserts.what.as_str(), place(&asserts.frames[0]).as_str()), ("SIGABRT", "a.c:36 main"));
    let exits = account(&folder, "./a limit 2");
    assert_eq!((exits.kind, place(&exits.frames[0]).as_str()), (Kind::Exit, "a.c:24 limit"));
    let condition = exits.frames[0].condition.as_ref().expect("a condition");
    assert_eq!((condition.line, value(&condition.values, "count").value.as_str()), (23, "3"));
    let writes = account_of(&folder, "./a write", |run| Failure::Says {
        ends: run.status.expect("it ends"),
        words: ["aaaa".to_owned()].into(),
    });
    assert_eq!((writes.kind, place(&writes.frames[0]).as_str()), (Kind::Output, "a.c:38 main"));
}

#[test]
fn in_c_an_exit_is_reported_with_the_statement_that_wrote_its_message() {
    let text = "\
#include <stdio.h>
static int errors;
static void fail(int line)
{
    fprintf(stderr, \"line %d: comma expected\\n\", line);
    errors++;
}
int main(void)
{
    fail(3);
    return errors != 0;
}
";
    let Some(folder) = compiled(text, &["-O0"]) else { return };
    let exits = account(&folder, "./a");
    assert_eq!((exits.kind, place(&exits.frames[0]).as_str()), (Kind::Output, "a.c:5 fail"));
    assert_eq!(place(&exits.frames[1]), "a.c:10 main");
    assert_eq!(exits.message, "exit status 1: line 3: comma expected");
    assert_eq!(value(&exits.frames[0].values, "line").value, "3");
}

#[test]
fn in_c_a_write_by_the_library_is_traced_to_the_calling_statement() {
    let text = "\
#include <stdio.h>
int main(int argc, char **argv)
{
    FILE *file = fopen(argv[1], \"r\");
    int one = 0, two = 0;
    fscanf(file, \"%d %d\", &one, &two);
    int *bad = NULL;
    return *bad + one + two;
}
";
    let Some(folder) = compiled(text, &["-O0"]) else { return };
    let account = account(&folder, "./a in.txt");
    let two = value(&account.frames[0].values, "two");
    assert_eq!((two.value.as_str(), lines(two), input(two).as_str()), ("12", vec![6], "in.txt:1:3"));
}

#[test]
fn optimised_code_and_missing_debug_information_are_reported() {
    let Some(folder) = compiled(LIST, &["-O2"]) else { return };
    let found = account(&folder, "./a cut");
    assert!(
        found.left.iter().any(|left| left.contains("-O2") && left.contains("-O0 -g")),
        "{:?}",
        found.left
    );
    let stripped = Command::new("strip").arg("a").current_dir(folder.path()).status();
    assert!(stripped.is_ok_and(|stripped| stripped.success()));
    let lab = lab(folder.path(), "./a cut");
    let run = lab.plain().expect("a run");
    let failure = Failure::of_run(&run).expect("it ends");
    let fault = Account::of(&lab, &run, &failure, &Inputs::default()).expect_err("nothing is known of it");
    assert_eq!(fault.hint(), Some("build it with `-g -O0`"));
}
