"""Makes a report of a month's measurements of some stations: averages, ranks, a curve, warnings.

    python3 report.py SEED

The measurements are made by a generator of numbers, so that there are many of them. One station has days without any value.
"""

import sys

STATIONS = ["north", "harbour", "tower", "bridge", "airport", "valley"]
DAYS = 30
HOURS = 12
WIDTH = 24
LIMIT = 31


class Numbers:
    """A linear congruential generator."""

    def __init__(self, seed):
        self.state = seed % 2147483647 or 1

    def below(self, most):
        self.state = self.state * 48271 % 2147483647
        return self.state % most


class Station:
    """The measurements of a station: a list of values for each day."""

    def __init__(self, name):
        self.name = name
        self.days = []
        self.averages = []
        self.warnings = []
        self.rank = 0

    def add_day(self, values):
        self.days.append(values)


def is_lost(numbers):
    return numbers.below(100) < 3


def make_value(numbers, day, hour):
    base = 15 + day // 5
    swing = hour * (HOURS - hour) // 6
    noise = numbers.below(7) - 3
    return base + swing + noise


def make_day(numbers, day):
    values = []
    for hour in range(HOURS):
        value = make_value(numbers, day, hour)
        if is_lost(numbers):
            continue
        values.append(value)
    return values


def make_station(name, numbers):
    station = Station(name)
    for day in range(DAYS):
        values = make_day(numbers, day)
        if name == "bridge" and day == 17:
            values = []
        station.add_day(values)
    return station


def total_of(values):
    total = 0
    for value in values:
        total = total + value
    return total


def largest_of(values):
    largest = values[0]
    for value in values:
        if value > largest:
            largest = value
    return largest


def smallest_of(values):
    smallest = values[0]
    for value in values:
        if value < smallest:
            smallest = value
    return smallest


def add_averages(station):
    for values in station.days:
        total = total_of(values)
        average = total / len(values) if values else None
        station.averages.append(average)


def add_warnings(station):
    for day, values in enumerate(station.days):
        for hour, value in enumerate(values):
            if value > LIMIT:
                station.warnings.append((day, hour, value))


def month_average(station):
    known = []
    for average in station.averages:
        if average is not None:
            known.append(average)
    return total_of(known) / len(known)


def sort_stations(stations):
    """Sorts by the month's average, the warmest first: insertion sort."""
    order = []
    for station in stations:
        average = month_average(station)
        place = 0
        while place < len(order):
            if month_average(order[place]) < average:
                break
            place = place + 1
        order.insert(place, station)
    for rank, station in enumerate(order):
        station.rank = rank + 1
    return order


def bar(value, most):
    length = round(WIDTH * value / most)
    text = ""
    for _ in range(length):
        text = text + "#"
    return text


def header(station):
    average = month_average(station)
    return f"{station.rank}. {station.name}: {average:.1f}"


def curve(station):
    lines = []
    most = largest_of([average for average in station.averages if average is not None])
    for day, average in enumerate(station.averages):
        lines.append(f"{day + 1:>3} {bar(average, most)}")
    return lines


def extremes(station):
    largest, smallest = [], []
    for values in station.days:
        if not values:
            continue
        largest.append(largest_of(values))
        smallest.append(smallest_of(values))
    return f"from {smallest_of(smallest)} to {largest_of(largest)}"


def warnings(station):
    lines = []
    for day, hour, value in station.warnings:
        lines.append(f"day {day + 1}, hour {hour}: {value}")
    return lines


def section(station):
    lines = [header(station), extremes(station)]
    lines.extend(warnings(station))
    lines.extend(curve(station))
    return lines


def main(arguments):
    numbers = Numbers(int(arguments[0]))
    stations = []
    for name in STATIONS:
        stations.append(make_station(name, numbers))
    for station in stations:
        add_averages(station)
        add_warnings(station)
    report = []
    for station in sort_stations(stations):
        report.extend(section(station))
    for line in report:
        print(line)


if __name__ == "__main__":
    main(sys.argv[1:])
