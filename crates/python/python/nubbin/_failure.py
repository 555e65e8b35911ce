"""Exceptions of a reduction."""

import inspect
import re
from typing import Optional

from ._verdict import NotFailing, NotPassing

__all__ = ["AcceptsEmpty", "Failure", "Flaky"]


class Failure(RuntimeError):
    """The reduction failed. `hint` suggests a solution, if one is known."""

    hint: Optional[str] = None


class AcceptsEmpty(Failure):
    """The test also finds the failure in the empty input, so it would accept any candidate."""


class Flaky(Failure):
    """The test is not deterministic: it gives different verdicts on the same input."""


def make(fault: str, text: str, details: str, hint: Optional[str]) -> BaseException:
    """Creates the exception for a fault."""
    text, hint = _in_python(text), _in_python(hint) if hint else None
    whole = "\n".join(part for part in (text, details.rstrip(), f"hint: {hint}" if hint else "") if part)
    error: BaseException
    if fault == "NotInteresting":
        error = NotFailing(whole)
    elif fault == "NotPassing":
        error = NotPassing(text)
    elif fault == "Usage":
        error = ValueError(whole)
    elif fault == "Interrupted":
        error = KeyboardInterrupt()
    else:
        error = {"EmptyIsInteresting": AcceptsEmpty, "Flaky": Flaky}.get(fault, Failure)(whole)
    if isinstance(error, Failure):
        error.hint = hint
    return error


# Options whose name or value differs from the parameter.
_FORMS = (
    (r"--max-candidates\b", "--max-probes"),
    (r"--keep function:", "--keep-function "),
    (r"--language DIR/", "--grammar DIR"),
    (r"--flaky C,R\b", "--flaky C"),
    (r"--(formatter|preprocessor|inline) (?:none|never)\b", r"\1=False"),
    (r"--(formatter|preprocessor|inline) (?:CMD|always)\b", r"\1=True"),
)


def _in_python(text: str) -> str:
    """Replaces the options of the program in a message by the parameters of `reduce`."""
    from ._reduce import reduce

    known = inspect.signature(reduce).parameters

    def named(option: re.Match[str]) -> str:
        name = option[1].replace("-", "_")
        if name not in known:
            return option[0]
        if option[2] is not None:
            return f"{name}={option[2]}"
        if option[3] is not None:
            return f'{name}="{option[3]}"'
        is_switch = isinstance(known[name].default, bool) or name == "inline"
        return f"{name}=True" if is_switch else name

    for form, parameter in _FORMS:
        text = re.sub(form, parameter, text)
    return re.sub(r"--([a-z][a-z-]+)(?: (?:([A-Z]+|[0-9.]+(?=s?`))s?|([a-z]+)(?=`)))?", named, text)
