"""The syntax tree of an input as a picture, in which removed and remaining parts have different colours."""

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
"""The maximum number of drawn levels of the tree."""
LETTER = 6.5
"""The approximate width of a letter of a label."""
NARROWEST, TOLD = 1.5, 120
"""The minimum width of a drawn block, and the maximum length of its text."""
LARGEST = 20_000
"""The maximum number of tokens of an input."""
WENT, STAYED = (230, 150, 140), (120, 190, 130)
"""The colours of removed and remaining parts: red, green and blue."""


@dataclass(frozen=True)
class Block:
    """A node of the tree in the picture."""

    type: str
    text: str
    level: int
    """The number of drawn nodes that contain it."""
    first: int
    """The number of its first token."""
    tokens: int
    """The number of its tokens."""
    stayed: int
    """The number of its tokens that remain in the result."""


@dataclass(frozen=True)
class Picture:
    """A picture of a tree: a notebook displays it, and `svg` is its source."""

    blocks: tuple[Block, ...]
    """The nodes, outer ones first, without those that contain only a single node."""
    tokens: int
    """The number of tokens of the input."""

    @property
    def svg(self) -> str:
        """Returns the picture: a row for each level, and a block for each node, as wide as its share of the
        tokens.
        """
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
            for share, name in ((0.0, "removed"), (0.5, "partly removed"), (1.0, "kept"))
        )
        return f"<div>{self.svg}<p>{key}</p></div>"


def picture(data: bytes, result: bytes, language: Optional[str]) -> Picture:
    """Returns the tree of an input, coloured by how much of it remains in a result.

    Raises `ValueError` for an input whose language is unknown, or with more than 20,000 tokens.
    """
    if language is None:
        raise ValueError("the input has no syntax tree: its language is unknown")
    places, tokens = _tokens(data)
    if len(tokens) > LARGEST:
        raise ValueError(f"the input has {len(tokens):,} tokens; a picture has at most {LARGEST:,}")
    stays = [0] * len(tokens)
    for match in SequenceMatcher(None, tokens, _tokens(result)[1], autojunk=False).get_matching_blocks():
        stays[match.a : match.a + match.size] = [1] * match.size
    before = [0, *accumulate(stays)]
    blocks: list[Block] = []
    # A node, its level in the picture, and the tokens of the enclosing node.
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
    """Returns the positions of the tokens of a text, and the tokens."""
    found = list(re.finditer(rb"[\w\x80-\xff]+|[^\s\w\x80-\xff]", data))
    return [one.start() for one in found], [one.group() for one in found]


def _colour(share: float) -> str:
    """Returns the colour of a node of which this share remains."""
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
