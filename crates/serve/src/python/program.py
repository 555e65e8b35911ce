# Continues serve.py: the programs that are served.


class Program:
    """A program as specified on the interpreter's command line: a file, a module or code."""

    def __init__(self, words):
        self.module = self.code = self.path = None
        if words[0] == "-m":
            self.module, self.argv = words[1], words[1:]
        elif words[0] == "-c":
            self.code, self.argv = words[1], ["-c"] + words[2:]
        else:
            self.path, self.argv = words[0], words

    def is_pytest(self):
        """Returns whether it is pytest, as a module or as its installed program."""
        return self.module == "pytest" or self.path is not None and os.path.basename(self.path) in ("pytest", "py.test")

    def load(self):
        """Prepares everything that does not depend on the candidate."""
        first = os.path.dirname(os.path.realpath(self.path)) if self.path else ""
        # Started with `-c`, the interpreter has put an empty string there.
        if not (getattr(sys.flags, "safe_path", False) or sys.flags.isolated):
            sys.path[0] = first
        if self.path:
            with open(self.path, "rb") as file:
                self.code = compile(file.read(), self.path, "exec", dont_inherit=True)
        elif self.code is not None:
            self.code = compile(self.code, "<string>", "exec", dont_inherit=True)

    def begin(self, line):
        """Answers all questions."""
        question, end = line.wait()
        end(run(lambda: self.run(question)))

    def run(self, question):
        """Runs the program on a candidate; returns its exit status."""
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


class Pytest(Program):
    """pytest, which loads its plugins, its settings and the files next to the candidate before the first question."""

    #: The name of the plugin that is called when this has been loaded.
    PLUGIN = "nubbin_waits"

    def begin(self, line):
        question = line.ask()
        start = os.getcwd()
        if not self.may_wait(question):
            Program.begin(self, line)

        def wait():
            os.chdir(start)
            asked.extend(line.wait())

        asked = []
        with silence():
            code = run(lambda: self.run_until(question, wait))
        # Only forks reach this point.
        asked[1](code)

    def may_wait(self, question):
        """Returns whether a trial run of pytest reaches this point without opening the candidate."""
        if any(os.path.isdir(path) for path in question["paths"]):
            return False
        told, tell = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            try:
                with silence():
                    paths = set(os.path.abspath(path) for path in question["paths"])
                    found = []

                    def audit(event, words):
                        if event == "open" and isinstance(words[0], str) and os.path.abspath(words[0]) in paths:
                            found.append(words[0])

                    def reached():
                        if not found:
                            os.write(tell, b"1")
                        os._exit(0)

                    sys.addaudithook(audit)
                    self.run_until(question, reached)
            finally:
                os._exit(1)
        os.close(tell)
        os.waitpid(child, 0)
        may = os.read(told, 1) == b"1"
        os.close(told)
        return may

    def run_until(self, question, reached):
        """Runs pytest in the directory of a probe. `reached` is called before pytest creates a session from its settings."""
        import types

        os.chdir(question["directory"])
        if self.module and sys.path[0] == "":
            sys.path[0] = os.getcwd()
        import pluggy

        # Otherwise pytest warns that it cannot rewrite this module.
        plugin = types.ModuleType(self.PLUGIN, "PYTEST_DONT_REWRITE")
        others = os.environ.get("PYTEST_PLUGINS")

        @pluggy.HookimplMarker("pytest")(tryfirst=True)
        def pytest_cmdline_main(config):
            config.pluginmanager.unregister(plugin)
            del sys.modules[self.PLUGIN]
            if others is None:
                del os.environ["PYTEST_PLUGINS"]
            else:
                os.environ["PYTEST_PLUGINS"] = others
            capture = config.pluginmanager.getplugin("capturemanager")
            if capture is not None:
                # It has saved the standard streams, and holds a file for captured output.
                capture.stop_global_capturing()
            reached()
            if capture is not None:
                capture.start_global_capturing()
                capture.suspend_global_capture()

        plugin.pytest_cmdline_main = pytest_cmdline_main
        sys.modules[self.PLUGIN] = plugin
        os.environ["PYTEST_PLUGINS"] = ",".join(filter(None, (others, self.PLUGIN)))
        return self.run(question)


class silence:
    """Discards standard error while it is active."""

    def __enter__(self):
        self.kept = os.dup(2)
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 2)
        os.close(nothing)

    def __exit__(self, *_):
        os.dup2(self.kept, 2)
        os.close(self.kept)


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
        program = Program(words[1:])
        serve(Pytest(words[1:]) if program.is_pytest() else program, lambda status: {"exit": status})
    elif len(words) == 1 and not words[0].startswith("-"):
        oracle = Oracle(words)
        serve(oracle, oracle.answer)
    else:
        sys.exit("usage: python3 -m nubbin.serve ORACLE.py")


if __name__ == "__main__":
    main(sys.argv[1:])
