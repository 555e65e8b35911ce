"""Nubbin's agent for Python: runs a program under its control and reports what it observed.

    python3 [OPTION…] python.py REQUEST
    python3 [OPTION…] -c LAUNCH DIRECTORY REQUEST

where LAUNCH is "import sys; sys.dont_write_bytecode = False; sys.path.insert(0, sys.argv.pop(1)); import
python; python.main()". The second form, with the directory of this file, saves 15 ms, because Python then
keeps the compiled agent in __pycache__.

REQUEST is a JSON file. The answer, one JSON document, is written to standard output. The program runs in a
forked child, so that there is an answer even if it crashes. The child reports its findings in files of a
private directory, and events in shared memory; the parent assembles the answer. Only the standard library is
used, and little of that: modules that are imported here are also visible to the program.

Works with Python 3.8 to 3.13. Arrivals at a point are detected by sys.monitoring where available (3.12),
otherwise by sys.settrace. Statements are always watched by sys.settrace, since only it can set a frame's
line.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType, TracebackType
    from typing import Any, Callable, Iterator, NoReturn

AGENT = sys._getframe().f_code.co_filename
MOST_OUTPUT = 1 << 20
HAS_MONITORING = hasattr(sys, "monitoring")
# Recursion levels that must not count towards the program's limit: those below its frames, and those of the
# tracing function
OWN_LEVELS = 4 if HAS_MONITORING else 5
TRACING_LEVELS = 2 if HAS_MONITORING else 3 if sys.version_info >= (3, 11) else 4
NOTING_LEVELS = 50
DEPTH_BITS = 20
FIRST = 1 << (DEPTH_BITS - 1)  # set for the first event of a frame, and when a frame resumes
DEPTH_MASK = FIRST - 1
MOST_PLACES = 1 << 18
TOO_DEEP = ("maximum recursion depth exceeded",)
HELPER = "nubbin_"  # prefix of the variables that commands define


# JSON without the package json, whose import would double the start-up time of the interpreter


class _Scanning:
    """The context that the scanner of the module _json requires."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}


def from_json(text: str) -> Any:
    """Return the value of a JSON text."""
    try:
        from _json import make_scanner
    except ImportError:
        import json

        return json.loads(text)
    return make_scanner(_Scanning())(text.strip(), 0)[0]


def quoted(text: str) -> str:
    """Return the JSON string of a text. Lone surrogates, which JSON readers reject, become question marks."""
    try:
        from _json import encode_basestring_ascii as encode
    except ImportError:
        from json.encoder import encode_basestring_ascii as encode
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    return encode(text)


def to_json(value: Any) -> str:
    """Return the JSON text of a value made of dicts, lists, strings, numbers, booleans and None."""
    if isinstance(value, str):
        return quoted(value)
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return "{" + ",".join(quoted(key) + ":" + to_json(item) for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(to_json, value)) + "]"
    return repr(value)


# The private directory, through which the child communicates with its parent


class Desk:
    """A private directory with the program's output and the child's report."""

    def __init__(self) -> None:
        """Create the directory."""
        import time

        base = os.environ.get("TMPDIR") or "/tmp"
        self.path = os.path.abspath(os.path.join(base, f"nubbin-{os.getpid()}-{time.time_ns():x}"))
        os.mkdir(self.path, 0o700)

    def name(self, name: str) -> str:
        """Return the path of one of the files."""
        return os.path.join(self.path, name)

    def write(self, name: str, text: str) -> None:
        """Append a text to a file. It is stored even if the process ends immediately afterwards."""
        number = os.open(self.name(name), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            data = text.encode("utf-8")
            while data:
                data = data[os.write(number, data):]
        finally:
            os.close(number)

    def say(self, **facts: Any) -> None:
        """Report facts to the parent."""
        self.write("report", to_json(facts) + "\n")

    def read(self, name: str, most: int = -1) -> bytes:
        """Return the last bytes of a file, or none if it does not exist."""
        try:
            with open(self.name(name), "rb") as file:
                size = file.seek(0, 2)
                file.seek(max(0, size - most) if most >= 0 else 0)
                return file.read()
        except FileNotFoundError:
            return b""

    def facts(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Return the report of the child: facts, and the places in order."""
        facts: dict[str, Any] = {}
        places: list[dict[str, Any]] = []
        for line in self.read("report").decode("utf-8").split("\n")[:-1]:
            fact = from_json(line)
            places += fact.pop("places", [])
            facts.update(fact)
        return facts, places

    def remove(self) -> None:
        """Remove the directory and everything in it."""
        for name in os.listdir(self.path):
            os.unlink(self.name(name))
        os.rmdir(self.path)


def problem(kind: str, text: str) -> dict[str, str]:
    """Return a problem to be reported to the user."""
    return {"kind": kind, "text": text}


def crash(error: BaseException) -> dict[str, str]:
    """Return the problem that the agent itself failed."""
    return problem("crashed", f"the agent for Python failed: {type(error).__name__}: {error}")


# The program and its files


class Program:
    """The program under test: a script, a directory or archive with a __main__.py, a module, or the text of
    -c.
    """

    def __init__(self, words: list[str], directory: str) -> None:
        """Parse the arguments that follow the interpreter."""
        first, rest = (words[0], words[1:]) if words else ("", [])
        self.directory = directory
        self.kind, self.name = "script", first
        for option, kind in (("-m", "module"), ("-c", "code")):
            if first.startswith(option):
                self.kind = kind
                self.name, rest = (first[2:], rest) if len(first) > 2 else ("".join(rest[:1]), rest[1:])
        self.argv = [first[:2] if self.kind != "script" else first, *rest]
        self.words = words
        self.file = self._find()
        if self.kind == "script" and self.file and _is_package(self.file):
            self.kind = "package"

    def _find(self) -> str | None:
        """Return the absolute path of the file whose directory contains the program, if there is one."""
        if self.kind == "module":
            return _module_file(self.name)
        if self.kind == "script":
            path = os.path.join(self.directory, self.name)
            return path if os.path.exists(path) else None
        return "<string>"

    def roots(self) -> list[str]:
        """Return the files and directories that belong to the user, for a request that names none."""
        if self.kind == "package" and self.file:
            return [self.file]
        return [os.path.dirname(self.file)] if self.file and self.kind != "code" else []

    def missing(self) -> dict[str, str] | None:
        """Return the problem that there is no such program, or None."""
        if self.file and not (self.kind == "script" and self.name.startswith("-")):
            return None
        what = "module" if self.kind == "module" else "file"
        text = f"there is no {what} {self.name!r} in {self.directory} that Python can run: check the name"
        return problem("no-program", text)

    def prepare(self) -> None:
        """Set up the interpreter as if it had been started with the program."""
        sys.argv[:] = self.argv
        if hasattr(sys, "orig_argv"):
            own = 2 if __name__ == "__main__" else 4
            sys.orig_argv[:] = sys.orig_argv[:-own] + self.words
        safe = sys.flags.isolated or getattr(sys.flags, "safe_path", False)
        if not safe:
            own = {"module": self.directory, "code": "", "package": self.file}
            script = os.path.dirname(os.path.realpath(self.file or ""))
            sys.path[0] = own.get(self.kind, script) or ""
        elif self.kind == "package":
            sys.path.insert(0, self.file or "")
        sys.modules["__main__"] = self._main_module()

    def _main_module(self) -> Any:
        """Create a new module __main__ with the names that the interpreter gives it."""
        main = type(sys)("__main__")
        names = main.__dict__
        names.update(__builtins__=sys.modules["builtins"], __loader__=None)
        names["__annotations__"] = {}
        if self.kind == "code":
            names["__loader__"] = sys.modules["_frozen_importlib"].BuiltinImporter
        if self.kind == "script":
            loader = sys.modules["_frozen_importlib_external"].SourceFileLoader
            path = self.script_path()
            names.update(__loader__=loader("__main__", path), __file__=path, __cached__=None)
        return main

    def script_path(self) -> str:
        """Return the script's path as the interpreter writes it: absolute since Python 3.9."""
        if sys.version_info < (3, 9):
            return self.name
        return os.path.join(self.directory, self.name)

    def compiled(self) -> CodeType | None:
        """Return the code of a script or text, or None for a module, which the import system compiles."""
        if self.kind == "code":
            code = compile(self.name + "\n", "<string>", "exec", dont_inherit=True)
            _register(code, self.name)
            return code
        if self.kind == "script":
            with open(self.file or "", "rb") as file:
                return compile(file.read(), self.script_path(), "exec", dont_inherit=True)
        return None

    def execute(self, code: CodeType | None) -> None:
        """Run the program."""
        if code is not None:
            exec(code, sys.modules["__main__"].__dict__)
        else:
            import runpy

            name = "__main__" if self.kind == "package" else self.name
            runpy._run_module_as_main(name, self.kind == "module")  # type: ignore[attr-defined]


def _register(code: CodeType, text: str) -> None:
    """Let tracebacks show the source lines of the option -c, as Python does since 3.13."""
    if sys.version_info >= (3, 13):
        import linecache

        key = code if hasattr(linecache, "_interactive_cache") else "<string>"
        linecache._register_code(key, text, "<string>")  # type: ignore[attr-defined]


def _is_package(path: str) -> bool:
    """Return whether this is a directory or an archive that the interpreter runs through its __main__.py."""
    if os.path.isdir(path):
        return True
    with open(path, "rb") as file:
        return file.read(4) == b"PK\3\4"


def _module_file(name: str) -> str | None:
    """Return the file that `python -m name` runs, without importing anything."""
    finder = sys.modules["_frozen_importlib_external"].PathFinder
    saved, sys.path[0] = sys.path[0], os.getcwd()
    try:
        parts, path, spec = name.split("."), None, None
        for number in range(len(parts)):
            spec = finder.find_spec(".".join(parts[:number + 1]), path)
            if spec is None:
                return None
            path = spec.submodule_search_locations
        if path is not None:
            spec = finder.find_spec(name + ".__main__", path)
        return spec.origin if spec is not None else None
    finally:
        sys.path[0] = saved


def is_below(path: str, root: str) -> bool:
    """Return whether a path is the root or below it."""
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def is_library(path: str) -> bool:
    """Return whether a file belongs to the standard library."""
    library = os.path.realpath(os.path.dirname(os.__file__)) + os.sep
    if path.startswith("<"):
        return path != "<string>"
    path = os.path.realpath(path)
    inside = path[len(library):].split(os.sep)
    return path.startswith(library) and not {"site-packages", "dist-packages"} & set(inside)


def named_roots(named: list[str], program: Program) -> list[str]:
    """Return the packages of files in a traceback, innermost first. The standard library counts only if the
    failure is in it, that is, for the innermost frames and not for those that call the program.
    """
    roots: list[str] = []
    is_innermost = True
    for file in named:
        path = os.path.realpath(os.path.join(program.directory, file))
        is_innermost = is_innermost and is_library(path)
        if (is_innermost or not is_library(path)) and os.path.isfile(path):
            root = package_of(path)
            if root not in roots:
                roots.append(root)
    return roots


def package_of(path: str) -> str:
    """Return the outermost package that contains a file, or the file itself."""
    root = path
    while os.path.isfile(os.path.join(os.path.dirname(root), "__init__.py")):
        root = os.path.dirname(root)
    return root


class Ours:
    """Decides which source files are examined."""

    def __init__(self, sources: list[str], program: Program, named: list[str] | None = None) -> None:
        """Use the sources of the request, or the program's own and those in a traceback."""
        named = named or []
        self.is_code = program.kind == "code"
        self.is_default = not sources
        roots = sources or program.roots()
        self.roots = [os.path.realpath(os.path.join(program.directory, root)) for root in roots]
        self.named = [] if sources else named_roots(named, program)
        self.literal = {root for root in sources if root.startswith("<")}
        library = os.path.realpath(os.path.dirname(os.__file__))
        self.library = [library + os.sep] if self._below(library) and library not in self.roots else []
        self.paths: dict[str, str | None] = {AGENT: None}
        if program.kind == "script" and program.file:
            self.paths[program.script_path()] = self._own(program.file)

    def _below(self, path: str) -> bool:
        """Return whether this path is one of the roots or below one."""
        return any(is_below(path, root) for root in self.roots)

    def _own(self, filename: str) -> str | None:
        """Return the absolute path of a file if it is examined."""
        if filename.startswith("<"):
            is_ours = filename in self.literal or self.is_default and self.is_code and filename == "<string>"
            return filename if is_ours else None
        path = os.path.realpath(filename)
        if any(is_below(path, root) for root in self.named):
            return path
        if not self._below(path) or any(path.startswith(library) for library in self.library):
            return None
        if self.is_default:
            root = next(root for root in self.roots if path.startswith(root))
            if {"site-packages", "dist-packages"} & set(path[len(root):].split(os.sep)):
                return None
        return path

    def path(self, code: CodeType) -> str | None:
        """Return the absolute path of the file of a code object if it is examined."""
        name = code.co_filename
        if name not in self.paths:
            self.paths[name] = self._own(name)
        return self.paths[name]


# The tracing function of the interpreter


class Hook:
    """Holds the tracing function. While it does, the program's own calls of sys.settrace are only recorded."""

    def __init__(self) -> None:
        """Save the functions that the program might replace."""
        self.settrace, self.gettrace = sys.settrace, sys.gettrace
        self.wish: Any = None
        self.is_held = False
        self.survivor: _Survivor | None = None
        os.register_at_fork(after_in_child=self.release)

    def hold(self, function: Callable[..., Any]) -> None:
        """Start tracing the main thread."""
        from _thread import get_ident

        main = get_ident()

        def settrace(function: Any) -> None:
            """Set the tracing function; in the main thread this is deferred."""
            if get_ident() == main:
                self.wish = function
            else:
                self.settrace(function)

        sys.settrace = settrace
        sys.gettrace = lambda: self.wish if get_ident() == main else self.gettrace()
        self.function = function
        survivor = _Survivor()
        survivor.hook = self
        self.survivor = survivor
        self.is_held = True
        self.settrace(function)

    def release(self) -> None:
        """Stop tracing, and set the tracing function that the program requested in the meantime."""
        if self.is_held:
            self.is_held = False
            sys.settrace, sys.gettrace = self.settrace, self.gettrace
            self.settrace(self.wish)


class _Survivor:
    """Keeps tracing alive after the tracing function has raised an exception, at which Python stops tracing.

    Python then also drops the local tracing function of the frame, which is an instance of this class; its
    finalizer sets the tracing function again. The instance is created in advance and needs no call, because
    the exception means that the recursion limit is reached.
    """

    hook: Hook

    def __del__(self) -> None:
        """Resume tracing, and create the next instance."""
        hook = self.hook
        if hook.is_held:
            hook.settrace(hook.function)
            try:
                survivor = _Survivor()
                survivor.hook = hook
                hook.survivor = survivor
            except RecursionError:
                pass


def flush() -> None:
    """Flush the output of the program."""
    for stream in (sys.__stdout__, sys.__stderr__):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            pass


def give_up(desk: Desk, **facts: Any) -> NoReturn:
    """Report why the program is not run to its end, and end it immediately."""
    desk.say(**facts)
    flush()
    os._exit(1)


def end_program() -> NoReturn:
    """End the program as if its last statement had been executed, without unwinding the active frames: the
    rest of `finally` and `with` statements must not be executed.
    """
    import atexit
    import gc

    if "threading" in sys.modules:
        sys.modules["threading"]._shutdown()
    atexit._run_exitfuncs()
    flush()
    base = sys.modules["_io"]._IOBase
    for thing in gc.get_objects():
        if base in type.__dict__["__mro__"].__get__(type(thing)):
            try:
                thing.flush()
            except (OSError, ValueError):
                pass
    os._exit(0)


# Task trace


class Frames:
    """The active examined frames, outermost first. Corrects itself if the end of a frame was not observed."""

    def __init__(self, ours: Ours, lines_of: Callable[[CodeType, str], dict[int, int]]) -> None:
        """Create an empty stack. lines_of returns the line table of an examined code object."""
        self.ours, self.lines_of = ours, lines_of
        self.stack: list[FrameType] = []
        self.table: dict[int, tuple[CodeType, dict[int, int] | None]] = {}

    def learn(self, code: CodeType) -> tuple[CodeType, dict[int, int] | None]:
        """Register a new code object. Keeping a reference to it keeps its id unique."""
        path = self.ours.path(code)
        entry = self.table[id(code)] = (code, None if path is None else self.lines_of(code, path))
        return entry

    def enter(self, frame: FrameType) -> tuple[dict[int, int], int] | None:
        """Record that a frame is active. If it is examined, return its line table and its depth."""
        stack, table = self.stack, self.table
        lines = (table.get(id(frame.f_code)) or self.learn(frame.f_code))[1]
        if lines is None:
            return None
        back = frame.f_back
        while back is not None:
            entry = table.get(id(back.f_code))
            if entry is not None and entry[1] is not None:
                break
            back = back.f_back
        while stack and stack[-1] is not back:
            stack.pop()
        stack.append(frame)
        return lines, len(stack)


class Trace:
    """Records the statements that are executed."""

    def __init__(self, request: dict[str, Any], desk: Desk, ours: Ours, slots: memoryview) -> None:
        """Prepare the recording. slots is memory that is shared with the parent, a number for each event."""
        self.desk, self.slots = desk, slots
        self.most = request.get("most_events", 100000)
        self.frames = Frames(ours, self._lines_of)
        self.hook = Hook()
        self.numbers: dict[tuple[str, int, str], int] = {}

    def start(self) -> None:
        """Start recording."""
        self.hook.hold(self._recorder())

    def stop(self) -> None:
        """Stop recording."""
        self.hook.release()

    def _recorder(self) -> Callable[..., Any]:
        """Return the tracing function."""
        hook, slots, count, most, skipped = self.hook, self.slots, 0, self.most, self.most + 1
        enter, stack = self.frames.enter, self.frames.stack

        def on_call(frame: FrameType, event: str, arg: object) -> Any:
            """Called when a frame starts or resumes."""
            try:
                entry = enter(frame)
            except RecursionError as error:
                frame.f_trace, hook.survivor = hook.survivor, None
                error.args = TOO_DEEP
                raise
            if entry is None:
                return None
            lines, depth = entry
            tail = depth | FIRST

            def on_line(frame: FrameType, event: str, arg: object) -> Any:
                """Record a statement of this frame."""
                nonlocal count, tail
                if event == "line":
                    place = lines.get(frame.f_lineno)
                    if place is None:   # an empty file has a statement on line 0
                        return on_line
                    if count >= most:   # keep the last ones: the failure is at the end
                        slots[0] = count + 1
                        slots[skipped + (slots[1 + count % most] >> DEPTH_BITS) - 1] += 1
                    slots[1 + count % most] = place | tail
                    tail = depth
                    count += 1
                elif event == "return" and stack and stack[-1] is frame:
                    stack.pop()
                return on_line

            return on_line

        return on_call

    def _lines_of(self, code: CodeType, path: str) -> dict[int, int]:
        """Return the line table of a new code object. The number of a place is stored left of the bits of the
        depth.
        """
        lines, new = {}, []
        for line in sorted(code_lines(code)):
            key = (path, line, code.co_name)
            if len(self.numbers) >= MOST_PLACES:
                self.numbers.setdefault(key, MOST_PLACES)
            if key not in self.numbers:
                self.numbers[key] = len(self.numbers) + 1
                new.append({"file": path, "line": line, "function": code.co_name, "fixed": False})
            lines[line] = self.numbers[key] << DEPTH_BITS
        self.desk.say(places=new)
        return lines


# Task partial


class Partial:
    """Executes only some of the statements."""

    def __init__(self, request: dict[str, Any], desk: Desk, ours: Ours, slots: memoryview) -> None:
        """Prepare the run. The first slot receives the number of used events."""
        self.desk, self.slots = desk, slots
        self.frames = Frames(ours, self._lines_of)
        self.hook = Hook()
        self.places = [(place["file"], place["line"], place["function"]) for place in request["places"]]
        self.numbers = {key: number for number, key in enumerate(self.places)}
        self.kept = [(place, depth) for place, depth in request["kept"]]
        self.most_stops = request.get("most_stops", 200000)
        self.stops = self.used = 0
        self.last_depth = 1
        self.stacks: dict[int, dict[int, str]] = {}
        self.echoes = _echoes()
        self.echo: FrameType | None = None

    def start(self) -> None:
        """Start."""
        self.hook.hold(self.on_call)

    def stop(self) -> None:
        """Stop controlling the program."""
        self.hook.release()

    def on_call(self, frame: FrameType, event: str, arg: object) -> Any:
        """Called when a frame starts or resumes."""
        stack = self.frames.stack
        try:
            entry = self.frames.enter(frame)
        except RecursionError as error:
            frame.f_trace, self.hook.survivor = self.hook.survivor, None
            error.args = TOO_DEEP
            raise
        if entry is None:
            return None
        lines, depth = entry
        self.echo = None

        def on_line(frame: FrameType, event: str, arg: object) -> Any:
            """Decide about a statement of this frame. Line 0 is the statement of an empty file."""
            if event == "line" and frame.f_lineno:
                self._decide(frame, lines.get(frame.f_lineno, -1), depth)
            elif event == "return" and stack and stack[-1] is frame:
                stack.pop()
            return on_line

        return on_line

    def _lines_of(self, code: CodeType, path: str) -> dict[int, int]:
        """Return the numbers of the places of a new code object."""
        keys = ((path, line, code.co_name) for line in code_lines(code))
        return {key[1]: self.numbers[key] for key in keys if key in self.numbers}

    def _decide(self, frame: FrameType, number: int, depth: int) -> None:
        """Execute the current statement, jump to another one, or end the program."""
        if self.echo is frame:
            self.echo = None
            return
        self.stops += 1
        if self.stops > self.most_stops:
            give_up(self.desk, stuck="endless")
        if self.used == len(self.kept):
            if depth <= self.last_depth:
                end_program()
            return
        place, wanted = self.kept[self.used]
        if wanted > depth:
            give_up(self.desk, stuck="a call did not happen")
        if wanted == depth:
            self.used += 1
            self.slots[0] = self.used
            self.last_depth = depth
            if place != number:
                self._go(frame, *self.places[place])

    def _go(self, frame: FrameType, file: str, line: int, function: str) -> None:
        """Set the frame's line."""
        try:
            if (self.frames.ours.path(frame.f_code), frame.f_code.co_name) != (file, function):
                raise ValueError("another function")
            if sys.version_info < (3, 11):
                self._check(frame, line)
            _jump(frame, line)
        except ValueError:
            give_up(self.desk, stuck=f"cannot go to {line}")
        if self.echoes:
            self.echo = frame


    def _check(self, frame: FrameType, line: int) -> None:
        """Refuse to jump from or into the middle of an expression, which would crash Python before 3.11."""
        code = frame.f_code
        if id(code) not in self.stacks:
            self.stacks[id(code)] = _stacks(code)
        stacks = self.stacks[id(code)]
        target = _first_offset(code, line)
        if "o" in stacks.get(frame.f_lasti, "o") or "o" in stacks.get(target, "o"):
            raise ValueError("the middle of an expression")


def _first_offset(code: CodeType, line: int) -> int:
    """Return the first instruction of a line, or -1."""
    import dis

    return next((offset for offset, number in dis.findlinestarts(code) if number == line), -1)


def _stacks(code: CodeType) -> dict[int, str]:
    """Return the contents of the stack before each instruction, for Python before 3.11: i is the iterator of
    a loop, x belongs to a handler or `with` statement, o is an operand in the middle of an expression.
    """
    import dis

    code_of = {part.offset: part for part in dis.get_instructions(code)}
    stacks: dict[int, str] = {}
    work = [(0, "")]
    while work:
        offset, stack = work.pop()
        if offset in stacks or offset not in code_of:
            continue
        stacks[offset] = stack
        part = code_of[offset]
        if part.opcode in dis.hasjrel or part.opcode in dis.hasjabs:
            kind = "x" if part.opname.startswith("SETUP_") else "o"
            effect = dis.stack_effect(part.opcode, part.arg, jump=True)
            work.append((part.argval, _changed(stack, effect, kind)))
        if part.opname not in ("JUMP_FORWARD", "JUMP_ABSOLUTE", "RETURN_VALUE", "RAISE_VARARGS", "RERAISE"):
            kind = "x" if part.opname == "BEGIN_FINALLY" else "o"
            after = _changed(stack, dis.stack_effect(part.opcode, part.arg, jump=False), kind)
            if part.opname in ("GET_ITER", "GET_AITER"):
                after = after[:-1] + "i"
            if part.opname == "SETUP_WITH":
                after = stack[:-1] + "xo"
            work.append((offset + 2, after))
    return stacks


def _changed(stack: str, effect: int, kind: str) -> str:
    """Return a stack after an instruction."""
    return stack + kind * effect if effect >= 0 else stack[:effect]


def _jump(frame: FrameType, line: int) -> None:
    """Set a frame's line, without the warning of Python 3.12 about variables that have no value yet."""
    if sys.version_info < (3, 12):
        frame.f_lineno = line
        return
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame.f_lineno = line


def _echoes() -> bool:
    """Return whether the line event of a statement that was set by f_lineno fires again. No known version
    does so.
    """
    lines: list[int] = []

    def sample() -> None:
        """Three statements."""
        lines.append(0)
        lines.append(0)
        lines.append(0)

    def on_line(frame: FrameType, event: str, arg: object) -> Any:
        """Record the line, and jump from the first to the third."""
        if event == "line":
            lines.append(frame.f_lineno)
            if len(lines) == 1:
                frame.f_lineno += 2
        return on_line

    before = sys.gettrace()
    sys.settrace(lambda frame, event, arg: on_line if frame.f_code is sample.__code__ else None)
    sample()
    sys.settrace(before)
    return len(lines) > 2


# Arrival at a point: tasks state and run


def code_lines(code: CodeType) -> set[int]:
    """Return the lines of a code object that have instructions."""
    if hasattr(code, "co_lines"):
        return {line for _, _, line in code.co_lines() if line}
    line, table = code.co_firstlineno, code.co_lnotab
    lines = set()
    for number in range(0, len(table), 2):
        if table[number]:
            lines.add(line)
        step = table[number + 1]
        line += step - 256 if step > 127 else step
    return lines | {line}


def line_at(code: CodeType, offset: int) -> int | None:
    """Return the line of an instruction."""
    return next((line for start, end, line in code.co_lines() if start <= offset < end), None)


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and those of the functions and classes in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            yield from codes_in(constant)


class Point:
    """A point in the program at which to act."""

    def __init__(self, point: dict[str, Any], desk: Desk, ours: Ours) -> None:
        """Take the place and the count from a point of the request."""
        place = point["place"]
        self.left = point.get("count", 1)
        self.desk, self.ours = desk, ours
        self.parts = os.path.normpath(place["file"]).lstrip("./").split(os.sep)
        self.line: int = place["line"]
        self.function: str | None = place.get("function")
        self.file: str | None = None

    def _is_file(self, path: str) -> bool:
        """Return whether this is the file that the user named."""
        if self.file is not None:
            return path == self.file
        return path.split(os.sep)[-len(self.parts):] == self.parts

    def _resolve(self, module: CodeType, path: str) -> None:
        """Select the place on the line that the user typed, or on the next line that has one."""
        found = [
            (line, number, code.co_name)
            for number, code in enumerate(codes_in(module))
            for line in code_lines(code)
            if line >= self.line
        ]
        if found:
            self.line, _, self.function = min(found)
            self.file = path
            self.desk.say(resolved=True)

    def is_in(self, code: CodeType) -> bool:
        """Return whether this code object contains the place."""
        path = self.ours.path(code)
        if path is None or not self._is_file(path):
            return False
        if self.function is None and code.co_name == "<module>":
            self._resolve(code, path)
        return code.co_name == self.function and self.line in code_lines(code)


class Arrival:
    """Waits until the program arrives at points, one after the other, and runs an action at each."""

    def __init__(self, steps: list[tuple[Point, Callable[[FrameType], None]]]) -> None:
        """Prepare the arrivals."""
        self.steps = steps
        self.hook = Hook()
        self.tool = 4
        self.is_on = False
        self.table: dict[int, tuple[CodeType, list[Point]]] = {}
        os.register_at_fork(after_in_child=self.stop)

    def start(self) -> None:
        """Start waiting."""
        self.is_on = True
        if HAS_MONITORING:
            self._monitor()
        else:
            self.hook.hold(self._tracer())

    def stop(self) -> None:
        """Stop waiting."""
        if not self.is_on:
            return
        self.is_on = False
        if HAS_MONITORING:
            monitoring = sys.monitoring  # type: ignore[attr-defined]
            monitoring.set_events(self.tool, 0)
            for code, points in self.table.values():
                if points:
                    monitoring.set_local_events(self.tool, code, 0)
            for name in ("PY_START", "LINE", "JUMP"):
                monitoring.register_callback(self.tool, getattr(monitoring.events, name), None)
            monitoring.free_tool_id(self.tool)
        else:
            self.hook.release()

    def _points_in(self, code: CodeType) -> list[Point]:
        """Return the points whose place a code object contains."""
        if id(code) not in self.table:
            self.table[id(code)] = (code, [point for point, _ in self.steps if point.is_in(code)])
        return self.table[id(code)][1]

    def _arrive(self, frame: FrameType, line: int) -> None:
        """Handle a line of a code object that contains the place of a point."""
        point, action = self.steps[0]
        if line != point.line or point not in self.table[id(frame.f_code)][1]:
            return
        point.left -= 1
        if point.left == 0:
            del self.steps[0]
            if not self.steps:
                self.stop()
                point.desk.say(reached=True)
            action(frame)

    def _monitor(self) -> None:
        """Wait with interpreter events that are local to the code objects that contain a place."""
        from _thread import get_ident

        monitoring = sys.monitoring  # type: ignore[attr-defined]
        events, disable, main = monitoring.events, monitoring.DISABLE, get_ident()

        def on_start(code: CodeType, offset: int) -> Any:
            """A code object is executed for the first time: prepare those in it before they are executed.

            The event stays enabled for the code object of the place, because Python 3.13 would otherwise
            forget the lines of one-line functions.
            """
            if id(code) not in self.table:
                for part in codes_in(code):
                    if self._points_in(part):
                        monitoring.set_local_events(self.tool, part, events.LINE | events.JUMP)
            return None if self._points_in(code) else disable

        def has(code: CodeType, line: int | None) -> bool:
            """Return whether there is a point on this line."""
            return any(point.line == line for point in self._points_in(code))

        def on_line(code: CodeType, line: int) -> Any:
            """Called when a line is reached."""
            if not has(code, line):
                return disable
            if get_ident() == main:
                self._arrive(sys._getframe(1), line)
            return None

        def on_jump(code: CodeType, offset: int, target: int) -> Any:
            """Count a backward jump within a line, as in a one-line loop, as another arrival."""
            line = line_at(code, target)
            if target > offset or line is None or line_at(code, offset) != line or not has(code, line):
                return disable
            if get_ident() == main:
                self._arrive(sys._getframe(1), line)
            return None

        monitoring.use_tool_id(self.tool, "nubbin")
        for event, function in ((events.PY_START, on_start), (events.LINE, on_line), (events.JUMP, on_jump)):
            monitoring.register_callback(self.tool, event, function)
        monitoring.set_events(self.tool, events.PY_START)

    def _tracer(self) -> Callable[..., Any]:
        """Return the tracing function for versions without sys.monitoring."""
        hook = self.hook

        def on_call(frame: FrameType, event: str, arg: object) -> Any:
            """Called when a frame starts or resumes."""
            try:
                return on_line if self._points_in(frame.f_code) else None
            except RecursionError as error:
                frame.f_trace, hook.survivor = hook.survivor, None
                error.args = TOO_DEEP
                raise

        def on_line(frame: FrameType, event: str, arg: object) -> None:
            """Called for an event in a frame that contains a place."""
            if event == "line":
                self._arrive(frame, frame.f_lineno)

        return on_call


# Commands of the user


def modules_of(frames: list[FrameType]) -> list[dict[str, Any]]:
    """Return the dictionaries of the modules of frames, each once."""
    return list({id(frame.f_globals): frame.f_globals for frame in frames}.values())


class Scope:
    """The names that a command can access: locals of the frame, globals of its module and of the other
    frames'.
    """

    def __init__(self, frames: list[FrameType], number: int, helpers: dict[str, Any]) -> None:
        """Access the names from one of the frames."""
        self.frame = frames[number]
        self.helpers = helpers
        self.locals = self.frame.f_locals
        self.globals = modules_of([self.frame, *frames])
        code = self.frame.f_code
        self.is_function = bool(code.co_flags & 1)
        self.own = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
        self.is_changed = False

    def _holder(self, name: str) -> Any:
        """Return the dictionary that contains a variable, or in which it would be created."""
        if name.startswith(HELPER):
            return self.helpers
        if name in self.own if self.is_function else name in self.locals:
            return self.locals
        return next((names for names in self.globals if name in names), self.globals[0])

    def __getitem__(self, name: str) -> Any:
        """Return the value of a variable."""
        return self._holder(name)[name]

    def __setitem__(self, name: str, value: Any) -> None:
        """Set a variable."""
        holder = self._holder(name)
        holder[name] = value
        self.is_changed = self.is_changed or holder is self.locals

    def __delitem__(self, name: str) -> None:
        """Delete a variable."""
        holder = self._holder(name)
        del holder[name]
        self.is_changed = self.is_changed or holder is self.locals

    def write_back(self) -> None:
        """Store changes of local variables in the frame; before Python 3.13 they are copies."""
        if self.is_changed and self.is_function and sys.version_info < (3, 13):
            import ctypes

            ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(self.frame), ctypes.c_int(1))
        self.is_changed = False


def own_frames(frame: FrameType | None, ours: Ours) -> list[FrameType]:
    """Return the active examined frames, innermost first."""
    frames = []
    while frame is not None and frame.f_code.co_filename != AGENT:
        if ours.path(frame.f_code) is not None:
            frames.append(frame)
        frame = frame.f_back
    return frames


def execute_commands(commands: list[str], frames: list[FrameType], desk: Desk) -> None:
    """Execute commands in the program, and end it if one fails."""
    helpers: dict[str, Any] = {}
    number = 0
    for command in commands:
        words = command.split()
        desk.say(running=command)
        try:
            if len(words) == 2 and words[0] == "frame" and words[1].isdigit():
                number = int(words[1])
                frames[number]
            else:
                execute(command, Scope(frames, number, helpers))
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
            give_up(desk, failed={"command": command, "text": text}, stuck="a command failed")
    desk.say(running=None)


def execute(command: str, scope: Scope) -> None:
    """Execute one command."""
    code = compile(command, "<nubbin>", "exec", dont_inherit=True)
    names = scope.frame.f_globals
    if any(isinstance(constant, type(code)) for constant in code.co_consts):
        names = {**names, **scope.locals, **scope.helpers}  # functions and comprehensions cannot access other locals
    exec(code, names, scope)  # type: ignore[arg-type]
    scope.write_back()


# Task state


class _Slotted:
    """Provides the type of the descriptors of slots."""

    __slots__ = ("slot",)


TYPE_DICT = type.__dict__["__dict__"].__get__
TYPE_ORDER = type.__dict__["__mro__"].__get__
TYPE_NAME = type.__dict__["__qualname__"].__get__
TYPE_MODULE = type.__dict__["__module__"].__get__
GETTER, SLOT = type(type.__dict__["__dict__"]), type(_Slotted.__dict__["slot"])
FUNCTION, BUILTIN, MODULE = type(from_json), type(len), type(sys)
DECLARING = ("typing", "typing_extensions", "__future__")  # modules whose objects are not data
LONGEST = 100_000


def long_text(value: str | bytes) -> str:
    """Return a summary of a text that is too long to be reported; it is the same in each run."""
    from zlib import crc32

    data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    return f"length {len(value)} hash {crc32(data):08x}"


def float_text(value: float) -> str:
    """Return the Python expression for a float."""
    text = repr(value)
    return text if text[-1] not in "fn" else f"float({text!r})"


def complex_text(value: complex) -> str:
    """Return the Python expression for a complex number."""
    text = repr(value)
    return f"complex({text.strip('()')!r})" if "n" in text else text


def int_text(value: int) -> str:
    """Return the Python expression for an integer. Python 3.11 refuses to write long ones in decimals."""
    return repr(value) if -(1 << 9999) < value < 1 << 9999 else hex(value)


ATOMS: dict[type, Callable[[Any], str]] = {
    int: int_text,
    float: float_text,
    complex: complex_text,
    **dict.fromkeys((bool, str, bytes, type(None), type(...), type(NotImplemented), range), repr),
}
ATOMS_BY_ID = {id(cls): (cls, text) for cls, text in ATOMS.items()}


# Immutable classes of the standard library that are written in C: the module that defines them, and the
# module by which they are named.
LIBRARY = (("_decimal", "decimal", ("Decimal",)), ("_datetime", "datetime", ("date", "datetime", "time", "timedelta")))


def _library_text(cls: type) -> Callable[[Any], str] | None:
    """Return a function that writes the Python expression for an instance of such a class, or None."""
    for made, named, classes in LIBRARY:
        module = sys.modules.get(made)
        if module is not None and any(module.__dict__.get(name) is cls for name in classes):
            name, text = TYPE_NAME(cls), cls.__repr__
            return lambda value: f"__import__({named!r}).{name}{text(value)[text(value).index('('):]}"
    return None


class Kind:
    """How the objects of a class are represented. This is determined without running code of the program:
    classes are compared by identity, because a metaclass may define its own comparison or hash.
    """

    def __init__(self, cls: type) -> None:
        """Examine the class."""
        self.cls = cls
        self.order = TYPE_ORDER(cls)
        self.ids = {id(base) for base in self.order}
        module, name = TYPE_MODULE(cls), TYPE_NAME(cls)
        self.module = module if type(module) is str else ""
        between = ":" if "." in name else "."   # a nested class, in the notation of entry points
        self.name = name if self.module in ("builtins", "") else f"{self.module}{between}{name}"
        self.quoted = quoted(self.name)
        self.atom = ATOMS_BY_ID.get(id(cls), (cls, _library_text(cls)))[1]
        self.is_text = cls is str or cls is bytes
        self.is_class = id(type) in self.ids
        self.is_declaration = self.is_class or id(cls) in (id(FUNCTION), id(BUILTIN), id(MODULE))
        self.is_declaration = self.is_declaration or self.module in DECLARING
        self.is_declaration = self.is_declaration or self.name == "functools._lru_cache_wrapper"
        self.base = next((base for base in self.order if id(base) in ATOMS_BY_ID), None)
        enum = sys.modules.get("enum")
        self.is_enum = enum is not None and id(enum.Enum) in self.ids
        self.dictionary, self.slots = self._members()
        self.kind, self.elements, self.length = self._kind()

    def _members(self) -> tuple[Any, list[tuple[str, Any]]]:
        """Return the getter of the instance's dictionary, if it has one, and those of its slots."""
        getter, slots = None, []
        for cls in self.order:
            names = TYPE_DICT(cls)
            own = names.get("__dict__")
            if getter is None and (type(own) is GETTER or type(own) is SLOT):
                getter = own.__get__
            if "__slots__" in names:
                found = [(name, item.__get__) for name, item in names.items() if type(item) is SLOT]
                slots += [(name, get) for name, get in found if not name.startswith("__")]
            if cls is BaseException:
                slots.append(("args", names["args"].__get__))
        return getter, slots

    def _kind(self) -> tuple[str, Any, Any]:
        """Return the kind of the vertex, and for containers the iterator of the elements and their number."""
        collections = sys.modules.get("_collections")
        arrays = [list, tuple, bytearray] + ([collections.deque] if collections is not None else [])
        arrays += [sys.modules["array"].array] if "array" in sys.modules else []
        for base in arrays:
            if id(base) in self.ids:
                return "tuple" if base is tuple else "array", base.__iter__, base.__len__
        for base in (set, frozenset):
            if id(base) in self.ids:
                return "set", base.__iter__, base.__len__
        if id(dict) in self.ids:
            return "map", dict.items, dict.__len__
        is_stream = id(sys.modules["_io"]._IOBase) in self.ids
        if self.is_declaration or self.base or is_stream or not (self.dictionary or self.slots):
            return "opaque", None, None
        return "record", None, None

    def is_data(self) -> bool:
        """Return whether an instance is data of the program, and not a part of its code."""
        return not self.is_declaration and (self.atom is not None or self.is_enum or self.kind != "opaque")

    def members(self, value: Any) -> Iterator[tuple[str, Any]]:
        """Yield the attributes of an instance."""
        if self.dictionary is not None:
            for name, item in list(dict.items(self.dictionary(value))):
                if type(name) is str and name.isidentifier() and not name.startswith("__"):
                    yield name, item
        for name, get in self.slots:
            try:
                yield name, get(value)
            except AttributeError:
                pass


class Graph:
    """The memory graph: everything that the variables lead to, expanded breadth first."""

    def __init__(self, frames: list[FrameType], ours: Ours, most: int) -> None:
        """Create an empty graph."""
        self.frames, self.ours, self.most = frames, ours, most
        self.locals = [frame.f_locals for frame in frames]
        self.vertices: list[str] = []
        self.edges: list[str] = []
        self.kinds: dict[int, Kind] = {}
        self.seen: dict[int, int] = {}
        self.queue: list[tuple[int, Any, Kind]] = []
        self.names: dict[int, str | None] = {}
        self.is_whole = True

    def text(self) -> str:
        """Return the JSON text of the whole graph."""
        self._add_roots()
        for number, value, kind in self.queue:  # grows during the loop
            self._expand(number, value, kind)
            if not self.is_whole:
                break
        frames = [
            {"function": frame.f_code.co_name, "file": self.ours.path(frame.f_code), "line": frame.f_lineno}
            for frame in self.frames
        ]
        whole = "true" if self.is_whole else "false"
        vertices, edges = ",\n".join(self.vertices), ",\n".join(self.edges)
        return f'{{"frames":{to_json(frames)},"vertices":[{vertices}],"edges":[{edges}],"is_whole":{whole}}}'

    def _add_roots(self) -> None:
        """Add the variables of the frames, then those of their modules."""
        for number, (frame, names) in enumerate(zip(self.frames, self.locals)):
            if names is not frame.f_globals:
                is_function = bool(frame.f_code.co_flags & 1)
                for name, value in list(names.items()):
                    if is_function or not name.startswith("__"):
                        self._add_variable(number, name, value)
        met: set[str] = set()
        for names in modules_of(self.frames):
            for name, value in list(dict.items(names)):
                if type(name) is str and name not in met and not name.startswith("__"):
                    met.add(name)
                    self._add_variable(None, name, value)
                    self._add_kept(name, value, names.get("__name__"))

    def _add_kept(self, name: str, value: Any, module: Any) -> None:
        """Add the values that a function or class of a module keeps between calls: mutable default arguments,
        and attributes of the class.
        """
        root = '{"from":null,"frame":null,"op":'
        if type(value) is FUNCTION and value.__module__ == module:
            for place, default in enumerate(value.__defaults__ or ()):
                if self._kind(type(default)).kind in ("array", "tuple", "map", "set", "record"):
                    op = quoted(f"{name}.__defaults__[{place}]")
                    self._edge(f'{root}{op},"to":', default)
        elif self._kind(type(value)).is_class and TYPE_MODULE(value) == module:
            for part, item in list(TYPE_DICT(value).items()):
                if type(item) is FUNCTION:
                    self._add_kept(f"{name}.{part}", item, module)
                elif not part.startswith("__") and self._kind(type(item)).is_data():
                    op = quoted(f"{name}.{part}")
                    self._edge(f'{root}{op},"to":', item)

    def _add_variable(self, frame: int | None, name: str, value: Any) -> None:
        """Add a variable, if it is data."""
        if name.isidentifier() and not self._kind(type(value)).is_declaration:
            where = "null" if frame is None else frame
            self._edge(f'{{"from":null,"frame":{where},"op":{quoted(name)},"to":', value)

    def _kind(self, cls: type) -> Kind:
        """Return the representation of a class."""
        kind = self.kinds.get(id(cls))
        if kind is None:
            kind = self.kinds[id(cls)] = Kind(cls)
        return kind

    def _edge(self, start: str, value: Any) -> None:
        """Add an edge to a value, and its vertex if it is new. `start` is the beginning of the edge's text."""
        kind = self._kind(type(value))
        number = self.seen.get(id(value)) if kind.atom is None else None
        if number is None:
            if len(self.vertices) >= self.most:
                self.is_whole = False
                return
            number = len(self.vertices)
            self.vertices.append(self._atom(kind, value) if kind.atom else self._vertex(number, kind, value))
        self.edges.append(f"{start}{number}}}")

    def _atom(self, kind: Kind, value: Any) -> str:
        """Return the vertex of a plain value."""
        if getattr(kind.cls, "tzinfo", None) is not None and value.tzinfo is not None:
            return self._line(kind, "opaque", "", 1)  # its expression would need another class
        size = len(value) if kind.is_text else 1
        if size > LONGEST:
            return self._line(kind, "opaque", long_text(value), size)
        text = kind.atom(value)
        if len(text) > 10 * LONGEST:
            return self._line(kind, "opaque", long_text(text), size)
        return self._line(kind, "atom", text, size)

    def _line(self, kind: Kind, name: str, value: str, size: int) -> str:
        """Return the JSON text of a vertex."""
        return f'{{"type":{kind.quoted},"kind":"{name}","value":{quoted(value)},"size":{size}}}'

    def _vertex(self, number: int, kind: Kind, value: Any) -> str:
        """Return the vertex of any other value; its edges are added later."""
        if kind.is_enum:
            text = self.key_text(value)
            return self._line(kind, "opaque" if text is None else "atom", text or _name_of(value, kind), 1)
        if kind.cls is tuple and not value:
            return self._line(kind, "atom", "()", 0)
        self.seen[id(value)] = number
        self.queue.append((number, value, kind))
        if kind.kind == "opaque":
            return self._line(kind, "opaque", _name_of(value, kind), 1)
        if kind.kind == "record":
            return self._line(kind, "record", "", sum(1 for _ in kind.members(value)))
        if kind.kind == "set":
            return self._line(kind, "set", self._set_text(value, kind), kind.length(value))
        return self._line(kind, kind.kind, "", kind.length(value))

    def _set_text(self, value: Any, kind: Kind) -> str:
        """Return the Python expression for a set of plain values, unless it is very large."""
        if kind.length(value) > self.most:
            return ""
        texts = [self.key_text(element) for element in kind.elements(value)]
        if None in texts:
            return ""
        words = "{" + ", ".join(sorted(text for text in texts if text)) + "}"
        if id(frozenset) in kind.ids:
            return f"frozenset({words if texts else ''})"
        return words if texts else "set()"

    def key_text(self, key: Any) -> str | None:
        """Return the Python expression for a plain value, a member of an enumeration, or a tuple of these."""
        kind = self._kind(type(key))
        if kind.atom is not None:
            return kind.atom(key) if not kind.is_text or len(key) <= LONGEST else None
        if kind.cls is tuple:
            texts = [self.key_text(part) for part in key]
            if None in texts:
                return None
            return "(" + ", ".join(text for text in texts if text) + (",)" if len(texts) == 1 else ")")
        if kind.is_enum and kind.dictionary is not None:
            member, name = dict.get(kind.dictionary(key), "_name_"), self._class_name(kind.cls)
            if name is not None and type(member) is str and member.isidentifier():
                return f"{name}.{member}"
        return None

    def _class_name(self, cls: type) -> str | None:
        """Return an expression by which a command can refer to a class."""
        if id(cls) not in self.names:
            scopes = [*self.locals, *modules_of(self.frames)]
            self.names[id(cls)] = next((name for scope in scopes for name in _names_in(scope, cls)), None)
        return self.names[id(cls)]

    def _expand(self, number: int, value: Any, kind: Kind) -> None:
        """Add the edges of a value."""
        start = f'{{"from":{number},"op":'
        if kind.kind in ("array", "tuple"):
            for index, item in enumerate(kind.elements(value)):
                self._edge(f'{start}"[{index}]","to":', item)
                if not self.is_whole:
                    return
        elif kind.kind == "map":
            for key, item in list(kind.elements(value)):
                text = self.key_text(key)
                if text is not None:
                    self._edge(f'{start}{quoted(f"[{text}]")},"to":', item)
                if not self.is_whole:
                    return
        if kind.kind != "opaque":
            for name, item in kind.members(value):
                self._edge(f'{start}{quoted("." + name)},"to":', item)


def _names_in(scope: Any, cls: type) -> Iterator[str]:
    """Yield the names by which a class can be reached from a dictionary of variables."""
    own = TYPE_NAME(cls)
    for name, value in list(scope.items()):
        if value is cls:
            yield name
        elif type(value) is MODULE and own.isidentifier() and value.__dict__.get(own) is cls:
            yield f"{name}.{own}"


def _name_of(value: Any, kind: Kind) -> str:
    """Return a description of a value that cannot be set: a name, the plain value in it, or nothing."""
    if kind.is_class:
        return f"{TYPE_MODULE(value)}.{TYPE_NAME(value)}"
    if type(value) is MODULE:
        return str(value.__dict__.get("__name__", ""))
    if kind.is_enum and kind.dictionary is not None:
        return f"{kind.name}.{dict.get(kind.dictionary(value), '_name_')}"
    if kind.base is not None:
        text = kind.base.__repr__(value)
        return text if len(text) <= LONGEST else long_text(text)
    if kind.module == "builtins":
        try:
            name = object.__getattribute__(value, "__qualname__")
            module = object.__getattribute__(value, "__module__")
            return f"{module}.{name}" if isinstance(module, str) else str(name)
        except AttributeError:
            return ""
    return ""


def take_state(request: dict[str, Any], frames: list[FrameType], desk: Desk, ours: Ours) -> NoReturn:
    """Report the memory graph, and end the program."""
    import gc

    gc.disable()
    sys.setrecursionlimit(sys.getrecursionlimit() + 1000)
    try:
        desk.write("state", Graph(frames, ours, request.get("most_vertices", 100000)).text())
    except Exception as error:
        give_up(desk, problem=crash(error), stuck="the agent failed")
    give_up(desk, stuck="state taken")


# The child


class Plain:
    """Runs the program without watching it."""

    def start(self) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Do nothing."""


def load_origins() -> Any:
    """Return the class that watches the program for the task origins; its file is next to this one."""
    with open(AGENT[:-len(".py")] + "_origins.py", encoding="utf-8") as file:
        exec(compile(file.read(), AGENT, "exec", dont_inherit=True), globals())
    return globals()["Recorder"]


def follow(request: str, path: str) -> None:
    """Watch this interpreter, which a program under control has started. Its observations are reported to the
    desk at the path.
    """
    with open(request, encoding="utf-8") as file:
        asked = from_json(file.read())
    desk = Desk.__new__(Desk)
    desk.path = path
    watch = load_origins()(asked, desk)
    shown = sys.excepthook

    def on_end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Examine an exception that ends the program."""
        watch.on_end(error)
        shown(kind, error, trace)

    sys.excepthook = on_end
    watch.start()


def make_watch(request: dict[str, Any], desk: Desk, ours: Ours, slots: Any) -> Any:
    """Create the watch that the task needs."""
    task = request["task"]
    if task == "origins":
        return load_origins()(request, desk)
    if task in ("trace", "partial"):
        return (Trace if task == "trace" else Partial)(request, desk, ours, slots)
    if not request.get("at"):
        return Plain()

    def change(frame: FrameType) -> None:
        """Execute the commands."""
        execute_commands(request.get("commands") or [], own_frames(frame, ours), desk)

    def look(frame: FrameType) -> None:
        """Report the memory graph."""
        take_state(request, own_frames(frame, ours), desk, ours)

    steps = [(Point(request["at"], desk, ours), look if task == "state" else change)]
    if request.get("first"):
        steps.insert(0, (Point(request["first"], desk, ours), change))
    return Arrival(steps)


def enter(request: dict[str, Any], desk: Desk) -> None:
    """Set the directory and the streams of the child."""
    os.chdir(request["directory"])
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    streams = [os.open(request.get("stdin") or os.devnull, os.O_RDONLY)]
    streams += [os.open(desk.name(name), flags, 0o600) for name in ("stdout", "stderr")]
    for number, stream in enumerate(streams):
        if stream != number:
            os.dup2(stream, number)
            os.close(stream)
    if sys.stdout is not None and sys.stdout.line_buffering:
        sys.stdout.reconfigure(line_buffering=False)  # type: ignore[union-attr]


def prepare(request: dict[str, Any], desk: Desk, slots: Any) -> tuple[Program, CodeType | None, Any]:
    """Do everything that precedes the program's first statement."""
    enter(request, desk)
    program = Program(request["program"], os.getcwd())
    missing = program.missing()
    if missing:
        desk.say(problem=missing)
    ours = Ours(request.get("sources") or [], program, request.get("named") or [])
    watch = make_watch(request, desk, ours, slots)
    program.prepare()
    code = None
    try:
        code = program.compiled()
    except (SyntaxError, ValueError) as error:
        where = f" in line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        text = f"Python cannot compile {program.name}: {error.args[0]}{where}"
        desk.say(problem=problem("syntax", text))
        show(error)
        raise
    except OSError as error:
        if not missing:
            desk.say(problem=problem("no-program", f"Python cannot read {program.name}: {error.strerror}"))
        print(f"{sys.executable}: can't open file {program.script_path()!r}: [Errno {error.errno}] "
              f"{error.strerror}", file=sys.stderr)
        raise SystemExit(2) from None
    is_traced = isinstance(watch, (Trace, Partial)) or isinstance(watch, Arrival) and not HAS_MONITORING
    levels = NOTING_LEVELS if request["task"] == "origins" else TRACING_LEVELS if is_traced else 0
    sys.setrecursionlimit(sys.getrecursionlimit() + OWN_LEVELS + levels)
    return program, code, watch


def show(error: BaseException) -> None:
    """Print an exception as the interpreter does, without frames of the agent, and prevent a second print."""
    chain: list[BaseException | None] = [error]
    for link in chain:
        if link is not None:
            link.__traceback__ = pruned(link.__traceback__)
            chain += [other for other in (link.__cause__, link.__context__) if other not in chain]
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except Exception:
        sys.__excepthook__(type(error), error, error.__traceback__)
    sys.excepthook = lambda *rest: None


def pruned(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback without the frames of the agent and the call that a tracing function refused."""
    kept = []
    while trace is not None:
        after = trace.tb_next
        names = [link.tb_frame.f_code.co_filename for link in (trace, after) if link is not None]
        if AGENT not in names:
            kept.append(trace)
        trace = after
    for link, after in zip(kept, [*kept[1:], None]):
        link.tb_next = after
    return kept[0] if kept else None


def run_child(request: dict[str, Any], desk: Desk, slots: Any) -> None:
    """Run the program. Afterwards the interpreter ends as after the program itself."""
    ready = False
    try:
        program, code, watch = prepare(request, desk, slots)
        ready = True
        watch.start()
        try:
            program.execute(code)
        except BaseException as error:
            if request["task"] == "origins":
                watch.on_end(error)
            raise
        finally:
            watch.stop()
    except (SystemExit, SyntaxError) as error:
        if ready and not isinstance(error, SystemExit):
            show(error)
        raise
    except BaseException as error:
        if not ready:
            give_up(desk, problem=crash(error))
        show(error)
        raise


# The parent


def answer_of(request: dict[str, Any], desk: Desk, status: int, slots: Any) -> str:
    """Return the answer after the child has ended."""
    facts, places = desk.facts()
    answer: dict[str, Any] = {"ending": ending_of(status), "executable": sys.executable}
    if "stuck" in facts:
        answer["ending"] = {"stuck": facts["stuck"]}
    for name in ("stdout", "stderr"):
        answer[name] = desk.read(name, MOST_OUTPUT).decode("latin-1")
    task = request["task"]
    answer["problem"] = facts.get("problem")
    raw = []
    if task == "trace":
        most = request.get("most_events", 100000)
        used, events = events_of(slots, most)
        answer["places"] = [places[number] for number in used]
        answer["is_cut"] = slots[0] > 0
        answer["skipped"] = [slots[most + 1 + number] for number in used]
        raw.append('"events":' + events)
        if not used and not answer["problem"]:
            answer["problem"] = no_source(request)
    if task == "partial":
        answer["unused"] = len(request["kept"]) - slots[0]
    if task == "run":
        answer["failed"] = facts.get("failed")
        if facts.get("running") and not answer["failed"]:
            answer["failed"] = {"command": facts["running"], "text": "the program ended in this command"}
    if task == "origins":
        answer["account"] = facts.get("account")
    if request.get("at"):
        answer["reached"] = facts.get("reached", False)
        if not answer["reached"] and not answer["problem"]:
            answer["problem"] = not_reached(request["at"], facts)
    if task == "state" and answer["reached"] and not answer["problem"]:
        raw.append('"state":' + desk.read("state").decode("utf-8"))
    return ",".join([to_json(answer)[:-1], *raw]) + "}\n"


def ending_of(status: int) -> dict[str, int]:
    """Return how the child ended."""
    if os.WIFSIGNALED(status):
        return {"signal": os.WTERMSIG(status)}
    return {"exit": os.WEXITSTATUS(status)}


def events_of(slots: memoryview, most: int) -> tuple[list[int], str]:
    """Return the places, in the order of their first events, and the JSON text of the events. If there were
    too many events, the slots are a ring buffer, and the first slot contains the number of events.
    """
    words: list[str] = []
    used: dict[int, int] = {}
    start = slots[0] % most if most else 0
    for at in range(most):
        value = slots[1 + (start + at) % most]
        if not value:
            break
        number = used.setdefault((value >> DEPTH_BITS) - 1, len(used))
        words.append(f"[{number},{value & DEPTH_MASK},{1 if value & FIRST else 0}]")
    return list(used), "[" + ",".join(words) + "]"


def no_source(request: dict[str, Any]) -> dict[str, str]:
    """Return the problem that no examined statement was executed."""
    what = "the given sources" if request.get("sources") else "the program's own files"
    return problem("no-source", f"no statement in {what} was executed: select the source files")


def not_reached(at: dict[str, Any], facts: dict[str, Any]) -> dict[str, str]:
    """Return the problem that the point was not reached."""
    file, line = at["place"]["file"], at["place"]["line"]
    if "function" not in at["place"] and not facts.get("resolved"):
        text = f"no loaded file of the program has the path {file} and code at or after line {line}"
        return problem("no-such-place", text)
    count = at.get("count", 1)
    times = "" if count == 1 else f" {count} times"
    return problem("not-reached", f"the program did not reach {file}:{line}{times}")


def shared_slots(request: dict[str, Any]) -> Any:
    """Return memory that is shared with the child, as an array of integers."""
    sizes = {"trace": request.get("most_events", 100000) + 1 + MOST_PLACES, "partial": 1}
    if request["task"] not in sizes:
        return None
    import mmap

    return memoryview(mmap.mmap(-1, 8 * max(1, sizes[request["task"]]))).cast("Q")


def write_all(number: int, text: str) -> None:
    """Write a text to a file descriptor."""
    data = memoryview(text.encode("utf-8"))
    while data:
        data = data[os.write(number, data):]


def main() -> None:
    """Read the request, run the program in a child, write the answer."""
    if __name__ != "__main__":
        del sys.path[0], sys.modules[__name__]
        sys.dont_write_bytecode = bool(sys.flags.dont_write_bytecode)
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            request = from_json(file.read())
        slots = shared_slots(request)
        desk = Desk()
        child = os.fork()
    except Exception as error:
        write_all(1, to_json({"ending": {"stuck": "not started"}, "problem": crash(error)}) + "\n")
        return
    if child == 0:
        run_child(request, desk, slots)
        return
    try:
        _, status = os.waitpid(child, 0)
        text = answer_of(request, desk, status, slots)
    except Exception as error:
        text = to_json({"ending": {"stuck": "the agent failed"}, "problem": crash(error)}) + "\n"
    finally:
        desk.remove()
    write_all(1, text)
    os._exit(0)


if __name__ == "__main__":
    main()
