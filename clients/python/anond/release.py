"""A release of anond as pandas tables, and what can be estimated from it."""

from __future__ import annotations

import copy
import dataclasses
import json
from pathlib import Path
from typing import Any, Optional, Sequence, Union

import numpy as np
import pandas as pd

from . import _glm, _model
from ._cells import THEN, Attribute, Condition
from ._eras import Eras
from ._language import QueryError, parse
from .check import Caps, check, eras, under

FORMAT = 6
By = Union[str, Sequence[str]]


class UnreadableRelease(ValueError):
    """The directory is no release that this package reads."""


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a release says: the model's estimate with an interval that holds the truth 95 times of 100, bounds that always hold, and
    what the shares of buckets say. `hidden`: it cannot be seen at this promise; then the interval is all that is known."""

    estimate: float
    low: float
    high: float
    lower: float
    upper: float
    shares: float
    hidden: bool

    def __str__(self) -> str:
        said = "cannot be seen at this promise" if self.hidden else f"{self.estimate:.2f}"
        return f"{said}, 95 % interval {self.low:.2f} to {self.high:.2f}, bounds {self.lower:.2f} to {self.upper:.2f}"


def read(path: Union[str, Path], release: Optional[int] = None) -> Union["Release", Eras]:
    """Reads a release: that of a directory 000012, or the newest (or a numbered one) of a directory of releases. Of one whose parts were
    published under several settings it makes `Eras`."""
    directory = Path(path)
    if not (directory / "manifest.json").exists():
        if not (directory / "CURRENT").exists():
            raise UnreadableRelease(f"{directory} is no release and no directory of releases: it has neither manifest.json nor CURRENT")
        directory = directory / f"{release or int((directory / 'CURRENT').read_text()):06d}"
        if not (directory / "manifest.json").exists():
            raise UnreadableRelease(f"{directory} is not there: it was removed, or never published")
    directory = directory.resolve()
    manifest: dict[str, Any] = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
    if manifest.get("format_version") != FORMAT:
        raise UnreadableRelease(f"the release has format_version {manifest.get('format_version')}, and this package reads {FORMAT}")
    parts = [{**e, "parts": [p for p in manifest["parts"] if under(manifest, p["part"])["until"] == e["until"]]} for e in eras(manifest)]
    found = [Release(directory, m) for m in parts if m["parts"] or len(parts) == 1]
    return found[0] if len(found) == 1 else Eras(found)


def _table(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")  # else NA and 01067 are lost


class Release:
    """A release. `rows` has a row for each person: the cells as texts, `class`, and the number of its bucket in `bag`;
    `values` how often each value of each sensitive attribute is in each bucket (of histories: each history, record by record in `value`,
    `value_2` and so on, empty behind the last; `histories` are the attributes that have them); `pools` and `tables` are those of the
    release, if it has them. Values that were drawn for rows (recoding permutation) are left out: they are nobody's."""

    def __init__(self, directory: Path, manifest: dict[str, Any]) -> None:
        self.directory = directory
        self.manifest = m = manifest
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
        columns = list(values.columns)
        columns = ["value"] if not shared else columns[columns.index("value"):columns.index("count")]
        self.histories = self.sensitive if len(columns) > 1 else []
        self.values = pd.DataFrame({"bag": (values["part"] + " " + values["bucket"]).map(number), "attribute": values["attribute"],
                                    **{c: values[c] for c in columns}, "count": values["count"].astype(int)})
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
        for at, a, *history, n in self.values.itertuples(index=False, name=None):
            self._bags[a][at][THEN.join(v for v in history if v) if len(columns) > 1 else history[0]] = n
        self._models: dict[str, _model.Model] = {}
        self._views: dict[Any, Release] = {}
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
        if a.leaves is not None and attribute not in self.histories:
            return sorted(a.leaves["*"])
        if attribute in self.sensitive:
            return sorted(set().union(*self._bags[attribute]))
        return sorted(set().union(*(a.members(cell) for cell in self.cells[attribute])))

    def where(self, text: str) -> dict[str, Condition]:
        """The conditions of a text, such as ``age in [40,60] and sex = F``."""
        return parse(text, self.attributes, {a: [] if self.attributes[a].numeric else self.known(a) for a in self.attributes}, self.histories)

    def _seen(self, where: dict[str, Condition]) -> tuple["Release", dict[str, Condition]]:
        """The release with less in place of histories that conditions ask of: first records alone, or whether a history is asked for. So a
        model has the few values that a question is about."""
        asked = {a: c for a, c in where.items() if a in self.histories}
        if not asked:
            return self, where
        names = {a: {h: h.split(THEN)[0] if c.first else "yes" if c.holds(h) else "no" for h in self.known(a)} for a, c in asked.items()}
        key = frozenset((a, None if c.first else c.values) for a, c in asked.items())
        if key not in self._views:
            view = self._views[key] = copy.copy(self)
            view.attributes, view._bags, view._models, view.fits = dict(self.attributes), dict(self._bags), {}, {}
            for a, of in names.items():
                view.attributes[a] = copy.copy(self.attributes[a])
                view.attributes[a].leaves = None
                view._bags[a] = []
                for bag in self._bags[a]:
                    less: dict[str, int] = {}
                    for h, n in bag.items():
                        less[of[h]] = less.get(of[h], 0) + n
                    view._bags[a].append(less)
        view = self._views[key]
        return view, {**where, **{a: Condition(view.attributes[a], frozenset(v for h, v in names[a].items() if c.holds(h)))
                                  for a, c in asked.items()}}

    # What an analyst asks.

    def model(self, sensitive: str) -> _model.Model:
        """The model of a sensitive attribute, fitted when it is asked for first."""
        if sensitive not in self._models:
            self._models[sensitive] = _model.Model(self, sensitive)
        return self._models[sensitive]

    def _ask(self, questions: list[_model.Question], whole: bool = False) -> list[Answer]:
        """Answers questions; whole: about whole histories, all of one model."""
        replies = []
        for r, question in ([(self, questions)] if whole or not self.histories else
                            [(r, [(seen, summed, mean)]) for where, summed, mean in questions for r, seen in [self._seen(where)]]):
            replies += _model.answers(r, question)
        return [Answer(x.estimate, x.low, x.high, x.lower, x.upper, x.shares, x.hidden) for x in replies]

    def count(self, where: str = "") -> Answer:
        """How many people there are of whom this holds."""
        return self._ask([(self.where(where), None, False)])[0]

    def _summed(self, attribute: str) -> str:
        a = self.attributes.get(attribute)
        if a is None or not a.numeric or a.date:
            raise QueryError(f"{attribute!r} cannot be summed: name a number of the release")
        return attribute

    def sum(self, attribute: str, where: str = "") -> Answer:
        """The sum of a number over the people of whom this holds."""
        return self._ask([(self.where(where), self._summed(attribute), False)])[0]

    def mean(self, attribute: str, where: str = "") -> Answer:
        """The mean of a number over the people who have one and of whom this holds; NaN if there can be nobody."""
        return self._ask([(self.where(where), self._summed(attribute), True)])[0]

    def means(self, attribute: str, by: By, where: str = "") -> pd.DataFrame:
        """The mean of a number in each group: the values of a category, or a list of conditions."""
        return self._cells([by], where, self._summed(attribute), True)

    def crosstab(self, rows: By, columns: By, where: str = "") -> pd.DataFrame:
        """Counts of all pairs of groups: the values of two categories, or lists of conditions such as ["age < 40", "age >= 40"]."""
        return self._cells([rows, columns], where, None, False)

    def glm(self, outcome: str, on: Sequence[str], family: str = "binomial") -> pd.DataFrame:
        """A regression on quasi-identifiers: logistic of a condition on one sensitive attribute (such as "illness = flu"), family
        "gaussian": linear, also of a number by its name. Categories have a column for each value but the first. `hidden` says that the
        coefficient cannot be seen at this promise."""
        a = self.attributes.get(outcome)
        where = {} if a is not None and a.numeric else self.where(outcome)
        sensitive = [x for x in self.sensitive if x == outcome or x in where]
        if len(sensitive) != 1 or len(where) > 1 or family not in ("binomial", "gaussian") or not where and family == "binomial":
            raise QueryError("the outcome is one condition on a sensitive attribute; with family gaussian also a number by its name")
        if any(x not in self.quasi for x in on):
            raise QueryError("regressions are on quasi-identifiers: name those of the release")
        seen, where = self._seen(where)
        names, rows = _glm.fit(seen, sensitive[0], where.get(sensitive[0]), list(on), family)
        return pd.DataFrame(rows, index=pd.Index(names), columns=["estimate", "low", "high", "shares", "hidden"])

    def _cells(self, by: list[By], where: str, summed: Optional[str], mean: bool) -> pd.DataFrame:
        asked = self.where(where)
        cells: list[tuple[tuple[str, ...], dict[str, Condition]]] = [((), asked)]
        for groups in by:
            cells = [(names + (name,), self._joined(one, two)) for names, one in cells for name, two in self._groups(groups)]
        names = [x if isinstance(x, str) else None for x in by]
        index = (pd.MultiIndex.from_tuples([c[0] for c in cells], names=names) if len(by) > 1 else
                 pd.Index([c[0][0] for c in cells], name=names[0]))
        whole = any(isinstance(b, str) and b in self.histories for b in by)
        answers = self._ask([(c[1], summed, mean) for c in cells], whole)
        return pd.DataFrame([dataclasses.asdict(a) for a in answers], index=index)

    def _groups(self, by: By) -> list[tuple[str, dict[str, Condition]]]:
        if not isinstance(by, str):
            return [(text, self.where(text)) for text in by]
        a = self.attributes.get(by)
        if a is None or a.numeric:
            raise QueryError(f"{by!r} is no category of the release: give a list of conditions, such as ['age < 40', 'age >= 40']")
        return [(v.replace(THEN, " then "), {by: Condition(a, frozenset((v,)))}) for v in self.known(by)]

    def _joined(self, one: dict[str, Condition], two: dict[str, Condition]) -> dict[str, Condition]:
        out = dict(one)
        for name, c in two.items():
            out[name] = out[name].meet(c, [] if c.attribute.numeric else self.known(name)) if name in out else c
        return out
