"""The syntax tree of an input as a picture, in which what went has another colour than what stayed."""

import html
import re
from bisect import bisect_left
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate
from typing import Optional

from . import _nubbin
from ._nubbin import Node

__all__ = ["Picture", "picture"]

WIDTH, ROW = 720, 18
LEVELS = 40
"""The most levels of the tree that are drawn."""
LETTER = 6.5
"""The width of a letter of a label, about."""
NARROWEST, TOLD = 1.5, 120
"""The least width of a block that is drawn, and the most letters of its text that are told."""
LARGEST = 20_000
"""The most tokens of an input whose tokens are compared with those of the result."""
WENT, STAYED = (230, 150, 140), (120, 190, 130)
"""The colours of what went and of what stayed, red, green and blue."""


@dataclass(frozen=True)
class Block:
    """A node of the tree in the picture."""

    type: str
    text: str
    level: int
    """The number of nodes around it that are drawn."""
    first: int
    """The number of its first token."""
    tokens: int
    """The number of its tokens."""
    stayed: int
    """The number of those that are in the result."""


@dataclass(frozen=True)
class Picture:
    """A tree to look at: a notebook shows it, and `svg` is its source."""

    blocks: tuple[Block, ...]
    """The nodes from the outer to the inner ones; those that hold nothing but another one are left out."""
    tokens: int
    """The number of tokens of the input."""

    @property
    def svg(self) -> str:
        """The picture: a row for each level, and a block for each node, as wide as its share of the tokens."""
        scale = WIDTH / max(self.tokens, 1)
        height = ROW * (1 + max((block.level for block in self.blocks), default=0))
        drawn = "".join(_drawn(block, scale) for block in self.blocks if block.tokens * scale >= NARROWEST)
        return (
            f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{height}' "
            f"viewBox='0 0 {WIDTH} {height}' role='img' aria-label='the syntax tree'>{drawn}</svg>"
        )

    def _repr_html_(self) -> str:
        key = "".join(
            f"<span style='background:{_colour(share)};padding:0 .5em;color:#222'>{name}</span> "
            for share, name in ((0.0, "went"), (0.5, "went in part"), (1.0, "stayed"))
        )
        return f"<div>{self.svg}<p>{key}</p></div>"


def picture(data: bytes, result: bytes, language: Optional[str]) -> Picture:
    """The tree of an input, by what of it is in a result.

    Raises `ValueError` for an input in no known language, or with more than 20,000 tokens.
    """
    if language is None:
        raise ValueError("the input has no tree: its language is not known")
    places, tokens = _tokens(data)
    if len(tokens) > LARGEST:
        raise ValueError(f"the input has {len(tokens):,} tokens; a picture has at most {LARGEST:,}")
    stays = [0] * len(tokens)
    for match in SequenceMatcher(None, tokens, _tokens(result)[1], autojunk=False).get_matching_blocks():
        stays[match.a : match.a + match.size] = [1] * match.size
    before = [0, *accumulate(stays)]
    blocks: list[Block] = []
    # A node, the number of drawn nodes around it, and the tokens of the node around it.
    waiting: list[tuple[Node, int, Optional[tuple[int, int]]]] = [(_nubbin.parse(data, False, language), 0, None)]
    while waiting:
        node, level, outer = waiting.pop()
        own = bisect_left(places, node.start), bisect_left(places, node.end)
        if own[0] == own[1] or level == LEVELS:
            continue
        if own != outer:
            first, end = own
            text = " ".join(data[node.start : node.end].decode("utf-8", "replace").split())
            blocks.append(Block(node.type, text[:TOLD], level, first, end - first, before[end] - before[first]))
            level += 1
        waiting += [(child, level, own) for child in reversed(node.children)]
    return Picture(tuple(blocks), len(tokens))


def _tokens(data: bytes) -> tuple[list[int], list[bytes]]:
    """The places of the tokens of a text, and the tokens."""
    found = list(re.finditer(rb"[\w\x80-\xff]+|[^\s\w\x80-\xff]", data))
    return [one.start() for one in found], [one.group() for one in found]


def _colour(share: float) -> str:
    """The colour of a node of which this share has stayed."""
    return "#" + "".join(f"{round(went + share * (stayed - went)):02x}" for went, stayed in zip(WENT, STAYED))


def _drawn(block: Block, scale: float) -> str:
    x, width, y = block.first * scale, block.tokens * scale, block.level * ROW
    label = block.text if block.tokens == 1 or len(block.text) * LETTER < width else block.type
    label = label[: max(0, int(width / LETTER))]
    told = f"{block.type}: {block.stayed} of {block.tokens} tokens stayed\n{block.text}"
    return (
        f"<g><title>{html.escape(told)}</title>"
        f"<rect x='{x:.1f}' y='{y}' width='{width:.1f}' height='{ROW}' stroke='white' stroke-width='0.5' "
        f"fill='{_colour(block.stayed / block.tokens)}'/>"
        f"<text x='{x + 3:.1f}' y='{y + 13}' font-size='11' font-family='monospace' fill='#222'>{html.escape(label)}</text></g>"
    )
