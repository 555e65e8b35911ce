"""The lifts of a tall house, simulated second by second.

People appear on the floors, call a lift, ride, and leave. Each lift follows
a strategy; at the end the waiting times are printed. Everything is seeded:
two runs give the same result.
"""

import heapq
import itertools
import statistics
from collections import Counter, namedtuple
from dataclasses import dataclass, field
from enum import IntEnum

FLOORS = 12
CAPACITY = 6
DOOR_TIME = 3

Call = namedtuple("Call", "floor direction since")


class Direction(IntEnum):
    DOWN = -1
    STILL = 0
    UP = 1

    @classmethod
    def between(cls, here, there):
        return cls((there > here) - (there < here))

    def __str__(self):
        return {self.DOWN: "v", self.STILL: "-", self.UP: "^"}[self]


class Dice:
    """Numbers that look random; the same seed gives the same numbers."""

    def __init__(self, seed=1):
        self.state = seed & 0xFFFFFFFF

    def roll(self, sides):
        self.state = (self.state * 1664525 + 1013904223) & 0xFFFFFFFF
        return (self.state >> 16) % sides

    def between(self, low, high):
        return low + self.roll(high - low + 1)

    def two_of(self, things):
        things = list(things)
        return things.pop(self.roll(len(things))), things[self.roll(len(things))]


class Overloaded(Exception):
    """Too many people in one lift."""


@dataclass(order=True)
class Event:
    time: int
    serial: int = field(default_factory=itertools.count().__next__)
    action: object = field(compare=False, default=None)


@dataclass
class Person:
    name: str
    start: int
    goal: int
    patience: int = 120
    appeared: int = 0
    entered: int | None = None
    left: int | None = None

    @property
    def direction(self):
        return Direction.between(self.start, self.goal)

    @property
    def waited(self):
        return None if self.entered is None else self.entered - self.appeared

    def __hash__(self):
        return hash(self.name)


class Lift:
    def __init__(self, name, *, floor=0, strategy="collect"):
        self.name = name
        self.floor = floor
        self.direction = Direction.STILL
        self.riders: dict[str, Person] = {}
        self.calls: list[Call] = []
        self.doors = 0
        self.travelled = 0
        self.choose = getattr(self, f"_{strategy}")

    def __repr__(self):
        return f"{self.name}@{self.floor}{self.direction}[{len(self.riders)}]"

    # -- strategies: where to go next -----------------------------------

    def _nearest(self):
        wanted = [c.floor for c in self.calls] + [p.goal for p in self.riders.values()]
        return min(wanted, key=lambda floor: (abs(floor - self.floor), floor), default=None)

    def _collect(self):
        wanted = {c.floor for c in self.calls} | {p.goal for p in self.riders.values()}
        if not wanted:
            return None
        if self.direction is Direction.UP:
            ahead = [f for f in wanted if f >= self.floor]
            return min(ahead) if ahead else max(wanted)
        ahead = [f for f in wanted if f <= self.floor]
        return max(ahead) if ahead else min(wanted)

    def _oldest(self):
        if self.riders:
            return next(iter(self.riders.values())).goal
        return min(self.calls, key=lambda call: call.since).floor if self.calls else None

    # -- what happens in one second ---------------------------------------

    def enter(self, person, now):
        if len(self.riders) >= CAPACITY:
            raise Overloaded(f"{person.name} does not fit into {self!r}")
        person.entered = now
        self.riders[person.name] = person

    def unload(self, now):
        """Let everybody out who has arrived."""
        arrived = []
        for name, person in self.riders.items():
            if person.goal != self.floor:
                continue
            person.left = now
            self.leave(name)
            arrived.append(person)
        return arrived

    def leave(self, name):
        return self.riders.pop(name, None)

    def step(self, now):
        if self.doors > 0:
            self.doors -= 1
            return
        target = self.choose()
        if target is None:
            self.direction = Direction.STILL
        elif target == self.floor:
            self.doors = DOOR_TIME
            self.calls = [c for c in self.calls if c.floor != self.floor]
        else:
            self.direction = Direction.between(self.floor, target)
            self.floor += self.direction
            self.travelled += 1


class House:
    def __init__(self, lifts, seed=1):
        self.lifts = list(lifts)
        self.dice = Dice(seed)
        self.waiting = {floor: [] for floor in range(FLOORS)}
        self.gone: list[Person] = []
        self.events: list[Event] = []
        self.now = 0
        self.names = (f"{first}{last}" for last in itertools.count(1) for first in "ABCDEFGH")
        self.statistics = Counter()

    def at(self, time, action):
        heapq.heappush(self.events, Event(time, action=action))

    def appear(self):
        start, goal = self.dice.two_of(range(FLOORS))
        if self.dice.roll(10) < 4:
            start = 0
            goal = goal or FLOORS - 1
        person = Person(next(self.names), start, goal, appeared=self.now)
        self.waiting[start].append(person)
        self.call(person)
        self.at(self.now + person.patience, lambda: self.give_up(person))
        if self.now < 600:
            self.at(self.now + self.dice.between(2, 12), self.appear)

    def call(self, person):
        request = Call(person.start, person.direction, self.now)
        best = min(self.lifts, key=lambda lift: (abs(lift.floor - person.start) + 4 * len(lift.calls), lift.name))
        if request not in best.calls:
            best.calls.append(request)
        self.statistics["calls"] += 1

    def give_up(self, person):
        queue = self.waiting[person.start]
        if person in queue:
            queue.remove(person)
            self.statistics["stairs"] += 1

    def board(self, lift):
        queue = self.waiting[lift.floor]
        while queue:
            person = queue[0]
            try:
                lift.enter(person, self.now)
            except Overloaded:
                self.statistics["refused"] += 1
                self.call(person)
                break
            else:
                queue.pop(0)
            finally:
                self.statistics["tries"] += 1

    def tick(self):
        while self.events and self.events[0].time <= self.now:
            heapq.heappop(self.events).action()
        for lift in self.lifts:
            lift.step(self.now)
            if lift.doors == DOOR_TIME:
                self.gone += lift.unload(self.now)
                self.board(lift)
        self.now += 1

    def run(self, seconds):
        self.at(0, self.appear)
        for _ in range(seconds):
            self.tick()
        return self.report()

    def report(self):
        waits = [p.waited for p in self.gone if p.waited is not None]
        lines = [
            f"{len(waits)} rides, {self.statistics['stairs']} took the stairs",
            "travelled: " + ", ".join(f"{lift.name} {lift.travelled}" for lift in self.lifts),
        ]
        if waits:
            lines.append(f"waited {statistics.mean(waits):.1f} s, at most {max(waits)} s")
        return "\n".join(lines)


def picture(house):
    rows = []
    for floor in reversed(range(FLOORS)):
        shafts = " ".join(
            f"[{len(lift.riders)}{lift.direction}]" if lift.floor == floor else "  . "
            for lift in house.lifts
        )
        rows.append(f"{floor:>3} {shafts}  {'o' * len(house.waiting[floor])}")
    return "\n".join(rows)


def main():
    strategies = ["collect", "nearest", "oldest"]
    house = House((Lift(f"L{n}", strategy=s) for n, s in enumerate(strategies, 1)), seed=2024)
    try:
        print(house.run(900))
    except (KeyError, IndexError) as error:
        print("the model is broken:", error)
        raise SystemExit(2) from error
    finally:
        print(picture(house))


if __name__ == "__main__":
    main()
