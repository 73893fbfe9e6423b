"""A release whose parts were published under several settings: one `Release` for each of these eras."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pandas as pd

from ._cells import Attribute, Condition
from ._language import QueryError, parse

if TYPE_CHECKING:
    from .release import Answer, Release


class Eras:
    """A release whose settings changed: `eras` are its parts by settings, oldest first, each a `Release` with all that one can do. Here stand
    the tables of all of them, and counts, sums and means over all. `rows` and `values` have the columns of the newest era, then what only
    earlier ones have; a cell that a part does not have is missing (pd.NA). `bag` is a pair of era and bucket."""

    def __init__(self, eras: list["Release"]) -> None:
        self.eras = eras
        self.manifest: dict[str, Any] = eras[-1].manifest
        self.directory = eras[-1].directory
        self.rows = self._together([e.rows for e in eras])
        self.values = self._together([e.values for e in eras])

    def __repr__(self) -> str:
        return f"<{len(self.eras)} eras: {', '.join(map(repr, self.eras))}>"

    @staticmethod
    def _together(tables: list[pd.DataFrame]) -> pd.DataFrame:
        keyed = [t.assign(bag=[(era, bag) for bag in t["bag"]]) for era, t in enumerate(tables)]
        return pd.concat(keyed[::-1], ignore_index=True).astype({"bag": object})

    def check(self, *args: Any, **named: Any) -> list[str]:
        """See Release.check."""
        return self.eras[-1].check(*args, **named)

    def _where(self, era: "Release", text: str) -> tuple[dict[str, Condition], bool]:
        """The conditions on what an era has, and whether there are others. A label of another era's hierarchy stands for the values below."""
        attributes: dict[str, Attribute] = {}
        known: dict[str, list[str]] = {}
        for e in [*self.eras, era]:
            for name, a in e.attributes.items():
                before = attributes.get(name)
                attributes[name] = a = copy.copy(a)
                if a.leaves is not None or before is not None and before.leaves is not None:
                    a.leaves = {**((before and before.leaves) or {}), **(a.leaves or {})}
                known[name] = [] if a.numeric else e.known(name)
        asked = parse(text, attributes, known, era.histories)
        return {name: c for name, c in asked.items() if name in era.attributes}, any(name not in era.attributes for name in asked)

    def count(self, where: str = "") -> "Answer":
        """How many people there are of whom this holds. Of parts without a column that is asked for nobody must, and anybody may: as many are
        estimated as in the eras that have all of them, by what the other conditions say."""
        from .release import Answer

        asked = [(e, *self._where(e, where)) for e in self.eras]
        out = []
        for era, own, open_ in asked:
            a = era._ask([(own, None, False)])[0]
            if open_:
                have, all_ = 0.0, 0.0
                for other, theirs, opened in asked:
                    if not opened:
                        have += other._ask([(theirs, None, False)])[0].estimate
                        all_ += other._ask([({n: c for n, c in theirs.items() if n in era.attributes}, None, False)])[0].estimate
                share = min(1.0, have / all_) if all_ else 0.0
                a = Answer(a.estimate * share, 0.0, a.upper, 0.0, a.upper, a.shares * share, a.hidden or not all_)
            out.append(a)
        return Answer(*(sum(getattr(a, x) for a in out) for x in ("estimate", "low", "high", "lower", "upper", "shares")),
                      hidden=any(a.hidden for a in out))

    def _every(self, attribute: str, where: str) -> list[tuple["Release", dict[str, Condition]]]:
        asked = [(e, *self._where(e, where)) for e in self.eras]
        if any(open_ or attribute not in e.attributes for e, _, open_ in asked):
            raise QueryError("parts of the release do not have each column that is asked for: ask for a count, or ask one of `eras`")
        return [(e, c) for e, c, _ in asked]

    def sum(self, attribute: str, where: str = "") -> "Answer":
        """The sum of a number over the people of whom this holds."""
        from .release import Answer

        out = [e._ask([(c, e._summed(attribute), False)])[0] for e, c in self._every(attribute, where)]
        return Answer(*(sum(getattr(a, x) for a in out) for x in ("estimate", "low", "high", "lower", "upper", "shares")),
                      hidden=any(a.hidden for a in out))

    def mean(self, attribute: str, where: str = "") -> "Answer":
        """The mean of a number: that of the eras, weighted by their counts; bounds and interval hold those of each."""
        from .release import Answer

        asked = self._every(attribute, where)
        out = [(e._ask([(c, e._summed(attribute), True)])[0], e._ask([(c, None, False)])[0].estimate) for e, c in asked]
        some = [(a, n) for a, n in out if a.lower == a.lower]  # else there can be nobody
        if not some:
            return out[0][0]
        people = sum(n for _, n in some) or 1.0
        return Answer(sum(a.estimate * n for a, n in some) / people, min(a.low for a, _ in some), max(a.high for a, _ in some),
                      min(a.lower for a, _ in some), max(a.upper for a, _ in some), sum(a.shares * n for a, n in some) / people,
                      any(a.hidden for a, _ in some))
