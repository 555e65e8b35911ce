"""A test server for Python: loads a program once, and runs it in a fork for each candidate.

As a module:  python3 -m nubbin.serve ORACLE.py
  ORACLE.py is imported once. If it defines a function `interesting(path)`, the function is called for each candidate, in
  a separate process. Its result is the verdict; None or an exception means that it cannot decide. Otherwise ORACLE.py is
  a script, which is run with the path of the candidate as its argument, and answers with its exit status.

For a command:  python3 [OPTIONS] -c THIS --command (FILE | -m MODULE | -c CODE) [ARGUMENT ...]
  The command is run for each candidate. The answer is its exit status or its signal.

Modules that the first runs import are imported in advance for later runs.
"""

import marshal
import os
import sys

#: The number of candidates whose imports are recorded.
LEARNING = 4
#: The loaders of Python; modules of other loaders, such as that of pytest, are imported by each run.
LOADERS = ("_frozen_importlib", "_frozen_importlib_external", "importlib", "zipimport")


def serve(job, answer):
    """Runs `job` on each candidate, in a fork, and answers with the result of `answer` for its exit status."""
    job.load()
    job.begin(Line(answer))


class Line:
    """The connection to the client.

    The fork for the next candidate is created before the question arrives. The fork reads the question itself, and also
    answers it if it ends regularly.
    """

    def __init__(self, answer):
        import mmap

        self.answer = answer
        self.questions = os.dup(0)
        self.answers = os.dup(1)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        # Output of modules while they are loaded must not be mixed with answers.
        os.dup2(nothing, 1)
        os.close(nothing)
        # Shared with the fork: the number of the question that it has read, and whether it has answered.
        self.note = mmap.mmap(-1, 16)
        #: A question that has already been read.
        self.read = None
        self.learned = 0

    def ask(self):
        """Returns the next question without answering it."""
        if self.read is None:
            self.read = line(self.questions)
        return parse(self.read)

    def wait(self):
        """Returns each question in a separate fork, together with a function that answers it. The fork has already been
        prepared for a run. At the end of the questions, this process ends.
        """
        while True:
            child = self.fork()
            if child is not None:
                return child

    def fork(self):
        """Handles one question; returns the question only in the fork, otherwise None."""
        learns = self.learned < LEARNING
        told, tell = os.pipe() if learns else (None, None)
        sys.stdout.flush()
        sys.stderr.flush()
        if self.learned == LEARNING:
            import gc

            know_modules()
            # Later garbage collections must not touch memory that is shared with the forks.
            gc.collect()
            if hasattr(gc, "freeze"):
                gc.freeze()
        self.learned += 1
        note = self.note
        note[:] = bytes(16)
        child = os.fork()
        if child == 0:
            if learns:
                os.close(told)
            question = self.ask()
            os.close(self.questions)
            note[:8] = question["id"].to_bytes(8, "little")
            note[9] = 1
            return self.begun(question, tell)
        _, status = os.waitpid(child, 0)
        self.read = None
        names, found = [], []
        if learns:
            os.close(tell)
            names, found = hear(told)
        number = int.from_bytes(note[:8], "little")
        if note[9] == 0:
            # There was no question.
            os._exit(0)
        if note[8] == 0:
            code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
            self.say(number, {"signal": -code} if code < 0 else self.answer(code))
        if learns:
            load(names)
            prepare(found)
        return None

    def begun(self, question, tell):
        """Prepares this process for the candidate. Returns the question, and a function that ends it with a status."""
        os.setsid()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        for path, number in ((question["stdout"], 1), (question["stderr"], 2)):
            output = os.open(path, flags, 0o600)
            os.dup2(output, number)
            os.close(output)
        os.chdir(question["directory"])
        # Cached information about the directory is invalid, because the directory has been created again.
        for path in list(sys.path_importer_cache):
            if not path or path.startswith(question["directory"]):
                del sys.path_importer_cache[path]
        modules = set(sys.modules) if tell is not None else ()
        patterns = set(compiled()) if tell is not None else ()

        def end(code):
            if tell is not None:
                try:
                    found = [pattern for pattern in compiled() if pattern not in patterns]
                    os.set_blocking(tell, False)
                    os.write(tell, marshal.dumps((news(modules, question["directory"]), found)))
                except BaseException:
                    pass
            self.note[8] = 1
            self.say(question["id"], self.answer(code & 0xFF))
            os._exit(code & 0xFF)

        return question, end

    def say(self, number, said):
        """Writes the answer to the question of this number."""
        [(key, value)] = said.items()
        value = '"%s"' % value if isinstance(value, str) else value
        rest = b'{"id":%d,"%s":%s}\n' % (number, key.encode(), str(value).encode())
        while rest:
            rest = rest[os.write(self.answers, rest) :]


def line(stream):
    """Returns the next line; ends the process at the end of the stream."""
    text = b""
    while not text.endswith(b"\n"):
        part = os.read(stream, 1 << 16)
        if not part:
            os._exit(0)
        text += part
    return text


def parse(text):
    """Parses a question. The `json` module would enlarge each fork, so the line is split here unless it contains escapes;
    the order of its keys is fixed.
    """
    text = text.decode("utf-8")
    if "\\" in text:
        import json

        return json.loads(text)
    parts = text.split('"')
    words = parts[1::2]
    number = int(parts[2].strip(":, "))
    keys = ("id", "path", "paths", "directory", "stdout", "stderr")
    return dict(zip(keys, (number, words[2], words[4:-6], words[-5], words[-3], words[-1])))


def hear(told):
    """Returns the data of a fork that has ended, if it is complete: the fork does not wait for space in the pipe."""
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
    try:
        return marshal.loads(text)
    except (EOFError, TypeError, ValueError):
        return [], []


def load(names):
    """Imports the modules with these names, and ignores errors."""
    import importlib

    for name in names:
        if name and name not in sys.modules:
            try:
                importlib.import_module(name)
            except BaseException:
                pass
    sys.stdout.flush()


def compiled():
    """Returns the regular expressions in the cache of `re`, with their flags."""
    kept = getattr(sys.modules.get("re"), "_cache", ())
    keys = [key for key in list(kept) if type(key) is tuple and len(key) == 3]
    return [key[1:] for key in keys if type(key[1]) in (str, bytes) and type(key[2]) is int]


def prepare(patterns):
    """Adds these regular expressions to the cache of `re`, which only saves time in the runs."""
    if not patterns:
        return
    import re
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for pattern, flags in patterns:
            try:
                re.compile(pattern, flags)
            except BaseException:
                pass


def know_modules():
    """Makes `inspect`, if it is loaded, cache the files of all modules, as each traceback of pytest would."""
    inspect = sys.modules.get("inspect")
    try:
        inspect and inspect.getmodule(know_modules.__code__)
    except BaseException:
        pass


def run(call):
    """Runs the program, and ends it like the interpreter; returns its exit status."""
    code = 1
    try:
        try:
            code = call()
        except SystemExit as end:
            code = status(end)
        except BaseException:
            complain(sys.exc_info())
        finish()
    except BaseException:
        code = 1
    return code


def news(before, directory):
    """Returns the newly imported modules that do not belong to the candidate."""
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
    """Returns the exit status of a SystemExit; prints its message."""
    code = end.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code
    sys.stdout.flush()
    print(code, file=sys.stderr)
    return 1


def complain(error):
    """Prints a traceback like the interpreter, without the frames of this module."""
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
    """Does what the interpreter does at exit, except destroying objects."""
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()
    import atexit

    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
