"""Nubbin's agent for C and C++ programs. It runs inside gdb 12 or newer.

    NUBBIN_REQUEST=/path/request.json gdb -nx -q -batch -x gdb.py

The agent reads the request, runs the program once under the control of gdb, and writes one JSON document, the
answer, to standard output. Addresses in requests and answers are those of the executable file, not of the
process.

The commands of the task `run` are commands of gdb. These forms work without debug information for the C
library:

    set variable $m1 = (List *)((void *(*)(unsigned long))malloc)(16)     a new object; then $m1->value = 20
    set variable *(char (*)[5])name = "text"                a string in place, with its NUL: 4 + 1 bytes
    set variable paint = GREEN                              atoms are written as in the answer
    frame 1                                                 the following commands refer to this gdb frame

The number in `frame 1` is the "level" in the answer's "frames". It differs from the index in "frames" if
there are foreign frames in between, such as those of qsort. Calls in the first form are made by the agent and
not by gdb, so they also work where gdb cannot call functions (see Malloc).
"""

from __future__ import annotations

import ctypes
import decimal
import json
import os
import re
import shlex
import shutil
import struct
import tempfile
import traceback
from bisect import bisect_left, bisect_right, insort
from collections import Counter, deque
from signal import SIG_DFL, SIGBUS, SIGFPE, SIGILL, SIGINT, SIGKILL, SIGSEGV, SIGTERM, SIGTRAP, signal
from typing import Any, Callable, Deque, Dict, List, NamedTuple, Optional, Set, Tuple, Type, Union

import gdb

MOST_OUTPUT = 1 << 20
SYSTEM_SOURCES = ("/usr/include/", "/usr/lib/gcc/", "/usr/include/c++/")
HIDDEN_TYPES = ("_IO_FILE",)
HIDDEN_VARIABLES = ("__func__", "__FUNCTION__", "__PRETTY_FUNCTION__")
UNPRINTABLE = re.compile("[\\x00-\\x06\\x0e-\\x1a\\x1c-\\x1f\\x7f]")
FAULTS = (SIGBUS, SIGFPE, SIGILL, SIGSEGV)
ENDBR, PROLOGUE, RETURN = b"\xf3\x0f\x1e\xfa", b"\x55\x48\x89\xe5", 0xC3     # push %rbp; mov %rsp,%rbp
REALIGN = b"\x4c\x8d\x54\x24\x08"     # lea 8(%rsp),%r10: the registers do not give the frame's address
TRAP = b"\xcc"
LONG_ARRAY = 1000
MOST_TRACED = 5             # maximum ratio of watched events to kept ones
OPTIMISED = re.compile(r"(?:^|\s)(-O(?:[0-3sz]|fast|g)?)(?=\s|$)")
CODE_PART = 1 << 20
RBP, RAX, RDI, RIP, RSP = 4, 10, 14, 16, 19      # ptrace's register numbers
ALL = 0x40000000             # __WALL
EXEC_CODE = 5 | 4 << 8       # SIGTRAP and PTRACE_EVENT_EXEC
SETTINGS = [
    "set confirm off", "set pagination off", "set width 0", "set height 0", "set print elements 0",
    "set debuginfod enabled off", "set auto-load off", "set disable-randomization on",
    "set startup-with-shell on", "set detach-on-fork on", "set follow-fork-mode parent",
    "set backtrace past-main on", "set backtrace limit unlimited", "set unwindonsignal on",
    "set breakpoint pending off", "set print thread-events off", "set print inferior-events off",
    "maint set target-non-stop off", "maint set target-async off", "set language auto",
    "handle all nostop noprint pass", "handle SIGINT nostop noprint pass",
]


class Problem(Exception):
    """A problem that the user can fix."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class Stuck(Exception):
    """The agent ends the program."""


class Function(NamedTuple):
    """The extent of a function's machine code, and its entry point."""

    name: str
    start: int
    end: int
    entry: int


class Place(NamedTuple):
    """The start of a statement. The address is that of the executable file."""

    file: str
    line: int
    function: Function
    address: int
    fixed: bool
    inside: int     # if the place is the function's entry: the address at which its frame is complete

    def as_json(self) -> Dict[str, Any]:
        """Return the place in the form of an answer."""
        return {"file": self.file, "line": self.line, "function": self.function.name,
                "address": hex(self.address), "fixed": self.fixed}


# --------------------------------------------------------------------------------------------------
# Places


def is_below(path: str, roots: List[str]) -> bool:
    """Return whether a path is one of these files, or below one of these directories."""
    return any(path == root or path.startswith(root.rstrip("/") + "/") for root in roots)


class Sources:
    """Decides which source files are examined."""

    def __init__(self, roots: List[str]) -> None:
        self.roots = [os.path.normpath(root) for root in roots] + [os.path.realpath(root) for root in roots]
        self.known: Dict[str, str] = {}

    def path_of(self, name: str) -> str:
        """Return the normalized path of an examined source file, or "" for any other file."""
        if name not in self.known:
            path = os.path.normpath(name)
            ours = is_below(path, self.roots) if self.roots else not path.startswith(SYSTEM_SOURCES)
            self.known[name] = path if ours and os.path.isfile(path) else ""
        return self.known[name]


def line_rows(tables: str, sources: Sources) -> Dict[int, Tuple[str, int]]:
    """Return the rows of the line tables that start a statement of an examined file: address to file and
    line.
    """
    rows: Dict[int, Tuple[str, int]] = {}
    path = ""
    for text in tables.splitlines():
        if text.startswith("symtab: "):
            path = sources.path_of(text[len("symtab: "):].rsplit(" ((struct symtab", 1)[0])
        elif path and text[:1].isdigit():
            words = text.split()
            if words[1].isdigit() and words[1] != "0" and "Y" in words[3:4]:
                rows[int(words[2], 16)] = (path, int(words[1]))
    return rows


def function_at(address: int) -> Optional[Function]:
    """Return the function that contains an address, ignoring inlined functions."""
    block = gdb.block_for_pc(address)
    while block is not None and block.superblock is not None and not block.superblock.is_static:
        outer = block.superblock
        if block.function is not None and not outer.start <= block.start < outer.end:
            break       # a function defined inside another one, such as a lambda
        block = outer
    if block is None or block.function is None:
        return None
    where = block.function.value().address
    return Function(block.function.name, block.start, block.end, block.start if where is None else int(where))


def places_of(rows: Dict[int, Tuple[str, int]]) -> List[Place]:
    """Return the places of rows, by address. Consecutive rows of one line form one place."""
    addresses = sorted(rows)
    places: List[Place] = []
    index = 0
    while index < len(addresses):
        function = function_at(addresses[index])
        if function is None:
            index += 1
            continue
        end = max(bisect_left(addresses, function.end), index + 1)
        places += places_in(function, addresses[index:end], rows)
        index = end
    return places


def places_in(function: Function, addresses: List[int], rows: Dict[int, Tuple[str, int]]) -> List[Place]:
    """Return the places of one function. If it is entirely on one line, its body is a place."""
    firsts = [address for number, address in enumerate(addresses)
              if number == 0 or rows[address] != rows[addresses[number - 1]]]
    if len(firsts) == 1 and len(addresses) > 2:
        firsts = [addresses[0], addresses[1], addresses[-1]]
    fixed = (function.start, function.entry, firsts[-1])
    places = [Place(*rows[address], function, address, address in fixed, address) for address in firsts]
    if addresses[0] == function.entry and len(addresses) > 1:
        places[0] = places[0]._replace(inside=addresses[1])
    return places


def find_place(wanted: Dict[str, Any], places: List[Place]) -> Place:
    """Return the place in a request: an address, or a file and a line as the user typed them."""
    if "address" in wanted:
        found = [place for place in places if place.address == int(wanted["address"], 16)]
        if not found:
            raise Problem("no-such-place", f"there is no statement at the address {wanted['address']}")
        return found[0]
    tail = "/" + os.path.normpath(wanted["file"]).lstrip("/")
    inside = [place for place in places if place.file.endswith(tail)]
    if wanted.get("function"):
        inside = [place for place in inside if place.function.name == wanted["function"]]
    if not inside:
        raise Problem("no-such-place", f"the program has no statement in a file {wanted['file']}: give"
                      " the path's last components of a source file that was compiled with -g")
    later = [place for place in inside if place.line >= wanted["line"]]
    if not later:
        raise Problem("no-such-place",
                      f"{wanted['file']} has no statement at or after line {wanted['line']}")
    return min(later, key=lambda place: (place.line, place.address))


# --------------------------------------------------------------------------------------------------
# The program


def find_program(word: str, directory: str) -> str:
    """Return the path of the executable file of a command."""
    path = os.path.join(directory, word) if "/" in word else shutil.which(word)
    if not path or not os.path.isfile(path):
        raise Problem("no-program", f"no program {word}: build it first, or give its path")
    if not os.access(path, os.X_OK):
        raise Problem("no-program", f"{word} cannot be executed: make it executable (chmod +x)")
    with open(path, "rb") as file:
        if file.read(4) != b"\x7fELF":
            raise Problem("no-debug-information", f"{word} is not machine code (perhaps a script): give the"
                          " program that was compiled from C or C++")
    return os.path.abspath(path)


class Program:
    """The process under gdb's control."""

    def __init__(self, request: Dict[str, Any], temporary: str) -> None:
        self.request = request
        self.temporary = temporary
        self.path = find_program(request["program"][0], request["directory"])
        self.exit_code: Optional[int] = None
        self.signal: Optional[int] = None
        self.bias = self.pid = 0
        self.is_x86 = False
        self.tracer: Optional[Tracer] = None
        self.points: List[gdb.Breakpoint] = []
        gdb.execute("file " + escape(self.path), to_string=True)
        self.is_trapped = self.is_replaced = False
        self.is_watched = False     # it ran to its end without gdb
        gdb.events.exited.connect(self.note_exit)

    def note_exit(self, event: gdb.ExitedEvent) -> None:
        """Called by gdb when the program has ended."""
        self.exit_code = getattr(event, "exit_code", None)
        if self.exit_code is None:
            number = gdb.convenience_variable("_exitsignal")
            self.signal = None if number is None else int(number)

    def note_end(self, status: int) -> None:
        """Called when the program has ended without gdb."""
        self.pid = 0
        if os.WIFEXITED(status):
            self.exit_code = os.WEXITSTATUS(status)
        else:
            self.signal = os.WTERMSIG(status)

    def note_stop(self, event: gdb.StopEvent) -> None:
        """Called by gdb when the program has stopped: at a breakpoint, because it executed another program,
        or by its own trap, which is passed on to it.
        """
        if isinstance(getattr(event, "breakpoint", None), Watch) or isinstance(event, gdb.SignalEvent):
            return
        try:
            self.is_replaced = int(gdb.parse_and_eval("$_siginfo.si_code")) == EXEC_CODE
        except gdb.error:
            return
        self.is_trapped = type(event) is gdb.StopEvent and not self.is_replaced

    def output_path(self, name: str) -> str:
        """Return the file to which an output stream of the program is redirected."""
        return os.path.join(self.temporary, name)

    def write_starter(self) -> str:
        """Write the shell script that redirects the program's output and then executes the program."""
        words = " ".join(shlex.quote(word) for word in self.request["program"])
        stdin = shlex.quote(self.request.get("stdin") or "/dev/null")
        out, err = shlex.quote(self.output_path("stdout")), shlex.quote(self.output_path("stderr"))
        path = self.output_path("start.sh")
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write("unset NUBBIN_REQUEST LINES COLUMNS\nulimit -c 0\n"
                       f"exec {words} <{stdin} >{out} 2>{err}\n")
        return path

    def start(self) -> None:
        """Start the program; it stops before its first instruction."""
        os.environ["SHELL"] = "/bin/sh"
        stay_on_one_processor()
        before = self.reference_address()
        gdb.execute("set debug-file-directory " + self.temporary)   # loading that of libraries is slow
        gdb.execute("set cwd " + self.request["directory"])
        gdb.execute("set exec-wrapper /bin/sh " + shlex.quote(self.write_starter()))
        try:
            gdb.execute("starti", to_string=True)
        except gdb.error as error:
            name = self.request["program"][0]
            raise Problem("no-program", f"{name} could not be started under gdb: {error}") from error
        self.bias = self.reference_address() - before
        self.pid = gdb.selected_inferior().pid
        self.is_x86 = gdb.newest_frame().architecture().name() == "i386:x86-64"
        gdb.events.stop.connect(self.note_stop)

    def run_to_entry(self) -> None:
        """Run to the executable's first instruction, so that gdb learns of the libraries."""
        text = gdb.execute("info files", to_string=True)
        self.run_to(int(re.findall(r"Entry point: (0x[0-9a-f]+)", text)[0], 16))

    def run_to(self, address: int) -> None:
        """Run to an address that is certain to be reached next. Deletes all breakpoints."""
        self.unwatch()
        if address != gdb.newest_frame().pc():
            gdb.execute(f"tbreak *{address}", to_string=True)
            self.go_on()
            self.unwatch()

    def reference_address(self) -> int:
        """Return the address of a section of the program, which shows how far the program was relocated."""
        for row in gdb.execute("maint info sections", to_string=True).splitlines():
            found = re.search(r"(0x[0-9a-f]+)->0x[0-9a-f]+ at .*: \.text ", row)
            if found:
                return int(found.group(1), 16)
        return 0

    def is_alive(self) -> bool:
        """Return whether the process exists."""
        return gdb.selected_inferior().pid != 0

    def go_on(self) -> bool:
        """Continue to the program's next stop. Return false if it has ended instead."""
        if not self.is_alive():
            return False
        command = "signal SIGTRAP" if self.is_trapped else "continue"
        self.is_trapped = False
        try:
            gdb.execute(command, to_string=True)
        except gdb.error:
            if not self.is_alive() or self.is_replaced:
                raise
            self.is_replaced = True     # the code at the breakpoints no longer exists
        return self.is_alive()

    def watch(self, points: List[gdb.Breakpoint]) -> None:
        """Register new breakpoints."""
        self.points += points
        gdb.execute("catch exec", to_string=True)
        gdb.execute("set breakpoint always-inserted on")

    def unwatch(self) -> None:
        """Delete all breakpoints."""
        execute_if_possible("set breakpoint always-inserted off")
        for point in self.points:
            try:
                point.delete()
            except gdb.error:
                pass
        self.points = []
        execute_if_possible("delete")

    def run_freely(self) -> None:
        """Run the program to its end without breakpoints."""
        self.unwatch()
        while self.go_on():
            pass

    def kill(self) -> None:
        """End the program."""
        if self.tracer is not None and self.pid:
            self.tracer.kill()
        elif self.is_alive() and self.tracer is None and not self.is_watched:
            execute_if_possible("kill")

    def ending(self) -> Dict[str, Any]:
        """Return how the program ended."""
        if self.exit_code is not None:
            return {"exit": self.exit_code}
        return {"stuck": "not started"} if self.signal is None else {"signal": self.signal}

    def output(self, name: str) -> str:
        """Return the program's output on a stream."""
        try:
            with open(self.output_path(name), "rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - MOST_OUTPUT))
                return file.read().decode("latin-1")
        except OSError:
            return ""


def stay_on_one_processor() -> None:
    """Pin this process, and thus the program, to the current processor. Stops are four times as fast then,
    and threads are scheduled in much the same order in each run.
    """
    try:
        os.sched_setaffinity(0, {ctypes.CDLL(None).sched_getcpu()})
    except (OSError, AttributeError):
        pass


def execute_if_possible(command: str) -> None:
    """Execute a command of gdb and ignore errors."""
    try:
        gdb.execute(command, to_string=True)
    except gdb.error:
        pass


def escape(path: str) -> str:
    """Return a path as an argument of a gdb command."""
    return re.sub(r"([\s\\'\"])", r"\\\1", path)


# --------------------------------------------------------------------------------------------------
# Arrivals at places


class Depths:
    """Counts the active frames of examined functions. `registers` are the frame pointer and the stack
    pointer, if known.
    """

    def __init__(self, program: Program, places: List[Place], read_word: Callable[[int], int],
                 refresh: Callable[[], None]) -> None:
        self.program = program
        self.places = places
        self.read_word = read_word
        self.refresh = refresh      # must be called before frames are requested from gdb
        self.is_new = False         # whether the last arrival was the first one in its frame
        self.frames: List[Tuple[int, Function]] = []
        self.rules: Dict[int, Optional[Tuple[int, int]]] = {}

    def at(self, number: int, registers: Optional[Tuple[int, int]]) -> int:
        """Return the depth at a place. The stack grows downwards, so frames below the current one have ended."""
        place = self.places[number]
        self.is_new = place.address == place.function.entry
        address = self.frame_address(number, registers)
        frames = self.frames
        while frames and frames[-1][0] < address:
            frames.pop()
        if not frames or frames[-1][0] != address:
            if frames and not self.is_called_by(frames[-1][1], address):
                self.drop_frames()
            frames.append((address, place.function))
            self.is_new = True
        return len(frames)

    def frame_address(self, number: int, registers: Optional[Tuple[int, int]]) -> int:
        """Return the canonical frame address of the innermost function. At a given place its distance from
        the frame pointer, or otherwise from the stack pointer, is constant, so the slow answer of gdb is
        needed only once.
        """
        if registers is None:
            return self.exact_address()
        if number not in self.rules:
            self.rules[number] = self.rule_of(self.places[number], registers)
        rule = self.rules[number]
        return self.exact_address() if rule is None else registers[rule[0]] + rule[1]

    def rule_of(self, place: Place, registers: Tuple[int, int]) -> Optional[Tuple[int, int]]:
        """Return the register and the distance from which the frame address at a place is computed."""
        if place.address == place.function.entry:
            return 1, 8
        entry = place.function.entry + self.program.bias
        code = (self.read_word(entry).to_bytes(8, "little") + self.read_word(entry + 8).to_bytes(8, "little"))
        code = code[4:] if code.startswith(ENDBR) else code
        if code.startswith(REALIGN):
            return None
        if code.startswith(PROLOGUE) and self.read_word(place.address + self.program.bias) & 0xFF != RETURN:
            return 0, 16
        distances = [self.exact_address() - register for register in registers]
        return (0, 16) if distances[0] == 16 else (1, distances[1])

    def exact_address(self) -> int:
        """Return the frame address as reported by gdb."""
        self.refresh()
        frame = gdb.newest_frame()
        while frame.type() == gdb.INLINE_FRAME:
            frame = frame.older()
        return int((frame.older() or frame).read_register("sp"))

    def is_called_by(self, function: Function, address: int) -> bool:
        """Return whether a frame returns into this function."""
        return function.start <= self.read_word(address - 8) - self.program.bias < function.end

    def drop_frames(self) -> None:
        """Drop frames above this one whose end was not observed, for example those of an earlier callback."""
        self.refresh()
        frame = gdb.newest_frame()
        while frame is not None and self.frames:
            frame = frame.older()
            if frame is None or frame.type() == gdb.INLINE_FRAME:
                continue
            older = frame.older()
            above = int(older.read_register("sp")) if older else 1 << 64
            while self.frames and self.frames[-1][0] < above:
                self.frames.pop()
            if self.frames and self.frames[-1][0] == above:
                function = self.frames[-1][1]
                if function.start <= frame.pc() - self.program.bias < function.end:
                    return
                self.frames.pop()


class Watch(gdb.Breakpoint):
    """A breakpoint at a place. Deciding in `stop` whether to stop is much faster than stopping and
    continuing.
    """

    def __init__(self, number: int, address: int, arrivals: Arrivals) -> None:
        super().__init__(f"*{address}", internal=True)
        self.silent = True
        self.nubbin_number = number
        self.nubbin_arrivals = arrivals

    def stop(self) -> bool:
        """Called by gdb when the program has reached the place."""
        return self.nubbin_arrivals.note(self.nubbin_number)


class Arrivals:
    """The arrivals of a program at places. `visit` is called with the number of the place and the depth; the
    program stops if it returns true.
    """

    def __init__(self, program: Program, places: List[Place], visit: Callable[[int, int], bool]) -> None:
        self.program = program
        self.visit = visit
        self.has_stopped = False
        self.error: Optional[Exception] = None
        self.thread: Optional[Tuple[int, int, int]] = None
        self.depths = Depths(program, places, self.read_word, lambda: None)
        program.watch([Watch(number, place.address + program.bias, self)
                       for number, place in enumerate(places)])

    def read_word(self, address: int) -> int:
        """Return a word of the program's memory."""
        return int.from_bytes(gdb.selected_inferior().read_memory(address, 8).tobytes(), "little")

    def go_on(self) -> bool:
        """Run the program until `visit` returns true. Return false if it has ended before."""
        self.has_stopped = False
        while not self.has_stopped:
            if not self.program.go_on():
                return False
            if self.error is not None:
                raise self.error
            if self.program.is_replaced:
                self.program.run_freely()
                return False
        return True

    def note(self, number: int) -> bool:
        """Handle an arrival at a place. Only the first thread that arrived anywhere is examined."""
        try:
            thread = gdb.selected_thread().ptid
            if self.thread is None:
                self.thread = thread
            self.has_stopped = False
            if thread == self.thread:
                self.has_stopped = self.visit(number, self.depths.at(number, self.registers()))
        except Exception as error:  # gdb would only print it and continue
            self.error = error
            return True
        return self.has_stopped

    def registers(self) -> Optional[Tuple[int, int]]:
        """The frame pointer and the stack pointer."""
        if not self.program.is_x86:
            return None
        return int(gdb.parse_and_eval("(long)$rbp")), int(gdb.parse_and_eval("(long)$rsp"))

    def jump(self, address: int) -> None:
        """Set the program counter without running the program."""
        gdb.execute(f"set var $pc = {address + self.program.bias}", to_string=True)

    def run_freely(self) -> None:
        """Let the program run to its end."""
        self.program.run_freely()


class Ptrace:
    """The system call ptrace, with the requests that are needed."""

    GO_ON, STEP, GET_REGISTERS, SET_REGISTERS, GET_VECTORS, SET_VECTORS, DETACH = 7, 9, 12, 13, 14, 15, 17
    SET_OPTIONS, GET_MESSAGE = 0x4200, 0x4201
    FORK, VFORK, CLONE, EXEC, VFORK_DONE = 1, 2, 3, 4, 5    # events
    EXIT_KILL = 1 << 20

    def __init__(self) -> None:
        self.function = ctypes.CDLL(None, use_errno=True).ptrace
        self.function.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        self.function.restype = ctypes.c_long

    def __call__(self, request: int, thread: int, data: Any = 0) -> None:
        if self.function(request, thread, 0, data) == -1:
            raise OSError(ctypes.get_errno(), "ptrace")

    def message(self, thread: int) -> int:
        """Return the process or thread of an event."""
        number = ctypes.c_ulong()
        self(self.GET_MESSAGE, thread, ctypes.addressof(number))
        return number.value


class Space:
    """The memory of a stopped process. If a sandbox does not permit opening it for writing, words are written
    through ptrace.
    """

    POKE = 5

    def __init__(self, process: int, ptrace: Ptrace) -> None:
        self.process, self.ptrace = process, ptrace
        path = f"/proc/{process}/mem"
        try:
            self.file, self.is_open = os.open(path, os.O_RDWR), True
        except PermissionError:
            self.file, self.is_open = os.open(path, os.O_RDONLY), False

    def read(self, address: int, size: int) -> bytes:
        """Bytes of the memory."""
        return os.pread(self.file, size, address)

    def write(self, address: int, data: bytes, thread: Optional[int] = None) -> None:
        """Write bytes. The thread, by default the first one, must be stopped."""
        if self.is_open:
            os.pwrite(self.file, data, address)
            return
        start = address // 8 * 8
        old = self.read(start, (address + len(data) - start + 7) // 8 * 8)
        new = old[:address - start] + data + old[address - start + len(data):]
        for at in range(0, len(new), 8):
            if old[at:at + 8] != new[at:at + 8]:
                word = int.from_bytes(new[at:at + 8], "little")
                if self.ptrace.function(self.POKE, thread or self.process, start + at, word) == -1:
                    raise OSError(ctypes.get_errno(), "ptrace")

    def close(self) -> None:
        """Close the file."""
        os.close(self.file)


class Malloc:
    """Allocates memory for new objects with the program's own malloc.

    gdb can also call functions, but up to version 13 it cannot restore the vector registers on a processor
    that has more of them than it supports (AMX): "Couldn't write extended state status". The call is
    therefore made with ptrace. Other threads stay stopped during the call.
    """

    CALL = re.compile(r"\(\(void \*\(\*\)\(unsigned long\)\)malloc\)\((\d+)\)")
    RED_ZONE = 128

    def __init__(self) -> None:
        self.ptrace = Ptrace()
        self.thread = gdb.selected_thread().ptid[1]

    @classmethod
    def taken(cls, command: str, program: Program) -> str:
        """Return a command in which each call of malloc is replaced by an address."""
        if not program.is_x86:
            return command
        return cls.CALL.sub(lambda call: f"((void *){cls().of(int(call.group(1)))})", command)

    def of(self, size: int) -> int:
        """Allocate this many bytes and return their address."""
        before, vectors = (ctypes.c_ulonglong * 27)(), ctypes.create_string_buffer(512)
        self.ptrace(Ptrace.GET_REGISTERS, self.thread, ctypes.addressof(before))
        self.ptrace(Ptrace.GET_VECTORS, self.thread, ctypes.addressof(vectors))
        call = type(before)(*before)
        call[RDI], call[RIP] = size, int(gdb.parse_and_eval("(unsigned long)&malloc"))
        call[RSP] = (before[RSP] - self.RED_ZONE - 64) // 16 * 16 - 8
        gdb.selected_inferior().write_memory(call[RSP], bytes(8))   # it returns to address 0, which stops it
        self.ptrace(Ptrace.SET_REGISTERS, self.thread, ctypes.addressof(call))
        self.run(call)
        self.ptrace(Ptrace.SET_VECTORS, self.thread, ctypes.addressof(vectors))
        self.ptrace(Ptrace.SET_REGISTERS, self.thread, ctypes.addressof(before))
        forget_registers()
        return int(call[RAX])

    def run(self, call: Any) -> None:
        """Run the call until it returns. Its registers are then those at the end."""
        signal = 0
        while True:
            self.ptrace(Ptrace.GO_ON, self.thread, signal)
            _, status = os.waitpid(self.thread, ALL)
            if not os.WIFSTOPPED(status):
                raise gdb.GdbError("the program ended in malloc")
            self.ptrace(Ptrace.GET_REGISTERS, self.thread, ctypes.addressof(call))
            signal = 0 if status >> 16 else os.WSTOPSIG(status)
            if signal == SIGSEGV and call[RIP] == 0:
                return
            if signal in (*FAULTS, SIGTRAP):
                raise gdb.GdbError("malloc did not return")


def forget_registers() -> None:
    """Drop gdb's caches of the program's memory and registers."""
    gdb.execute("maint flush register-cache", to_string=True)
    gdb.execute("maint flush dcache", to_string=True)


class Tracer:
    """Like Arrivals, but fast enough to watch all places: with gdb's breakpoints a large program would take
    some hundred times as long. From here on gdb does not control the program any more, and only answers
    questions about frames.
    """

    def __init__(self, program: Program, places: List[Place], visit: Callable[[int, int], bool]) -> None:
        self.program = program
        self.visit = visit
        self.ptrace = Ptrace()
        self.memory = Space(program.pid, self.ptrace)
        self.depths = Depths(program, places, self.read_word, forget_registers)
        self.numbers = {place.address + program.bias: number for number, place in enumerate(places)}
        self.watched: Optional[int] = None      # the watched thread
        self.stopped: Optional[int] = program.pid   # the thread stopped by `visit`
        self.threads = {program.pid}
        self.early: Set[int] = set()            # new threads that stopped before their creation was reported
        self.reports: Deque[Tuple[int, int]] = deque()
        self.registers = (ctypes.c_ulonglong * 27)()
        self.parts = self.code_parts()          # addresses, the code there, and the code with traps
        self.is_armed = False
        program.tracer = self
        self.set_options()
        self.arm(True)

    def set_options(self) -> None:
        """Select the ptrace events to be reported."""
        options = sum(1 << event for event in range(Ptrace.FORK, Ptrace.VFORK_DONE + 1))
        try:
            self.ptrace(Ptrace.SET_OPTIONS, self.program.pid, options | Ptrace.EXIT_KILL)
        except OSError:
            self.ptrace(Ptrace.SET_OPTIONS, self.program.pid, options)

    def code_parts(self) -> List[Tuple[int, bytes, bytes]]:
        """Return the parts of the machine code that contain places, unchanged and with a trap at each place."""
        parts: List[Tuple[int, bytes, bytes]] = []
        addresses = sorted(self.numbers)
        while addresses:
            start = addresses[0]
            count = bisect_right(addresses, start + CODE_PART)
            plain = self.memory.read(start, addresses[count - 1] - start + 1)
            trapped = bytearray(plain)
            for address in addresses[:count]:
                trapped[address - start:address - start + 1] = TRAP
            parts.append((start, plain, bytes(trapped)))
            addresses = addresses[count:]
        self.starts = [part[0] for part in parts]
        return parts

    def arm(self, is_armed: bool, thread: Optional[int] = None) -> None:
        """Set or remove the traps."""
        self.is_armed = is_armed
        for start, plain, trapped in self.parts:
            self.memory.write(start, trapped if is_armed else plain, thread)

    def read_word(self, address: int) -> int:
        """Return a word of the program's memory without the trap at a place."""
        data = bytearray(self.memory.read(address, 8))
        if address in self.numbers:
            data[:1] = self.plain_byte(address)
        return int.from_bytes(data, "little")

    def plain_byte(self, address: int) -> bytes:
        """The first byte of the code at a place."""
        start, plain, _ = self.parts[bisect_right(self.starts, address) - 1]
        return plain[address - start:address - start + 1]

    # Running

    def go_on(self) -> bool:
        """Run the program until `visit` returns true. Return false if it has ended before."""
        if self.stopped is not None:
            self.ptrace(Ptrace.GO_ON, self.stopped)
            self.stopped = None
        while True:
            thread, status = self.reports.popleft() if self.reports else os.waitpid(-1, ALL)
            if os.WIFSTOPPED(status):
                try:
                    if self.take(thread, status):
                        self.stopped = thread
                        return True
                except ProcessLookupError:
                    pass            # it was killed while it was stopped; its end will be reported
            elif thread == self.program.pid:
                self.program.note_end(status)
                return False
            else:
                self.threads.discard(thread)

    def take(self, thread: int, status: int) -> bool:
        """Handle a stopped thread. Return true if it must stay stopped."""
        event, signal = status >> 16, os.WSTOPSIG(status)
        if event:
            self.take_event(thread, event)
            signal = 0
        elif thread not in self.threads:
            self.early.add(thread)      # a new thread, whose creation will be reported
            return False
        elif signal == SIGTRAP and self.is_armed:
            address = self.trap_of(thread)
            if address is not None:
                if self.visits(thread, address):
                    return True
                self.pass_trap(thread, address)
                return False
        self.ptrace(Ptrace.GO_ON, thread, signal)
        return False

    def trap_of(self, thread: int) -> Optional[int]:
        """Return the address of the place whose trap has stopped a thread, and set the thread's program
        counter to it.
        """
        self.ptrace(Ptrace.GET_REGISTERS, thread, ctypes.addressof(self.registers))
        address = self.registers[RIP] - 1
        if address not in self.numbers:
            return None
        self.put(thread, address)
        return address

    def put(self, thread: int, address: int) -> None:
        """Set the program counter."""
        self.registers[RIP] = address
        self.ptrace(Ptrace.SET_REGISTERS, thread, ctypes.addressof(self.registers))

    def visits(self, thread: int, address: int) -> bool:
        """Report an arrival to `visit`. Only the first thread that arrived anywhere is examined."""
        if self.watched is None:
            self.watched = thread
        if thread != self.watched:
            return False
        number = self.numbers[address]
        pointers = self.registers[RBP], self.registers[RSP]
        return self.visit(number, self.depths.at(number, pointers))

    def pass_trap(self, thread: int, address: int) -> None:
        """Execute the instruction at a place, and continue the thread."""
        self.memory.write(address, self.plain_byte(address), thread)
        signal = 0
        while True:
            self.ptrace(Ptrace.STEP, thread)
            _, status = os.waitpid(thread, ALL)
            if not os.WIFSTOPPED(status) or status >> 16:
                self.reports.append((thread, status))
                signal = -1
                break
            if os.WSTOPSIG(status) == SIGTRAP:
                break
            signal = os.WSTOPSIG(status)
            if signal in FAULTS:
                break
        if signal >= 0 or os.WIFSTOPPED(status):
            self.memory.write(address, TRAP, thread)
        if signal >= 0:
            self.ptrace(Ptrace.GO_ON, thread, signal)

    def take_event(self, thread: int, event: int) -> None:
        """Handle an event: new processes are detached, new threads continue."""
        if event in (Ptrace.FORK, Ptrace.VFORK, Ptrace.CLONE):
            new = self.ptrace.message(thread)
            if new in self.early:
                self.early.remove(new)
            else:
                os.waitpid(new, ALL)
            try:
                self.take_new(new, event)
            except OSError:
                pass                    # it was killed immediately
        elif event == Ptrace.VFORK_DONE:
            self.arm(True, thread)
        elif event == Ptrace.EXEC:
            self.is_armed = False
            self.parts = []

    def take_new(self, new: int, event: int) -> None:
        """Handle a new thread or process, which is stopped before its first instruction."""
        if event == Ptrace.CLONE:
            self.threads.add(new)
            self.ptrace(Ptrace.GO_ON, new)
            return
        if event == Ptrace.VFORK:
            self.arm(False, new)    # the memory is shared until the process ends or executes a program
        else:
            self.clean(new)
        self.ptrace(Ptrace.DETACH, new)

    def clean(self, process: int) -> None:
        """Remove the traps from a forked process."""
        memory = Space(process, self.ptrace)
        for start, plain, _ in self.parts:
            memory.write(start, plain)
        memory.close()

    def jump(self, address: int) -> None:
        """Set the program counter of the stopped thread without running it."""
        self.put(self.stopped or self.program.pid, address + self.program.bias)

    def run_freely(self) -> None:
        """Run the program to its end."""
        self.arm(False, self.stopped)
        self.go_on()

    def kill(self) -> None:
        """End the program."""
        os.kill(self.program.pid, SIGKILL)
        while True:
            try:
                thread, status = os.waitpid(-1, ALL)
            except ChildProcessError:
                return
            if thread == self.program.pid and not os.WIFSTOPPED(status):
                return


def watch_all(program: Program, places: List[Place],
              visit: Callable[[int, int], bool]) -> Union[Arrivals, Tracer]:
    """Watch many places."""
    if program.is_x86 and program.is_alive():
        try:
            program.run_to_entry()
            if not program.is_alive():
                return Arrivals(program, [], visit)
            return Tracer(program, places, visit)
        except OSError:
            pass            # no /proc
    return Arrivals(program, places, visit)


# --------------------------------------------------------------------------------------------------
# Memory


class Mapping(NamedTuple):
    """A readable part of the address space."""

    start: int
    end: int
    rights: str
    name: str


class Memory:
    """The memory of the process, read in large blocks, and the known areas in it."""

    PIECE = 1 << 18
    MOST_PIECES = 1 << 10

    def __init__(self, stack_pointer: int) -> None:
        self.inferior = gdb.selected_inferior()
        self.pieces: Dict[int, bytes] = {}
        self.mappings = self.read_mappings()
        self.starts = [mapping.start for mapping in self.mappings]
        self.stack_pointer = stack_pointer
        self.blocks: List[int] = []                 # the heap blocks' addresses
        self.block_ends: List[int] = []
        self.heap = (0, 0)                          # the heap range whose blocks are known
        for mapping in self.mappings:
            if mapping.name == "[heap]":
                self.walk_heap(mapping)

    def read_mappings(self) -> List[Mapping]:
        """Return the readable parts. Without /proc there are none, and every readable address is valid."""
        mappings = []
        try:
            with open(f"/proc/{self.inferior.pid}/maps", encoding="utf-8", errors="surrogateescape") as file:
                for row in file:
                    words = row.split(None, 5)
                    start, end = (int(word, 16) for word in words[0].split("-"))
                    name = words[5].strip() if len(words) > 5 else ""
                    if words[1].startswith("r") and name not in ("[vvar]", "[vsyscall]"):
                        mappings.append(Mapping(start, end, words[1], name))
        except OSError:
            pass
        return mappings

    def mapping_at(self, address: int) -> Optional[Mapping]:
        """Return the mapping that contains an address."""
        number = bisect_right(self.starts, address) - 1
        return self.mappings[number] if number >= 0 and address < self.mappings[number].end else None

    def read(self, address: int, size: int) -> bytes:
        """Return bytes of memory, or raise gdb.MemoryError if they are not readable."""
        mapping = self.mapping_at(address)
        if mapping is None:
            if self.mappings:
                raise gdb.MemoryError(f"Cannot access memory at address {address:#x}")
            return self.inferior.read_memory(address, size).tobytes()
        start = mapping.start + (address - mapping.start) // self.PIECE * self.PIECE
        piece = self.pieces.get(start)
        if piece is None:
            if len(self.pieces) >= self.MOST_PIECES:
                self.pieces.clear()
            length = min(self.PIECE, mapping.end - start)
            piece = self.pieces[start] = self.inferior.read_memory(start, length).tobytes()
        data = piece[address - start:address - start + size]
        return data if len(data) == size else data + self.read(start + len(piece), size - len(data))

    def word(self, address: int) -> int:
        """Return an unsigned word of 8 bytes."""
        return int.from_bytes(self.read(address, 8), "little")

    def walk_heap(self, mapping: Mapping) -> None:
        """Find the blocks of glibc's main arena: each is preceded by its size and followed by the next one."""
        chunk = mapping.start
        try:
            size = self.word(chunk + 8)
            while size & ~7 >= 32 and chunk + (size & ~7) < mapping.end:
                following = chunk + (size & ~7)
                next_size = self.word(following + 8)
                if next_size & 1:
                    self.blocks.append(chunk + 16)
                    self.block_ends.append(following + 8)
                chunk, size = following, next_size
            is_top = size & ~7 >= 16 and chunk + (size & ~7) == mapping.end
            self.heap = (mapping.start, mapping.end if is_top else chunk)
        except gdb.MemoryError:
            self.heap = (mapping.start, chunk)

    def block_at(self, address: int) -> Optional[Tuple[int, int]]:
        """Return the start and the end of the heap block that contains an address."""
        if self.heap[0] <= address < self.heap[1]:
            number = bisect_right(self.blocks, address) - 1
            if number < 0 or address >= self.block_ends[number]:
                return None
            return self.blocks[number], self.block_ends[number]
        mapping = self.mapping_at(address)
        if mapping is None or mapping.name or address % 16 or address - mapping.start < 16:
            return None
        size = self.word(address - 8)
        end = address - 16 + (size & ~7)
        if size & ~7 < 32 or end > mapping.end:
            return None
        if size & 7 == 2 and address % 4096 == 16 and size & 4088 == 0:    # a block with its own mapping
            return address, end
        if size & 6 == 4 and end < mapping.end and self.word(end + 8) & 7 == 5:    # a block of a thread's arena
            return address, end + 8
        return None

    def end_of_area(self, address: int) -> Optional[int]:
        """Return the end of the known area that contains an address, or `None` if the address is not valid."""
        if self.heap[0] <= address < self.heap[1]:
            block = self.block_at(address)
            return block[1] if block else None
        mapping = self.mapping_at(address)
        if mapping is None:
            return None if self.mappings else self.readable_end(address)
        if mapping.start <= self.stack_pointer < mapping.end:
            return mapping.end if address >= self.stack_pointer else None
        return mapping.end

    def readable_end(self, address: int) -> Optional[int]:
        """Return the end of the page that contains an address, if it is readable."""
        try:
            self.inferior.read_memory(address, 1)
        except gdb.error:
            return None
        return (address | 4095) + 1

    def is_behind_block(self, address: int) -> bool:
        """Return whether an address directly follows a heap block."""
        number = bisect_left(self.block_ends, address)
        return number < len(self.block_ends) and self.block_ends[number] == address


# -------------------------------------------------------------------------------------------------- Layouts:
# the description of a type. Values are decoded from bytes without gdb, which would be slow.


class Layout:
    """How values of a type are laid out in memory. This base class describes types whose values are not
    decoded.
    """

    kind = "opaque"

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.size = size

    def text(self, data: bytes) -> str:
        """Return the value as it can be written on the right of an assignment."""
        return ""


class Number(Layout):
    """An integer or a character."""

    kind = "atom"

    def __init__(self, name: str, size: int, is_signed: bool) -> None:
        super().__init__(name, size)
        self.is_signed = is_signed

    def text(self, data: bytes) -> str:
        return str(int.from_bytes(data, "little", signed=self.is_signed))


class Truth(Number):
    """A bool. In C gdb does not know the identifiers true and false."""

    def text(self, data: bytes) -> str:
        word = super().text(data)
        return {"0": "false", "1": "true"}.get(word, word) if self.name == "bool" else word


class Enumeration(Number):
    """An enumeration."""

    def __init__(self, name: str, size: int, is_signed: bool, names: Dict[int, str]) -> None:
        super().__init__(name, size, is_signed)
        self.names = names

    def text(self, data: bytes) -> str:
        number = int.from_bytes(data, "little", signed=self.is_signed)
        return self.names.get(number, str(number))


class Real(Layout):
    """A floating point number."""

    kind = "atom"

    def text(self, data: bytes) -> str:
        if self.size > 8:
            return long_double_text(data)
        number, = struct.unpack("<f" if self.size == 4 else "<d", data)
        if number != number:
            return "(0.0/0)"
        if data[-1] == 0x80 and number == 0:
            return "(-1.0/(1.0/0))"     # gdb reads -0.0 as 0.0
        return repr(number) if abs(number) != float("inf") else ("(1.0/0)" if number > 0 else "(-1.0/0)")


def long_double_text(data: bytes) -> str:
    """Return the text of an 80-bit x87 number, with enough digits to make it exact."""
    mantissa, exponent = int.from_bytes(data[:8], "little"), int.from_bytes(data[8:10], "little")
    sign, exponent = "-" if exponent & 0x8000 else "", exponent & 0x7FFF
    if exponent == 0x7FFF:
        return "(0.0/0)" if mantissa << 1 & (1 << 64) - 1 else f"({sign}1.0/0)"
    if sign and not mantissa:
        return "(-1.0/(1.0/0))"
    with decimal.localcontext() as context:
        context.prec = 60
        number = decimal.Decimal(mantissa) * decimal.Decimal(2) ** (max(exponent, 1) - 16446)
        context.prec = 21
        text = format((+number).normalize(), "e")
    return f"{sign}{text if '.' in text else text.replace('e', '.0e')}l"


class Pointer(Layout):
    """A pointer. Its target is a plain Layout of size 0 if it is unknown."""

    kind = "pointer"

    def __init__(self, name: str, target: Layout, is_function: bool) -> None:
        super().__init__(name, 8)
        self.target = target
        self.is_function = is_function


class Reference(Pointer):
    """A C++ reference. It is transparent: only its target is examined."""


class Array(Layout):
    """An array. If it has no length, like a flexible array member, it fills its heap block."""

    kind = "array"

    def __init__(self, name: str, element: Layout, count: int) -> None:
        super().__init__(name, element.size * count)
        self.element = element
        self.count = count


class Field(NamedTuple):
    """A member of a record."""

    name: str
    offset: int
    layout: Layout
    bits: Optional[Tuple[int, int]]     # a bit field's first bit and its width


class Choice(NamedTuple):
    """A union: the names of its members and their contents, of which one is active."""

    members: List[Tuple[str, List[Any]]]


class VirtualBase(NamedTuple):
    """A base class whose offset is stored in the object itself."""

    field: gdb.Field
    owner: gdb.Type
    offset: int     # of the containing type


class Record(Layout):
    """A struct, class or union. Its members are resolved on demand, since types can be recursive."""

    kind = "record"

    def __init__(self, name: str, kind: gdb.Type, layouts: Layouts) -> None:
        super().__init__(name, kind.sizeof)
        self.type = kind
        self.layouts = layouts
        self.known_items: Optional[List[Any]] = None

    def items(self) -> List[Any]:
        """Return the members: fields, and choices of unnamed unions."""
        if self.known_items is None:
            self.known_items = self.layouts.items_of(self.type, 0)
        return self.known_items

    def has_tail(self) -> bool:
        """Return whether the last member is a flexible array."""
        last = self.items()[-1:]
        return bool(last) and isinstance(last[0], Field) and isinstance(last[0].layout, Array) \
            and not last[0].layout.count

    def enumerations(self) -> List[Field]:
        """Return the members that may indicate the active member of a union."""
        fields = [item for item in self.items() if isinstance(item, Field)]
        return [field for field in fields if isinstance(field.layout, Enumeration) and not field.bits]


class VirtualTable(Layout):
    """The hidden pointer in a C++ object that identifies its class."""


class Layouts:
    """The layouts of all types found so far. Types that gdb considers equal share a layout."""

    def __init__(self) -> None:
        self.known: Dict[Any, Layout] = {}
        self.compared: Dict[Any, List[Tuple[gdb.Type, Layout]]] = {}
        self.nothing = Layout("void", 0)
        self.character = self.once(("", "char", 1), lambda: Number("char", 1, True))

    def once(self, key: Any, make: Callable[[], Layout]) -> Layout:
        """Return the layout of a key, and create it at the first request."""
        if key not in self.known:
            self.known[key] = make()
        return self.known[key]

    def of(self, kind: gdb.Type) -> Layout:
        """Return the layout of a type."""
        plain = kind.strip_typedefs().unqualified()
        code = plain.code
        if code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            return self.of_pointer(plain, Pointer if code == gdb.TYPE_CODE_PTR else Reference)
        if code == gdb.TYPE_CODE_ARRAY:
            return self.of_array(plain)
        name = plain.name or plain.tag or str(kind.unqualified())
        if code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            return self.of_named(plain, str(plain) if plain.tag else name)
        if code == gdb.TYPE_CODE_ENUM:
            return self.of_named(plain, str(plain) if plain.tag else name)
        size = plain.sizeof
        if code == gdb.TYPE_CODE_BOOL:
            return self.once(("", name, size), lambda: Truth(name, size, False))
        if code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_RANGE):
            return self.once(("", name, size), lambda: Number(name, size, plain.is_signed))
        if code == gdb.TYPE_CODE_FLT and (size in (4, 8) or name == "long double"):
            return self.once(("", name, size), lambda: Real(name, size))
        is_void = code in (gdb.TYPE_CODE_VOID, gdb.TYPE_CODE_FUNC)
        return self.nothing if is_void else self.once(("?", name, size), lambda: Layout(name, size))

    def of_pointer(self, plain: gdb.Type, make: Type[Pointer]) -> Layout:
        """Return the layout of a pointer or a reference."""
        target = plain.target()
        is_function = target.strip_typedefs().code == gdb.TYPE_CODE_FUNC
        layout = self.of(target)
        return self.once((make, is_function, id(layout)), lambda: make(str(plain), layout, is_function))

    def of_array(self, plain: gdb.Type) -> Layout:
        """Return the layout of an array. Vector types of the processor are not decoded."""
        if "vector_size" in str(plain):
            return self.once(("?", str(plain), plain.sizeof), lambda: Layout(str(plain), plain.sizeof))
        element = self.of(plain.target())
        low, high = plain.range()
        count = max(0, high - low + 1) if plain.sizeof else 0
        base, bracket, rest = element.name.partition(" [")
        name = f"{base} [{count or ''}]{bracket[1:]}{rest}"
        return self.once(("[]", id(element), count), lambda: Array(name, element, count))

    def of_named(self, plain: gdb.Type, name: str) -> Layout:
        """Return the layout of a record or an enumeration, which may be described again in each source file."""
        same = self.compared.setdefault((plain.code, plain.tag, plain.sizeof), [])
        for other, layout in same:
            if other == plain:
                return layout
        if plain.code == gdb.TYPE_CODE_ENUM:
            names = {int(field.enumval): field.name for field in reversed(plain.fields())}
            layout: Layout = Enumeration(name, plain.sizeof, plain.is_signed, names)
        elif plain.sizeof == 0 or plain.tag in HIDDEN_TYPES:
            layout = Layout(name, 0)
        else:
            layout = Record(name, plain, self)
        same.append((plain, layout))
        return layout

    def items_of(self, plain: gdb.Type, start: int) -> List[Any]:
        """Return the members of a record that starts at an offset."""
        if plain.code == gdb.TYPE_CODE_UNION:
            return [Choice([(field.name or "", self.items_of_field(field, start)) for field in plain.fields()
                            if hasattr(field, "bitpos")])]
        groups = [(field, self.items_of_member(plain, field, start)) for field in plain.fields()
                  if hasattr(field, "bitpos")]
        names = Counter(item.name for _, items in groups for item in items if isinstance(item, Field))
        return [item._replace(name=f"{field.name}::{item.name}")
                if field.is_base_class and isinstance(item, Field) and names[item.name] > 1 else item
                for field, items in groups for item in items]

    def items_of_member(self, plain: gdb.Type, field: gdb.Field, start: int) -> List[Any]:
        """Return the contents of a member or a base class of a record."""
        if field.bitpos is None:
            return [VirtualBase(field, plain, start)]
        return self.items_of_field(field, start)

    def items_of_field(self, field: gdb.Field, start: int) -> List[Any]:
        """Return the contents of a member: itself, or the members of a base class or of an unnamed record."""
        kind = field.type.strip_typedefs()
        offset = start + field.bitpos // 8
        if field.is_base_class or not field.name:
            is_record = kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
            return self.items_of(kind, offset) if is_record else []
        if field.artificial:
            return [Field(field.name, offset, VirtualTable("vtable", 8), None)]
        bits = (field.bitpos % 8, field.bitsize) if field.bitsize else None
        return [Field(field.name, offset, self.of(field.type), bits)]


# --------------------------------------------------------------------------------------------------
# The memory graph


class Spot(NamedTuple):
    """The location of a value: in memory, or, for a register, only in these bytes."""

    address: Optional[int]
    data: Optional[bytes]

    def part(self, offset: int, size: int) -> Spot:
        """Return a part of it."""
        return Spot(None if self.address is None else self.address + offset,
                    None if self.data is None else self.data[offset:offset + size])


class Full(Exception):
    """There are more vertices than requested."""


class Graph:
    """The memory graph, expanded breadth first from the variables."""

    def __init__(self, memory: Memory, layouts: Layouts, most_vertices: int) -> None:
        self.memory = memory
        self.layouts = layouts
        self.most_vertices = most_vertices
        self.vertices: List[Dict[str, Any]] = []
        self.edges: List[Dict[str, Any]] = []
        self.is_whole = True
        self.known: Dict[Tuple[int, int], int] = {}             # address and layout to vertex
        self.first_at: Dict[int, int] = {}                      # address to its first vertex
        self.arrays: Dict[int, List[Tuple[int, int]]] = {}      # element layout to starts and ends
        self.queue: Deque[Tuple[int, Spot, Layout, Tuple[str, ...]]] = deque()
        self.late: Deque[Tuple[int, Spot, Layout, int]] = deque()   # arrays: element layout and count
        self.untyped: List[Tuple[int, int]] = []                # void pointers
        self.bases: Set[Tuple[int, int]] = set()                # objects and their virtual bases
        self.names: Dict[int, str] = {}                         # names of functions and tables
        self.top_frame = 1 << 64                                # argv lies above it

    # Creating vertices

    def add_root(self, frame: Optional[int], name: str, spot: Optional[Spot], layout: Layout) -> None:
        """Add a variable."""
        vertex = self.add_gone(layout) if spot is None else self.add(spot, layout)
        self.edges.append({"from": None, "frame": frame, "op": name, "to": vertex})

    def new(self, kind: str, name: str, value: str, size: int) -> int:
        """Add a vertex."""
        if len(self.vertices) >= self.most_vertices:
            raise Full
        self.vertices.append({"type": name, "kind": kind, "value": value, "size": size})
        return len(self.vertices) - 1

    def add_gone(self, layout: Layout) -> int:
        """Add a vertex for a value that is not available."""
        return self.new("gone", layout.name, "", layout.size)

    def add(self, spot: Spot, layout: Layout, bits: Optional[Tuple[int, int]] = None,
            hints: Tuple[str, ...] = ()) -> int:
        """Return the vertex of a value: the known one, or a new one that is expanded later."""
        if isinstance(layout, Reference):
            layout, spot = layout.target, Spot(int.from_bytes(self.bytes_of(spot, 8), "little"), None)
        key = (spot.address or 0, id(layout))
        is_shared = spot.address is not None and bits is None
        if is_shared and key in self.known:
            return self.known[key]
        try:
            vertex = self.make(spot, layout, bits)
        except gdb.MemoryError:
            return self.add_gone(layout)
        if is_shared:
            self.known[key] = vertex
            self.first_at.setdefault(key[0], vertex)
        if self.vertices[vertex]["kind"] in ("pointer", "record", "array"):
            self.queue.append((vertex, spot, layout, hints))
            if spot.address is not None:
                self.note_arrays(spot.address, layout)
        return vertex

    def bytes_of(self, spot: Spot, size: int) -> bytes:
        """Return the bytes of a value."""
        if spot.data is not None:
            return spot.data[:size]
        return self.memory.read(spot.address or 0, size)

    def part_bytes(self, spot: Spot, offset: int, size: int) -> bytes:
        """Return the bytes of a part of a value."""
        return self.bytes_of(spot.part(offset, size), size)

    def make(self, spot: Spot, layout: Layout, bits: Optional[Tuple[int, int]]) -> int:
        """Create the vertex of a value."""
        if isinstance(layout, Array) and layout.element is self.layouts.character:
            self.check_length(spot, layout)
            text = text_before_nul(self.bytes_of(spot, layout.size or self.rest_of_block(spot)))
            if text is not None:
                return self.make_string(spot.address, text)
        if isinstance(layout, Array):
            self.check_length(spot, layout)
            return self.new("array", layout.name, "", layout.count)
        if isinstance(layout, Record):
            return self.new("record", layout.name, "", layout.size)
        if layout.kind == "opaque" and not isinstance(layout, VirtualTable):
            return self.new("opaque", layout.name, "", layout.size)
        if bits is not None:
            span = int.from_bytes(self.bytes_of(spot, (bits[0] + bits[1] + 7) // 8), "little")
            data = widened(span >> bits[0], bits[1], layout)
        else:
            data = self.bytes_of(spot, layout.size)
        if isinstance(layout, (Pointer, VirtualTable)):
            return self.make_pointer(int.from_bytes(data, "little"), layout)
        return self.new(layout.kind, layout.name, layout.text(data), layout.size)

    def check_length(self, spot: Spot, layout: Array) -> None:
        """Check that an array has a plausible length; before its declaration it may have any length."""
        if spot.address is not None:
            end = self.memory.end_of_area(spot.address)
            if end is None or spot.address + layout.size > end:
                raise gdb.MemoryError

    def make_pointer(self, address: int, layout: Layout) -> int:
        """Create the vertex of a pointer."""
        if isinstance(layout, VirtualTable):
            return self.new("opaque", layout.name, self.name_at(address), 8)
        if address == 0:
            return self.new("null", layout.name, "0", 8)
        if not self.is_valid(address):
            return self.new("invalid", layout.name, hex(address), 8)
        if isinstance(layout, Pointer) and layout.is_function:
            return self.new("opaque", layout.name, self.name_at(address), 8)
        return self.new("pointer", layout.name, "", 8)

    def make_string(self, address: Optional[int], text: str) -> int:
        """Return the vertex of a string."""
        key = (address or 0, 0)
        if address is None or key not in self.known:
            size = len(text.encode()) + 1
            vertex = self.new("string", f"char [{size}]", literal(text), size)
            if address is None:
                return vertex
            self.known[key] = vertex
            self.first_at.setdefault(address, vertex)
        return self.known[key]

    def is_valid(self, address: int) -> bool:
        """Return whether a pointer points into a known area, or directly behind one."""
        return self.memory.end_of_area(address) is not None or self.memory.is_behind_block(address)

    def name_at(self, address: int) -> str:
        """Return the name of the function or table at an address."""
        if address not in self.names:
            text = gdb.execute(f"info symbol {address}", to_string=True)
            is_known = not text.startswith("No symbol")
            self.names[address] = text.split(" in section ")[0].strip() if is_known else ""
        return self.names[address]

    def note_arrays(self, start: int, layout: Layout) -> None:
        """Record the arrays in a value on the stack or in static memory."""
        if isinstance(layout, Array):
            spans = self.arrays.setdefault(id(layout.element), [])
            insort(spans, (start, start + layout.size))
            if layout.count <= 64:
                for number in range(layout.count):
                    self.note_arrays(start + number * layout.element.size, layout.element)
        elif isinstance(layout, Record) and layout.type.code != gdb.TYPE_CODE_UNION:
            for item in layout.items():
                if isinstance(item, Field) and isinstance(item.layout, (Array, Record)):
                    self.note_arrays(start + item.offset, item.layout)

    # Expanding vertices

    def unfold(self) -> None:
        """Expand everything that the variables lead to. Long arrays come last, so that they do not displace
        the rest.
        """
        while self.queue or self.late:
            if self.queue:
                vertex, spot, layout, hints = self.queue.popleft()
                self.unfold_vertex(vertex, spot, layout, hints)
            else:
                self.add_elements(*self.late.popleft())
        for vertex, address in self.untyped:
            if address in self.first_at:
                self.link(vertex, "*", self.first_at[address])

    def link(self, source: int, op: str, target: int) -> None:
        """Add an edge."""
        self.edges.append({"from": source, "op": op, "to": target})

    def unfold_vertex(self, vertex: int, spot: Spot, layout: Layout, hints: Tuple[str, ...]) -> None:
        """Add the contents or the target of a vertex."""
        if isinstance(layout, Pointer):
            self.unfold_pointer(vertex, int.from_bytes(self.bytes_of(spot, 8), "little"), layout.target)
        elif isinstance(layout, Record):
            self.unfold_items(vertex, spot, layout.items(), hints + self.hints_of(spot, layout))
        elif isinstance(layout, Array):
            count = layout.count
            if not count and layout.element.size:
                count = self.rest_of_block(spot) // layout.element.size
                self.vertices[vertex]["size"] = count
            self.unfold_elements(vertex, spot, layout.element, count)

    def rest_of_block(self, spot: Spot) -> int:
        """Return the size of the rest of a heap block, which belongs to a flexible array member."""
        block = None if spot.address is None else self.memory.block_at(spot.address)
        return block[1] - (spot.address or 0) if block else 0

    def unfold_elements(self, vertex: int, spot: Spot, element: Layout, count: int) -> None:
        """Add the elements of an array, or defer them if it is long."""
        if count > LONG_ARRAY:
            self.late.append((vertex, spot, element, count))
        else:
            self.add_elements(vertex, spot, element, count)

    def add_elements(self, vertex: int, spot: Spot, element: Layout, count: int) -> None:
        """Add the elements of an array."""
        for number in range(count):
            part = spot.part(number * element.size, element.size)
            self.link(vertex, f"[{number}]", self.add(part, element))

    def hints_of(self, spot: Spot, layout: Record) -> Tuple[str, ...]:
        """Return the enumerators that are values of a record's members."""
        return tuple(field.layout.text(self.part_bytes(spot, field.offset, field.layout.size))
                     for field in layout.enumerations())

    def unfold_items(self, vertex: int, spot: Spot, items: List[Any], hints: Tuple[str, ...]) -> None:
        """Add the members of a record."""
        for item in items:
            if isinstance(item, VirtualBase):
                self.unfold_items(vertex, spot, self.items_of_base(item, spot), hints)
            elif isinstance(item, Choice):
                if item.members:
                    self.unfold_items(vertex, spot, self.choose(item, spot, hints), hints)
            else:
                size = (sum(item.bits) + 7) // 8 if item.bits else item.layout.size
                part = spot.part(item.offset, size)
                self.link(vertex, "." + item.name, self.add(part, item.layout, item.bits, hints))

    def items_of_base(self, base: VirtualBase, spot: Spot) -> List[Any]:
        """Return the members of a virtual base class. A shared one is visited once for each class that has
        it.
        """
        if spot.address is None:
            return []
        try:
            owner = gdb.Value(spot.address + base.offset).cast(base.owner.pointer()).dereference()
            address = owner[base.field].address
        except gdb.error:
            return []
        key = (spot.address, int(address))
        if address is None or key in self.bases:
            return []
        self.bases.add(key)
        return self.layouts.items_of(base.field.type.strip_typedefs(), int(address) - spot.address)

    def choose(self, choice: Choice, spot: Spot, hints: Tuple[str, ...]) -> List[Any]:
        """Return the active member of a union: the one that an enumerator names, or the one whose pointers
        are most plausible.
        """
        named = [items for name, items in choice.members if any(is_named_by(name, hint) for hint in hints)]
        if len(named) == 1:
            return named[0]
        return min((items for _, items in choice.members), key=lambda items: self.misfit(items, spot))

    def misfit(self, items: List[Any], spot: Spot) -> Tuple[int, int]:
        """Return the number of invalid pointers among members, and minus the number of valid ones."""
        invalid = valid = 0
        for item in items:
            if isinstance(item, Choice):
                counts = min((self.misfit(inner, spot) for _, inner in item.members), default=(0, 0))
            elif isinstance(item.layout, Record):
                counts = self.misfit(item.layout.items(), spot.part(item.offset, item.layout.size))
            elif isinstance(item.layout, Pointer):
                address = int.from_bytes(self.part_bytes(spot, item.offset, 8), "little")
                is_valid = self.is_valid(address)
                counts = (int(bool(address) and not is_valid), -int(is_valid))
            else:
                continue
            invalid, valid = invalid + counts[0], valid + counts[1]
        return invalid, valid

    def unfold_pointer(self, vertex: int, address: int, target: Layout) -> None:
        """Add the target of a pointer."""
        end = self.memory.end_of_area(address)
        if end is None:
            return
        if target.size == 0:
            self.untyped.append((vertex, address))
            return
        if target is self.layouts.character:
            text = self.text_at(address, end)
            if text is not None:
                self.link(vertex, "*", self.make_string(address, text))
                return
        op, address, target = self.real_object(address, target)
        if op != "*":
            self.link(vertex, op, self.add(Spot(address, None), target))
            return
        count = self.count_at(address, target, end)
        if count:
            self.unfold_elements(vertex, Spot(address, None), target, count)
        elif address + target.size <= end:
            self.link(vertex, "*", self.add(Spot(address, None), target))

    def text_at(self, address: int, end: int) -> Optional[str]:
        """Return the text at an address, if there is any."""
        for size in (1 << 8, 1 << 16):
            data = self.memory.read(address, min(size, end - address))
            if b"\0" in data:
                return text_before_nul(data)
        return None

    def real_object(self, address: int, target: Layout) -> Tuple[str, int, Layout]:
        """Return the complete object to which a pointer to a base class with virtual functions points: the
        operation that leads to it from the pointer, its address and its layout.
        """
        items = target.items() if isinstance(target, Record) else []
        if not items or not isinstance(items[0], Field) or not isinstance(items[0].layout, VirtualTable):
            return "*", address, target
        try:
            table = self.memory.word(address + items[0].offset)
            found = re.fullmatch(r"vtable for (.+) \+ 16", self.name_at(table))
            if found and found.group(1) != target.name:
                layout = self.layouts.of(gdb.lookup_type(found.group(1)))
                offset = int.from_bytes(self.memory.read(table - 16, 8), "little", signed=True)
                return f"*({layout.name} *)", address + offset, layout
        except gdb.error:
            pass
        return "*", address, target

    def count_at(self, address: int, target: Layout, end: int) -> int:
        """Return the number of elements of the array at an address; 0 for a single object."""
        block = self.memory.block_at(address)
        if isinstance(target, Record) and target.has_tail():
            return 0
        if block is not None:
            count = (block[1] - address) // target.size if address == block[0] else 0
            return count if count >= 2 else 0
        is_text = isinstance(target, Pointer) and target.target is self.layouts.character
        if is_text and address > self.top_frame:
            count = 0
            while address + 8 * count < end and self.memory.word(address + 8 * count):
                count += 1
            return count
        spans = self.arrays.get(id(target), [])
        number = bisect_right(spans, (address, 1 << 64)) - 1
        if number >= 0 and address < spans[number][1] and (address - spans[number][0]) % target.size == 0:
            return (spans[number][1] - address) // target.size
        return 0


def text_before_nul(data: bytes) -> Optional[str]:
    """Return the text at the start of the bytes, if it ends with a NUL and is printable."""
    end = data.find(b"\0")
    if end < 0:
        return None
    try:
        text = data[:end].decode()
    except UnicodeDecodeError:
        return None
    return text if not UNPRINTABLE.search(text) else None


def literal(text: str) -> str:
    """Return a C string literal, as gdb reads it."""
    names = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    parts = []
    for character in text:
        if character in names or " " <= character <= "~":
            parts.append(names.get(character, character))
        else:
            parts += [f"\\{byte:03o}" for byte in character.encode()]
    return '"' + "".join(parts) + '"'


def widened(number: int, bits: int, layout: Layout) -> bytes:
    """Return the bytes that the value of a bit field would have as a whole object."""
    number &= (1 << bits) - 1
    if getattr(layout, "is_signed", False) and number >> (bits - 1):
        number |= (1 << layout.size * 8) - (1 << bits)
    return number.to_bytes(layout.size, "little")


def is_named_by(member: str, enumerator: str) -> bool:
    """Return whether an enumerator such as KIND_TEXT names a union member such as text."""
    name, words = member.strip("_").lower(), re.split(r"_|::", enumerator.lower())
    if name in words:
        return bool(name)
    last = words[-1]
    return min(len(name), len(last)) > 2 and (last.startswith(name) or name.startswith(last)
                                              or last.endswith(name))


# --------------------------------------------------------------------------------------------------
# Variables


def register_bytes(value: gdb.Value) -> Optional[bytes]:
    """Return the bytes of a value that is not in memory, or `None` if they are not available."""
    kind = value.type.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        data = bytearray(kind.sizeof)
        for field in kind.fields():
            if hasattr(field, "bitpos"):
                part = None if field.bitsize else register_bytes(value[field])
                if part is None:
                    return None
                data[field.bitpos // 8:field.bitpos // 8 + len(part)] = part
        return bytes(data)
    if kind.code == gdb.TYPE_CODE_ARRAY:
        low, high = kind.range()
        parts = [register_bytes(value[number]) for number in range(low, high + 1)]
        return None if None in parts else b"".join(part for part in parts if part is not None)
    if kind.code == gdb.TYPE_CODE_FLT:
        form = {4: "<f", 8: "<d"}.get(kind.sizeof)
        return struct.pack(form, float(value)) if form else None
    number = int(value)
    return (number & (1 << 8 * kind.sizeof) - 1).to_bytes(kind.sizeof, "little")


def spot_of(value: gdb.Value) -> Optional[Spot]:
    """Return the location of a variable's value, or `None` if it is not available."""
    try:
        if value.address is not None:
            return Spot(int(value.address), None)
        if value.is_optimized_out:
            return None
        data = register_bytes(value)
        return None if data is None else Spot(None, data)
    except (gdb.error, ValueError, OverflowError):
        return None


def referred(value: gdb.Value) -> gdb.Value:
    """Return the target of a reference, or the value itself if it is not a reference."""
    is_reference = value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)
    return value.referenced_value() if is_reference else value


class OurFrame(NamedTuple):
    """An active frame of an examined function."""

    frame: gdb.Frame
    line: int
    file: str
    function: str


def our_frames(sources: Sources) -> List[OurFrame]:
    """Return the active frames of examined functions, innermost first."""
    frames = []
    frame = gdb.newest_frame()
    while frame is not None:
        where = frame.find_sal()
        path = sources.path_of(where.symtab.fullname()) if where.symtab else ""
        if path and frame.function() is not None:
            frames.append(OurFrame(frame, where.line, path, frame.function().name))
        try:
            frame = frame.older()
        except gdb.error:
            break
    return frames


def variables_of(frame: gdb.Frame) -> List[Tuple[str, gdb.Symbol, gdb.Block]]:
    """Return the variables that are visible in a frame; inner ones hide outer ones of the same name."""
    found: Dict[str, Tuple[str, gdb.Symbol, gdb.Block]] = {}
    try:
        block = frame.block()
    except RuntimeError:
        return []
    while block is not None:
        for symbol in block:
            if (symbol.is_variable or symbol.is_argument) and symbol.name not in HIDDEN_VARIABLES:
                found.setdefault(symbol.name, (symbol.name, symbol, block))
        if block.function is not None:
            break
        block = block.superblock
    return list(found.values())


def static_variables(sources: Sources) -> List[gdb.Symbol]:
    """Return the global variables and the static variables of the examined files. Must be called before the
    program is started, when gdb has not loaded the libraries yet.
    """
    names: Dict[str, None] = {}
    for row in gdb.execute("info variables -q -n", to_string=True).splitlines():
        found = re.match(r"\d+:.*?(?:\(\*+ *)?((?:\(anonymous namespace\)::|\w+::)*\w+)(?:[\[)].*)?;$",
                         re.sub(r"<[^;]*>", "<>", row))
        if found:
            names[found.group(1)] = None
    symbols: List[gdb.Symbol] = []
    for name in names:
        for symbol in [gdb.lookup_global_symbol(name)] + gdb.lookup_static_symbols(name):
            if symbol is not None and symbol.is_variable and symbol.symtab and symbol.type is not None \
                    and sources.path_of(symbol.symtab.fullname()):
                symbols.append(symbol)
    return symbols


def add_variables(graph: Graph, statics: List[gdb.Symbol], frames: List[OurFrame]) -> None:
    """Add all variables: those of the frames, innermost first, then the static ones."""
    local_names = set()
    by_place: Dict[Any, List[Tuple[str, gdb.Symbol, gdb.Block]]] = {}
    for number, ours in enumerate(frames):
        ours.frame.select()     # the length of an array can depend on the frame
        key = (ours.function, ours.frame.pc(), ours.frame.type())
        if key not in by_place:
            by_place[key] = variables_of(ours.frame)
        for name, symbol, block in by_place[key]:
            local_names.add(name)
            try:
                value = referred(ours.frame.read_var(symbol, block))
                graph.add_root(number, name, spot_of(value), graph.layouts.of(value.type))
            except gdb.error:
                graph.add_root(number, name, None, graph.layouts.of(symbol.type))
    names = [symbol.name for symbol in statics]
    for symbol in statics:
        name = symbol.name
        if names.count(name) > 1 or name in local_names or "(" in name:
            name = f"'{symbol.symtab.filename}'::{name}" if "(" not in name else f"'{name}'"
        try:
            value = referred(symbol.value())
            graph.add_root(None, name, spot_of(value), graph.layouts.of(value.type))
        except gdb.error:
            graph.add_root(None, name, None, graph.layouts.of(symbol.type))


def take_state(request: Dict[str, Any], sources: Sources, statics: List[gdb.Symbol]) -> Dict[str, Any]:
    """Return the memory graph of the stopped program."""
    frames = our_frames(sources)
    memory = Memory(int(gdb.newest_frame().read_register("rsp")))
    graph = Graph(memory, Layouts(), request["most_vertices"])
    if frames:
        older = frames[-1].frame.older()
        graph.top_frame = int((older or frames[-1].frame).read_register("rsp"))
    try:
        add_variables(graph, statics, frames)
        graph.unfold()
    except Full:
        graph.is_whole = False
    return {"frames": [{"function": ours.function, "file": ours.file, "line": ours.line,
                        "level": ours.frame.level()} for ours in frames],
            "vertices": graph.vertices, "edges": graph.edges, "is_whole": graph.is_whole}


# --------------------------------------------------------------------------------------------------
# Tasks


def need_places(request: Dict[str, Any]) -> List[Place]:
    """Return the places of the program, or raise the reason why it has none."""
    name = request["program"][0]
    gdb.execute("maint expand-symtabs", to_string=True)
    tables = gdb.execute("maint info line-table", to_string=True)
    if "symtab: " not in tables:
        raise Problem("no-debug-information", f"{name} has no debug information: compile it with -g")
    places = places_of(line_rows(tables, Sources(request.get("sources") or [])))
    if not places:
        raise Problem("no-source", f"none of the selected source files of {name} was found: build the program on"
                      " this machine, do not move its sources, and check which sources are selected")
    return places


def trace(program: Program, request: Dict[str, Any], answer: Dict[str, Any]) -> None:
    """Task trace: record the places that the program reaches."""
    places = need_places(request)
    answer["places"] = [place.as_json() for place in places]
    most = request["most_events"]
    events: Deque[Tuple[int, int, int]] = deque()
    skipped = answer["skipped"] = [0] * len(places)
    left = MOST_TRACED * most

    def visit(number: int, depth: int) -> bool:
        nonlocal left
        left -= 1
        events.append((number, depth, int(arrivals.depths.is_new)))
        if len(events) > most:      # keep the last ones: the failure is at the end
            answer["is_cut"] = True
            skipped[events.popleft()[0]] += 1
        return left <= 0

    program.start()
    arrivals = watch_all(program, places, visit)
    if arrivals.go_on():
        arrivals.run_freely()
    answer["events"] = list(events)
    if not events:
        raise nothing_executed(request["program"][0])


def nothing_executed(name: str) -> Problem:
    """Return the problem that no statement was executed, which may be due to optimisation."""
    option = optimisation()
    if option is None:
        return Problem("no-source", "no statement of the selected sources was executed")
    return Problem("optimised", f"{name} was compiled with {option}, and none of its statements can be distinguished")


def optimisation() -> Optional[str]:
    """Return the option by which the program was optimised, or `None`."""
    try:
        gdb.execute("list main", to_string=True)
        found = re.search(r"Producer is (.*)\.", gdb.execute("info source", to_string=True))
    except gdb.error:
        return None
    options = OPTIMISED.findall(found.group(1)) if found else []
    return options[-1] if options and options[-1] not in ("-O0", "-Og") else None


class Replay:
    """Determines which of the kept events comes next."""

    def __init__(self, places: List[Place], kept: List[Tuple[int, int]], most_stops: int) -> None:
        self.places = places
        self.kept = kept                        # addresses and depths; the next event is last
        self.stops_left = most_stops
        self.landed: Optional[int] = None       # the target of a jump, at which the program will arrive next

    def visit(self, number: int, depth: int) -> bool:
        """Decide at a place. Return true if the program must be stopped because it cannot simply continue."""
        here = self.places[number].address
        if self.landed == here:
            self.landed = None
            return False
        if not self.kept:
            return True
        self.stops_left -= 1
        address, wanted = self.kept[-1]
        if self.stops_left < 0:
            raise Stuck("endless")
        if wanted > depth:
            raise Stuck("a call did not happen")
        if wanted < depth:
            return False
        self.kept.pop()
        if address != here:
            self.landed = self.target(self.places[number], address)
        return self.landed is not None

    def target(self, place: Place, address: int) -> int:
        """Return an address to which the program can jump from a place: another place of the same function."""
        for other in self.places:
            if other.address == address:
                if other.function == place.function:
                    return address
                raise Stuck(f"cannot go to {other.line}")
        raise Stuck(f"cannot go to {address:#x}")


def partial(program: Program, request: Dict[str, Any], answer: Dict[str, Any]) -> None:
    """Task partial: execute only the kept events."""
    places = need_places(request)
    addresses = [int(place["address"], 16) for place in request["places"]]
    kept = [(addresses[number], depth) for number, depth in reversed(request["kept"])]
    replay = Replay(places, kept, request["most_stops"])
    program.start()
    arrivals = watch_all(program, places, replay.visit)
    try:
        while arrivals.go_on():
            if replay.landed is None:
                arrivals.run_freely()
                break
            arrivals.jump(replay.landed)
    finally:
        answer["unused"] = len(kept)


def go_to(program: Program, point: Dict[str, Any], places: List[Place]) -> bool:
    """Run the program from its current position to a point. Return false if it ends before."""
    place = find_place(point["place"], places)
    left = [int(point.get("count") or 1)]

    def visit(_number: int, _depth: int) -> bool:
        left[0] -= 1
        return left[0] <= 0

    is_there = Arrivals(program, [place], visit).go_on()
    program.unwatch()
    if is_there and place.inside != place.address:
        program.run_to(place.inside + program.bias)
    return is_there and program.is_alive()


def reach(program: Program, point: Dict[str, Any], places: List[Place]) -> None:
    """Run the program to a point, or raise the problem that it did not reach it."""
    if go_to(program, point, places):
        return
    place, count = point["place"], point.get("count", 1)
    times = "" if count == 1 else f" {count} times"
    raise Problem("not-reached", f"the program ended before it reached {place['file']}:{place['line']}{times}")


def execute_commands(program: Program, request: Dict[str, Any], answer: Dict[str, Any]) -> None:
    """Execute the commands of the request. The run ends at the first one that cannot be executed."""
    for command in request.get("commands") or []:
        text = failure_of(command, program)
        if text is not None:
            answer["failed"] = {"command": command, "text": text}
            raise Stuck("a command failed")
    gdb.newest_frame().select()


def run(program: Program, request: Dict[str, Any], answer: Dict[str, Any]) -> None:
    """Task run: run the program, with optional commands at a point."""
    places = need_places(request) if request.get("at") else []
    program.start()
    if request.get("at"):
        reach(program, request["at"], places)
        answer["reached"] = True
        execute_commands(program, request, answer)
    program.run_freely()


def state(program: Program, request: Dict[str, Any], answer: Dict[str, Any]) -> None:
    """Task state: return the memory graph at a point, optionally after commands at an earlier point."""
    places = need_places(request)
    sources = Sources(request.get("sources") or [])
    statics = static_variables(sources)
    program.start()
    if request.get("first"):
        reach(program, request["first"], places)
        execute_commands(program, request, answer)
    reach(program, request["at"], places)
    answer["reached"] = True
    answer["state"] = take_state(request, sources, statics)
    raise Stuck("state taken")


def failure_of(command: str, program: Program) -> Optional[str]:
    """Execute a command of gdb. Return the error message if it fails."""
    try:
        gdb.execute(Malloc.taken(command, program), to_string=True)
    except (gdb.error, gdb.GdbError, OSError) as error:
        return str(error)
    return None if program.is_alive() else "the program ended"


# --------------------------------------------------------------------------------------------------
# The answer


def load_origins(program: Program, request: Dict[str, Any], answer: Dict[str, Any]) -> None:
    """Task origins: return the account of a failure; implemented in a file next to this one."""
    with open("/proc/self/cmdline", "rb") as file:
        words = file.read().split(b"\0")
    own = os.fsdecode(words[words.index(b"-x") + 1])
    path = own[:-len(".py")] + "_origins.py"
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec", dont_inherit=True), globals())
    globals()["origins"](program, request, answer)


TASKS = {"trace": trace, "partial": partial, "state": state, "run": run, "origins": load_origins}


def answer_to(request: Dict[str, Any], temporary: str) -> Dict[str, Any]:
    """Execute the task of the request."""
    answer: Dict[str, Any] = {"ending": {"stuck": "not started"}, "stdout": "", "stderr": "", "problem": None,
                              "reached": False, "failed": None, "places": [], "events": [], "is_cut": False}
    stuck: Optional[str] = None
    program: Optional[Program] = None
    try:
        for setting in SETTINGS:
            execute_if_possible(setting)
        program = Program(request, temporary)
        TASKS[request["task"]](program, request, answer)
    except Problem as problem:
        answer["problem"] = {"kind": problem.kind, "text": str(problem)}
    except Stuck as error:
        stuck = str(error)
    except Exception:  # an answer must be written in any case
        answer["problem"] = {"kind": "crashed", "text": traceback.format_exc().strip().splitlines()[-1]}
        answer["traceback"] = traceback.format_exc()
        stuck = "the agent crashed"
    if program is not None:
        program.kill()
        answer["ending"] = {"stuck": stuck} if stuck else program.ending()
        answer["stdout"], answer["stderr"] = program.output("stdout"), program.output("stderr")
    return answer


def main() -> None:
    """Read the request, silence gdb, and write the answer."""
    for number in (SIGINT, SIGTERM):
        signal(number, SIG_DFL)     # gdb would handle it only after the agent has finished
    output = os.dup(1)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    with open(os.environ["NUBBIN_REQUEST"], encoding="utf-8") as file:
        request = json.load(file)
    temporary = tempfile.mkdtemp(prefix="nubbin-")
    try:
        answer = answer_to(request, temporary)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    with os.fdopen(output, "w", encoding="utf-8") as file:
        json.dump(answer, file)
    os._exit(0)     # gdb may consider a dead program alive


main()
