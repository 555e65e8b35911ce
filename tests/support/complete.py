"""Types command lines and a tab into a shell on a terminal, and prints what the shell shows, as a JSON list.

usage: complete.py bash|zsh SCRIPT LINE…   (SCRIPT defines the completions)
"""
import fcntl
import json
import os
import pty
import re
import select
import struct
import sys
import termios
import time

LIMIT = 120
SHELLS = {
    "bash": (
        ["bash", "--norc", "--noprofile", "-i"],
        "bind 'set show-all-if-ambiguous on'; bind 'set completion-query-items 0'; bind 'set page-completions off'; "
        "bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; source '{}'",
    ),
    "zsh": (
        ["zsh", "-f", "-i"],
        "autoload -Uz compinit; compinit -D -u; unsetopt list_ambiguous beep always_last_prompt auto_menu prompt_cr prompt_sp; "
        "LISTMAX=10000; source '{}'",
    ),
}
# Typed after the tab: when it is shown, the completion is done.
DONE = "@@"
PROMPT = "$> "


class Terminal:
    def __init__(self, words):
        self.child, self.end = pty.fork()
        if self.child == 0:
            os.environ.update(TERM="vt100", PS1=PROMPT, PROMPT=PROMPT, HISTFILE="", INPUTRC="/dev/null")
            os.execvp(words[0], words)
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", 200, 120, 0, 0))

    def type(self, text):
        os.write(self.end, text.encode())

    def until(self, text):
        """Returns what is shown up to the first match of this expression, without control sequences."""
        shown, deadline = b"", time.monotonic() + LIMIT
        while True:
            plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|[\x00-\x08\x0b-\x1f]", "", shown.decode(errors="replace"))
            if re.search(text, plain):
                return plain
            ready, _, _ = select.select([self.end], [], [], max(deadline - time.monotonic(), 0))
            if not ready:
                sys.exit(f"`{text}` is not shown after {LIMIT} s: {plain}")
            shown += os.read(self.end, 1 << 16)


def main(shell, script, *lines):
    words, setup = SHELLS[shell]
    terminal = Terminal(words)
    # The quotes keep the echo of the command from being taken for its output.
    terminal.type(setup.format(script) + "; echo RE''ADY\n")
    terminal.until(r"READY\s+\$> ")
    answers = []
    for line in lines:
        terminal.type(line + "\t" + DONE)
        answers.append(terminal.until(DONE))
        # Discards the line.
        terminal.type("\x05\x15echo NE''XT\n")
        terminal.until(r"NEXT\s+\$> ")
    terminal.type("exit\n")
    print(json.dumps(answers))


main(*sys.argv[1:])
