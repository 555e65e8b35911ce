"""Sum the minutes of a day's work by tag: tags.py TASK...

A task is written NAME=MINUTES, with its tags behind it: mail=10#office#daily
"""

import sys
from dataclasses import dataclass


@dataclass
class Task:
    name: str
    minutes: int
    tags: tuple


def parse_task(text, tags=[]):
    """The task that `text` describes; `tags` are added to its own."""
    head, *own = text.split("#")
    name, minutes = head.split("=")
    tags += own
    return Task(name, int(minutes), tuple(tags))


def minutes_by_tag(tasks):
    minutes = {}
    for task in tasks:
        for tag in task.tags or ("other",):
            minutes[tag] = minutes.get(tag, 0) + task.minutes
    return minutes


def share(part, whole):
    return round(100 * part / whole) if whole else 0


def report(tasks):
    whole = sum(task.minutes for task in tasks)
    minutes = minutes_by_tag(tasks)
    lines = []
    for tag in sorted(minutes):
        spent = minutes[tag]
        lines.append(f"{tag:<8}{spent:>4} min{share(spent, whole):>5} %")
    return lines


def main(arguments):
    tasks = []
    for text in arguments:
        tasks.append(parse_task(text))
    for line in report(tasks):
        print(line)


if __name__ == "__main__":
    main(sys.argv[1:])
