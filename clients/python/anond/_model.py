"""The log-linear model of anond-lab query, fitted to a release alone: package anond/lab/estimate defines it, and the constants.

It is inference about groups. What it says of a small group can exceed the cap, and is no fact about a person in it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _shares
from ._cells import EVERY, MISSING, Condition

if TYPE_CHECKING:
    from .release import Release

Floats = NDArray[np.float64]
BINS, RESPONSES, PRIOR, FEW, PACE, ROUNDS, SCALING, LAST, REPLICATES, AGAIN = 24, 32, 16.0, 4, 1.5, 100, 3, 30, 24, 20
SIGMAS, INFLATED, DOUBT, INSIDE, HIDDEN_ERRORS, HIDDEN_PART, BEYOND = 1.96, 1.3, 0.3, 0.15, 2, 0.4, 2.0
LEAST, SPREAD_ROUNDS = 1e-300, 20
Where = dict[str, Condition]
Question = tuple[Where, Optional[str], bool]  # conditions, what is summed, whether it is a mean


class Piece:
    """Where a value behind a cell may be, with a weight of 1 in all: points, and a range over which weight is spread evenly."""

    def __init__(self, points: list[tuple[Any, float]], run: Optional[tuple[float, float]] = None, density: float = 0.0) -> None:
        self.points, self.runs, self.density = points, [run] if run else [], density


class Axis:
    """An attribute in bins, and how each of its cells spreads over them."""

    def __init__(self, r: "Release", name: str, of: NDArray[np.int64], size: Floats, tight: bool) -> None:
        a = self.a = r.attributes[name]
        self.of, cells = of, r.cells[name]
        people: Floats = np.bincount(of, size, len(cells)).astype(float)
        mean: Floats = people / np.maximum(1, np.bincount(of, minlength=len(cells)))
        self.half = 0.5 if a.numeric and a.grain == 1 else 0.0
        self.line = a.numeric or a.leaves is not None
        self.place = {leaf: float(i) for i, leaf in enumerate(a.order)} if a.leaves is not None else {}
        self.edges: list[float] = []
        self.bin: dict[str, int] = {}
        self.pieces = [self.numbers(c, float(n), tight) for c, n in zip(cells, mean)] if a.numeric else self.categories(cells, people, mean, tight)
        ends: dict[Any, float] = {}
        self.lacks = False
        for piece, n in zip(self.pieces, people):
            missing = any(v != v for v, _ in piece.points)
            self.lacks = self.lacks or missing
            there = [(v, n * w) for v, w in piece.points if v == v]
            if piece.runs:
                part = n * (0.25 if missing and math.isnan(piece.points[0][0]) else 0.5)
                there = [(piece.runs[0][0] + self.half, part), (piece.runs[0][1] - self.half, part)]
            for v, w in there:
                ends[v] = ends.get(v, 0.0) + w
        if self.line:
            full, filled = sum(ends.values()) / BINS, 0.0
            for v in sorted(ends):
                if filled > 0 and filled + ends[v] / 2 >= full and len(self.edges) + 1 < BINS:
                    self.edges.append(v - self.half)
                    filled = 0.0
                filled += ends[v]
            self.bins = len(self.edges) + 1 + self.lacks
        else:
            self.bins = max(1, min(BINS, len(ends)))
            for i, v in enumerate(sorted(ends, key=lambda v: (-ends[v], v.encode()))):
                self.bin[v] = min(i, self.bins - 1)
        self.spread, self.moments = self.gather(self.pieces)
        self.order = np.argsort(of, kind="stable")
        self.first = np.searchsorted(of[self.order], np.arange(len(cells)))

    def numbers(self, cell: str, size: float, tight: bool) -> Piece:
        lo, hi, lacks = self.a.range(cell)
        there = 1.0 if not lacks else 0.0 if lo != lo else 0.5
        points: list[tuple[Any, float]] = [(math.nan, 1 - there)] if lacks else []
        if lo != lo:
            return Piece(points)
        if lo == hi:
            return Piece(points + [(lo, there)])
        free = there
        if tight and not self.a.steps:
            w = there / max(2, size)
            points += [(lo, w), (hi, w)]
            free -= 2 * w
        run = (lo - self.half, hi + self.half)
        return Piece(points, run, free / (run[1] - run[0]))

    def categories(self, cells: Sequence[str], people: Floats, mean: Floats, tight: bool) -> list[Piece]:
        tree = self.a.leaves is not None
        members = [sorted(self.a.members(c), key=lambda v: self.place.get(v, 0)) for c in cells]
        number = {v: i for i, v in enumerate(sorted(set().union(*members)))}
        at = [np.array([number[v] for v in m]) for m in members]
        root = np.ones(len(number))
        weights: list[Floats] = []
        for _ in range(SPREAD_ROUNDS):
            sums, weights = np.zeros(len(number)), []
            for m, n, size in zip(at, people, mean):
                least = min(1 / size, 1 / len(m)) if tight and not tree else 0.0
                weights.append(least + (1 - len(m) * least) * root[m] / root[m].sum())
                sums[m] += n * weights[-1]
            root = np.sqrt(sums / max(1, people.sum()))
        return [Piece([(self.place[v] if tree else v, float(x)) for v, x in zip(m, w)]) for m, w in zip(members, weights)]

    def bin_of(self, v: Any) -> int:
        if v != v:
            return self.bins - 1
        return int(np.searchsorted(self.edges, v, side="right")) if self.line else self.bin[v]

    def gather(self, pieces: list[Piece]) -> tuple[Floats, Floats]:
        weights, moments = np.zeros((len(pieces), self.bins)), np.zeros((len(pieces), self.bins))
        for i, piece in enumerate(pieces):
            for v, w in piece.points:
                b = self.bin_of(v)
                weights[i, b] += w
                if v == v and self.a.numeric:
                    moments[i, b] += w * v
            for start, stop in piece.runs:
                b = self.bin_of(start)
                while start < stop:
                    end = min(stop, self.edges[b]) if b < len(self.edges) else stop
                    w = piece.density * (end - start)
                    weights[i, b] += w
                    moments[i, b] += w * (start + end) / 2
                    start, b = end, b + 1
        return weights, moments

    def asked(self, c: Condition) -> tuple[Floats, Floats]:
        out, leaves = [], self.a.order
        for piece in self.pieces:
            part = Piece([], None, piece.density)
            for v, w in piece.points:
                if any(s.holds(v) for s in c.spans) if self.a.numeric else c.holds(leaves[int(v)] if self.line else v):
                    part.points.append((v, w))
            for start, stop in piece.runs:
                for s in c.spans:
                    lo, hi = s.lo, s.hi
                    if self.half:  # the whole numbers of the span
                        lo = lo if math.isinf(lo) else math.ceil(lo) + (s.lo_open and math.ceil(lo) == lo)
                        hi = hi if math.isinf(hi) else math.floor(hi) - (s.hi_open and math.floor(hi) == hi)
                    lo, hi = max(start, lo - self.half), min(stop, hi + self.half)
                    if lo < hi:
                        part.runs.append((lo, hi))
            out.append(part)
        return self.gather(out)


class Model:
    """The model of one sensitive attribute."""

    def __init__(self, r: "Release", sensitive: str) -> None:
        self.r, self.sensitive = r, sensitive
        rows = r.rows
        exact = r.manifest["recoding"] == "anatomy"
        keys = np.arange(len(rows)) if exact else rows.groupby([rows["bag"], rows["part"], rows["class"]], sort=False).ngroup().to_numpy()
        _, first, size = np.unique(keys, return_index=True, return_counts=True)
        order = np.argsort(r.bucket[first], kind="stable")
        first, self.size = first[order], size[order].astype(float)
        self.bucket = r.bucket[first]
        self.starts = np.searchsorted(self.bucket, np.arange(len(r.sizes)))
        self.group()
        self.axes = {a: Axis(r, a, r.codes[a][first], self.size, not exact) for a in r.quasi}
        theta = {a: np.ones((x.bins, self.k)) for a, x in self.axes.items()}
        self.gamma = 1.0
        fit = self.train((theta, np.ones_like(self.counts)), ROUNDS // 2)
        if 1 < self.k <= FEW:
            self.gamma += self.real(fit) / self.k**2
        self.fitted = self.train(fit, ROUNDS // 2)
        self._again: list[tuple[dict[str, Floats], Floats]] = []

    def group(self) -> None:
        people: dict[str, int] = {}
        a = self.r.attributes[self.sensitive]
        for bag in self.r._bags[self.sensitive]:
            for v, n in bag.items():
                people[v] = people.get(v, 0) + n
        everyone = sum(people.values())
        order = sorted(people, key=lambda v: (-people[v], v.encode()))
        self.response: dict[str, int] = {}
        if a.numeric and len(order) > RESPONSES:
            self.k, filled = 0, 0
            for v in sorted(order, key=lambda v: math.inf if v == MISSING else a.number(v)):
                if self.k == 0 or filled > 0 and (2 * filled + people[v]) * RESPONSES >= 2 * everyone:
                    self.k, filled = self.k + 1, 0
                self.response[v], filled = self.k - 1, filled + people[v]
        else:
            self.k = min(len(order), RESPONSES)
            self.response = {v: min(i, self.k - 1) for i, v in enumerate(order)}
        self.counts, self.base = np.zeros((len(self.r.sizes), self.k)), np.zeros(self.k)
        for b, bag in enumerate(self.r._bags[self.sensitive]):
            for v, n in bag.items():
                self.counts[b, self.response[v]] += n
        for v, n in people.items():
            self.base[self.response[v]] += n / everyone

    def cells(self, theta: dict[str, Floats]) -> dict[str, Floats]:
        return {a: x.spread @ theta[a] for a, x in self.axes.items()}

    def likely(self, u: dict[str, Floats]) -> tuple[Floats, Floats]:
        """A and the people whom the model predicts, by class and response."""
        out = np.tile(self.base, (len(self.size), 1))
        for a, x in self.axes.items():
            out *= u[a][x.of]
        expect = self.size[:, None] * out / np.maximum(LEAST, out.sum(axis=1))[:, None]
        return (out if self.gamma == 1 else self.base * (out / self.base) ** self.gamma), expect

    def scaled(self, likely: Floats, scale: Floats, steps: int) -> tuple[Floats, Floats]:
        for step in range(steps + 1):
            have = likely * scale[self.bucket]
            have *= (self.size / np.maximum(LEAST, have.sum(axis=1)))[:, None]
            by = self.counts / np.maximum(LEAST, np.add.reduceat(have, self.starts, axis=0))
            if step < steps:
                scale = scale * by
        return have * by[self.bucket], scale

    def train(self, fit: tuple[dict[str, Floats], Floats], rounds: int, weights: Optional[Floats] = None) -> tuple[dict[str, Floats], Floats]:
        theta, scale = dict(fit[0]), fit[1]
        times = 1.0 if weights is None else weights[self.bucket][:, None]
        average, power = PRIOR * self.base, PACE / max(1, len(self.axes))
        for _ in range(rounds):
            u = self.cells(theta)
            likely, expect = self.likely(u)
            have, scale = self.scaled(likely, scale, SCALING)
            have, expect = have * times, expect * times
            for a, x in self.axes.items():
                seen, predicted = (np.add.reduceat(m[x.order], x.first, axis=0) for m in (have, expect))
                inverse, t = 1 / np.maximum(LEAST, u[a]), theta[a]
                up, down = t * (x.spread.T @ (inverse * seen)), t * (x.spread.T @ (inverse * predicted))
                theta[a] = t * ((up + average) / (down + average * t)) ** power
        return theta, self.scaled(self.likely(self.cells(theta))[0], scale, LAST)[1]

    def real(self, fit: tuple[dict[str, Floats], Floats]) -> float:
        predicted = np.add.reduceat(self.likely(self.cells(fit[0]))[1], self.starts, axis=0)
        gain = (self.counts * np.log(np.maximum(LEAST, predicted) / (self.r.sizes[:, None] * self.base))).sum()
        free = sum((x.bins - 1) * (self.k - 1) for x in self.axes.values())
        return max(0.0, 1 - free / 2 / max(LEAST, float(gain)))

    def again(self) -> list[tuple[dict[str, Floats], Floats]]:
        """The replicates: the fit, continued with random weights of buckets (SplitMix64)."""
        if not self._again:
            mask = (1 << 64) - 1
            for i in range(REPLICATES):
                z = np.array([((i << 32) + b + 1) * 0x9E3779B97F4A7C15 & mask for b in range(len(self.counts))], dtype=np.uint64)
                z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
                z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
                u = ((z ^ z >> np.uint64(31)) >> np.uint64(11)).astype(float)
                self._again.append(self.train(self.fitted, AGAIN, -np.log((u + 0.5) / 2**53)))
        return self._again

    def answers(self, questions: Sequence[Question]) -> list["Reply"]:
        asked = [Ask(self, *q) for q in questions]
        first = self.tallies(self.fitted, asked)
        means = [t[0] / t[1] if a.mean else 0.0 for a, t in zip(asked, first)]
        residual = self.tallies(self.fitted, asked, means)
        again = [self.tallies(f, asked) for f in self.again()]
        out = []
        for i, a in enumerate(asked):
            estimate = a.answer(first[i])
            variance = residual[i][2] + (INSIDE * residual[i][3]) ** 2
            if a.mean:
                variance /= max(1, first[i][1] ** 2)
            of = np.array([a.answer(t[i]) for t in again])
            chance = float(of.var(ddof=1)) if not np.isnan(of).any() else 0.0
            unshown = a.summed is None and first[i][1] > a.most() * first[i][4] * (1 + 1e-9)
            out.append(Reply(estimate, chance + variance, unshown, _shares.estimate(self.r, a.where, a.summed, a.mean)))
        return out

    def tallies(self, fit: tuple[dict[str, Floats], Floats], asked: Sequence["Ask"], means: Optional[list[float]] = None) -> list[tuple[float, ...]]:
        """Of each question: the sum, who match, and around means the variance given the model, the people who match in part, and
        those whom only the value may exclude."""
        theta, u = fit[0], self.cells(fit[0])
        have, _ = self.scaled(self.likely(u)[0], fit[1], 0)
        out: list[tuple[float, ...]] = []
        for i, a in enumerate(asked):
            mean = means[i] if means else 0.0
            n = have.copy()
            for name, (spread, _) in a.parts.items():
                n *= np.minimum(1, spread @ theta[name] / np.maximum(LEAST, u[name]))[self.axes[name].of]
            share, one, two = (x[self.bucket] for x in a.payoffs(mean))
            x, y = n * one, n * two
            if a.moments is not None and a.summed is not None:
                spread, moments = a.moments
                value = (moments @ theta[a.summed] / np.maximum(LEAST, spread @ theta[a.summed]))[self.axes[a.summed].of] - mean
                x, y = n * share * value, n * share * value**2
            variance = partly = 0.0
            if means is not None:
                part = 1 - np.divide(n, have, out=np.ones_like(n), where=have > 0)
                partly = float((part * x).sum())
                by_class = np.add.reduceat(y.sum(axis=1) - x.sum(axis=1) ** 2 / self.size, self.starts)
                one, two = (np.add.reduceat(z, self.starts, axis=0) for z in (x, y))
                by_value = (two - np.divide(one**2, self.counts, out=np.zeros_like(one), where=self.counts > 0)).sum(axis=1)
                variance = float(np.maximum(0, np.minimum(by_class, by_value)).sum())
            out.append((float(x.sum()), float((n * share).sum()), variance, partly, float(n.sum())))
        return out


class Ask:
    """A question, with how it fits each cell."""

    def __init__(self, m: Model, where: Where, summed: Optional[str], mean: bool) -> None:
        self.m, self.where, self.summed, self.mean = m, where, summed, mean
        r, conditions = m.r, dict(where)
        if mean and summed in r.quasi and summed not in conditions:
            conditions[summed] = Condition(r.attributes[summed], spans=EVERY)
        self.parts = {a: m.axes[a].asked(c) for a, c in conditions.items() if a in m.axes}
        self.moments = None
        if summed in m.axes:
            self.moments = self.parts.get(summed, (m.axes[summed].spread, m.axes[summed].moments))
        a, c = r.attributes[m.sensitive], conditions.get(m.sensitive)
        self.worth: dict[str, float] = {}
        for v in m.response:
            if (c is None or c.holds(v)) and not (mean and summed == m.sensitive and v == MISSING):
                self.worth[v] = 1.0 if summed != m.sensitive else 0.0 if v == MISSING else a.number(v)

    def answer(self, t: tuple[float, ...]) -> float:
        return (t[0] / t[1] if t[1] else math.nan) if self.mean else t[0]

    def most(self) -> float:
        """The largest part of a bucket that has a value that is asked for."""
        bags = self.m.r._bags[self.m.sensitive]
        return max(sum(n for v, n in bag.items() if v in self.worth) / sum(bag.values()) for bag in bags)

    def payoffs(self, mean: float) -> tuple[Floats, Floats, Floats]:
        """Of the people of each bucket with each response: which share is asked for, what a person adds in the mean, and its square."""
        share, one, two = (np.zeros_like(self.m.counts) for _ in range(3))
        for b, bag in enumerate(self.m.r._bags[self.m.sensitive]):
            for v, n in bag.items():
                if v in self.worth:
                    k, add = self.m.response[v], self.worth[v] - mean
                    part = n / self.m.counts[b, k]
                    share[b, k] += part
                    one[b, k] += part * add
                    two[b, k] += part * add * add
        return share, one, two


class Reply:
    """Estimate, bounds and interval, from what the model and what the shares of buckets say."""

    def __init__(self, estimate: float, variance: float, unshown: bool, shares: tuple[float, float, float]) -> None:
        self.shares, self.lower, self.upper = shares
        self.variance = INFLATED**2 * variance
        self.estimate = min(max(self.shares if math.isnan(estimate) else estimate, self.lower), self.upper)
        d = abs(self.estimate - self.shares)
        half = SIGMAS * math.sqrt(self.variance + (DOUBT * d) ** 2)
        self.hidden = bool(d > HIDDEN_ERRORS * math.sqrt(self.variance) and (unshown or d > HIDDEN_PART * abs(self.estimate)))
        far = max(half, BEYOND * d) if self.hidden else half
        below, above = (far, half) if self.estimate < self.shares else (half, far)
        self.low, self.high = max(self.lower, self.estimate - below), min(self.upper, self.estimate + above)


def answers(r: "Release", questions: Sequence[Question]) -> list[Reply]:
    """Answers questions about any sensitive attributes. Of several in one question the answer is that of the shares, times what each
    one's model changes of what the shares say of it alone."""
    parts: dict[str, list[Question]] = {a: [] for a in r.sensitive}
    names = []
    for where, summed, mean in questions:
        of = [a for a in r.sensitive if a in where or a == summed] or r.sensitive[:1]
        names.append(of)
        for a in of:
            own = summed if summed in r.quasi or summed == a else None
            parts[a].append(({x: c for x, c in where.items() if x == a or x in r.quasi}, own, mean and own is not None))
    replies = {a: iter(r.model(a).answers(q)) for a, q in parts.items() if q}
    out = []
    for (where, summed, mean), of in zip(questions, names):
        each = [next(replies[a]) for a in of]
        if len(each) == 1:
            out.append(each[0])
            continue
        shares = _shares.estimate(r, where, summed, mean)
        times, variance = 1.0, 0.0
        for a, x in zip(of, each):
            if (not mean or summed in r.quasi or a == summed) and x.shares and x.estimate:
                times *= x.estimate / x.shares
                variance += x.variance / x.estimate**2
        estimate = shares[0] * times
        reply = Reply(estimate, variance * estimate**2 / INFLATED**2, False, shares)
        reply.hidden = reply.hidden or any(x.hidden for x in each) and not math.isnan(shares[0])
        out.append(reply)
    return out
