"""Book the first free time of a day: meetings.py MINUTES BUSY...

Each BUSY is an appointment that is there already, such as 9:00-10:30.
"""

import sys

DAY_START = 9 * 60
DAY_END = 17 * 60


class Span:
    def __init__(self, start, end):
        self.start = start
        self.end = end

    def overlaps(self, other):
        return self.start < other.end and other.start < self.end

    def __str__(self):
        return f"{clock(self.start)}-{clock(self.end)}"


class Conflict(Exception):
    pass


class Calendar:
    def __init__(self):
        self.appointments = []

    def add(self, span):
        self.appointments.append(span)

    def book(self, span):
        for other in self.appointments:
            if span.overlaps(other):
                raise Conflict(f"{span} overlaps {other}")
        self.add(span)


def clock(minutes):
    return f"{minutes // 60}:{minutes % 60:02}"


def parse_clock(text):
    hours, minutes = text.split(":")
    return int(hours) * 60 + int(minutes)


def parse_span(text):
    start, end = text.split("-")
    return Span(parse_clock(start), parse_clock(end))


def merge(spans):
    """The times that `spans` cover, in order and without overlaps."""
    merged = []
    for span in sorted(spans, key=lambda span: span.start):
        if merged and span.start <= merged[-1].end:
            last = merged[-1]
            last.end = span.end
        else:
            merged.append(Span(span.start, span.end))
    return merged


def gaps(busy):
    """The times of the day between the spans of `busy`."""
    free = []
    time = DAY_START
    for span in busy:
        if span.start > time:
            free.append(Span(time, span.start))
        time = max(time, span.end)
    if time < DAY_END:
        free.append(Span(time, DAY_END))
    return free


def first_fit(free, minutes):
    for gap in free:
        if gap.end - gap.start >= minutes:
            return Span(gap.start, gap.start + minutes)
    return None


def main(arguments):
    minutes = int(arguments[0])
    calendar = Calendar()
    for text in arguments[1:]:
        calendar.add(parse_span(text))

    busy = merge(calendar.appointments)
    slot = first_fit(gaps(busy), minutes)
    if slot is None:
        print("no free time")
        return
    calendar.book(slot)
    print(f"booked {slot}")


if __name__ == "__main__":
    main(sys.argv[1:])
