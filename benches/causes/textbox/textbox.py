"""Set a text in a box: textbox.py WIDTH TEXT

The lines of the text have at most WIDTH characters; a longer word is cut.
"""

import sys


def cut_words(text, width):
    """The words of `text`, the longer ones in pieces of `width` characters."""
    pieces = []
    for word in text.split():
        while len(word) > width:
            pieces.append(word[:width])
            word = word[width:]
        pieces.append(word)
    return pieces


def wrap(words, width):
    """Fill lines with `words`, as many as fit into each."""
    lines = []
    line = []
    length = 0                  # of the words and the blanks between them
    for word in words:
        if line and length + len(word) > width:
            lines.append(" ".join(line))
            line = []
            length = 0
        if line:
            length += 1
        line.append(word)
        length += len(word)
    if line:
        lines.append(" ".join(line))
    return lines


def centre(line, width):
    padding = width - len(line)
    left = padding // 2
    right = padding - left
    return " " * left + line + " " * right


def box(lines, width):
    border = "+" + "-" * (width + 2) + "+"
    rows = [border]
    for line in lines:
        rows.append("| " + centre(line, width) + " |")
    rows.append(border)
    return rows


def main(arguments):
    width = int(arguments[0])
    words = cut_words(arguments[1], width)
    for row in box(wrap(words, width), width):
        print(row)


if __name__ == "__main__":
    main(sys.argv[1:])
