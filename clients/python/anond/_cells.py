"""Cells of a release, and how they meet a condition.

A cell is an exact value, a range ``[lo,hi]``, a set ``{a|b}``, a label of a hierarchy, or ``?`` (no value). The values
that a cell may stand for count as equally likely, as in ``anond-lab query``.
"""

from __future__ import annotations

import csv
import dataclasses
import math
from pathlib import Path
from typing import Any, Iterable, Optional, Sequence

import numpy as np

MISSING = "?"
THEN = "\x1f"  # between the records of a history, as one text; no value has it


@dataclasses.dataclass(frozen=True)
class Span:
    """An interval of numbers."""

    lo: float = -math.inf
    hi: float = math.inf
    lo_open: bool = False
    hi_open: bool = False

    def empty(self) -> bool:
        return self.lo > self.hi or self.lo == self.hi and (self.lo_open or self.hi_open)

    def holds(self, v: float) -> bool:
        return (v > self.lo or v == self.lo and not self.lo_open) and (v < self.hi or v == self.hi and not self.hi_open)

    def meet(self, o: "Span") -> "Span":
        lo, lo_open = max((self.lo, self.lo_open), (o.lo, o.lo_open))
        hi, hi_open = min((self.hi, not self.hi_open), (o.hi, not o.hi_open))
        return Span(lo, hi, lo_open, not hi_open)


EVERY = (Span(),)


@dataclasses.dataclass(frozen=True)
class Fit:
    """How the values of a cell meet a condition: which share of them, whether some and whether all do, and of numbers the
    expectation (0 where the condition does not hold), the least and the largest that do."""

    share: float
    can: bool
    must: bool
    moment: float = 0.0
    lo: float = math.inf
    hi: float = -math.inf


def number(text: str, date: bool = False) -> float:
    """A number, or a date as days since 1970-01-01."""
    return float(np.datetime64(text, "D").astype(np.int64)) if date else float(text)


def leaves_of(tree: dict[str, Any]) -> Iterable[str]:
    for label, below in tree.items():
        yield from leaves_of(below) if below else (label,)


class Attribute:
    """One attribute of the manifest's schema, with the labels of its hierarchy."""

    def __init__(self, entry: dict[str, Any], hierarchies: Path) -> None:
        self.name: str = entry["name"]
        self.role: str = entry["role"]
        self.type: str = entry["type"]
        self.promise: Optional[dict[str, Any]] = entry.get("promise")
        self.exact = entry.get("values") == "exact"
        self.missing = entry.get("missing") == "value"
        hierarchy = entry.get("hierarchy") or {}
        self.buckets: list[float] = hierarchy.get("buckets") or []
        self.steps = bool(hierarchy.get("steps"))
        self.order: list[str] = []  # the leaves of a hierarchy, depth first, as children first appear
        self.numeric = self.type in ("integer", "decimal", "date") and (self.exact or not self.buckets)
        self.date = self.type == "date"
        self.grain = 1.0 if self.type in ("integer", "date") else 0.0
        self.leaves: Optional[dict[str, frozenset[str]]] = None
        if hierarchy.get("file"):
            below: dict[str, set[str]] = {}
            tree: dict[str, Any] = {}
            with open(hierarchies / Path(hierarchy["file"]).name, encoding="utf-8", newline="") as f:
                for line in csv.reader(f, delimiter=";"):
                    for label in line:
                        below.setdefault(label, set()).add(line[0])
                    at = tree
                    for label in reversed([x for i, x in enumerate(line) if i == 0 or x != line[i - 1]]):
                        at = at.setdefault(label, {})
            if self.missing and MISSING not in below:
                below[MISSING] = {MISSING}
                below["*"].add(MISSING)
                tree["*"][MISSING] = {}
            self.order = list(leaves_of(tree))
            self.leaves = {label: frozenset(of) for label, of in below.items()}

    def number(self, text: str) -> float:
        return number(text, self.date)

    def range(self, cell: str) -> tuple[float, float, bool]:
        """Both ends of a number's cell, and whether there may be none. The ends of ``?`` are NaN."""
        if cell == MISSING:
            return math.nan, math.nan, True
        lacks = cell.endswith("|" + MISSING)
        text = cell[:-2] if lacks else cell
        if text.startswith("["):
            lo, hi = text[1:-1].split(",")
            return self.number(lo), self.number(hi), lacks
        v = self.number(text)
        return v, v, lacks

    def members(self, cell: str) -> frozenset[str]:
        """The values that the cell of a category may stand for."""
        if self.leaves is not None:
            return self.leaves[cell]
        return frozenset(cell[1:-1].split("|")) if cell.startswith("{") and cell.endswith("}") else frozenset((cell,))

    def label(self, value: str) -> str:
        """The interval of an exact sensitive number, as pair tables have it; any other value itself."""
        if not self.exact or value == MISSING:
            return value
        v = self.number(value)
        i = max(i for i, edge in enumerate(self.buckets) if edge <= v)
        if i + 1 == len(self.buckets):
            return f"{self.text(self.buckets[i])}+"
        return f"{self.text(self.buckets[i])}..{self.text(self.buckets[i + 1])}"

    def text(self, v: float) -> str:
        return str(np.datetime64(int(v), "D")) if self.date else f"{v:.15g}"


@dataclasses.dataclass(frozen=True)
class Condition:
    """What is asked of one attribute: values (or all others), or intervals of numbers; of histories those that are asked for, and whether
    that asks of the first record alone."""

    attribute: Attribute
    values: frozenset[str] = frozenset()
    negated: bool = False
    spans: tuple[Span, ...] = ()
    first: bool = False

    def meet(self, o: "Condition", known: Iterable[str]) -> "Condition":
        if self.attribute.numeric:
            both = (a.meet(b) for a in self.spans for b in o.spans)
            return dataclasses.replace(self, spans=tuple(s for s in both if not s.empty()))
        return dataclasses.replace(self, values=frozenset(v for v in known if self.holds(v) and o.holds(v)), negated=False,
                                   first=self.first and o.first)

    def holds(self, value: str) -> bool:
        """Whether an exact value is asked for."""
        if self.attribute.numeric:
            return value != MISSING and any(s.holds(self.attribute.number(value)) for s in self.spans)
        return (value in self.values) != self.negated

    def fit(self, cell: str) -> Fit:
        if self.attribute.numeric:
            return fit_number(self.spans, *self.attribute.range(cell), self.attribute.grain)
        members = self.attribute.members(cell)
        n = sum(self.holds(m) for m in members)
        return Fit(n / len(members), n > 0, n == len(members))


def fit_number(spans: Sequence[Span], lo: float, hi: float, lacks: bool, grain: float) -> Fit:
    """The parts of a range that lie in the spans. A number that may be missing is missing with probability 1/2."""
    share = moment = 0.0
    can = must = False
    least, most = math.inf, -math.inf
    if lo <= hi:  # not NaN
        for s in spans:
            p = s.meet(Span(lo, hi))
            if p.empty():
                continue
            a, b, part = p.lo, p.hi, 1.0
            if lo != hi and grain > 0:
                first, last = math.ceil((a - lo) / grain), math.floor((b - lo) / grain)
                first += p.lo_open and lo + first * grain == a
                last -= p.hi_open and lo + last * grain == b
                if last < first:
                    continue
                a, b = lo + first * grain, lo + last * grain
                part = (last - first + 1) / (math.floor((hi - lo) / grain) + 1)
            elif lo != hi:
                part = (b - a) / (hi - lo)
            can = True
            must = must or a == lo and b == hi and not (grain == 0 and (p.lo_open or p.hi_open))
            share += part
            moment += part * (a + b) / 2
            least, most = min(least, a), max(most, b)
    if lacks:
        share, moment, must = share / 2, moment / 2, False
    return Fit(share, can, must, moment, least, most)
