"""The task origins of the agent for Python: the account of a failure.

The account contains the failing statement with the values that it read, the calls that led to it, and for
each value the statements from which it came. The agent executes this file in its own namespace, and only for
this task.

Only the functions named in the request are watched line by line, and those that set an attribute that the
failing statements read. Values are examined without running code of the program.
"""

from __future__ import annotations

import ast
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType, TracebackType
    from typing import Any, Callable, Iterator

    from python import AGENT, ATOMS_BY_ID, TYPE_NAME, Desk, Hook, Kind, code_lines, is_library

MOST_NOTED = 4_000         # recorded events per run
MOST_CALLS = 200            # if the failing call is known: recorded calls before it
MOST_SEARCHED = 50_000      # calls whose values are searched for a text
MOST_FRAMES = 40            # reported frames
MOST_DETAILED = 8           # frames with reported values
MOST_VALUES = 6             # reported values per frame
MOST_STEPS = 5              # reported steps back from a value
MOST_KEPT = 64              # remembered assignments per variable of a call
MOST_ENDED = 200            # remembered calls that have ended
MOST_MATCHES = 50           # examined exceptions of the requested type per run
MOST_TEXT = 2000            # reported characters of a text, by which it is located in the input
SHOWN = 90                  # displayed characters of a value
SHORTEST_NEEDLE = 3         # minimum length of an output that is searched in values
TEXT_METHODS = ("strip", "lstrip", "rstrip", "lower", "upper", "split", "startswith", "endswith", "find")


RESUMED = 0x2A0             # the flags of generators and coroutines
REQUEST = sys.argv[-1] if sys.argv else ""
FOLLOWING = """
import sys
sys.path[:] = [path for path in sys.path if path != {desk!r}]
sys.modules.pop("sitecustomize", None)
with open({agent!r}, encoding="utf-8") as file:
    agent = {{"__name__": "nubbin_agent"}}
    exec(compile(file.read(), {agent!r}, "exec", dont_inherit=True), agent)
agent["follow"]({request!r}, {desk!r})
try:
    import sitecustomize
except ImportError:
    pass
"""


class Unknown(Exception):
    """A value cannot be determined without running code of the program."""


# Values


def short(value: Any, depth: int = 0) -> str:
    """Return a short text of a value without running code of the program."""
    kind = type(value)
    if id(kind) in ATOMS_BY_ID:
        text = ATOMS_BY_ID[id(kind)][1](value if kind not in (str, bytes) else value[:SHOWN])
        return text if kind not in (str, bytes) or len(value) <= SHOWN else text + "…"
    shapes: dict[Any, tuple[str, str]] = {list: ("[", "]"), tuple: ("(", ")"), set: ("{", "}")}
    if kind in shapes or kind is frozenset:
        start, end = shapes.get(kind, ("frozenset({", "})"))
        if depth > 1:
            return f"{start}…{end}" if value else start + end
        parts = [short(item, depth + 1) for _, item in zip(range(5), value)]
        return limited(start + ", ".join(parts) + (", …" if len(value) > 5 else "") + end)
    if kind is dict:
        if depth > 1:
            return "{…}" if value else "{}"
        pairs = [f"{short(key, depth + 1)}: {short(item, depth + 1)}" for _, (key, item) in zip(range(5), value.items())]
        return limited("{" + ", ".join(pairs) + (", …" if len(value) > 5 else "") + "}")
    return instance(value, depth)


def instance(value: Any, depth: int) -> str:
    """Return a short text of an instance: its class, and some attributes."""
    kind = Kind(type(value))
    name = TYPE_NAME(type(value))
    if kind.is_class:
        return f"<class {TYPE_NAME(value)}>"
    if kind.is_declaration:
        return f"<{name}>"
    parts: list[str] = []
    if depth < 1:
        for member, item in kind.members(value):
            if len(parts) == 3:
                parts.append("…")
                break
            parts.append(f"{member}={short(item, depth + 1)}")
    return limited(f"<{name}" + "".join(" " + part for part in parts) + ">")


def limited(text: str) -> str:
    """Shorten a text to the number of displayed characters."""
    return text if len(text) <= SHOWN else text[:SHOWN - 1] + "…"


def text_of(value: Any) -> dict[str, Any]:
    """Return the text of a value, by which it can be located in the input."""
    if type(value) is bytes:
        value = value.decode("latin-1")
    if type(value) is not str or not value:
        return {}
    return {"text": value[:MOST_TEXT], "length": len(value)}


PLAIN = (type(None), bool, int, float, complex, str, bytes, list, tuple, dict, set)


def is_data(value: Any) -> bool:
    """Return whether a value is data of the program, and not a part of its code."""
    return not Kind(type(value)).is_declaration


# Sources


class Statement:
    """A statement, or the head of a compound statement, with the names that it reads and sets."""

    def __init__(self, first: int, last: int) -> None:
        """Create a statement without nodes."""
        self.first, self.last = first, last
        self.nodes: list[ast.AST] = []
        self.names: list[str] = []
        self.attributes: list[ast.Attribute] = []

    def add(self, node: ast.stmt) -> None:
        """Add a statement on these lines."""
        self.nodes += heads(node)
        for target in targets(node):
            for part in ast.walk(target):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    self.names.append(part.id)
                elif isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
                    self.attributes.append(part)
        for head in heads(node):
            self.names += [part.target.id for part in ast.walk(head) if isinstance(part, ast.NamedExpr)]
        if isinstance(node, ast.ExceptHandler) and node.name:
            self.names.append(node.name)

    def sources(self, name: str) -> list[ast.AST]:
        """Return the expressions from which this statement sets a variable."""
        return [value for node in self.nodes for value in values_for(node, name)] or self.nodes


def heads(node: Any) -> list[Any]:
    """Return the parts of a statement that its own lines execute."""
    if isinstance(node, (ast.If, ast.While)):
        return [node.test]
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return [ast.copy_location(ast.Assign(targets=[node.target], value=node.iter), node)]
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return [part for item in node.items for part in (item.context_expr, item.optional_vars) if part is not None]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Try)):
        return []
    return [node] if isinstance(node, ast.stmt) else []


def targets(node: Any) -> list[Any]:
    """Return the targets that a statement sets."""
    if isinstance(node, ast.Assign):
        return node.targets
    if isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For, ast.AsyncFor)):
        return [node.target]
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return [item.optional_vars for item in node.items if item.optional_vars is not None]
    return []


def loaded(target: Any) -> Any:
    """Return an expression that reads a target variable or attribute."""
    import copy

    made = copy.copy(target)
    made.ctx = ast.Load()
    return made


def values_for(node: Any, name: str) -> list[Any]:
    """Return the expressions that a statement assigns to a variable."""
    if isinstance(node, (ast.AugAssign, ast.AnnAssign)) and node.value is not None:
        return [node.value] + ([loaded(node.target)] if isinstance(node, ast.AugAssign) else [])
    if not isinstance(node, ast.Assign):
        return [part.value for part in ast.walk(node) if isinstance(part, ast.NamedExpr) and part.target.id == name]
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = zip(target.elts, node.value.elts)
            found = [value for part, value in pairs if isinstance(part, ast.Name) and part.id == name]
            if found:
                return list(found)
    return [node.value]


class Source:
    """A source file: its lines, and the statement on each line."""

    def __init__(self, path: str) -> None:
        """Read and parse a file. A file that cannot be read has no statements."""
        self.lines: list[str] = []
        self.statements: dict[int, Statement] = {}
        self.parents: dict[ast.AST, ast.AST] = {}
        try:
            import linecache

            self.lines = linecache.getlines(path)
            tree = ast.parse("".join(self.lines))
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            return
        for node in ast.walk(tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
            if isinstance(node, (ast.stmt, ast.ExceptHandler)):
                self._add(node)

    def _add(self, node: Any) -> None:
        """Record the lines of a statement."""
        body = getattr(node, "body", None)
        last = node.end_lineno or node.lineno
        if isinstance(body, list) and body:
            last = max(node.lineno, body[0].lineno - 1)
        for line in range(node.lineno, last + 1):
            known = self.statements.get(line)
            if known is None or known.last - known.first > last - node.lineno:
                self.statements[line] = known = Statement(node.lineno, last)
            elif (known.first, known.last) != (node.lineno, last):
                continue
            if line == node.lineno:
                known.add(node)
            else:
                self.statements[line] = self.statements[node.lineno]

    def at(self, line: int) -> Statement | None:
        """Return the statement on a line."""
        return self.statements.get(line)

    def text(self, line: int) -> str:
        """Return a line of the source."""
        return self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""

    def segment(self, node: Any) -> str:
        """Return the text of an expression on one line."""
        rows = self.lines[node.lineno - 1:node.end_lineno]
        if not rows:
            return ""
        data = [row.encode() for row in rows]
        data[-1] = data[-1][:node.end_col_offset]
        data[0] = data[0][node.col_offset:]
        return " ".join(row.decode("utf-8", "replace").strip() for row in data)

    def condition(self, statement: Statement) -> ast.AST | None:
        """Return the condition that decides whether a statement is executed: that of the enclosing `if` or
        loop.
        """
        node = statement.nodes[0] if statement.nodes else None
        while node is not None:
            parent = self.parents.get(node)
            if isinstance(parent, (ast.If, ast.While)) and node is not parent.test:
                return parent.test
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
                return None
            node = parent
        return None


class Sources:
    """The source files read so far."""

    def __init__(self) -> None:
        """Create an empty collection."""
        self.known: dict[str, Source] = {}

    def of(self, path: str) -> Source:
        """Return a source file."""
        if path not in self.known:
            self.known[path] = Source(path)
        return self.known[path]


# Expressions


class Scope:
    """The variables of a frame. Evaluates expressions without running code of the program."""

    def __init__(self, frame: FrameType) -> None:
        """Take the variables of a frame."""
        self.locals = frame.f_locals
        self.globals = frame.f_globals

    def name(self, name: str) -> Any:
        """Return the value of a variable."""
        for names in (self.locals, self.globals, sys.modules["builtins"].__dict__):
            if name in names:
                return names[name]
        raise Unknown

    def value(self, node: ast.AST) -> Any:
        """Return the value of an expression."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self.name(node.id)
        if isinstance(node, ast.Attribute):
            return attribute(self.value(node.value), node.attr)
        if isinstance(node, ast.Subscript):
            return self._item(node)
        if isinstance(node, ast.Slice):
            parts = [None if part is None else self.value(part) for part in (node.lower, node.upper, node.step)]
            return slice(*parts)
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare)):
            return self._computed(node)
        if isinstance(node, ast.Call):
            return self._called(node)
        raise Unknown

    def _item(self, node: ast.Subscript) -> Any:
        """Return an element of a built-in container."""
        base = self.value(node.value)
        if type(base) not in (list, tuple, str, bytes, dict):
            raise Unknown
        where: Any = node.slice
        key = self.value(getattr(where, "value", where) if type(where).__name__ == "Index" else where)
        if type(key) is not slice and id(type(key)) not in ATOMS_BY_ID:
            raise Unknown
        try:
            return base[key]
        except (LookupError, TypeError, ValueError):
            raise Unknown from None

    def _computed(self, node: Any) -> Any:
        """Return the result of an operation on plain values."""
        parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
        values = [self.value(part) for part in parts]
        if any(id(type(value)) not in ATOMS_BY_ID for value in values):
            raise Unknown
        if any(isinstance(part, (ast.Pow, ast.LShift, ast.Mult)) for part in ast.iter_child_nodes(node)):
            raise Unknown       # it may be large
        names = {f"v{number}": value for number, value in enumerate(values)}
        copy: Any = ast.Expression(body=replaced(node))
        try:
            return eval(compile(ast.fix_missing_locations(copy), AGENT, "eval"), {"__builtins__": {}}, names)
        except (ArithmeticError, LookupError, TypeError, ValueError):
            raise Unknown from None

    def _called(self, node: ast.Call) -> Any:
        """Return the length of a built-in container, or the result of a method of a string."""
        if node.keywords or len(node.args) > 1:
            raise Unknown
        arguments = [self.value(part) for part in node.args]
        if isinstance(node.func, ast.Name) and node.func.id == "len" and self.name("len") is len and arguments:
            if type(arguments[0]) in (list, tuple, str, bytes, dict, set, frozenset):
                return len(arguments[0])
        if isinstance(node.func, ast.Attribute) and node.func.attr in TEXT_METHODS:
            base = self.value(node.func.value)
            if type(base) in (str, bytes) and all(type(value) is type(base) for value in arguments):
                return getattr(base, node.func.attr)(*arguments)
        raise Unknown


def replaced(node: Any) -> Any:
    """Return an operation whose operands are replaced by variables v0, v1, …"""
    import copy

    made, number = copy.copy(node), 0
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.expr):
            setattr(made, field, ast.Name(id=f"v{number}", ctx=ast.Load()))
            number += 1
        elif isinstance(value, list) and value and isinstance(value[0], ast.expr):
            setattr(made, field, [ast.Name(id=f"v{number + at}", ctx=ast.Load()) for at in range(len(value))])
            number += len(value)
    return made


def attribute(value: Any, name: str) -> Any:
    """Return an attribute of a module or an instance without running code of the program."""
    kind = Kind(type(value))
    if type(value) is type(sys):
        names = value.__dict__
        if name in names:
            return names[name]
        raise Unknown
    for member, item in kind.members(value):
        if member == name:
            return item
    for cls in kind.order:
        names = type.__dict__["__dict__"].__get__(cls)
        if name in names:
            item = names[name]
            if Kind(type(item)).is_data():
                return item
            break
    raise Unknown


def reads(nodes: list[ast.AST]) -> Iterator[Any]:
    """Yield the expressions that statements read: variables, attributes, elements and operations; the
    innermost last.
    """
    work = list(nodes)
    while work:
        node = work.pop(0)
        if isinstance(node, (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        is_read = isinstance(getattr(node, "ctx", None), (ast.Load, type(None)))
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.BinOp, ast.Call)) and is_read:
            yield node
        children: list[ast.AST] = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.Assign):
            children = [node.value, *node.targets]
        work += children


# Watched calls


class Watched:
    """A code object whose statements are watched."""

    def __init__(self, code: CodeType, source: Source) -> None:
        """Take the source from which it was compiled."""
        self.code, self.source = code, source
        self.is_resumed = bool(code.co_flags & RESUMED)


class Call:
    """One call of a watched function: the values assigned to its variables, and where."""

    __slots__ = ("frame", "watched", "recorder", "statement", "values")

    def __init__(self, frame: FrameType, watched: Watched, recorder: Recorder) -> None:
        """Start watching."""
        self.frame, self.watched, self.recorder = frame, watched, recorder
        self.statement: Statement | None = None
        self.values: dict[str, list[tuple[int, Statement, str, dict[str, Any]]]] = {}

    def on_event(self, frame: FrameType, event: str) -> None:
        """Called for an event in the frame."""
        if event == "exception":
            self.statement = None
            return
        statement = self.statement
        if statement is not None and (statement.names or statement.attributes):
            try:
                self._note(statement)
            except RecursionError:
                pass
        self.statement = self.watched.source.at(frame.f_lineno) if event == "line" else None
        if event == "return" and not self.watched.is_resumed:
            self.recorder.end(self)

    def _note(self, statement: Statement) -> None:
        """Record the assignments of a statement."""
        recorder, names = self.recorder, self.frame.f_locals
        for name in statement.names:
            if name in names:
                value = names[name]
                kept = self.values.setdefault(name, [])
                if len(kept) >= MOST_KEPT:
                    del kept[:MOST_KEPT // 2]
                kept.append((recorder.clock, statement, short(value), text_of(value)))
        for node in statement.attributes:
            if node.attr in recorder.attributes:
                try:
                    holder = Scope(self.frame).value(node.value)
                    value = attribute(holder, node.attr)
                except Unknown:
                    continue
                entry = (recorder.clock, self, statement, short(value), text_of(value))
                recorder.stores[id(holder), node.attr] = entry


class Recorder:
    """Watches the program, and examines it when it fails."""

    def __init__(self, request: dict[str, Any], desk: Desk) -> None:
        """Take the failure from the request."""
        failing = request.get("failing") or {}
        self.desk = desk
        self.hook = Hook()
        self.sources = Sources()
        self.kind: str = failing.get("type") or ""
        frames = [(frame["file"], frame["line"], frame["function"]) for frame in failing.get("frames") or []]
        self.innermost = frames[0] if frames else None
        self.wanted = {(file, function) for file, _, function in frames}
        self.needle: str = failing.get("text") or ""
        self.follows = bool(failing.get("follow"))
        self.attributes = self._attributes(frames)
        # Recording starts with the first event, or with a call that an earlier run has counted.
        clock = failing.get("clock") or 0
        self.first_call = max(0, clock - (MOST_SEARCHED if self.needle else MOST_CALLS))
        self.counted = 0        # calls of watched functions, or all calls if a text is searched
        self.clock = 0          # recorded events
        self.is_noting = self.first_call == 0
        self.is_over = False    # there were too many events
        self.table: dict[int, tuple[CodeType, Watched | None]] = {}
        self.calls: dict[int, Call] = {}
        self.ended: list[Call] = []
        self.stores: dict[tuple[int, str], tuple[int, Call, Statement, str, dict[str, Any]]] = {}
        self.matches = 0
        self.account: dict[str, Any] | None = None
        self.libraries: dict[str, bool] = {}
        self.seen = ""
        self.streams: list[tuple[str, Any, Any]] = []
        self.first: dict[str, Any] | None = None
    def _attributes(self, frames: list[tuple[str, int, str]]) -> set[str]:
        """Return the names of the attributes that the failing statements read."""
        names = set()
        for file, line, _ in frames[:MOST_DETAILED]:
            statement = self.sources.of(file).at(line)
            for node in reads(statement.nodes) if statement is not None else ():
                if isinstance(node, ast.Attribute):
                    names.add(node.attr)
        return names

    def start(self) -> None:
        """Start watching all threads."""
        import threading

        tracer = self._tracer()
        threading.settrace(tracer)
        if self.needle:
            self._watch_output()
        if self.follows and self.desk.path not in os.environ.get("PYTHONPATH", ""):
            self._follow()
        self.hook.hold(tracer)
        os.register_at_fork(after_in_child=lambda: self.hook.hold(tracer))

    def _follow(self) -> None:
        """Also watch other interpreters that the program starts: they execute this module at their start."""
        with open(self.desk.name("sitecustomize.py"), "w", encoding="utf-8") as file:
            file.write(FOLLOWING.format(agent=AGENT, desk=self.desk.path, request=os.path.abspath(REQUEST)))
        known = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = self.desk.path + (os.pathsep + known if known else "")

    def stop(self) -> None:
        """Stop watching, and report the observations."""
        self.hook.release()
        self._restore_output()
        sys.modules["threading"].settrace(None)
        self.report()

    def report(self) -> None:
        """Report the account of the failure."""
        account = self.account
        if self.first is not None:
            account = {**self.first, "written": (self.account or {}).get("frames", [])[:1]}
        if account is not None:
            # If the failure occurs after the recorded events, another run can record those before it.
            is_late = self.counted >= MOST_SEARCHED if self.needle else self.is_over
            clock = self.counted if is_late and not self.first_call else None
            self.desk.say(account={**account, "clock": clock})

    def _tracer(self) -> Callable[..., Any]:
        """Return the tracing function. It is called for each call in the program, so it does little."""
        table, is_text, count = self.table, bool(self.needle), 0
        innermost = self.innermost[2] if self.innermost else ""

        def on_call(frame: FrameType, event: str, arg: Any) -> Any:
            """Called when a frame starts or resumes."""
            nonlocal count
            code = frame.f_code
            entry = table.get(id(code))
            if entry is None:
                entry = table[id(code)] = (code, self._learn(code))
            if is_text:
                count += 1
                is_searched = self.first_call <= count < self.first_call + MOST_SEARCHED
                if self.first is None and self.account is None:
                    self.counted = count
                    return self._on_text(frame) if is_searched else None
                return None
            if entry[1] is None:
                return None
            self.counted = count = count + 1
            if self.is_noting:
                return on_event
            if count == self.first_call and not self.is_over:
                self._begin(frame, on_event)
                return on_event
            if code.co_name == innermost:
                frame.f_trace_lines = False
                return on_event
            return None

        def on_event(frame: FrameType, event: str, arg: Any) -> Any:
            """Called for an event in a watched frame."""
            if self.is_noting:
                self.clock += 1
                self.call(frame).on_event(frame, event)
                if self.clock > MOST_NOTED:
                    self._end()
            else:
                frame.f_trace_lines = False
            if event == "exception":
                self.on_exception(frame, arg)
            return on_event

        return on_call

    def _begin(self, frame: FrameType | None, tracer: Callable[..., Any]) -> None:
        """Start recording events, also in the active frames."""
        self.is_noting = True
        while frame is not None:
            entry = self.table.get(id(frame.f_code))
            if entry is not None and entry[1] is not None:
                frame.f_trace_lines = True
                frame.f_trace = tracer
            frame = frame.f_back

    def _end(self) -> None:
        """Stop recording, because there were too many events. Recorded values may be outdated when the
        program fails.
        """
        self.is_noting, self.is_over = False, True
        self.calls.clear()
        self.ended.clear()
        self.stores.clear()

    def call(self, frame: FrameType) -> Call:
        """Return the record of the call of a watched frame."""
        call = self.calls.get(id(frame))
        if call is None or call.frame is not frame:
            watched = self.table[id(frame.f_code)][1]
            assert watched is not None
            call = self.calls[id(frame)] = Call(frame, watched, self)
            if len(self.calls) > 4 * MOST_ENDED:
                for key in list(self.calls)[:MOST_ENDED]:
                    del self.calls[key]
        return call

    def _learn(self, code: CodeType) -> Watched | None:
        """Decide whether to watch a code object."""
        watched = None
        file = code.co_filename
        if file != AGENT and ((file, code.co_name) in self.wanted or self._sets(code)):
            watched = Watched(code, self.sources.of(file))
        return watched

    def _sets(self, code: CodeType) -> bool:
        """Return whether a code object sets one of the requested attributes."""
        if not self.attributes.intersection(code.co_names) or self.is_library(code.co_filename):
            return False
        import dis

        return any(part.opname == "STORE_ATTR" and part.argval in self.attributes for part in dis.get_instructions(code))

    def end(self, call: Call) -> None:
        """Handle the end of a call. It is kept for a while, because an exception may have ended it."""
        if self.calls.get(id(call.frame)) is call:
            del self.calls[id(call.frame)]
        self.ended.append(call)
        if len(self.ended) > 2 * MOST_ENDED:
            del self.ended[:MOST_ENDED]

    def call_of(self, frame: FrameType) -> Call | None:
        """Return the record of the call of a frame, if there is one."""
        call = self.calls.get(id(frame))
        if call is not None and call.frame is frame:
            return call
        return next((call for call in reversed(self.ended) if call.frame is frame), None)

    def is_library(self, file: str) -> bool:
        """Return whether a file belongs to the standard library."""
        if file not in self.libraries:
            self.libraries[file] = is_library(file)
        return self.libraries[file]

    # Failures

    def on_exception(self, frame: FrameType, arg: Any) -> None:
        """Called when an exception is raised in a watched frame, or passes through it."""
        kind, error, trace = arg
        if self.innermost is None or trace is None or self.matches >= MOST_MATCHES:
            return
        file, line, function = self.innermost
        code = frame.f_code
        if (code.co_filename, frame.f_lineno, code.co_name) != (file, line, function) or trace.tb_next is not None:
            return
        if self.kind and not self.kind.endswith(TYPE_NAME(kind)):
            return
        self.matches += 1
        self.look(stack(frame), "exit" if issubclass(kind, SystemExit) else "exception", TYPE_NAME(kind))

    def on_end(self, error: BaseException) -> None:
        """Called when the program ends with an unhandled exception."""
        if isinstance(error, SystemExit):
            context = error.__context__
            if context is not None and context.__traceback__ is not None and not error.__suppress_context__:
                error = context
        if self.account is not None and (self.innermost or self.needle):
            return
        frames: list[tuple[FrameType, int, int]] = []
        trace = error.__traceback__
        while trace is not None:
            frames.insert(0, (trace.tb_frame, trace.tb_lineno, trace.tb_lasti))
            trace = trace.tb_next
        is_exit = isinstance(error, SystemExit)
        if self.innermost is not None and frames and b'"account"' in self.desk.read("report"):
            frame, line, _ = frames[0]
            if (frame.f_code.co_filename, line, frame.f_code.co_name) != self.innermost:
                return      # it failed in another process
        self.look(frames, "exit" if is_exit else "exception", TYPE_NAME(type(error)))

    def look(self, frames: list[tuple[FrameType, int, int]], kind: str, what: str) -> None:
        """Create the account of a failure. Frames are passed innermost first."""
        frames = [entry for entry in frames if entry[0].f_code.co_filename != AGENT][:MOST_FRAMES]
        saved = sys.getrecursionlimit()
        sys.setrecursionlimit(saved + 1000)
        try:
            shown = [Shown(self, frames, number) for number in range(len(frames))]
            own = [number for number, frame in enumerate(shown) if not frame.is_library]
            detailed = set(own[:MOST_DETAILED]) | {0}
            self.account = {"kind": kind, "what": what,
                            "frames": [frame.as_json(number in detailed) for number, frame in enumerate(shown)]}
        finally:
            sys.setrecursionlimit(saved)
        self.report()

    # Output

    def _watch_output(self) -> None:
        """Watch standard output and standard error."""
        import io

        recorder = self

        class Text(io.TextIOWrapper):
            """A watched text stream."""

            def write(self, text: str) -> int:
                """Examine a text before it is written."""
                recorder.on_write(text)
                return super().write(text)

        class Binary(io.BufferedWriter):
            """A watched binary stream."""

            def write(self, data: Any) -> int:
                """Examine bytes before they are written, unless they come from the text stream."""
                if sys._getframe(1).f_code.co_filename != AGENT:
                    recorder.on_write(bytes(data).decode("utf-8", "replace"))
                written = super().write(data)
                if is_unbuffered:
                    self.flush()
                return written

        is_unbuffered = False
        for name in ("stdout", "stderr"):
            old = getattr(sys, name)
            if not isinstance(old, io.TextIOWrapper):
                continue
            old.flush()
            raw: Any = getattr(old.buffer, "raw", old.buffer)
            is_unbuffered = is_unbuffered or raw is old.buffer
            new = Text(Binary(raw), encoding=old.encoding, errors=old.errors, line_buffering=old.line_buffering,
                       write_through=raw is old.buffer)
            self.streams.append((name, old, new))   # each would close the stream below it
            setattr(sys, name, new)
            setattr(sys, f"__{name}__", new)

    def _restore_output(self) -> None:
        """Restore the program's own streams."""
        for name, old, new in self.streams:
            try:
                new.flush()
            except (OSError, ValueError):
                pass
            for attribute in (name, f"__{name}__"):
                if getattr(sys, attribute) is new:
                    setattr(sys, attribute, old)

    def on_write(self, text: str) -> None:
        """Called before a text is written."""
        if self.account is not None:
            return
        self.seen = self.seen[-len(self.needle):] + text
        if self.needle in self.seen:
            self.look(stack(sys._getframe(2)), "output", "")

    def _on_text(self, frame: FrameType) -> Any:
        """Search the text in the arguments of a call, and in its result."""
        needle = self.needle
        if frame.f_code.co_filename == AGENT or len(needle) < SHORTEST_NEEDLE:
            return None
        count = frame.f_code.co_argcount
        if count:
            names = frame.f_locals
            for name in frame.f_code.co_varnames[:count]:
                if type(names.get(name)) is str and needle in names[name]:
                    self._appears(frame, name)
                    return None
        frame.f_trace_lines = False

        def on_event(frame: FrameType, event: str, arg: Any) -> Any:
            """Examine the result of a call."""
            if self.first is None and event == "return" and type(arg) is str and needle in arg:
                self._appears(frame, "")
            return on_event

        return on_event

    def _appears(self, frame: FrameType, argument: str) -> None:
        """Called when a value contains the text for the first time. The statement that computed it is that of
        the caller or of the return.
        """
        start = frame.f_back if argument and frame.f_back is not None else frame
        saved, self.account = self.account, None
        self.look(stack(start), "output", "")
        self.first, self.account = self.account, saved


def stack(frame: FrameType | None) -> list[tuple[FrameType, int, int]]:
    """Return a frame and its callers."""
    frames: list[tuple[FrameType, int, int]] = []
    while frame is not None and len(frames) < MOST_FRAMES:
        frames.append((frame, frame.f_lineno, frame.f_lasti))
        frame = frame.f_back
    return frames


class Shown:
    """A frame in the form of an answer."""

    def __init__(self, recorder: Recorder, frames: list[tuple[FrameType, int, int]], number: int) -> None:
        """Take one of the frames of a failure."""
        self.recorder, self.frames, self.number = recorder, frames, number
        self.frame, self.line, self.offset = frames[number]
        self.code = self.frame.f_code
        self.file = self.code.co_filename
        self.source = recorder.sources.of(self.file)
        self.is_library = recorder.is_library(self.file)
        self.statement = self.source.at(self.line)

    def as_json(self, is_detailed: bool) -> dict[str, Any]:
        """Return the frame with its values, and with the enclosing condition if it reads none."""
        path = self.file if self.file.startswith("<") else os.path.realpath(self.file)
        answer: dict[str, Any] = {"file": path, "line": self.line, "function": self.code.co_name,
                                  "source": self.source.text(self.line), "is_library": self.is_library}
        if not is_detailed or self.statement is None:
            return answer
        answer["values"] = self.values(self.nodes())
        condition = self.source.condition(self.statement) if self.number == 0 or self.is_raise() else None
        if condition is not None and (self.is_raise() or not answer["values"]):
            line = getattr(condition, "lineno", self.line)
            answer["condition"] = {"line": line, "source": self.source.text(line), "values": self.values([condition])}
        return answer

    def is_raise(self) -> bool:
        """Return whether the statement fails intentionally."""
        nodes = self.statement.nodes if self.statement is not None else []
        return any(isinstance(node, (ast.Raise, ast.Assert)) or "exit" in self.source.segment(node)[:20]
                   for node in nodes if isinstance(node, ast.stmt))

    def nodes(self) -> list[ast.AST]:
        """Return the current expression, if Python reports it, followed by the whole statement."""
        nodes = list(self.statement.nodes) if self.statement is not None else []
        if not hasattr(self.code, "co_positions"):
            return nodes
        positions = list(self.code.co_positions())  # type: ignore[attr-defined,unused-ignore]
        where = positions[self.offset // 2] if 0 <= self.offset // 2 < len(positions) else None
        if where is None or None in where:
            return nodes
        first, last, start, end = where
        for node in nodes:
            for part in ast.walk(node):
                if isinstance(part, ast.expr) and (part.lineno, part.end_lineno) == (first, last) \
                        and (part.col_offset, part.end_col_offset) == (start, end):
                    return [part, *nodes]
        return nodes

    def values(self, nodes: list[ast.AST]) -> list[dict[str, Any]]:
        """Return the values that expressions read, those of the first expression before those of the others."""
        scope = Scope(self.frame)
        found: dict[str, dict[str, Any]] = {}
        called = {id(node.func) for one in nodes for node in ast.walk(one) if isinstance(node, ast.Call)}
        holders = {id(node.value) for one in nodes for node in ast.walk(one) if isinstance(node, ast.Attribute)}
        for one in nodes:
            for node in reads([one]):
                if len(found) >= MOST_VALUES:
                    break
                name = self.source.segment(node)
                if not name or name in found:
                    continue
                is_called = id(node) in called
                entry = self.value(scope, node, is_called or id(node) in holders)
                if entry is not None:
                    found[entry["name"]] = {**entry}
        return list(found.values())

    def value(self, scope: Scope, node: Any, is_holder: bool) -> dict[str, Any] | None:
        """Return the value of an expression, with its origin."""
        name = self.source.segment(node)
        try:
            value = scope.value(node)
        except Unknown:
            return self.missing(scope, node)
        # An object is not informative, unless it has no attributes of its own and cannot be called.
        if not is_data(value) or is_holder and type(value) not in PLAIN:
            return None
        entry: dict[str, Any] = {"name": name, "value": short(value), **text_of(value)}
        if isinstance(node, ast.Subscript):
            entry.update(self.position(scope, node))
        if isinstance(node, (ast.Name, ast.Attribute)):
            entry["steps"] = Origins(self.recorder, self.frames).of(self.number, node)
        return entry

    def missing(self, scope: Scope, node: Any) -> dict[str, Any] | None:
        """Return what is known about a missing element: the number of existing ones."""
        if not isinstance(node, ast.Subscript):
            return None
        try:
            base = scope.value(node.value)
            if type(base) not in (list, tuple, str, bytes):
                return None
            entry = {"name": f"len({self.source.segment(node.value)})", "value": str(len(base))}
            return {**entry, **self.position(scope, node)}
        except Unknown:
            return None

    def position(self, scope: Scope, node: ast.Subscript) -> dict[str, Any]:
        """Return the indexed text, and the index."""
        try:
            where: Any = node.slice
            where = getattr(where, "value", where) if type(where).__name__ == "Index" else where
            base, index = scope.value(node.value), scope.value(where)
        except Unknown:
            return {}
        if type(base) in (str, bytes) and type(index) is int:
            return {"index": index if index >= 0 else len(base) + index, "base": text_of(base)}
        return {}


class Origins:
    """Traces values back through the assignments of a run."""

    def __init__(self, recorder: Recorder, frames: list[tuple[FrameType, int, int]]) -> None:
        """Take the frames of a failure."""
        self.recorder, self.frames = recorder, frames
        self.steps: list[dict[str, Any]] = []
        self.met: set[tuple[str, int, str]] = set()

    def of(self, number: int, node: Any) -> list[dict[str, Any]]:
        """Return the steps back from a variable or an attribute of a frame, the most recent first."""
        frame = self.frames[number][0]
        work: list[tuple[int | None, Call | None, FrameType, int, Any]]
        work = [(number, self.recorder.call_of(frame), frame, self.recorder.clock + 1, node)]
        while work and len(self.steps) < MOST_STEPS:
            work += self.back(*work.pop(0))
        return self.steps

    def back(self, number: int | None, call: Call | None, frame: FrameType, before: int, node: Any) -> list[Any]:
        """Take one step back. Return what to follow next."""
        if isinstance(node, ast.Attribute):
            return self.attribute(number, call, frame, before, node)
        name = node.id
        entries = call.values.get(name, []) if call is not None else []
        entry = next((entry for entry in reversed(entries) if entry[0] < before), None)
        if entry is None and not entries:
            entry = self.only(frame, name)
        if entry is not None:
            clock, statement, value, text = entry
            self.add(self.recorder.sources.of(frame.f_code.co_filename), frame, statement.first, name, value, text, "set")
            return [(number, call, frame, clock, part) for part in followed(statement.sources(name))]
        if name in frame.f_code.co_varnames[:arguments_of(frame.f_code)] and number is not None:
            return self.argument(number, frame, name)
        return []

    def only(self, frame: FrameType, name: str) -> Any:
        """Return the only statement that sets a variable, for a run that was not watched at that time."""
        code = frame.f_code
        if not (self.recorder.is_over or self.recorder.first_call) or name in code.co_varnames[:arguments_of(code)]:
            return None
        source = self.recorder.sources.of(code.co_filename)
        found = {statement.first: statement for line in code_lines(code)
                 for statement in [source.at(line)] if statement is not None and name in statement.names}
        value = frame.f_locals.get(name)
        return (0, *found.values(), short(value), text_of(value)) if len(found) == 1 else None

    def argument(self, number: int, frame: FrameType, name: str) -> list[Any]:
        """Take a step from an argument to the call that passed it."""
        outer = number + 1
        if outer >= len(self.frames) or self.frames[outer][0].f_code.co_filename == AGENT:
            return []
        caller, line, _ = self.frames[outer]
        source = self.recorder.sources.of(caller.f_code.co_filename)
        statement = source.at(line)
        if statement is None:
            return []
        given = handed(statement, frame.f_code, name, self.recorder.is_library(caller.f_code.co_filename))
        if given is None:
            return []
        try:
            value = Scope(caller).value(given)
            shown, text = short(value), text_of(value)
        except Unknown:
            value = frame.f_locals.get(name)
            shown, text = short(value), text_of(value)
        self.add(source, caller, line, source.segment(given), shown, text, "handed")
        call = self.recorder.call_of(caller)
        return [(outer, call, caller, self.recorder.clock + 1, part) for part in followed([given])]

    def attribute(self, number: int | None, call: Call | None, frame: FrameType, before: int, node: Any) -> list[Any]:
        """Take a step from an attribute to the statement that set it."""
        try:
            holder = Scope(frame).value(node.value)
        except Unknown:
            return []
        entry = self.recorder.stores.get((id(holder), node.attr))
        if entry is None or entry[0] >= before:
            return []
        clock, setter, statement, value, text = entry
        self.add(setter.watched.source, setter.frame, statement.first, f".{node.attr}", value, text, "set")
        numbers = [at for at, (one, _, _) in enumerate(self.frames) if one is setter.frame]
        parts = [part for node in statement.nodes for part in values_for(node, "")]
        where = numbers[0] if numbers else None
        return [(where, setter, setter.frame, clock, part) for part in followed(parts)]

    def add(self, source: Source, frame: FrameType, line: int, name: str, value: str, text: dict[str, Any],
            how: str) -> None:
        """Record a step."""
        code = frame.f_code
        key = (code.co_filename, line, name)
        if key in self.met:
            return
        self.met.add(key)
        self.steps.append({"file": os.path.realpath(code.co_filename), "line": line, "function": code.co_name,
                           "source": source.text(line), "name": name, "value": value, "how": how, **text})


def followed(nodes: list[ast.AST]) -> list[Any]:
    """Return the variables and attributes that expressions read."""
    called = {id(node.func) for one in nodes for node in ast.walk(one) if isinstance(node, ast.Call)}
    found = []
    for node in reads(nodes):
        if isinstance(node, (ast.Name, ast.Attribute)) and id(node) not in called:
            found.append(node)
    return found


def arguments_of(code: CodeType) -> int:
    """Return the number of names of a code object that are arguments."""
    return code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)


def handed(statement: Statement, code: CodeType, name: str, is_library: bool) -> ast.AST | None:
    """Return the expression that a call in a statement passes for an argument of a function."""
    if code.co_flags & RESUMED:
        return None     # the current caller is not the one that passed it
    calls = [node for one in statement.nodes for node in ast.walk(one) if isinstance(node, ast.Call)]
    named = [call for call in calls if called_name(call) == code.co_name]
    named = named or (calls if len(calls) == 1 and not is_library else [])
    for call in named:
        for keyword in call.keywords:
            if keyword.arg == name:
                return keyword.value
        names = list(code.co_varnames[:code.co_argcount])
        is_bound = bool(names) and names[0] in ("self", "cls") and isinstance(call.func, (ast.Attribute, ast.Name))
        if is_bound:
            names = names[1:]
        if name in names and names.index(name) < len(call.args):
            given = call.args[names.index(name)]
            return None if isinstance(given, ast.Starred) else given
    return None


def called_name(call: ast.Call) -> str:
    """Return the name by which a function is called."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""
