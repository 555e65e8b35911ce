"""Calls that type checkers must accept. This file is only type-checked, and never run."""

from pathlib import Path

import nubbin


def characters() -> str:
    return nubbin.ddmin("abc", lambda part: "b" in part)


def numbers() -> list[int]:
    return nubbin.cdd([1, 2, 3], lambda part: 2 in part, jobs=2)


def pairs() -> dict[str, int]:
    return nubbin.ddmax({"a": 1}, lambda part: None if not part else nubbin.Verdict.INTERESTING)


def difference() -> tuple[int, ...]:
    return nubbin.dd((1, 2), lambda part: sum(part) > 2).difference


def text() -> str:
    return nubbin.reduce("x = 1", lambda candidate: "x" in candidate, language="python").best


def data() -> bytes:
    return nubbin.reduce(b"x", ["grep", "x", "{}"], progress=lambda told: print(told.size.tokens)).best


def path() -> Path:
    reduction = nubbin.reduce(Path("input.c"), lambda candidate: candidate.stat().st_size > 3)
    steps: list[int] = [step.size.bytes for step in reduction.steps]
    print(steps, bool(reduction.proof), reduction.kept or "")
    return reduction.save("result.c")


def largest() -> str:
    return nubbin.maximize("a, b", lambda candidate: "b" in candidate)


def apart() -> bytes:
    return nubbin.isolate(b"a", ["grep", "a", "{}"], stdout="a", max_time=3).failing


def tree() -> list[str]:
    return [node.type for node in nubbin.parse("x", "python").walk()]


def debugger() -> tuple[str, list[str], int]:
    with nubbin.DeltaDebugger(log=2) as dd:
        tree()
    passing, failing, difference = dd.min_arg_diff()
    name: str = dd.function().__name__ + dd.format_call(passing) + dd.format_exception()
    try:
        return name, list({**dd.min_args(), **dd.max_args(), **failing, **difference}), dd.tests
    except (nubbin.NotFailingError, nubbin.NotPassingError, nubbin.NoCallError, nubbin.FailureNotReproducedError):
        return repr(dd), [dd.test(dd.args())], 0


@nubbin.shrink("text", language="json", budget=None, jobs=2)
def check(text: str, most: int = 3) -> list[str]:
    return [text] * most


def checked() -> list[str]:
    return check("text", most=2)
