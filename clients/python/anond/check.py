"""What a stranger can check of a chain of releases, from its files alone: python3 check.py RELEASES --k 10 --caps .25

It shares no code with anond and none with the rest of this package, needs nothing but Python, and is meant to be read. It checks the
manifests, the hash of each file, that every class has exactly k people, that every bucket keeps the caps, that pools are the sums of
their buckets, and that what was published once stays as it was until it leaves: whole parts by age (`window`), whole buckets of people
who asked (`erasure`), and nothing comes back. It is about level L2. A finding names no value. What no file shows it cannot check:
who is in a class, how people came into buckets, the draws (`anond audit` says more, docs/PROOFS.md why it matters).
"""
import argparse
import calendar
import csv
import hashlib
import io
import json
import re
import sys
import time
from collections import Counter, defaultdict
from decimal import Decimal
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any, DefaultDict, Dict, List, Mapping, Optional, Set, Tuple, Union

Caps = Union[float, Mapping[str, Union[float, Mapping[str, float]]]]
Json = Dict[str, Any]
Rows = Dict[str, List[List[str]]]  # of a part, by file
Bag = Dict[str, int]  # by value
Bags = DefaultDict[Tuple[int, str], Counter]  # type: ignore[type-arg]  # by number and attribute
HEADS = {"values.csv": "bucket attribute value count", "pools.csv": "pool attribute value count", "buckets.csv": "bucket pool people",
         "tables.csv": "pool attribute value with with_value count"}
NUMBERED = (("class", "classes"), ("bucket", "buckets"), ("pool", "pools"))
NEVER = ("format_version", "dataset", "seeded", "window", "erasure", "view")  # no release changes these
SETTINGS = ("policy", "recoding", "values", "tables")  # nor these, with the schema, but where an era ends
OF_ERA = ("schema", *SETTINGS, "records", "classes", "buckets", "quality", "privacy")  # what is said of each
THEN = "\x1f"  # between the records of a history, as one text; no value has it
OF_BUCKET = {"data.csv": -1, "values.csv": 0, "buckets.csv": 0}  # the column of the bucket


def check(path: Union[str, Path], k: Optional[int] = None, caps: Optional[Caps] = None) -> List[str]:
    """Findings about a directory of releases, none if all is well. `k` and `caps` are what you rely on: the size of a class; the
    largest share of any value, or by attribute, or by attribute and value. Without them it is what the manifests promise."""
    c = Chain(Path(path), k, caps)
    try:
        c.walk()
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, ArithmeticError) as e:
        c.say(f"cannot be read any further ({type(e).__name__})")
    return c.findings


class Chain:
    def __init__(self, top: Path, k: Optional[int], caps: Optional[Caps]) -> None:
        self.top, self.k, self.caps, self.at = top, k, caps, ""
        self.findings: List[str] = []
        self.kept: Dict[str, Rows] = {}  # the parts of the release before, by name
        self.most: List[Fraction] = []  # of the part at hand: the largest share of a value; the same of all people
        self.tops: Dict[str, List[Fraction]] = {}  # by part
        self.times: Dict[int, int] = {}  # by release, in seconds
        self.begins = 1  # the first release, another one of a view that began later: it has everybody of the releases before

    def say(self, what: str, wrong: bool = True) -> None:
        if wrong and self.at + what not in self.findings:
            self.findings.append(self.at + what)

    def walk(self) -> None:
        text, sha, before = (self.top / "CURRENT").read_text(), "", None
        there = sorted(p.name for p in self.top.iterdir() if p.name.isdigit())
        self.say("CURRENT does not name the newest release", not re.fullmatch(r"\d{6,}\n", text) or there[-1:] not in ([], [text[:-1]]))
        newest: Json = json.loads((self.top / f"{int(text):06d}" / "manifest.json").read_bytes())
        self.begins = (newest.get("view") or {}).get("first", 1)
        for n in range(self.begins, int(text) + 1):
            self.at, home = f"release {n}: ", self.top / f"{n:06d}"
            data = (home / "manifest.json" if home.exists() else self.top / "pruned" / f"{n:06d}.json").read_bytes()
            self.say("manifest.json is not in its one form", canonical(data) != data)
            m: Json = json.loads(data)
            self.times[n] = calendar.timegm(time.strptime(m["created_at"], "%Y-%m-%dT%H:%M:%SZ"))
            self.manifest(m, n, before, sha)
            self.kept = self.parts(m, before, home if home.exists() else None)
            before, sha = m, hashlib.sha256(data).hexdigest()

    def manifest(self, m: Json, n: int, before: Optional[Json], sha: str) -> None:
        self.say("another format than 6, or a union: check its shards", m["format_version"] != 6 or "union" in m)
        self.say("the chain is broken", m["release"] != n or m["previous"] != (before and {"release": n - 1, "sha256": sha}))
        self.say("a time that is not UTC in seconds", not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", m["created_at"]))
        least = min(e["policy"]["k"] for e in eras(m))
        self.say(f"k is {least}", self.k not in (None, least))
        for e in eras(m):
            self.era(e)
        if before:
            old, new = ([x.get(key) for key in NEVER] for x in (before, m))
            self.say("another dataset than before, or another window", old != new or m["created_at"] < before["created_at"])
            self.say("`grown` has gone", bool(before["privacy"].get("grown")) and not m["privacy"].get("grown"))
            self.follow(before, m)
        ends = [0, *(e["until"] for e in m.get("eras", []))]
        crossing = any(under(m, p["part"])["from"] >= births(p["part"])[0] for p in m["parts"])
        self.say("a part has people of two eras, or an era has none", crossing
                 or ends != sorted(set(ends)) or any(all(under(m, p["part"])["until"] != e for p in m["parts"]) for e in ends[1:]))

    def era(self, m: Json) -> None:
        """What is said of an era alone."""
        policy, privacy, sensitive = m["policy"], m["privacy"], [a for a in m["schema"] if a["role"] == "sensitive"]
        self.say("another level than L2", policy.get("level") != "L2")
        self.say("nothing is promised: l is below 2", policy["l"] < 2 and any("promise" not in a for a in sensitive))
        self.say("classes may change", policy.get("republication") != "append" or policy.get("subject_repeat") == "sticky")
        claims = ["L0+L1" if m["seeded"] or privacy.get("grown") else "L0+L1+L2", "frozen",
                  "sensitive-only" if m["recoding"] == "anatomy" else "rows"]
        self.say("it claims what it does not have", [privacy.get(x) for x in ("level", "certificate", "k1")] != claims)
        self.say("`values` does not go with the recoding", (m.get("values") == "drawn") != (m["recoding"] == "permutation"))
        for a in m["schema"]:
            for copy in (a.get("hierarchy") or {}, (a.get("promise") or {}).get("reference") or {}):
                if "file" in copy:
                    data = (self.top / "hierarchies" / Path(copy["file"]).name).read_bytes()
                    self.say("a hierarchy or reference is another file", hashlib.sha256(data).hexdigest() != copy["sha256"])

    def follow(self, before: Json, m: Json) -> None:
        """Settings stay as they were, or an era has ended with the release before. What was said of its settings stays while it has parts."""
        there, gone = {e["until"]: e for e in eras(m)}, m.get("expired", 0)
        newest = [p for p in before["parts"] if under(before, p["part"])["until"] == inf and births(p["part"])[1] > gone]
        now = there.pop(before["release"], m)
        began = now is not m or not newest
        self.say("another schema, policy or recoding than before", newest != [] and settings(before) != settings(now))
        self.say("the subject is another attribute", subject(before) != subject(m))
        self.say("settings change with nobody who is new", began and settings(before) != settings(m) and
                 births(m["parts"][-1]["part"])[1] != m["release"])
        for e in eras(before)[:-1]:
            stays = any(under(before, p["part"])["until"] == e["until"] and births(p["part"])[1] > gone for p in before["parts"])
            now = there.pop(e["until"], None)
            self.say("an era is told of otherwise, or no more", stays and (now is None or settings(now, True) != settings(e, True)))
        self.say("an era is told of that was not there before", set(there) != {inf})

    def parts(self, m: Json, before: Optional[Json], home: Optional[Path]) -> Dict[str, Rows]:
        old = {p["part"]: p for p in before["parts"]} if before else {}
        out: Dict[str, Rows] = {}
        totals, gone, past = defaultdict(Counter), m.get("expired", 0), (before or {}).get("expired", 0)  # type: ignore[var-annotated]
        queue, leave = [name for name in old if births(name)[1] > gone], False
        self.say("people leave without a window, or come back", gone > 0 and "window" not in m or gone < past or gone >= m["release"] or
                 any(births(p["part"])[0] <= gone for p in m["parts"]) or any(births(n)[0] <= gone < births(n)[1] for n in old))
        start = before is None and self.begins > 1
        new = sum(p["rows"] for p in m["parts"] if start or births(p["part"])[0] == m["release"])
        ever = (before or {}).get("people_ever", 0) + new if "window" in m or "erasure" in m else 0
        self.say("people_ever is not who was published", m.get("people_ever", 0) < ever if start else m.get("people_ever", 0) != ever)
        due = left(m["window"], self.times) if "window" in m else 0
        self.say("what has left is not what the window says", "window" in m and gone != due and not (due == 0 and gone < self.begins > 1))
        for p in m["parts"]:
            name, own = p["part"], not start and births(p["part"])[1] == m["release"] and p["part"] not in old and "replaces" not in p
            lost, known, of = p.get("withdrawn", []), self.kept.get(name), under(m, name)
            k = of["policy"]["k"]
            totals[of["until"]].update(rows=p["rows"], classes=p["rows"] // k if lost else p["classes"], buckets=p.get("buckets", 0) - len(lost))
            self.say("`withdrawn` is no list of buckets of the part", lost != sorted(set(lost)) or any(not 0 < b <= p["buckets"] for b in lost))
            self.say("a part has dead classes, or another mode than 0444", "dead" in p or p["mode"] != "0444")
            rows = self.files(home / name, p) if home else self.kept.get(name)
            if start:
                self.say("the first release of a view has a part that it did not write", p["release"] != m["release"])
            elif own:
                self.say("the last part is not its own", (name, p["release"], lost) != (f"part-{m['release']:06d}", m["release"], []))
                self.say("fewer people are new than a pool has",
                         p["rows"] < max(m["policy"].get("min_pool", 0), m.get("initial_min_pool", 0)) // k * k)
            elif name in old:
                told = {**old[name], "stale": 0}
                if now := self.leaving(p, set(old[name].get("withdrawn", []))):
                    told.update({x: p[x] for x in ("rows", "files", "withdrawn")}, release=m["release"])
                    self.say("a part without the buckets that leave has other bytes than before", home is not None and known is not None and
                             rows != without(known, now))
                    rows, leave, known = rows if home else without(known, now), True, None
                self.say("a part was changed, lost or moved", {**p, "stale": 0} != told or not queue or queue.pop(0) != name)
            else:
                leave |= self.joined(p, [(old.get(r["part"]), self.kept.get(r["part"])) for r in p["replaces"]], rows, queue, m["release"])
            if rows is not None:
                out[name] = rows
                if known is None:
                    self.most = [Fraction(0), Fraction(0)]
                    self.part(of, p, rows)
                    self.tops[name] = self.most
        self.say("parts of the release before are missing", bool(queue))
        self.say("nobody is new, and nobody leaves", new == 0 and gone == past and not leave)
        self.say("buckets leave with a release that is not the first of its period", leave and not (
            "erasure" in m and self.times[m["release"]] // m["erasure"]["every"] > self.times[m["release"] - 1] // m["erasure"]["every"]))
        stale, told = (late([p for p in x["parts"] if births(p["part"])[1] > gone]) for x in (m, before or {"parts": []}))
        self.say("`stale` is no list of buckets, or a number has fallen", any(n > stale.get(b, 0) for b, n in told.items()) or any(
            list(dict(p["stale"])) != sorted(dict(p["stale"])) or len(dict(p["stale"])) != len(p["stale"]) for p in m["parts"] if "stale" in p))
        for p in m["parts"]:
            people = {int(r[0]): int(r[2]) for r in out.get(p["part"], {}).get("buckets.csv", [])[1:]}
            self.say("more people are stale than a bucket has", bool(people) and any(not 0 < n <= people.get(b, 0) for b, n in p.get("stale", [])))
        for e in eras(m):
            self.say("the manifest counts wrongly", [totals[e["until"]][x] for x in ("rows", "classes", "buckets")] !=
                     [e["records"], e["classes"], e.get("buckets", 0)])
            mine = [p for p in m["parts"] if under(m, p["part"])["until"] == e["until"]]
            tops = [self.tops[p["part"]] for p in mine if p["part"] in self.tops]
            if tops and len(tops) == len(mine):
                said = max(Fraction(a["top_share"]) for a in e["privacy"]["attributes"]), Fraction(e["privacy"]["max_frequency"])
                share, most = (max(t[i] for t in tops) for i in (0, 1))  # top_share is that of all buckets that were there
                self.say("the largest share is another one", said[0] < share or abs(said[1] - most) > 1e-9 or
                         said[0] > share and not any("withdrawn" in p for p in mine))
        names = {x.name for x in home.iterdir()} if home else set()
        texts = {d["name"]: d["sha256"] for d in m.get("documents", [])}
        self.say("files that the manifest does not name", bool(names) and names != {"manifest.json", *texts, *(p["part"] for p in m["parts"])})
        self.say("documents are missing", [*texts] != ["datapackage.json", "receiver.md"])
        self.say("a document is another than the manifest says", home is not None and any(
            hashlib.sha256((home / d).read_bytes()).hexdigest() != sha for d, sha in texts.items()))
        return out

    def files(self, home: Path, p: Json) -> Rows:
        out: Rows = {}
        self.say("files that the manifest does not name", {x.name for x in home.iterdir()} != {f["name"] for f in p["files"]})
        for f in p["files"]:
            self.say("a file is a link to another place", (home / f["name"]).is_symlink())
            data = (home / f["name"]).read_bytes()
            rows = out[f["name"]] = list(csv.reader(io.StringIO(data.decode(), newline="")))
            self.say("a file is another than the manifest says",
                     (hashlib.sha256(data).hexdigest(), len(data), len(rows)) != (f["sha256"], f["bytes"], f["rows"] + 1))
            self.say("a file is not in the one form of CSV", "".join(",".join(map(quoted, r)) + "\n" for r in rows).encode() != data)
        return out

    def joined(self, p: Json, of: List[Tuple[Optional[Json], Optional[Rows]]], rows: Optional[Rows], queue: List[str], n: int) -> bool:
        """A joined part holds parts of the release before one after another, with shifted numbers. Whether buckets leave with it."""
        first, want, before = {one: 1 for one, _ in NUMBERED}, {}, set()  # type: ignore[var-annotated]
        for r, (entry, part) in zip(p["replaces"], of):
            before |= {b + first["bucket"] - 1 for b in (entry or {}).get("withdrawn", [])}
            self.say("parts are lost or out of order", not queue or queue.pop(0) != r["part"])
            for name, lines in (part or {}).items():
                shift = [first.get(column, 1) - 1 for column in lines[0]]
                want.setdefault(name, lines[:1])
                want[name] = want[name] + [[str(int(v) + s) if s else v for v, s in zip(line, shift)] for line in lines[1:]]
            for one, many in NUMBERED:
                self.say("a joined part says wrongly what it joins", not entry or (r.get("first_" + one), r.get(many)) != (first[one], entry[many]))
                first[one] += r[many]
        ends = [re.findall(r"\d+", p["replaces"][i]["part"])[i] for i in (0, -1)]
        self.say("a joined part has another name or release", (p["part"], p["release"]) != (f"part-{ends[0]}-{ends[1]}", n))
        now = self.leaving(p, before)
        self.say("a joined part is not what it joins", rows is not None and all(part for _, part in of) and rows != without(want, now))
        return bool(now)

    def leaving(self, p: Json, before: Set[int]) -> Set[int]:
        """The buckets of a part that leave with the release, given those that had left before."""
        now = set(p.get("withdrawn", []))
        self.say("a bucket that has left is there again", not before <= now)
        return now - before

    def part(self, m: Json, p: Json, rows: Rows) -> None:
        """Classes, buckets, pools and caps of a part. Numbers of buckets that have left are not used again, and pools are as they were."""
        gone = set(p.get("withdrawn", []))
        quasi, sensitive = ([a for a in m["schema"] if a["role"] == role] for role in ("quasi", "sensitive"))
        names, d, exact = [a["name"] for a in sensitive], len(quasi), m["recoding"] == "anatomy"
        drawn = names if m["recoding"] == "permutation" else []
        heads = {f: head.split() for f, head in HEADS.items() if f != "tables.csv" or "tables" in m}
        heads["data.csv"] = [a["name"] for a in quasi] + drawn + ["class", "bucket"]
        most = m["privacy"].get("max_records", 0)  # with histories
        heads["buckets.csv"] += (["stratum"] if "settle" in m["privacy"] else []) + (["records"] if most else [])
        for f in ("values.csv", "pools.csv"):
            heads[f][3:3] = [f"value_{n}" for n in range(2, most + 1)]
        self.say("a file is missing, or its columns are others", {f: r[0] for f, r in rows.items()} != heads)
        size, people, bucket, cells = Counter(), Counter(), {}, {}  # type: ignore[var-annotated]
        shown, sums, sides = (defaultdict(Counter) for _ in range(3))  # type: ignore[var-annotated]
        last: Any = (0, [])
        # Of a joined part the order holds inside each part that it joins, unless that was a joined one itself.
        parts = [(r["first_class"], len(set(births(r["part"])))) for r in p.get("replaces", [])]
        for r in rows["data.csv"][1:]:
            c, b, now = int(r[-2]), int(r[-1]), [sortable(a, v) for a, v in zip(quasi + sensitive, r[:-2])]
            self.say("rows are out of order", (c, now) < last)
            one, before = ([x for x in parts if x[0] <= n][-1:] for n in (c, last[0]))
            self.say("classes are out of order", not exact and c > last[0] > 0 and one == before and all(n == 1 for _, n in one) and
                     (now[:d], b) < (last[1][:d], bucket[last[0]]))
            self.say("a class is in two buckets, or shows different cells", bucket.setdefault(c, b) != b or
                     not exact and cells.setdefault(c, r[:d]) != r[:d])
            last, size[c], people[b] = (c, now), size[c] + 1, people[b] + 1
            for a, v in zip(drawn, r[d:-2]):
                shown[b, a][v] += 1
        self.say(f"a class does not have exactly {m['policy']['k']} people", not set(size.values()) <= {m["policy"]["k"]})
        pool, strata = {int(r[0]): int(r[1]) for r in rows["buckets.csv"][1:]}, {(r[1], *r[3:]) for r in rows["buckets.csv"][1:]}
        lengths = {int(r[0]): int(r[-1]) if most else 1 for r in rows["buckets.csv"][1:]}
        self.say("a pool has people of two strata", len(strata) > len(set(pool.values())))
        for what, numbers, n in (("classes", size, p["classes"]), ("buckets", people, p["buckets"]), ("pools", dict.fromkeys(pool.values()), p["pools"])):
            want = [i for i in range(1, n + 1) if i not in gone or what != "buckets"]
            free = bool(gone) and what != "buckets"  # nobody says which classes and pools the buckets had
            self.say(f"{what} are not numbered 1, 2, 3 in their order", not set(numbers) <= set(want) if free else list(numbers) != want)
        self.say("a bucket has other people than it says", [[str(b), str(pool.get(b)), str(people[b])] for b in people] !=
                 [r[:3] for r in rows["buckets.csv"][1:]])
        bag, said = (self.bags(rows[f][1:], sensitive) for f in ("values.csv", "pools.csv"))
        for (b, name), values in bag.items():
            sums[pool[b], name].update(values)
            self.say("a history is longer or shorter than its bucket says", any(len(v.split(THEN)) != lengths[b] for v in values) or
                     not 1 <= lengths[b] <= max(1, most))
            self.say("values that rows show are not those of their bucket", bool(drawn) and values != shown[b, name])
        self.say("a pool is not the sum of its buckets", any(n - said[x] for x, n in sums.items()) if gone else said != sums)
        self.say("a bucket has another number of values than people", {(b, name) for b in people for name in names} != set(bag) or
                 any(sum(v.values()) != people[b] for (b, _), v in bag.items()))
        for q, x, v, y, w, n in rows.get("tables.csv", [])[1:]:
            sides[int(q), x, x, y][v] += int(n)
            sides[int(q), y, x, y][w] += int(n)
        of = {a["name"]: a for a in sensitive}
        self.say("a pair table does not add up to its pool", any([x, y] not in m["tables"] or v != labelled(of[name], said[q, name])
                                                                for (q, name, x, y), v in sides.items()))
        for (b, name), values in bag.items():
            self.most[1] = max(self.most[1], Fraction(max(values.values()), sum(values.values())))
            self.keeps(of[name], m["policy"]["l"], labelled(of[name], values), labelled(of[name], said[pool[b], name]))

    def bags(self, rows: List[List[str]], sensitive: List[Json]) -> Bags:
        at, out = {a["name"]: i for i, a in enumerate(sensitive)}, defaultdict(Counter)  # type: ignore[var-annotated]
        last: Tuple[Any, ...] = ()
        for n, a, *history, count in rows:
            while len(history) > 1 and not history[-1]:
                history.pop()
            v, now = THEN.join(history), (int(n), at[a], [sortable(sensitive[at[a]], v) for v in history])
            self.say("a record of a history is missing", len(history) > 1 and "" in history)
            self.say("the rows of bags are out of order, or a value stands twice", now <= last or int(count) < 1)
            last, out[int(n), a][v] = now, int(count)
        return out

    def keeps(self, a: Json, l: int, bag: Bag, pool: Bag) -> None:
        """Whether a bucket keeps what is promised of an attribute, and what the caller relies on."""
        promise, least = a.get("promise") or {"l": l}, Fraction(0)
        named = {x["value"]: Fraction(x["share"]) for x in promise.get("at_most") or []}
        reference = {x["value"]: x["count"] for x in promise["reference"]["counts"]} if promise.get("reference") else pool
        if promise.get("open"):  # of those who have a value
            bag, reference = ({v: n for v, n in of.items() if v != "?"} for of in (bag, reference))
        people, everybody = sum(bag.values()), sum(reference.values())
        bag, reference = ever(bag), ever(reference)
        for v, n in bag.items():
            share, have, others = Fraction(n, people), reference.get(v, 0), everybody - reference.get(v, 0)
            least = Fraction(1, promise["l"]) if promise.get("l") else Fraction(0 if promise.get("gain") else 1)
            g = Fraction(promise.get("gain") or 0)
            cap = max(least, g * have / (g * have + others)) if g and (have or others) else least
            cap = min(cap, named.get(v, Fraction(1)), Fraction(promise.get("most") or 1))
            self.say(f"a bucket has more of a value of {a['name']} than is promised", share > cap)
            asked = self.caps.get(a["name"], 1) if isinstance(self.caps, Mapping) else 1 if self.caps is None else self.caps
            asked = asked.get(v, 1) if isinstance(asked, Mapping) else asked
            self.say(f"a bucket has more of a value of {a['name']} than you rely on", share > Fraction(asked) + Fraction(1, 10**12))
            self.most[0] = max(self.most[0], share)


def ever(bag: Bag) -> Bag:
    """A person counts at every value that their history has anywhere, once."""
    out = Counter()  # type: ignore[var-annotated]
    for history, n in bag.items():
        out.update(dict.fromkeys(history.split(THEN), n))
    return out


def eras(m: Json) -> List[Json]:
    """What is said of each era, oldest first, as if there were no other: it has the parts that were born up to a release, behind another one."""
    out, start, rest = [], 0, {x: m.get(x, 0) for x in ("records", "classes", "buckets")}
    for e in m.get("eras", []):
        rest = {x: n - e.get(x, 0) for x, n in rest.items()}
        out.append({**{x: v for x, v in m.items() if x not in OF_ERA}, **e, "from": start})
        start = e["until"]
    return [*out, {**m, **rest, "from": start, "until": inf}]


def under(m: Json, part: str) -> Json:
    """What is said of the era of a part."""
    return next(e for e in eras(m) if births(part)[1] <= e["until"])


def settings(m: Json, ended: bool = False) -> List[Any]:
    """What an era does not change. Until it has ended its hierarchies may grow."""
    return [m.get(key) for key in SETTINGS] + [m["privacy"].get(key) for key in ("settle", "updates", "max_records")] + [
        a if ended else {**a, "hierarchy": None} for a in m["schema"]]


def subject(m: Json) -> List[str]:
    return [a["name"] for a in m["schema"] if a["role"] == "subject"]


def births(part: str) -> Tuple[int, int]:
    """The releases whose newcomers a part has, the first and the last."""
    ends = [int(n) for n in re.findall(r"\d+", part)]
    return ends[0], ends[-1]


def left(window: str, times: Mapping[int, int]) -> int:
    """Up to which release births have left the newest one: after a number of releases, or an age. They leave in twelfths of it."""
    newest, n = max(times), int(window.rstrip("dhms"))
    unit = {"d": 86400, "h": 3600, "m": 60, "s": 1}.get(window[-1], 1)
    size = max(1, n // 12) * unit
    if window[-1].isdigit():
        return max(0, (newest - n) // size * size)
    return max((r for r, t in times.items() if r < newest and (t // size + 1) * size + n * unit <= times[newest]), default=0)


def without(rows: Optional[Rows], gone: Set[int]) -> Optional[Rows]:
    """A part without the lines of buckets."""
    names = {str(b) for b in gone}
    return rows and {f: lines[:1] + [r for r in lines[1:] if f not in OF_BUCKET or r[OF_BUCKET[f]] not in names] for f, lines in rows.items()}


def late(parts: List[Json]) -> Dict[int, float]:
    """How many people of each bucket have sent an update or a delete since, buckets counted through all parts; inf: it has left."""
    out: Dict[int, float] = {}
    first = 0
    for p in parts:
        out.update({first + b: n for b, n in p.get("stale", [])})
        out.update({first + b: inf for b in p.get("withdrawn", [])})
        first += p["buckets"]
    return out


def canonical(data: bytes) -> bytes:
    """A manifest in its one form: two spaces, one line break at the end, numbers as they stand."""
    raw = json.loads(data, parse_float=lambda s: "\ue000" + s, parse_int=lambda s: "\ue000" + s)
    text = re.sub('"\ue000([^"]*)"', r"\1", json.dumps(raw, indent=2, ensure_ascii=False))
    return (text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029") + "\n").encode()


def quoted(field: str) -> str:
    return '"' + field.replace('"', '""') + '"' if re.search(r'[,"\r\n]', field) else field


def sortable(a: Json, cell: str) -> Any:
    """The place of a cell or value: numbers by their ends, texts by bytes, a missing one last."""
    if a["type"] not in ("integer", "decimal") or cell == "?":
        return (cell == "?", cell.encode())
    ends = [Decimal(x) for x in re.findall(r"-?[\d.]*\d", cell.replace("..", " "))]
    return (False, ends[0], ends[-1], cell.endswith("|?"))


def labelled(a: Json, values: Bag) -> Bag:
    """Exact numbers as the intervals of which promises are."""
    if a.get("values") != "exact":
        return values
    edges, out = a["hierarchy"]["buckets"], Counter()  # type: ignore[var-annotated]
    for v, n in values.items():
        i = max((i for i, e in enumerate(edges) if v != "?" and e <= float(v)), default=-1)
        out["?" if i < 0 else f"{edges[i]:.15g}" + (f"..{edges[i + 1]:.15g}" if i + 1 < len(edges) else "+")] += n
    return out


if __name__ == "__main__":
    args = argparse.ArgumentParser(description="What a stranger can check of anond releases, from their files alone.")
    args.add_argument("releases")
    args.add_argument("--k", type=int)
    args.add_argument("--caps", type=lambda s: json.loads(s if s[0] == "{" else "0" + s), help='.25, or {"illness": .25}, or {"illness": {"yes": .5}}')
    given = args.parse_args()
    found = check(given.releases, given.k, given.caps)
    print("\n".join(found) or "nothing was found")
    sys.exit(bool(found))
