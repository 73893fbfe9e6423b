"""A release of anond as pandas tables, and what can be estimated from it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np
import pandas as pd

from . import _shares
from ._cells import Attribute, Condition
from ._language import QueryError, parse
from .check import Caps, check

FORMAT = 4


class UnreadableRelease(ValueError):
    """The directory is no release that this package reads."""


@dataclasses.dataclass(frozen=True)
class Answer:
    """An estimate, and bounds that hold for every assignment of the values."""

    estimate: float
    lower: float
    upper: float


def read(path: Union[str, Path], release: Optional[int] = None) -> "Release":
    """Reads a release: that of a directory 000012, or the newest (or a numbered one) of a directory of releases."""
    directory = Path(path)
    if not (directory / "manifest.json").exists():
        if not (directory / "CURRENT").exists():
            raise UnreadableRelease(f"{directory} is no release and no directory of releases: it has neither manifest.json nor CURRENT")
        directory = directory / f"{release or int((directory / 'CURRENT').read_text()):06d}"
        if not (directory / "manifest.json").exists():
            raise UnreadableRelease(f"{directory} is not there: it was removed, or never published")
    return Release(directory.resolve())


def _table(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")  # else NA and 01067 are lost


class Release:
    """A release. `rows` has a row for each person: the cells as texts, `class`, and the number of its bucket in `bag`;
    `values` how often each value of each sensitive attribute is in each bucket; `pools` and `tables` are those of the
    release, if it has them. Values that were drawn for rows (recoding permutation) are left out: they are nobody's."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.manifest: dict[str, Any] = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
        m = self.manifest
        if m.get("format_version") != FORMAT:
            raise UnreadableRelease(f"the release has format_version {m.get('format_version')}, and this package reads {FORMAT}")
        self.k: int = m["policy"]["k"]
        self.attributes = {e["name"]: Attribute(e, directory.parent / "hierarchies") for e in m["schema"]
                           if e["role"] in ("quasi", "sensitive")}
        self.quasi = [a.name for a in self.attributes.values() if a.role == "quasi"]
        self.sensitive = [a.name for a in self.attributes.values() if a.role == "sensitive"]
        shared = m["policy"].get("level") == "L2"
        if not shared and m["recoding"] != "generalization":
            raise UnreadableRelease(f"this package reads level L2, and generalization of level L1; the release is {m['recoding']} of L1")
        parts: dict[str, list[pd.DataFrame]] = {"data.csv": [], "values.csv": [], "buckets.csv": [], "pools.csv": [], "tables.csv": []}
        for p in m["parts"]:
            name = f"shard-{p['shard']}/{p['part']}" if "shard" in p else p["part"]
            for f in p["files"]:
                t = _table(directory / name / f["name"])
                t.insert(0, "part", name)
                if f["name"] == "data.csv" and p.get("dead"):
                    t = t[~t["class"].astype(int).isin(p["dead"])]
                parts.setdefault(f["name"], []).append(t)
        tables = {name: pd.concat(t, ignore_index=True) for name, t in parts.items() if t}
        rows = tables["data.csv"]
        if not shared:  # the value stands in the row of its class
            rows["bucket"] = rows["class"]
            long = rows.groupby(["part", "bucket", self.sensitive[0]], sort=False).size().reset_index(name="count")
            tables["values.csv"] = long.rename(columns={self.sensitive[0]: "value"}).assign(attribute=self.sensitive[0])
        keys = rows["part"] + " " + rows["bucket"]
        self.bucket, names = pd.factorize(keys)
        number = {name: i for i, name in enumerate(names)}
        self.sizes = np.bincount(self.bucket, minlength=len(names))
        self.rows = rows.drop(columns=["bucket", *(a for a in self.sensitive if a in rows)]).assign(bag=self.bucket)
        values = tables["values.csv"]
        self.values = pd.DataFrame({"bag": (values["part"] + " " + values["bucket"]).map(number), "attribute": values["attribute"],
                                    "value": values["value"], "count": values["count"].astype(int)})
        self.pools = tables.get("pools.csv")
        self.tables = tables.get("tables.csv")
        self.pool = ["" for _ in names]
        if "buckets.csv" in tables:
            b = tables["buckets.csv"]
            for name, pool in zip(b["part"] + " " + b["bucket"], b["part"] + " " + b["pool"]):
                self.pool[number[name]] = pool
        self.cells: dict[str, list[str]] = {}
        self.codes: dict[str, np.ndarray] = {}
        for a in self.quasi:
            codes, cells = pd.factorize(self.rows[a])
            self.codes[a], self.cells[a] = codes, list(cells)
        self._bags: dict[str, list[dict[str, int]]] = {a: [{} for _ in names] for a in self.sensitive}
        for at, a, v, n in self.values.itertuples(index=False):
            self._bags[a][at][v] = n
        self.fits: dict[tuple[str, str, str], list[dict[tuple[str, str], float]]] = {}
        self._tables: dict[tuple[str, str, str], dict[tuple[str, str], int]] = {}
        if self.tables is not None:
            for t in self.tables.itertuples(index=False, name=None):
                part, pool, x, v, y, w, n = t
                self._tables.setdefault((x, y, f"{part} {pool}"), {})[v, w] = int(n)

    def __repr__(self) -> str:
        m = self.manifest
        return f"<release {m['release']} of {m['dataset']}: {len(self.rows)} people, k {self.k}, recoding {m['recoding']}>"

    def check(self, k: Optional[int] = None, caps: Optional[Caps] = None) -> list[str]:
        """What a stranger finds wrong with all releases of the directory; nothing if all is well (see anond.check)."""
        return check(self.directory.parent, k, caps)

    # What the estimators ask.

    def bag(self, attribute: str, bucket: int) -> dict[str, int]:
        """How often each value is in a bucket."""
        return self._bags[attribute][bucket]

    def labels(self, attribute: str, bucket: int) -> dict[str, int]:
        """The same by label, as pair tables have them."""
        out: dict[str, int] = {}
        for v, n in self.bag(attribute, bucket).items():
            label = self.attributes[attribute].label(v)
            out[label] = out.get(label, 0) + n
        return out

    def table(self, x: str, y: str, pool: str) -> dict[tuple[str, str], int]:
        """The pair table of a pool, empty if it has none."""
        return self._tables.get((x, y, pool), {})

    def hits(self, attribute: str, c: Optional[Condition]) -> np.ndarray:
        """How many people of each bucket have a value that is asked for."""
        return np.array([sum(n for v, n in bag.items() if c is None or c.holds(v)) for bag in self._bags[attribute]])

    def part(self, attribute: str, bucket: int, label: str, c: Optional[Condition]) -> float:
        """Which share of a label's people in a bucket has a value that is asked for."""
        a, everyone, hits = self.attributes[attribute], 0, 0
        for v, n in self.bag(attribute, bucket).items():
            if a.label(v) == label:
                everyone += n
                hits += n * (c is None or c.holds(v))
        return hits / max(1, everyone)

    def known(self, attribute: str) -> list[str]:
        """The values that cells and bags of a category may stand for."""
        a = self.attributes[attribute]
        if a.leaves is not None:
            return sorted(a.leaves["*"])
        if attribute in self.sensitive:
            return sorted(set().union(*self._bags[attribute]))
        return sorted(set().union(*(a.members(cell) for cell in self.cells[attribute])))

    def where(self, text: str) -> dict[str, Condition]:
        """The conditions of a text, such as ``age in [40,60] and sex = F``."""
        return parse(text, self.attributes, {a: [] if self.attributes[a].numeric else self.known(a) for a in self.attributes})

    # What an analyst asks.

    def count(self, where: str = "") -> Answer:
        """How many people there are of whom this holds."""
        return Answer(*_shares.estimate(self, self.where(where)))

    def _summed(self, attribute: str) -> str:
        a = self.attributes.get(attribute)
        if a is None or not a.numeric or a.date:
            raise QueryError(f"{attribute!r} cannot be summed: name a number of the release")
        return attribute

    def sum(self, attribute: str, where: str = "") -> Answer:
        """The sum of a number over the people of whom this holds."""
        return Answer(*_shares.estimate(self, self.where(where), self._summed(attribute)))

    def mean(self, attribute: str, where: str = "") -> Answer:
        """The mean of a number over the people who have one and of whom this holds; NaN if there can be nobody."""
        return Answer(*_shares.estimate(self, self.where(where), self._summed(attribute), mean=True))
