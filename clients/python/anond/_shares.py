"""Estimates by shares, with bounds: each row of a bucket has a value with the share that the value has of the bucket.

The numbers are those of ``anond-lab query --shares``. The bounds hold for every assignment of the values.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Optional

import numpy as np
from numpy.typing import NDArray

from ._cells import EVERY, MISSING, Condition

if TYPE_CHECKING:
    from .release import Release

Floats = NDArray[np.float64]
ROUNDS = 60  # of a fit


@dataclasses.dataclass
class Rows:
    """How the rows meet the conditions on quasi-identifiers."""

    share: Floats
    can: NDArray[np.bool_]
    must: NDArray[np.bool_]
    moment: Floats
    lo: Floats
    hi: Floats


def rows(r: "Release", where: dict[str, Condition], summed: Optional[str]) -> Rows:
    n = len(r.rows)
    out = Rows(np.ones(n), np.ones(n, bool), np.ones(n, bool), np.zeros(n), np.zeros(n), np.zeros(n))
    for name in r.quasi:
        c = where.get(name)
        if c is None and name != summed:
            continue
        fits = [(c or Condition(r.attributes[name], spans=EVERY)).fit(cell) for cell in r.cells[name]]
        of = r.codes[name]
        share, can, must = (np.array([getattr(f, x) for f in fits])[of] for x in ("share", "can", "must"))
        if name == summed:
            out.moment, out.lo, out.hi = (np.array([getattr(f, x) for f in fits])[of] for x in ("moment", "lo", "hi"))
        out.share, out.can, out.must = out.share * share, out.can & can, out.must & must
    if summed in r.quasi:
        others = rows(r, {k: v for k, v in where.items() if k != summed}, None)
        out.moment = np.where(out.can, others.share * out.moment, 0.0)
    return out


@dataclasses.dataclass
class Total:
    """What disjoint groups of people say: an estimate with bounds, and for means whom they are about."""

    estimate: float = 0.0
    lower: float = 0.0
    upper: float = 0.0
    people: float = 0.0
    groups: list[tuple[Floats, Floats, int, int]] = dataclasses.field(default_factory=list)

    def add(self, estimate: float, people: float, lows: Floats, highs: Floats, least: int, most: int) -> None:
        """Of the people with numbers between these (sorted), at least `least` and at most `most` match."""
        self.estimate, self.people = self.estimate + estimate, self.people + people
        self.lower += lows[:least].sum() + np.minimum(lows[least:most], 0).sum()
        top = highs[::-1]
        self.upper += top[:least].sum() + np.maximum(top[least:most], 0).sum()
        self.groups.append((lows[:most], top[:most], least, most))

    def mean(self) -> tuple[float, float, float]:
        lower = _extreme([(g[0], g[2]) for g in self.groups])
        upper = -_extreme([(-g[1], g[2]) for g in self.groups])
        if np.isnan(lower):
            return lower, lower, lower
        estimate = self.estimate / self.people if self.people else (lower + upper) / 2
        return min(max(estimate, lower), upper), lower, upper


def _extreme(groups: list[tuple[Floats, int]]) -> float:
    """The least mean of a choice of people; of each group, the least first, so many must be in it."""
    total, n = sum(float(g[:must].sum()) for g, must in groups), sum(must for _, must in groups)
    for v in np.sort(np.concatenate([g[must:] for g, must in groups] or [np.zeros(0)])):
        if n > 0 and v >= total / n:
            break
        total, n = total + float(v), n + 1
    return total / n if n else np.nan


def estimate(r: "Release", where: dict[str, Condition], summed: Optional[str] = None, mean: bool = False) -> tuple[float, float, float]:
    """Estimate, lower and upper bound of a count, a sum or a mean."""
    fit, count, of = rows(r, where, summed), len(r.sizes), r.bucket
    share = np.bincount(of, fit.share, count)
    moment = np.bincount(of, fit.moment, count)
    must = np.bincount(of, fit.must, count).astype(int)
    can = np.bincount(of, fit.can, count).astype(int)
    asked = [a for a in r.sensitive if a in where and a != summed]
    if summed in r.sensitive:
        asked.insert(0, summed)
    hits = {a: r.hits(a, where.get(a)) for a in asked}
    order = np.argsort(of, kind="stable")
    starts = np.concatenate([[0], np.cumsum(r.sizes)])
    out = Total()
    pools: dict[str, list[int]] = {}
    for b, pool in enumerate(r.pool):
        pools.setdefault(pool, []).append(b)
    for pool, buckets in pools.items():
        pair = _fitted(r, asked, pool, buckets)
        counted = [0.0, 0.0, 0.0]
        sure = everyone = 0
        for i, b in enumerate(buckets):
            n, least, most, part = int(r.sizes[b]), int(must[b]), int(can[b]), 1.0
            joint = pair.people[i] if pair else {}
            sure, everyone = sure + least, everyone + n
            for a in asked:
                h = int(hits[a][b])
                if a == summed:
                    continue
                least, most = max(0, least + h - n), min(most, h)
                if not (joint and pair and a in (pair.x, pair.y)):
                    part *= h / n
            if summed in r.sensitive:
                values, expected, people = [], 0.0, 0.0
                bag = r.bag(summed, b)
                number = r.attributes[summed]
                for value, m in bag.items():
                    if summed in where and not where[summed].holds(value) or mean and value == MISSING:
                        continue
                    v = 0.0 if value == MISSING else number.number(value)
                    with_ = part
                    if joint and pair and pair.x == summed:
                        alike = sum(o for u, o in bag.items() if number.label(u) == number.label(value))
                        with_ *= sum(p * r.part(pair.y, b, pair_[1], where.get(pair.y))
                                     for pair_, p in joint.items() if pair_[0] == number.label(value)) / alike
                    elif joint and pair:
                        with_ *= _weight(r, pair, joint, b, where) / n
                    with_ *= m * share[b] / n
                    expected, people = expected + v * with_, people + with_
                    values += [v] * m
                known = np.sort(np.array(values))
                out.add(expected, people, known, known, max(0, least + len(known) - n), min(most, len(known)))
                continue
            if joint and pair:
                part *= _weight(r, pair, joint, b, where) / n
            if summed is None:
                counted = [counted[0] + share[b] * part, counted[1] + least, counted[2] + most]
                continue
            mine = order[starts[b]:starts[b + 1]]
            mine = mine[fit.can[mine]]
            out.add(moment[b] * part, share[b] * part, np.sort(fit.lo[mine]), np.sort(fit.hi[mine]), least, most)
        if summed is None and pair and len(asked) == 2 and sum(pair.table.values()) == everyone:
            certain, possible = pair.bounds(r, buckets, where)
            counted[1] = max(counted[1], certain + sure - everyone)
            counted[2] = min(counted[2], possible)
            counted[0] = min(max(counted[0], counted[1]), counted[2])
        out.estimate, out.lower, out.upper = out.estimate + counted[0], out.lower + counted[1], out.upper + counted[2]
    return out.mean() if mean else (out.estimate, out.lower, out.upper)


@dataclasses.dataclass
class Pair:
    """What the buckets of a pool have of two attributes together: fitted to their bags and the pool's table."""

    x: str
    y: str
    table: dict[tuple[str, str], int]
    people: list[dict[tuple[str, str], float]]  # by bucket

    def bounds(self, r: "Release", buckets: list[int], where: dict[str, Condition]) -> tuple[int, int]:
        """How many people of the table match for certain, and at most."""
        sides = []
        for a in (self.x, self.y):
            met: dict[str, list[bool]] = {}
            for b in buckets:
                for v in r.bag(a, b):
                    met.setdefault(r.attributes[a].label(v), []).append(a not in where or where[a].holds(v))
            sides.append(met)
        certain = possible = 0
        for (one, two), n in self.table.items():
            x, y = sides[0].get(one, []), sides[1].get(two, [])
            possible += n * (any(x) and any(y))
            certain += n * (bool(x) and bool(y) and all(x) and all(y))
        return certain, possible


def _weight(r: "Release", pair: Pair, joint: dict[tuple[str, str], float], b: int, where: dict[str, Condition]) -> float:
    return sum(p * r.part(pair.x, b, one, where.get(pair.x)) * r.part(pair.y, b, two, where.get(pair.y))
               for (one, two), p in joint.items())


def _fitted(r: "Release", asked: list[str], pool: str, buckets: list[int]) -> Optional[Pair]:
    """Iterative proportional fitting, for the first pair of asked attributes that has a table in the pool."""
    for i, x in enumerate(asked):
        for y in asked[i + 1:]:
            for one, two in ((x, y), (y, x)):
                table = r.table(one, two, pool)
                if not table:
                    continue
                if (one, two) != (x, y):
                    table = {(b, a): n for (a, b), n in table.items()}
                key = (x, y, pool)
                if key not in r.fits:
                    r.fits[key] = _fit(r, x, y, buckets, table)
                return Pair(x, y, table, r.fits[key])
    return None


def _fit(r: "Release", x: str, y: str, buckets: list[int], table: dict[tuple[str, str], int]) -> list[dict[tuple[str, str], float]]:
    out: list[dict[tuple[str, str], float]] = []
    bags = []
    for b in buckets:
        both = r.labels(x, b), r.labels(y, b)
        bags.append(both)
        out.append({(p, q): float(table[p, q]) for p in sorted(both[0]) for q in sorted(both[1]) if table.get((p, q), 0) > 0})
    tiny = float(np.finfo(np.float32).smallest_subnormal)
    for _ in range(ROUNDS):
        sums: dict[tuple[str, str], float] = {}
        off = 0.0
        for f in out:
            for k, p in f.items():
                sums[k] = sums.get(k, 0.0) + p
        for f, both in zip(out, bags):
            for k in f:
                f[k] *= table[k] / max(sums[k], tiny)
            for side in range(2):
                have: dict[str, float] = {}
                for k, p in f.items():
                    have[k[side]] = have.get(k[side], 0.0) + p
                for k in f:
                    scale = both[side].get(k[side], 0) / max(have[k[side]], tiny)
                    off = max(off, abs(scale - 1))
                    f[k] *= scale
        if off < 1e-9:
            break
    return out
