"""A little ledger: accounts, transfers between them, and monthly statements.

The ledger is kept in memory and written to a journal, one line a booking.
Bookings are grouped into batches; a batch is all or nothing.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import functools
import itertools
import json
import operator
import threading
from collections import defaultdict
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation

CURRENCIES = {"EUR": 2, "USD": 2, "JPY": 0, "KWD": 3}
EPOCH = date(2020, 1, 1)
STATEMENT = """\
Statement of {name}
  from {first:%d %B %Y}
  to   {last:%d %B %Y}

{lines}

  balance {balance:>12}
"""


class LedgerError(Exception):
    """Something that the books do not allow."""

    def __init__(self, message, *, account=None, **details):
        super().__init__(message)
        self.account = account
        self.details = {key: value for key, value in details.items() if value is not None}

    def __str__(self):
        where = f" (account {self.account!r})" if self.account else ""
        return f"{self.args[0]}{where}"


class Kind(enum.Enum):
    ASSET = "asset"
    LIABILITY = "liability"
    INCOME = "income"
    EXPENSE = "expense"

    @property
    def sign(self) -> int:
        return +1 if self in (Kind.ASSET, Kind.EXPENSE) else -1


@functools.total_ordering
@dataclasses.dataclass(frozen=True)
class Money:
    amount: Decimal
    currency: str = "EUR"

    @classmethod
    def parse(cls, text: str, /) -> Money:
        """Read amounts such as "12.50 EUR" or "-3 JPY"."""
        number, _, currency = text.strip().partition(" ")
        try:
            amount = Decimal(number)
        except InvalidOperation as problem:
            raise LedgerError(f"not an amount: {text!r}") from problem
        else:
            return cls(amount, currency or "EUR").rounded()

    def rounded(self):
        places = CURRENCIES.get(self.currency, 2)
        return Money(self.amount.quantize(Decimal(1).scaleb(-places)), self.currency)

    def __add__(self, other):
        if not isinstance(other, Money):
            return NotImplemented
        if other.currency != self.currency:
            raise LedgerError("cannot add two currencies", left=self.currency, right=other.currency)
        return Money(self.amount + other.amount, self.currency)

    def __neg__(self):
        return Money(-self.amount, self.currency)

    def __lt__(self, other):
        return (self.currency, self.amount) < (other.currency, other.amount)

    def __format__(self, spec):
        return format(f"{self.amount:,} {self.currency}", spec)


@dataclasses.dataclass
class Booking:
    day: date
    debit: str
    credit: str
    money: Money
    note: str = ""
    tags: set[str] = dataclasses.field(default_factory=set)

    def touches(self, account: str) -> bool:
        return account in (self.debit, self.credit)


class Journal:
    """Append-only record of bookings; a lock keeps writers apart."""

    def __init__(self, path=None):
        self.path = path
        self.lock = threading.RLock()
        self.pending: list[Booking] = []
        self.lines = []

    @contextlib.contextmanager
    def batch(self):
        start = len(self.pending)
        with self.lock:
            try:
                yield self
            except LedgerError:
                del self.pending[start:]
                raise
            finally:
                self.flush()

    def append(self, booking, *more):
        for each in (booking, *more):
            self.pending.append(each)

    def flush(self):
        while self.pending:
            each = self.pending.pop(0)
            self.lines.append(json.dumps({
                "day": each.day.isoformat(),
                "from": each.credit,
                "to": each.debit,
                "amount": str(each.money.amount),
                "currency": each.money.currency,
                **({"note": each.note} if each.note else {}),
            }))


class Ledger:
    limits = {Kind.ASSET: Decimal("0"), Kind.LIABILITY: Decimal("-100_000")}

    def __init__(self, journal: Journal | None = None):
        self.journal = journal or Journal()
        self.kinds: dict[str, Kind] = {}
        self.bookings: list[Booking] = []

    def open(self, name, kind=Kind.ASSET):
        if name in self.kinds:
            raise LedgerError("opened twice", account=name)
        self.kinds[name] = kind
        return self

    def book(self, day, debit, credit, text, *tags, note=""):
        for name in (debit, credit):
            if name not in self.kinds:
                raise LedgerError("no such account", account=name)
        booking = Booking(day, debit, credit, Money.parse(text), note, set(tags))
        with self.journal.batch() as journal:
            journal.append(booking)
        self.bookings.append(booking)
        return booking

    def balance(self, name, until: date = date.max):
        total = defaultdict(Decimal)
        for booking in self.bookings:
            if booking.day > until or not booking.touches(name):
                continue
            sign = 1 if booking.debit == name else -1
            total[booking.money.currency] += sign * booking.money.amount
        return {c: v * self.kinds[name].sign for c, v in sorted(total.items()) if v}

    def merge(self, other: Ledger) -> Ledger:
        """Move the bookings of another ledger here, oldest first."""
        mine, theirs = self.journal, other.journal
        with ((mine.lock, theirs.lock)):
            merged = sorted(
                itertools.chain(self.bookings, other.bookings),
                key=operator.attrgetter("day", "debit"),
            )
            self.kinds = {**other.kinds, **self.kinds}
            self.bookings[:] = merged
            other.bookings.clear()
        return self

    def by_month(self):
        key = lambda booking: (booking.day.year, booking.day.month)
        for month, group in itertools.groupby(sorted(self.bookings, key=key), key):
            yield month, [*group]

    def search(self, query):
        match query:
            case str() as word:
                found = (b for b in self.bookings if word.lower() in b.note.lower())
            case {"tag": tag, **rest} if not rest:
                found = (b for b in self.bookings if tag in b.tags)
            case [first, last]:
                found = (b for b in self.bookings if first <= b.day < last)
            case Money(amount=amount) | (Decimal() as amount):
                found = (b for b in self.bookings if b.money.amount == amount)
            case _:
                raise LedgerError("what should I look for?")
        return list(found)


def statement(ledger, name, first=EPOCH, days=30):
    last = first + timedelta(days=days)
    rows = []
    for booking in ledger.search([first, last]):
        if not booking.touches(name):
            continue
        arrow = "<-" if booking.debit == name else "->"
        other = booking.credit if booking.debit == name else booking.debit
        rows.append(f"  {booking.day:%d.%m.} {arrow} {other:<12} {booking.money:>14}  {booking.note}")
    balance = ", ".join(f"{v:,} {c}" for c, v in ledger.balance(name, last).items()) or "nothing"
    return STATEMENT.format(
        name=name, first=first, last=last, lines="\n".join(rows), balance=balance
    )


def retry(times: int = 3, *, on: tuple[type[Exception], ...] = (LedgerError,)):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            for attempt in range(times):
                try:
                    return function(*args, **kwargs)
                except on as problem:
                    if attempt + 1 == times:
                        raise
                    print(f"attempt {attempt + 1}: {problem}")
        return wrapper
    return decorate


@retry(times=2)
def example():
    ledger = Ledger()
    ledger.open("cash").open("bank").open("salary", Kind.INCOME).open("rent", Kind.EXPENSE)
    pay_day = EPOCH + timedelta(days=24)
    ledger.book(pay_day, "bank", "salary", "2500.00", "work", note="January's pay")
    ledger.book(pay_day + timedelta(days=2), "cash", "bank", "120")
    ledger.book(pay_day + timedelta(days=7), "rent", "bank", "780.00 EUR", "flat", note="rent")
    while (left := ledger.balance("cash").get("EUR", 0)) > 100:
        ledger.book(pay_day, "rent", "cash", "12.50", note=f"coffee, {left} left")
    print(statement(ledger, "bank"))
    assert sum(1 for _ in ledger.by_month()) >= 1, "nothing was booked"
    return ledger


if __name__ == "__main__":
    example()
