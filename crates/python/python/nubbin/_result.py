"""The result of a reduction, and data about its progress."""

import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Optional, TypeVar, Union

from ._picture import Picture, picture

__all__ = ["PassReport", "Progress", "Proof", "Reduction", "Size", "Step"]

D = TypeVar("D", bytes, str, Path)


@dataclass(frozen=True)
class Size:
    """The size of a text."""

    tokens: int
    """Words and single punctuation characters, counted alike in all languages."""
    bytes: int
    """Bytes; strings are encoded as UTF-8."""
    lines: int
    """Lines that do not consist of whitespace only."""


@dataclass(frozen=True)
class Step:
    """A step of a reduction: a smaller text that still shows the failure."""

    pass_name: str
    """The pass that found it."""
    size: Size
    """The size after it."""
    probes: int
    """The number of candidates tested so far."""
    seconds: float
    """The time since the start in seconds."""


@dataclass(frozen=True)
class PassReport:
    """The effect and the cost of a pass."""

    name: str
    runs: int
    probes: int
    accepted: int
    """The number of its candidates that showed the failure."""
    tokens: int
    """The number of tokens that it removed."""
    bytes: int
    """The number of bytes that it removed."""


@dataclass(frozen=True)
class Proof:
    """The proof of a result, or the reason why there is none."""

    kind: str
    """`1-minimal`, or the reason why it is not: `interrupted`; the limits `probes`, `time` and `size`; `dry` if a pass needed
    for the proof was skipped; `earlier` if the result is that of an earlier, completed run."""
    parts: dict[str, int] = field(default_factory=dict)
    """The numbers of parts that were removed individually, each of which is needed for the failure."""

    def __bool__(self) -> bool:
        return self.kind == "1-minimal"

    def __str__(self) -> str:
        if self:
            return "1-minimal over " + ", ".join(f"{number} {part}" for part, number in self.parts.items())
        return {
            "probes": "nothing: stopped by max_probes",
            "time": "nothing: stopped by max_time",
            "size": "nothing: stopped by stop_at",
            "dry": "nothing: passes needed for the proof are skipped",
            "earlier": "by an earlier, completed run",
        }.get(self.kind, "nothing: interrupted")


@dataclass(frozen=True)
class Progress:
    """The data that a progress callback receives."""

    event: str
    """`started`, `pass`, `probed`, `accepted`, `undone`, `measured` or `note`."""
    size: Size
    """The size of the current best."""
    before: Size
    """The size of the input."""
    probes: int
    """The number of tested candidates."""
    pass_name: str
    """The current pass."""
    seconds: float
    """The time since the start in seconds."""
    note: Optional[str] = None
    """A message for the user, if the event is a note."""


@dataclass(frozen=True)
class Reduction(Generic[D]):
    """The result of a reduction, with its cost and what is known about it."""

    best: D
    """The smallest failing input found, of the same type as the input; for a path, the path of the result."""
    input: D
    """The input that was passed."""
    before: Size
    """The size of the input."""
    after: Size
    """The size of the result."""
    probes: int
    """The number of tested candidates."""
    proof: Proof
    """The proof of the result, which is true if the result is 1-minimal."""
    steps: Sequence[Step]
    """The steps, in order."""
    passes: Sequence[PassReport]
    """The effect and the cost of each pass."""
    seconds: float
    """The duration in seconds."""
    test_seconds: float
    """The part of the duration that was spent waiting for the test."""
    language: Optional[str]
    """The language in which the input was parsed."""
    kept: Optional[str]
    """A description of the failure of a command."""
    notes: Sequence[str]
    """Messages for the user."""
    counts: dict[str, int]
    """The numbers of candidates by outcome: `interesting`, `unresolved`, `cached`, `unparsable`; and of `runs` of the test."""
    data: bytes = field(repr=False)
    """The result as bytes; for a directory, its files one after the other."""

    def save(self, path: "Union[str, Path]") -> Path:
        """Writes the result to a file, or to a new directory, and returns its path."""
        place = Path(path)
        if isinstance(self.best, Path) and self.best.is_dir():
            import shutil

            return Path(shutil.copytree(self.best, place, symlinks=True))
        place.write_bytes(self.data)
        return place

    def tree(self) -> Picture:
        """Returns the syntax tree of the input as a picture, in which removed and remaining parts have
        different colours.

        Raises `ValueError` for a directory, for an input whose language is unknown, and for one with more
        than 20,000 tokens.
        """
        if isinstance(self.input, Path) and self.input.is_dir():
            raise ValueError("a directory has a tree for each of its files: parse these one by one")
        return picture(bytes_of(self.input), self.data, self.language)

    def __str__(self) -> str:
        parts = [_less(unit, getattr(self.before, unit), getattr(self.after, unit)) for unit in ("tokens", "bytes", "lines")]
        return (
            f"reduced    {', '.join(parts)}\n"
            f"candidates {self.probes} in {self.seconds:.1f} s\n"
            f"proven     {self.proof}"
        )

    def _repr_html_(self) -> str:
        """Returns what a notebook displays: the sizes, the curve of the steps, and a small result."""
        rows = "".join(
            f"<tr><th style='text-align:left'>{unit}</th><td>{getattr(self.before, unit):,}</td>"
            f"<td>{getattr(self.after, unit):,}</td></tr>"
            for unit in ("tokens", "bytes", "lines")
        )
        text = self.data.decode("utf-8", "replace")
        shown = text if len(text) <= 4000 else text[:4000] + "\n…"
        return (
            f"<div><table><tr><th></th><th>before</th><th>after</th></tr>{rows}</table>"
            f"<p>{self.probes:,} probes in {self.seconds:.1f} s; proven: {html.escape(str(self.proof))}</p>"
            f"{self._curve()}<pre>{html.escape(shown)}</pre></div>"
        )

    def _curve(self) -> str:
        """Returns a curve of the number of tokens over the number of probes."""
        if not self.steps or not self.before.tokens or not self.probes:
            return ""
        width, height = 480, 120
        points, last = [(0, self.before.tokens)], self.before.tokens
        for step in self.steps:
            points += [(step.probes, last), (step.probes, step.size.tokens)]
            last = step.size.tokens
        points.append((self.probes, last))
        line = " ".join(
            f"{x * width / self.probes:.1f},{height - y * height / self.before.tokens:.1f}" for x, y in points
        )
        return (
            f"<svg width='{width}' height='{height}' viewBox='-2 -2 {width + 4} {height + 4}' role='img' "
            f"aria-label='tokens over probes'><polyline points='{line}' fill='none' stroke='currentColor'/></svg>"
        )


def bytes_of(data: Union[bytes, str, Path]) -> bytes:
    """Returns the bytes of an input: those of a string, or of a file."""
    if isinstance(data, str):
        return data.encode("utf-8", "surrogatepass")
    return data.read_bytes() if isinstance(data, Path) else bytes(data)


def _less(unit: str, before: int, after: int) -> str:
    percent = 100 * (before - after) / before if before else 0
    if after > 0:  # Not 100 % if something remains.
        percent = min(percent, 99.9)
    share = f" (−{percent:.1f} %)" if before else ""
    return f"{before:,} → {after:,} {unit}{share}"


def size_of(sizes: tuple[int, int, int]) -> Size:
    """Returns a size from its three numbers."""
    return Size(*sizes)


def reduction_of(report: dict[str, Any], best: Any, given: Any) -> "Reduction[Any]":
    """Returns the result from the record of a reduction."""
    kind = report["proof"]
    if kind == "interrupted" and report.get("is_late"):
        kind = "time"
    names = ["interesting", "unresolved", "cached", "unparsable", "runs"]
    counts: dict[str, int] = {name: report[name] for name in names if name in report}
    return Reduction(
        best=best,
        input=given,
        before=size_of(report["before"]),
        after=size_of(report["after"]),
        probes=report["probes"],
        proof=Proof(kind, dict(report["proven"])),
        steps=tuple(Step(name, size_of(size), probes, seconds) for name, size, probes, seconds in report["steps"]),
        passes=tuple(PassReport(*one) for one in report.get("passes", ())),
        seconds=report["seconds"],
        test_seconds=report.get("test_seconds", 0.0),
        language=report.get("language"),
        kept=report.get("kept"),
        notes=tuple(report["notes"]),
        counts=counts,
        data=report["best"],
    )
