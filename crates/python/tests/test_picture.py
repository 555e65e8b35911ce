"""The picture of a tree."""

from pathlib import Path

import nubbin
import pytest
from nubbin import _picture

SOURCE = "def f(a):\n    return a + 1\n\nprint(f(2))\n"


def reduced(source, language="python"):
    return nubbin.reduce(source, lambda text: "f(2)" in text, language=language)


def test_the_kept_tokens_of_each_node_are_counted():
    reduction = reduced(SOURCE)
    assert reduction.best == "f(2)\n"
    picture = reduction.tree()
    assert picture.tokens == 17
    root = picture.blocks[0]
    assert (root.type, root.level, root.first, root.tokens, root.stayed) == ("module", 0, 0, 17, 4)
    by_text = {block.text: (block.stayed, block.tokens) for block in picture.blocks}
    assert by_text["def f(a): return a + 1"] == (0, 10)
    assert by_text["print(f(2))"] == (4, 7)
    assert by_text["f(2)"] == (4, 4)


def test_a_picture_is_well_formed_for_any_text():
    import xml.etree.ElementTree as tree

    reduction = reduced("x = '<&\\'\\x00>'\nprint(f(2))\n")
    drawing = tree.fromstring(reduction.tree().svg)
    assert sum(1 for _ in drawing.iter("{http://www.w3.org/2000/svg}rect")) > 10
    assert "partly removed" in reduction.tree()._repr_html_()


def test_a_deep_text_is_drawn_down_to_a_level():
    deep = "(" * 3000 + "f(2)" + ")" * 3000
    blocks = _picture.picture(deep.encode(), b"f(2)", "python").blocks
    assert max(block.level for block in blocks) == 39


def test_an_input_without_a_syntax_tree_is_refused(tmp_path: Path):
    with pytest.raises(ValueError, match="language is unknown"):
        reduced("f(2)\nmore\n", None).tree()
    with pytest.raises(ValueError, match="at most 20,000"):
        _picture.picture(b"x " * 20_001, b"x", "python")
