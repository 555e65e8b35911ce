"""Checks the gdb agent on the C and C++ programs of this directory.

It runs, traces and partially executes the programs, takes their states and changes them with commands,
including unusual endings and invalid requests. The programs are compiled into a temporary directory. The
checks need gdb, gcc and g++, and take some seconds. `cargo test` runs them; to run them by hand:

    python3 crates/state/tests/agents/gdb/check.py
"""

import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

from ag import Agent, build

checks = 0


def check(condition, what):
    """Count a check, and exit with a message if it fails."""
    global checks
    checks += 1
    if not condition:
        sys.exit(f"FAILED: {what}")


def lines(trace):
    """Return the line and depth of each event of a trace."""
    return [(trace["places"][place]["line"], depth) for place, depth, _ in trace["events"]]


def without(trace, *numbers):
    """Return the events of a trace that are not on these lines."""
    return [event for event in trace["events"] if trace["places"][event[0]]["line"] not in numbers]


def point(file, line, count=1):
    """Return a point of a request: a line and the number of the arrival there."""
    return {"place": {"file": file, "line": line}, "count": count}


class StateGraph:
    """A state whose values can be looked up."""

    def __init__(self, state):
        self.vertices, self.edges = state["vertices"], state["edges"]

    def root(self, frame, name):
        """Return the vertex of a variable of a frame."""
        return next(edge["to"] for edge in self.edges
                    if edge["from"] is None and edge["frame"] == frame and edge["op"] == name)

    def follow(self, vertex, *ops):
        """Return the vertex to which the operations lead."""
        for op in ops:
            vertex = next(edge["to"] for edge in self.edges if edge["from"] == vertex and edge["op"] == op)
        return vertex

    def value(self, vertex):
        """Return the value of a vertex."""
        return self.vertices[vertex]["value"]

    def by_op(self):
        """Return the last vertex of each operation."""
        return {edge["op"]: self.vertices[edge["to"]] for edge in self.edges}


def check_stripe(agent):
    """The example of partial execution: statements of the sum and the product are omitted."""
    program = ["./stripe", "1", "5"]
    plain = agent.ask("run", program)
    trace = agent.ask("trace", program)
    check(plain["stdout"] == trace["stdout"] == "sum = 15\nmul = 120\n", "stripe's output")
    check(plain["ending"] == {"exit": 0}, "stripe's ending")
    count = len(trace["events"])
    check(count == 12 + 4 * 5 + 4 and not trace["is_cut"], f"stripe has {count} events")
    check([first for _, _, first in trace["events"]] == [1] + [0] * 35, "one event is the first of its frame")
    check(sum(place["fixed"] for place in trace["places"]) == 2, "stripe's fixed places")
    check(agent.ask("trace", program)["events"] == trace["events"], "stripe is the same again")
    answer = agent.partial(program, trace, trace["events"])
    check(answer["stdout"] == plain["stdout"] and answer["unused"] == 0, "stripe with all events")
    for left_out, text in [
        ((20,), "sum = 0\nmul = 120\n"), ((21,), "sum = 15\nmul = 1\n"), ((20, 21), "sum = 0\nmul = 1\n"),
        ((22,), "sum = 5\nmul = 1\n"), ((24,), "mul = 120\n"), ((25,), "sum = 15\n"),
        ((6, 7, 8, 9, 17, 18), None),
    ]:
        answer = agent.partial(program, trace, without(trace, *left_out))
        check(answer["ending"] == {"exit": 0} and answer["unused"] == 0, f"stripe without {left_out}")
        check(text in (None, answer["stdout"]), f"stripe's output without {left_out}: {answer['stdout']!r}")
    stdin = os.path.join(agent.directory, "two.txt")
    with open(stdin, "w") as file:
        file.write("2 4\n")
    trace = agent.ask("trace", ["./stripe"], stdin=stdin)
    check(trace["stdout"] == "sum = 9\nmul = 24\n" and (14, 1) in lines(trace), "stripe with stdin")
    answer = agent.partial(["./stripe"], trace, without(trace, 21), stdin=stdin)
    check(answer["stdout"] == "sum = 9\nmul = 1\n", "stripe with stdin, in part")
    answer = agent.ask("trace", program, most_events=5)
    check(answer["is_cut"] and len(answer["events"]) == 5, "a cut trace")
    check(answer["stdout"] == plain["stdout"], "a cut trace's output")


def check_calls(agent):
    """Depths of calls, omitted calls, and executions that get stuck."""
    program = ["./calls"]
    trace = agent.ask("trace", program)
    events = trace["events"]
    start = lines(trace)[:6]
    check(start == [(19, 1), (20, 1), (4, 2), (5, 2), (6, 2), (7, 2)], f"depths: {start}")
    check(agent.partial(program, trace, events)["stdout"] == "25\n25\n", "calls with all events")
    answer = agent.partial(program, trace, without(trace, 6))
    check(answer["stdout"] == "25\n0\n", "calls without a statement")
    answer = agent.partial(program, trace, events[:1] + events[7:])
    check(answer["stdout"].endswith("\n16\n"), f"without a call: {answer['stdout']!r}")
    check(answer["unused"] == 0, "without a call, all events are used")
    answer = agent.partial(program, trace, events[:1] + events[2:])
    check(answer["ending"] == {"stuck": "a call did not happen"}, f"a missing call: {answer['ending']}")
    answer = agent.partial(["./calls", "e"], trace, events[:-1] + [[0, 3]], most_stops=200)
    check("stuck" in answer["ending"] and answer["problem"] is None, f"an event too deep: {answer['ending']}")
    other = next(number for number, place in enumerate(trace["places"]) if place["line"] == 5)
    answer = agent.partial(program, trace, events[:1] + [[other, 1]])
    check(answer["ending"] == {"stuck": "cannot go to 5"}, f"another function's place: {answer['ending']}")
    answer = agent.ask("trace", ["./calls", "r"], most_events=1000)
    check(answer["ending"] == {"signal": 11} and answer["is_cut"], "endless recursion")
    check(max(depth for _, depth in lines(agent.ask("trace", ["./qs"]))) == 3, "depths of callbacks")


def check_sample(agent):
    """States at the start of a function, and runs with changed states."""
    for words, text in [("11 14", "0 11 \n"), ("7 8 9", "7 8 9 \n")]:
        check(agent.ask("run", ["./sample", *words.split()])["stdout"] == text, f"sample {words}")
    at = point("sample.c", 8)
    for words, third in [("11 14", "0"), ("7 8 9", "9")]:
        words = words.split()
        answer = agent.ask("state", ["./sample", *words], at=at)
        state = answer["state"]
        check(answer["reached"] and state["is_whole"], "sample's state")
        check(answer["ending"] == {"stuck": "state taken"}, "the ending after a state")
        check([frame["function"] for frame in state["frames"]] == ["shell_sort", "main"], "sample's frames")
        graph = StateGraph(state)
        a, argv = graph.root(0, "a"), graph.root(1, "argv")
        for frame, name in [(0, "size"), (1, "argc")]:
            check(graph.value(graph.root(frame, name)) == str(len(words) + 1), name)
        elements = [graph.value(graph.follow(a, f"[{number}]")) for number in range(len(words))]
        check(elements == words, "elements of a")
        check(graph.value(graph.follow(a, "[2]")) == third, "a[2]")
        check(graph.follow(a, "[1]") == graph.follow(graph.root(1, "a"), "[1]"), "two pointers to an array")
        texts = [graph.value(graph.follow(argv, f"[{number + 1}]", "*")) for number in range(len(words))]
        check(texts == [f'"{word}"' for word in words], "elements of argv")
    answer = agent.ask("run", ["./sample", "7", "8", "9"], at=at, commands=["set variable a[2] = 0"])
    check(answer["stdout"] == "0 7 8 \n", "run with a[2] = 0")
    check(answer["reached"] and answer["failed"] is None, "the commands of a run")
    answer = agent.ask("run", ["./sample", "11", "14"], at=at, commands=["set variable size = 2"])
    check(answer["stdout"] == "11 14 \n", "run with size = 2")
    commands = ["frame 1", "set variable i = 77", "set variable nothing = 1"]
    failed = agent.ask("run", ["./sample", "11", "14"], at=at, commands=commands)["failed"]
    check(failed["command"] == commands[2] and "nothing" in failed["text"], "a command that fails")
    answer = agent.ask("state", ["./sample", "1"], at=point("sample.c", 8, count=2))
    check(answer["problem"]["kind"] == "not-reached", "a second arrival that does not happen")


def check_later(agent):
    """States at a point after another point at which commands are executed."""
    def later(first, line, count=1, command="set variable a[2] = 0"):
        """Return a state of the sample after a change of its array."""
        answer = agent.ask("state", ["./sample", "7", "8", "9"], first=point("sample.c", first),
                           at=point("sample.c", line, count), commands=[command])
        return answer, StateGraph(answer["state"]) if "state" in answer else None

    graph = later(8, 56)[1]
    check(graph.value(graph.follow(graph.root(0, "a"), "[0]")) == "0", "a state behind a change, in the caller")
    graph = later(8, 16, 2)[1]
    check(graph.value(graph.root(0, "value")) == "0", "a state at a second arrival behind a change")
    graph = later(16, 16)[1]
    check(graph.value(graph.root(0, "i")) == "2", "the arrival with the commands does not count")
    check(later(16, 8)[0]["problem"]["kind"] == "not-reached", "what comes before the commands does not count")
    check(later(8, 16, command="set variable nothing = 1")[1] is None, "no state behind a command that fails")


def check_data(agent):
    """Lists, strings, bit fields, unions, arrays and large states."""
    at = point("lists.c", 76)
    commands = ["set variable $m1 = (List *)((void *(*)(unsigned long))malloc)(16)",
                "set variable $m1->value = 20", "set variable $m1->next = head->next->next",
                "set variable head->next->next = $m1"]
    answer = agent.ask("run", ["./lists"], at=at, commands=commands)
    check("14 18 20 22 one" in answer["stdout"], f"a new node: {answer}")
    commands = ["set variable $m1 = (char *)((void *(*)(unsigned long))malloc)(12)",
                'set variable *(char (*)[12])$m1 = "longer text"', "set variable names[0] = $m1",
                "set variable paint = BLUE"]
    answer = agent.ask("run", ["./lists"], at=at, commands=commands)
    check("14 18 22 longer text 1 6 " in answer["stdout"], f"strings and enumerators: {answer}")
    state = agent.ask("state", ["./lists"], at=point("lists.c", 53))["state"]
    values = {op: vertex["value"] for op, vertex in StateGraph(state).by_op().items()}
    for op, text in [(".flag", "1"), (".small", "-3"), (".wide", "70000"), ("ratio", "0.1"),
                     ("counter", "42"), ("paint", "GREEN"), (".text", ""), (".number", "7"),
                     (".name", '"anna"'), (".f", "0.10000000149011612"), ("wild", "0x1234567")]:
        check(values.get(op) == text, f"{op} is {values.get(op)!r}")
    texts = [vertex["value"] for vertex in state["vertices"] if vertex["kind"] == "string"]
    for text in ['"hello"', r'"gr\303\274n"', r'"t\"wo\n"']:
        check(text in texts, f"no string {text}")
    check(".d" not in values, "the other member of a union")
    for words, line, is_whole in [(["100000", "1"], 23, False), (["5", "10000"], 9, True)]:
        answer = agent.ask("state", ["./biglist", *words], at=point("biglist.c", line))
        check(answer["seconds"] < 60, f"a large state takes {answer['seconds']:.1f} s")
        check(answer["state"]["is_whole"] == is_whole, f"a large state, {words}")
    state = agent.ask("state", ["./vla"], at=point("vla.c", 28))["state"]
    check(state["is_whole"], "arrays")
    check(any(vertex["type"] == "int [2][3]" for vertex in state["vertices"]), "rows of an array")


def check_classes(agent):
    """The state of a C++ program: base classes, a dynamic type, strings."""
    state = agent.ask("state", ["./cc"], at=point("cc.cpp", 35))["state"]
    ops = StateGraph(state).by_op()
    for op, value in [(".mood", "Mood::sad"), (".Base::shared", "10"), (".v", "5")]:
        check(ops[op]["value"] == value, f"{op} is {ops[op]['value']!r}")
    check("*(Dog *)" in ops, "a dynamic type")
    check(any(vertex["value"] == '"rex"' for vertex in state["vertices"]), "a string of C++")


# Refuses to write all vector registers, which gdb up to 13 cannot do on a processor with AMX.
NO_VECTORS = r"""
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
long ptrace(int request, ...) {
    va_list rest;
    va_start(rest, request);
    pid_t thread = va_arg(rest, pid_t);
    void *address = va_arg(rest, void *), *data = va_arg(rest, void *);
    long word, result;
    va_end(rest);
    if (request == 0x4205 && (long)address == 0x202) {
        errno = EFAULT;
        return -1;
    }
    if (request < 1 || request > 3)
        return syscall(SYS_ptrace, request, thread, address, data);
    result = syscall(SYS_ptrace, request, thread, address, &word);
    return result ? result : (errno = 0, word);
}
"""


def check_processor(agent):
    """New objects where gdb cannot call functions."""
    if os.uname().machine != "x86_64":
        return
    library = os.path.join(agent.directory, "novectors.so")
    command = ["gcc", "-shared", "-fPIC", "-o", library, "-x", "c", "-"]
    subprocess.run(command, input=NO_VECTORS.encode(), check=True)
    commands = ["set variable $m1 = (List *)((void *(*)(unsigned long))malloc)(16)", "set variable *$m1 = *head",
                "set variable head = $m1"]
    os.environ["LD_PRELOAD"] = library
    answer = agent.ask("run", ["./lists"], at=point("lists.c", 76), commands=commands)
    called = agent.ask("run", ["./lists"], at=point("lists.c", 76), commands=["call (int)getpid()"])
    del os.environ["LD_PRELOAD"]
    check("14 18 22 one" in answer["stdout"], f"a new node without vector registers: {answer}")
    check("extended state" in called["failed"]["text"], f"gdb's own call: {called}")


def check_endings(agent):
    """Programs that end in unusual ways, and requests for files that are not programs."""
    for what, ending in [
        ("segv", {"signal": 11}), ("abort", {"signal": 6}), ("trap", {"signal": 5}), ("kill", {"signal": 9}),
        ("exit", {"exit": 200}), ("fork", {"exit": 0}), ("vfork", {"exit": 0}), ("exec", {"exit": 0}),
        ("threads", {"exit": 0}), ("segvhandler", {"exit": 0}), ("longjmp", {"exit": 0}),
    ]:
        for task in "run", "trace":
            answer = agent.ask(task, ["./misc", what])
            check(answer["ending"] == ending and answer["problem"] is None,
                  f"{task} {what}: {answer['ending']} {answer['problem']}")
    script = os.path.join(agent.directory, "script")
    with open(script, "w") as file:
        file.write("#!/bin/sh\n")
    os.chmod(script, 0o755)
    for program, kind in [("nosuch", "no-program"), ("./nosuch", "no-program"), ("/", "no-program"),
                          ("ls", "no-debug-information"), ("./script", None)]:
        problem = agent.ask("trace", [program])["problem"]
        check(problem and kind in (None, problem["kind"]), f"{program}: {problem}")
    check(agent.ask("run", ["echo", "a b"])["stdout"] == "a b\n", "echo")


def main():
    """Compile the programs and run all checks."""
    start = time.time()
    with tempfile.TemporaryDirectory() as directory:
        build(directory)
        agent = Agent(directory)
        for function in (check_stripe, check_calls, check_sample, check_later, check_data, check_classes,
                         check_processor, check_endings):
            function(agent)
    print(f"{checks} checks in {time.time() - start:.1f} s: all right")


if __name__ == "__main__":
    main()
