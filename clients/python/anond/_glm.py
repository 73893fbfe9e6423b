"""Regressions on quasi-identifiers, from the model of a release.

Each class and response counts with the people whom the model expects there; the predictors of these people have the mean and the variance
that the model says of their cells. So a regression sees how values differ between the classes of a bucket, which shares do not show.
Each is written as pairs of people on both sides of the mean, with signs that are orthogonal between predictors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ._cells import MISSING, Condition
from ._model import INFLATED, LEAST, SIGMAS, Floats

if TYPE_CHECKING:
    from ._model import Axis
    from .release import Release

# Where cells are wide the model goes about half of the way from the shares to the records (measured). So a coefficient is hidden if
# model and shares are more than a standard error and more than a quarter of it apart.
DOUBT, HIDDEN_PART = 0.5, 0.25


def fit(r: "Release", sensitive: str, c: Optional[Condition], on: list[str], family: str) -> tuple[list[str], list[list[Any]]]:
    m, a = r.model(sensitive), r.attributes[sensitive]
    names, columns = ["(intercept)"], []
    for name in on:
        axis = m.axes[name]
        if axis.a.numeric:
            names.append(name)
            centre = np.divide(axis.moments, axis.spread, out=np.zeros_like(axis.spread), where=axis.spread > 0)
            columns.append((name, axis.spread, axis.moments, axis.moments * centre + within(axis)))
            continue
        for value in [v for v in r.known(name) if v != MISSING][1:]:
            names.append(f"{name} = {value}")
            asked = axis.asked(Condition(axis.a, frozenset((value,))))[0]
            columns.append((name, axis.spread, asked, asked))
    outcome = np.zeros_like(m.counts)
    for b, bag in enumerate(r._bags[sensitive]):
        for v, n in bag.items():
            y = 0.0 if v == MISSING else a.number(v) if c is None else float(c.holds(v))
            outcome[b, m.response[v]] += n * y / m.counts[b, m.response[v]]
    signs = hadamard(len(columns))

    def solve(theta: dict[str, Floats], have: Floats) -> tuple[Floats, Floats]:
        mean, spread = [], []
        for name, whole, first, second in columns:
            u = np.maximum(LEAST, whole @ theta[name])
            mu = (first @ theta[name]) / u
            mean.append(mu[m.axes[name].of])
            spread.append(np.sqrt(np.maximum(0, (second @ theta[name]) / u - mu**2))[m.axes[name].of])
        weight, y = have, outcome[m.bucket]
        keep = weight > 0
        x = np.array([mu[keep] for mu in mean]), np.array([s[keep] for s in spread])
        points = np.concatenate([np.column_stack([np.ones(keep.sum()), *(x[0] + sign[:, None] * x[1])]) for sign in signs])
        beta, off, bread = regress(points, np.tile(y[keep], len(signs)), np.tile(weight[keep], len(signs)) / len(signs), family)
        score = (points * off[:, None]).reshape(len(signs), -1, points.shape[1])  # what a person adds
        people, of = weight[keep], np.nonzero(keep)[0]
        sums, meat = np.zeros((len(m.size), points.shape[1])), np.zeros((points.shape[1], points.shape[1]))
        for one in score:
            np.add.at(sums, of, one * people[:, None] / len(signs))
            meat += (one * people[:, None]).T @ one / len(signs)
        meat -= (sums / m.size[:, None]).T @ sums  # how many people a class has is known, and what they add in the mean
        inverse = np.linalg.pinv(bread)
        given: Floats = np.maximum(0, np.diag(inverse @ meat @ inverse))
        return beta, given

    def of(f: tuple[dict[str, Floats], Floats]) -> tuple[Floats, Floats]:
        return solve(f[0], m.scaled(m.likely(m.cells(f[0]))[0], f[1], 0)[0])

    estimate, given = of(m.fitted)
    again = np.array([of(f)[0] for f in m.again()])
    flat = {name: np.ones_like(t) for name, t in m.fitted[0].items()}
    shares = solve(flat, m.size[:, None] * (m.counts / r.sizes[:, None])[m.bucket])[0]
    error = INFLATED * np.sqrt(again.var(axis=0, ddof=1) + given)
    apart = np.abs(estimate - shares)
    half = SIGMAS * np.sqrt(error**2 + (DOUBT * apart) ** 2)
    hidden = (apart > error) & (apart > HIDDEN_PART * np.abs(estimate))
    hidden[0] = False  # an intercept is where the others are 0, mostly far from everybody
    return names, [list(row) for row in zip(estimate, estimate - half, estimate + half, shares, hidden)]


def within(axis: Axis) -> Floats:
    """Weight times the variance of numbers inside of a bin: they are spread evenly."""
    out = np.zeros_like(axis.spread)
    for i, piece in enumerate(axis.pieces):
        for start, stop in piece.runs:
            b = axis.bin_of(start)
            while start < stop:
                end = min(stop, axis.edges[b]) if b < len(axis.edges) else stop
                out[i, b] += piece.density * (end - start) ** 3 / 12
                start, b = end, b + 1
    return out


def hadamard(columns: int) -> Floats:
    """Rows of signs in which any two columns are orthogonal, and each has as many of both."""
    h: Any = np.ones((1, 1))
    while h.shape[0] <= columns:
        h = np.concatenate([np.concatenate([h, h]), np.concatenate([h, -h])], axis=1)
    signs: Floats = h[:, 1:columns + 1]
    return signs


def regress(x: Floats, y: Floats, weight: Floats, family: str) -> tuple[Floats, Floats, Floats]:
    """Coefficients, the errors of people, and the second derivatives."""
    scale: Floats = np.maximum(np.abs(x).max(axis=0), LEAST)
    z, beta = x / scale, np.zeros(x.shape[1])
    for _ in range(25):
        p = z @ beta
        v = np.ones(len(y))
        if family == "binomial":
            p = 1 / (1 + np.exp(-np.clip(p, -30, 30)))
            v = np.maximum(p * (1 - p), 1e-9)
        second = (z * (weight * v)[:, None]).T @ z
        step = np.linalg.lstsq(second, z.T @ (weight * (y - p)), rcond=None)[0]
        beta = beta + step
        if np.abs(step).max() <= 1e-10 * max(1.0, float(np.abs(beta).max())):
            break
    return beta / scale, y - p, second * scale[:, None] * scale
