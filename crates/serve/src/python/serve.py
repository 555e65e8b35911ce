"""A test server for Python: loads a program once, and runs it in a fork for each candidate.

As a module:  python3 -m nubbin.serve ORACLE.py
  ORACLE.py is imported once. If it has a function `interesting(path)`, that is called for each candidate, in a process
  of its own: what it returns is the verdict (None, or an exception: it cannot tell). If it has none, it is a script:
  it is run with the candidate's path as its argument, and exits as any oracle does.

For a command:  python3 [OPTIONS] -c THIS --command (FILE | -m MODULE | -c CODE) [ARGUMENT ...]
  The command is run for each candidate, and told as a command is: by its exit status or its signal.

The modules that the first runs import are imported before the later ones, so that these find them loaded.
"""

import os
import sys

#: After this many candidates nothing more is learned about what they import.
LEARNING = 4
#: Loaders of Python's own; what another one has loaded, such as pytest's, is left to each run.
LOADERS = ("_frozen_importlib", "_frozen_importlib_external", "importlib", "zipimport")


def serve(job, answer):
    """Asks `job` about each candidate, in a fork, and answers with what `answer` makes of its status.

    The fork for the next candidate is there before the question: it reads that by itself, and answers by itself where it
    ends as it should.
    """
    import gc
    import json
    import mmap

    questions = os.dup(0)
    answers = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    # What is printed while a module is loaded is no answer.
    os.dup2(nothing, 1)
    os.close(nothing)
    # What a fork tells: the question that it has read, and whether it has answered.
    note = mmap.mmap(-1, 16)
    learned = 0
    job.load()
    while True:
        learns = learned < LEARNING
        told, tell = os.pipe() if learns else (None, None)
        sys.stdout.flush()
        sys.stderr.flush()
        if learned == LEARNING:
            # No later collection touches what is shared with the forks.
            gc.collect()
            if hasattr(gc, "freeze"):
                gc.freeze()
        learned += 1
        note[:] = bytes(16)
        child = os.fork()
        if child == 0:
            if learns:
                os.close(told)
            question = json.loads(line(questions).decode("utf-8"))
            os.close(questions)
            note[:8] = question["id"].to_bytes(8, "little")
            note[9] = 1

            def tells(status):
                said = answer(status)
                said["id"] = question["id"]
                note[8] = 1
                say(answers, json.dumps(said))

            run(job, question, tell, tells)
        _, status = os.waitpid(child, 0)
        names = []
        if learns:
            os.close(tell)
            names = hear(told)
        number = int.from_bytes(note[:8], "little")
        if note[9] == 0:
            # There was no question.
            return
        if note[8] == 0:
            code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
            said = {"signal": -code} if code < 0 else answer(code)
            said["id"] = number
            say(answers, json.dumps(said))
        if learns:
            load(names)


def line(stream):
    """The next line; a fork that waits for one ends when there is none."""
    text = b""
    while not text.endswith(b"\n"):
        part = os.read(stream, 1 << 16)
        if not part:
            os._exit(0)
        text += part
    return text


def say(stream, text):
    """Writes a line."""
    rest = text.encode("utf-8") + b"\n"
    while rest:
        rest = rest[os.write(stream, rest) :]


def hear(told):
    """The lines that have come, whole ones only: the writer did not wait for room, and has ended."""
    os.set_blocking(told, False)
    text = b""
    try:
        while True:
            part = os.read(told, 1 << 16)
            if not part:
                break
            text += part
    except BlockingIOError:
        pass
    os.close(told)
    return text.decode("utf-8", "replace").split("\n")[:-1]


def load(names):
    """Imports the modules of these names, as far as that works."""
    import importlib

    for name in names:
        if name and name not in sys.modules:
            try:
                importlib.import_module(name)
            except BaseException:
                pass
    sys.stdout.flush()


def run(job, question, tell, tells):
    """Runs the job in this process, which is the candidate's own, and ends it as the interpreter does."""
    os.setsid()
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    for path, number in ((question["stdout"], 1), (question["stderr"], 2)):
        output = os.open(path, flags, 0o600)
        os.dup2(output, number)
        os.close(output)
    os.chdir(question["directory"])
    # Nothing is known of the directory any more: it is another one.
    for path in list(sys.path_importer_cache):
        if not path or path.startswith(question["directory"]):
            del sys.path_importer_cache[path]
    before = set(sys.modules)
    code = 1
    try:
        try:
            code = job.run(question)
        except SystemExit as end:
            code = status(end)
        except BaseException:
            complain(sys.exc_info())
        finish()
    except BaseException:
        code = 1
    if tell is not None:
        try:
            names = news(before, question["directory"])
            os.set_blocking(tell, False)
            os.write(tell, "".join(name + "\n" for name in names).encode("utf-8"))
        except BaseException:
            pass
    tells(code & 0xFF)
    os._exit(code & 0xFF)


def news(before, directory):
    """The modules that have been imported since, and that do not belong to the candidate."""
    names = []
    for name, module in list(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        if name in before or name == "__main__" or spec is None or spec.name != name:
            continue
        loader = spec.loader if isinstance(spec.loader, type) else type(spec.loader)
        own = (spec.origin or "").startswith(directory + os.sep)
        if loader.__module__ in LOADERS and not own:
            names.append(name)
    return names


def status(end):
    """The exit status of a SystemExit; a message is printed."""
    code = end.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code
    sys.stdout.flush()
    print(code, file=sys.stderr)
    return 1


def complain(error):
    """Prints a traceback as the interpreter does: it begins in the program, and not here."""
    kind, value, trace = error
    while trace is not None and trace.tb_frame.f_globals is globals():
        trace = trace.tb_next
    value = value.with_traceback(trace)
    if kind is KeyboardInterrupt:
        os._exit(130)
    sys.last_type, sys.last_value, sys.last_traceback = kind, value, trace
    try:
        sys.stdout.flush()
    except BaseException:
        pass
    sys.excepthook(kind, value, trace)


def finish():
    """Does what the interpreter does at the end, but for taking objects apart."""
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()
    import atexit

    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


class Program:
    """A program as the interpreter's command line names it: a file, a module or some code."""

    def __init__(self, words):
        self.module = self.code = self.path = None
        if words[0] == "-m":
            self.module, self.argv = words[1], words[1:]
        elif words[0] == "-c":
            self.code, self.argv = words[1], ["-c"] + words[2:]
        else:
            self.path, self.argv = words[0], words

    def load(self):
        """Gets ready what is the same for each candidate."""
        first = os.path.dirname(os.path.realpath(self.path)) if self.path else ""
        # The interpreter has put an empty string there, for code.
        if not (getattr(sys.flags, "safe_path", False) or sys.flags.isolated):
            sys.path[0] = first
        if self.path:
            with open(self.path, "rb") as file:
                self.code = compile(file.read(), self.path, "exec", dont_inherit=True)
        elif self.code is not None:
            self.code = compile(self.code, "<string>", "exec", dont_inherit=True)

    def run(self, question):
        import types

        sys.argv = list(self.argv)
        if self.module:
            import runpy

            if sys.path[0] == "":
                sys.path[0] = os.getcwd()
            runpy._run_module_as_main(self.module, alter_argv=True)
            return 0
        main = types.ModuleType("__main__")
        names = main.__dict__
        names["__builtins__"] = sys.modules["builtins"]
        names["__annotations__"] = dict()
        if self.path:
            from importlib.machinery import SourceFileLoader

            names["__file__"] = self.path
            names["__cached__"] = None
            names["__loader__"] = SourceFileLoader("__main__", self.path)
        sys.modules["__main__"] = main
        exec(self.code, names)
        return 0


class Oracle(Program):
    """An oracle in a file: a function `interesting(path)`, or a script."""

    def load(self):
        Program.load(self)
        self.function = None
        if "interesting" in self.code.co_names:
            name = os.path.splitext(os.path.basename(self.path))[0]
            from importlib.util import module_from_spec, spec_from_file_location

            spec = spec_from_file_location(name, self.path)
            module = module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
            self.function = getattr(module, "interesting", None)

    def run(self, question):
        if self.function is None:
            self.argv = [self.path] + question["paths"]
            return Program.run(self, question)
        found = self.function(question["path"])
        return 125 if found is None else 0 if found else 1

    def answer(self, status):
        if self.function is not None and status not in (0, 1, 125):
            status = 125
        return {"verdict": {0: "interesting", 125: "unresolved"}.get(status, "uninteresting")}


def main(words):
    if len(words) > 1 and words[0] == "--command":
        serve(Program(words[1:]), lambda status: {"exit": status})
    elif len(words) == 1 and not words[0].startswith("-"):
        oracle = Oracle(words)
        serve(oracle, oracle.answer)
    else:
        sys.exit("usage: python3 -m nubbin.serve ORACLE.py")


if __name__ == "__main__":
    main(sys.argv[1:])
