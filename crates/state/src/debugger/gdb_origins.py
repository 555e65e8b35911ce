"""The task origins of the agent for gdb: the account of a failure.

The account contains the failing statement with the values that it read, the calls that led to it, and for
each value the expression that a caller passed, or the statement that wrote it to memory. The agent executes
this file in its own namespace, and only for this task.

Writes are detected by the debug registers of the processor: the request contains addresses, which are the
same in each run since address randomisation is off. Each write stops the program for some microseconds only.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections import deque
from signal import SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP
from typing import TYPE_CHECKING, Any, Callable, Deque, Dict, Iterator, List, NamedTuple, Optional, Tuple

import gdb

if TYPE_CHECKING:
    from gdb_agent import (ALL, RDI, RIP, RSP, Malloc, Problem, Program, Ptrace, Sources, Space, execute_if_possible,
                           forget_registers, optimisation, referred)

MOST_FRAMES = 40            # reported frames
MOST_DETAILED = 6           # frames with reported values
MOST_VALUES = 6             # reported values per frame
MOST_HANDED = 4             # calls through which an argument is traced back
MOST_STOPS = 5              # examined signals per run
MOST_WRITES = 10_000        # recorded writes to a watched address
STACK_WORDS = 512           # stack words searched for the caller of a library function
SHOWN = 90                  # displayed characters of a value
MOST_TEXT = 2000            # reported characters of a text, by which it is located in the input
RCX, RDX, RSI, CALL_NUMBER = 11, 12, 13, 15     # ptrace's register numbers
DEBUG_REGISTERS = 848       # offset in the kernel's struct user
LENGTHS = {1: 0, 2: 1, 4: 3, 8: 2}
NAMES: Dict[int, str] = {
    SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGILL: "SIGILL", SIGSEGV: "SIGSEGV", SIGSYS: "SIGSYS",
    SIGTRAP: "SIGTRAP",
}
CHAIN = re.compile(r"[A-Za-z_]\w*(?:\s*(?:->|\.)\s*[A-Za-z_]\w*|\s*\[[^][()=]*\])*")
WORDS = {"if", "else", "while", "for", "return", "sizeof", "switch", "case", "do", "int", "char", "long", "short", "const",
         "unsigned", "signed", "struct", "union", "enum", "void", "float", "double", "static", "NULL", "nullptr", "goto",
         "break", "continue", "default", "true", "false", "auto", "assert"}


# Sources


class Text:
    """The lines of source files."""

    def __init__(self) -> None:
        self.known: Dict[str, List[str]] = {}

    def lines(self, path: str) -> List[str]:
        """Return the lines of a file, or none if it cannot be read."""
        if path not in self.known:
            try:
                with open(path, encoding="utf-8", errors="replace") as file:
                    self.known[path] = file.read().split("\n")
            except OSError:
                self.known[path] = []
        return self.known[path]

    def line(self, path: str, number: int) -> str:
        """Return a line of a file."""
        lines = self.lines(path)
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""

    def statement(self, path: str, number: int) -> str:
        """Return the statement that starts at a line, without comments and strings."""
        parts = []
        for row in self.lines(path)[number - 1:number + 7]:
            row = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|/\*.*?\*/|//.*', " ", row)
            parts.append(row.strip())
            if re.search(r"[;{}]\s*$", row):
                break
        return " ".join(parts)

    def condition(self, path: str, number: int) -> Optional[int]:
        """Return the line of the enclosing condition of a statement, according to the indentation."""
        lines = self.lines(path)
        if not 0 < number <= len(lines):
            return None
        depth = indentation(lines[number - 1])
        for at in range(number - 1, max(0, number - 40), -1):
            row = lines[at - 1]
            if not row.strip() or indentation(row) >= depth:
                continue
            if re.match(r"\s*(?:\}\s*)?(?:else\s+)?(?:if|while|for|switch|case)\b", row):
                return at
            depth = indentation(row)
            if depth == 0:
                return None
        return None


def indentation(row: str) -> int:
    """Return the indentation of a line."""
    row = row.expandtabs(8)
    return len(row) - len(row.lstrip())


def chains(statement: str) -> Iterator[str]:
    """Yield the variables, members and elements in a statement, each before those inside it."""
    for found in CHAIN.finditer(statement):
        text = re.sub(r"\s+", "", found.group())
        rest = statement[found.end():].lstrip()
        first = re.match(r"\w+", text)
        if first is None or first.group() in WORDS or first.group().isupper() and "->" not in text:
            continue
        if rest.startswith("(") and "->" not in text and "." not in text and "[" not in text:
            continue        # a function
        if "++" in text or "--" in text:
            text = first.group()
        ends = [part.end() for part in re.finditer(r"\w+(?![^\[]*\])|\]", text)]
        if rest.startswith("("):
            ends = ends[:-1]
        for end in reversed(ends):
            yield text[:end]


# Values


def shown(value: gdb.Value) -> str:
    """Return a short text of a value."""
    try:
        text = value.format_string(max_elements=60, repeat_threshold=20, max_depth=1, symbols=False, styling=False)
    except (gdb.error, TypeError, ValueError) as error:
        return f"<{error}>"
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else text[:SHOWN - 1] + "…"


def text_of(value: gdb.Value) -> Dict[str, Any]:
    """Return the text of a value, by which it can be located in the input."""
    kind = value.type.strip_typedefs()
    is_text = kind.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ARRAY) and kind.target().strip_typedefs().sizeof == 1 \
        and kind.target().strip_typedefs().code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR)
    if not is_text:
        return {}
    try:
        text = value.string(errors="replace", length=-1) if kind.code == gdb.TYPE_CODE_PTR else value.string(errors="replace")
    except (gdb.error, UnicodeError, ValueError):
        return {}
    return {"text": text[:MOST_TEXT], "length": len(text)} if text else {}


def place_of(value: gdb.Value) -> Dict[str, Any]:
    """Return the location of a value in memory, if it can be watched there."""
    try:
        if value.address is None or value.type.sizeof not in LENGTHS:
            return {}
        address = int(value.address)
    except (gdb.error, ValueError):
        return {}
    return {"address": hex(address), "size": value.type.sizeof} if address % value.type.sizeof == 0 else {}


def are_equal(one: gdb.Value, other: gdb.Value) -> bool:
    """Return whether two values are known to be equal."""
    try:
        return int(one) == int(other)
    except (gdb.error, OverflowError, ValueError):
        return shown(one) == shown(other)


class Frame(NamedTuple):
    """An active frame."""

    frame: gdb.Frame
    file: str
    line: int
    function: str
    is_ours: bool


def active_frames(sources: Sources) -> List[Frame]:
    """Return the active frames with names, innermost first."""
    frames: List[Frame] = []
    frame: Optional[gdb.Frame] = gdb.newest_frame()
    while frame is not None and len(frames) < MOST_FRAMES:
        where = frame.find_sal()
        path = sources.path_of(where.symtab.fullname()) if where.symtab else ""
        name = frame.name() or ""
        if path and frame.function() is not None:
            frames.append(Frame(frame, path, where.line, name, True))
        elif name:
            frames.append(Frame(frame, where.symtab.filename if where.symtab else "", where.line, name, False))
        try:
            frame = frame.older()
        except gdb.error:
            break
    return frames


class Look:
    """Examines one stop of the program."""

    def __init__(self, sources: Sources, text: Text, watcher: Optional[Watcher]) -> None:
        self.sources, self.text, self.watcher = sources, text, watcher
        self.frames = active_frames(sources)

    def account(self, kind: str, what: str) -> Dict[str, Any]:
        """Return the account in the form of an answer."""
        own = [number for number, frame in enumerate(self.frames) if frame.is_ours]
        detailed = own[:MOST_DETAILED]
        first = own[0] if own else -1
        frames = [self.frame(number, number in detailed, number == first and kind != "signal" or what == "SIGABRT"
                             and number == first) for number in range(len(self.frames))]
        # Frames inside the C library, below the program's own call, are not informative.
        return {"kind": kind, "what": what, "frames": frames[own[0]:] if own else frames, "left": []}

    def frame(self, number: int, is_detailed: bool, with_condition: bool) -> Dict[str, Any]:
        """Return a frame, with its values if requested."""
        frame = self.frames[number]
        answer: Dict[str, Any] = {"file": frame.file, "line": frame.line, "function": frame.function,
                                  "source": self.text.line(frame.file, frame.line), "is_library": not frame.is_ours}
        if is_detailed:
            answer["values"] = self.values(number, self.text.statement(frame.file, frame.line))
            line = self.text.condition(frame.file, frame.line) if with_condition else None
            if line is not None:
                values = self.values(number, self.text.statement(frame.file, line))
                answer["condition"] = {"line": line, "source": self.text.line(frame.file, line), "values": values}
        return answer

    def values(self, number: int, statement: str) -> List[Dict[str, Any]]:
        """Return the values of the expressions in a statement."""
        found: Dict[str, Dict[str, Any]] = {}
        for name in chains(statement):
            if len(found) >= MOST_VALUES:
                break
            if name in found:
                continue
            value = self.value(number, name)
            if value is None or shown(value) == name:
                continue
            entry = {"name": name, "value": shown(value), **text_of(value)}
            entry.update(self.origin(number, name, value))
            found[name] = entry
        return sorted(found.values(), key=lambda entry: entry["value"] not in ("0x0", "0", "<optimized out>"))

    def value(self, number: int, name: str) -> Optional[gdb.Value]:
        """Return the value of an expression in a frame, if it is readable data."""
        try:
            self.frames[number].frame.select()
            value = referred(gdb.parse_and_eval(name))
            if value.type.strip_typedefs().code in (gdb.TYPE_CODE_FUNC, gdb.TYPE_CODE_METHOD):
                return None
            value.fetch_lazy()
            return value
        except (gdb.error, RuntimeError):
            return None

    def origin(self, number: int, name: str, value: gdb.Value) -> Dict[str, Any]:
        """Return the origin of a value: the expressions by which callers passed it, and the last write of the
        outermost one.
        """
        steps: List[Dict[str, Any]] = []
        place = place_of(value)
        while len(steps) < MOST_HANDED and name.isidentifier():
            given = self.handed(number, name)
            if given is None:
                break
            outer = self.value(*given)
            if outer is not None and not are_equal(value, outer):
                break       # it has been changed since
            number, name = given
            frame = self.frames[number]
            place = place_of(outer) if outer is not None else {}
            steps.append({"file": frame.file, "line": frame.line, "function": frame.function, "how": "handed",
                          "source": self.text.line(frame.file, frame.line), "name": name,
                          "value": shown(value if outer is None else outer), **text_of(value)})
            if outer is None:
                break
            value = outer
        written = self.watcher.last(place["address"]) if self.watcher is not None and place else None
        if written is not None:
            step = self.write_step(name, value, *written)
            if step is not None:
                steps.append(step)
        return {"steps": steps, **place}

    def write_step(self, name: str, value: gdb.Value, address: int, _data: bytes) -> Optional[Dict[str, Any]]:
        """Return the step for a write by the statement at an address of the program's code."""
        where = gdb.find_pc_line(address)
        path = self.sources.path_of(where.symtab.fullname()) if where.symtab else ""
        if not path:
            return None
        block = gdb.block_for_pc(address)
        while block is not None and block.function is None:
            block = block.superblock
        function = block.function.name if block is not None and block.function is not None else ""
        return {"file": path, "line": where.line, "function": function, "how": "set",
                "source": self.text.line(path, where.line), "name": name, "value": shown(value), **text_of(value)}

    def handed(self, number: int, name: str) -> Optional[Tuple[int, str]]:
        """Return the frame of the caller, and the expression that it passed for an argument."""
        frame = self.frames[number]
        outer = number + 1
        if outer >= len(self.frames) or not self.frames[outer].is_ours:
            return None
        names = arguments(frame.frame)
        if name not in names:
            return None
        caller = self.frames[outer]
        given = None
        for start in (caller.line - 1, max(0, caller.line - 4)):    # a call can start before its reported line
            text = "\n".join(self.text.lines(caller.file)[start:caller.line + 8])
            given = given or call_arguments(text, frame.function, len(names))
        if given is None or given[names.index(name)] == "":
            return None
        return outer, given[names.index(name)]


def arguments(frame: gdb.Frame) -> List[str]:
    """Return the names of a function's arguments."""
    try:
        block: Optional[gdb.Block] = frame.block()
    except RuntimeError:
        return []
    while block is not None and block.function is None:
        block = block.superblock
    return [symbol.name for symbol in block if symbol.is_argument] if block is not None else []


def call_arguments(text: str, function: str, count: int) -> Optional[List[str]]:
    """Return the expressions of a call's arguments, if they can be evaluated again."""
    for found in re.finditer(rf"\b{re.escape(function)}\s*\(", text):
        depth, start, parts = 0, found.end(), []
        for at in range(found.end(), len(text)):
            letter = text[at]
            if letter in "([{":
                depth += 1
            elif letter in ")]}" and depth:
                depth -= 1
            elif letter in ",)" and not depth:
                parts.append(text[start:at].strip())
                start = at + 1
                if letter == ")":
                    break
        if len(parts) == count:
            return [part if can_be_evaluated(part) else "" for part in parts]
    return None


def can_be_evaluated(part: str) -> bool:
    """Return whether evaluating an expression changes nothing and calls nothing."""
    is_plain = re.fullmatch(r"[&*]?[\w.>\[\]\s*&+-]+", part) is not None
    return is_plain and "++" not in part and "--" not in part and re.search(r"\w\s+\w", part) is None


# Writes to memory


class Watcher:
    """Runs the program with the debug registers set, and records each write to the watched addresses."""

    PEEK, POKE, TO_SYSCALL = 3, 6, 24
    SYSCALLS, EXECS, EXITS, EXIT_EVENT = 1, 0x10, 0x40, 6
    WRITE, NOT_BUFFERED = 1, 2

    def __init__(self, program: Program, watch: List[Tuple[str, int]], own: List[Tuple[int, int]], text: str) -> None:
        self.program, self.own = program, own
        self.ptrace = Ptrace()
        self.watch = [(int(address, 16), size) for address, size in watch][:4]
        self.writes: List[Deque[Tuple[int, bytes]]] = [deque(maxlen=4) for _ in self.watch]
        self.memory = Space(program.pid, self.ptrace)
        self.registers = (ctypes.c_ulonglong * 27)()
        self.counts = [0] * len(self.watch)
        self.text, self.written = text, ""
        self.set()

    def set(self) -> None:
        """Set the debug registers for the addresses that do not change too often."""
        control = 0
        for number, (address, size) in enumerate(self.watch):
            if self.counts[number] <= MOST_WRITES:
                self.poke(number, address)
                control |= 1 << 2 * number | (1 | LENGTHS[size] << 2) << 16 + 4 * number
        self.poke(7, control)

    def poke(self, number: int, value: int) -> None:
        """Set one debug register."""
        function = self.ptrace.function
        if function(self.POKE, self.program.pid, DEBUG_REGISTERS + 8 * number, value) == -1:
            raise OSError(ctypes.get_errno(), "the processor's debug registers cannot be set")

    def status(self) -> int:
        """Return which debug registers have stopped the program, and clear them."""
        ctypes.set_errno(0)
        value = int(self.ptrace.function(self.PEEK, self.program.pid, DEBUG_REGISTERS + 8 * 6, 0))
        self.poke(6, 0)
        return value & 15

    def note(self) -> bool:
        """Record the writes that have stopped the program. Return false if there were none."""
        hit = self.status()
        if not hit:
            return False
        self.ptrace(Ptrace.GET_REGISTERS, self.program.pid, ctypes.addressof(self.registers))
        address = self.writer()
        for number, (place, size) in enumerate(self.watch):
            if hit >> number & 1:
                self.counts[number] += 1
                self.writes[number].append((address, self.memory.read(place, size)))
                if self.counts[number] > MOST_WRITES:
                    self.set()
        return True

    def writer(self) -> int:
        """Return an address in the statement of the program that writes: the instruction, or the call of the
        library function that contains it.
        """
        address = self.registers[RIP] - 1
        if self.is_own(address):
            return address
        stack = self.memory.read(self.registers[RSP], 8 * STACK_WORDS)
        for at in range(0, len(stack) - 7, 8):
            word = int.from_bytes(stack[at:at + 8], "little")
            if self.is_own(word) and self.is_behind_call(word):
                return word - 1
        return address

    def is_own(self, address: int) -> bool:
        """Return whether an address lies in the program's own code."""
        return any(start <= address < end for start, end in self.own)

    def is_behind_call(self, address: int) -> bool:
        """Return whether a call instruction precedes an address."""
        code = self.memory.read(address - 7, 7)
        return code[2] == 0xE8 or any(code[-size] == 0xFF and code[1 - size] >> 3 & 7 == 2 for size in (2, 3, 6, 7))

    def last(self, address: str) -> Optional[Tuple[int, bytes]]:
        """Return the last write to an address."""
        for number, (place, _) in enumerate(self.watch):
            if place == int(address, 16) and self.writes[number] and self.counts[number] <= MOST_WRITES:
                return self.writes[number][-1]
        return None

    def run(self, stop: Callable[[str, str], None]) -> None:
        """Run the program to its end. `stop` is called where it fails: at a signal, at its end with an exit
        status, or when it writes the text.
        """
        self.ptrace(Ptrace.SET_OPTIONS, self.program.pid, self.SYSCALLS | self.EXITS | self.EXECS | Ptrace.EXIT_KILL)
        signal, is_entered = 0, False
        while True:
            self.ptrace(self.TO_SYSCALL if self.text else Ptrace.GO_ON, self.program.pid, signal)
            _, status = os.waitpid(self.program.pid, ALL)
            if not os.WIFSTOPPED(status):
                self.program.note_end(status)
                return
            event, signal = status >> 16, int(os.WSTOPSIG(status))
            if event == self.EXIT_EVENT:
                ended = self.ptrace.message(self.program.pid)
                if ended >> 8 and not ended & 127:
                    stop("exit", f"exit status {ended >> 8}")
            elif signal == SIGTRAP | 0x80:
                is_entered = not is_entered
                if is_entered and self.writes_text():
                    self.text = ""
                    stop("output", "")
            elif signal == SIGTRAP and not event and self.note():
                pass
            elif signal in NAMES and not event:
                stop("signal", NAMES[signal])
                continue
            signal = 0 if event or signal & 127 == SIGTRAP else signal

    def writes_text(self) -> bool:
        """Return whether the current system call writes the end of the text that is searched."""
        self.ptrace(Ptrace.GET_REGISTERS, self.program.pid, ctypes.addressof(self.registers))
        if self.registers[CALL_NUMBER] != self.WRITE or self.registers[RDI] not in (1, 2):
            return False
        data = self.memory.read(self.registers[RSI], min(self.registers[RDX], 1 << 20))
        self.written = self.written[-len(self.text):] + data.decode("utf-8", "replace")
        return self.text in self.written

    def unbuffer(self) -> None:
        """Make the program's standard output unbuffered, so that the writing statement is active when output
        is written.
        """
        try:
            function = int(gdb.parse_and_eval("(unsigned long)&setvbuf"))
            stream = int(gdb.parse_and_eval("*(unsigned long *)&stdout"))
        except gdb.error:
            return
        before, vectors = (ctypes.c_ulonglong * 27)(), ctypes.create_string_buffer(512)
        self.ptrace(Ptrace.GET_REGISTERS, self.program.pid, ctypes.addressof(before))
        self.ptrace(Ptrace.GET_VECTORS, self.program.pid, ctypes.addressof(vectors))
        call = type(before)(*before)
        call[RIP], call[RDI], call[RSI], call[RDX], call[RCX] = function, stream, 0, self.NOT_BUFFERED, 0
        call[RSP] = (before[RSP] - Malloc.RED_ZONE - 64) // 16 * 16 - 8
        self.memory.write(call[RSP], bytes(8))
        self.ptrace(Ptrace.SET_REGISTERS, self.program.pid, ctypes.addressof(call))
        Malloc().run(call)
        self.ptrace(Ptrace.SET_VECTORS, self.program.pid, ctypes.addressof(vectors))
        self.ptrace(Ptrace.SET_REGISTERS, self.program.pid, ctypes.addressof(before))


# The task


def check_program(program: Program, request: Dict[str, Any], sources: Sources) -> List[str]:
    """Refuse a program that cannot be examined. Return notes about one that can."""
    name = request["program"][0]
    symbol = gdb.lookup_global_symbol("main")
    if symbol is None or symbol.symtab is None:
        raise Problem("no-debug-information", f"{name} has no debug information: compile it with -g")
    path = symbol.symtab.fullname()
    if not sources.roots and not sources.path_of(path):
        raise Problem("no-source", f"none of the selected source files of {name} was found: build the program on"
                      " this machine, do not move its sources, and check which sources are selected")
    option = optimisation()
    if option is None:
        return []
    return [f"{name} was compiled with {option}: values may be missing or wrong; build it with `-O0 -g`"]


def own_code(program: Program) -> List[Tuple[int, int]]:
    """Return the memory ranges with the program's own code."""
    parts = []
    path = os.path.realpath(program.path)
    with open(f"/proc/{program.pid}/maps", encoding="utf-8", errors="surrogateescape") as file:
        for row in file:
            words = row.split(None, 5)
            if "x" in words[1] and len(words) > 5 and os.path.realpath(words[5].strip()) == path:
                start, end = (int(word, 16) for word in words[0].split("-"))
                parts.append((start, end))
    return parts


def origins(program: Program, request: Dict[str, Any], answer: Dict[str, Any]) -> None:
    """Task origins: return the account of the failure."""
    sources = Sources(request.get("sources") or [])
    left = check_program(program, request, sources)
    failing = request.get("failing") or {}
    text = Text()
    for number in NAMES:
        if number != SIGTRAP:
            execute_if_possible(f"handle {NAMES[number]} stop noprint pass")
    program.start()
    program.run_to_entry()
    if not program.is_alive():
        return
    try:
        gdb.execute("tbreak main", to_string=True)
        program.go_on()
    except gdb.error:
        pass
    program.unwatch()
    if not program.is_alive():
        return
    stops: List[Dict[str, Any]] = []
    watcher: Optional[Watcher] = None

    def stop(kind: str, what: str) -> None:
        """Examine the stopped program."""
        if kind == "exit" and stops or len(stops) >= MOST_STOPS:
            return
        forget_registers()
        stops.append(Look(sources, text, watcher).account(kind, what))

    if program.is_x86:
        needle = failing.get("text") or ""
        watcher = Watcher(program, failing.get("watch") or [], own_code(program), needle)
        program.is_watched = True
        if needle:
            watcher.unbuffer()
        watcher.run(stop)
        if any(count > MOST_WRITES for count in watcher.counts):
            left.append("the last change of a value that changes too often")
    else:
        left.append("where values were set, which is supported on amd64 only")
        while program.go_on():
            number = int(gdb.parse_and_eval("$_siginfo.si_signo"))
            stop("signal", NAMES.get(number, str(number)))
    if stops:
        answer["account"] = {**stops[-1], "left": left}
