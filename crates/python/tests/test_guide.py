"""The examples of the guide."""

import doctest
import os
import re
from pathlib import Path

GUIDE = Path(os.environ.get("NUBBIN_GUIDE") or Path(__file__).parents[3] / "docs" / "guide")


def test_the_examples_of_the_guide_show_what_it_says(program, capsys):
    text = (GUIDE / "python-module.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 5
    names = {}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    for number, block in enumerate(blocks, 1):
        test = parser.get_doctest(block, names, f"block {number}", "python-module.md", 0)
        runner.run(test, clear_globs=False)
        names = test.globs
    assert runner.summarize(verbose=False).failed == 0, capsys.readouterr().out
