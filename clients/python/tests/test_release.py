"""What the package says of releases that the tests of anond publish: ANOND_CASE is a directory with releases by recoding, and with
answers.json, what anond-lab query says of them. Run by TestClients (clients_test.go)."""

import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
import anond

CASE = Path(os.environ["ANOND_CASE"])
ANSWERS = json.loads((CASE / "answers.json").read_text())


class Releases(unittest.TestCase):
    def test_estimates_are_those_of_query(self) -> None:
        releases = {name: anond.read(CASE / name) for name in {a["of"] for a in ANSWERS}}
        for a in ANSWERS:
            head, _, where = a["query"].partition(" where ")
            r = releases[a["of"]]
            got = r.count(where) if head == "count" else getattr(r, head.split("(")[0])(head.split("(")[1][:-1], where)
            for name in ("estimate", "low", "high", "lower", "upper", "shares", "hidden"):
                self.assertLessEqual(abs(getattr(got, name) - a[name]), 1e-9 * max(1, abs(a[name])), (a["of"], a["query"], name))

    def test_every_person_is_read_once(self) -> None:
        for name in {a["of"] for a in ANSWERS}:
            r = anond.read(CASE / name)
            self.assertEqual(len(r.rows), r.manifest["records"])
            self.assertEqual(len(r.sizes), r.manifest["buckets"])
            for a in r.sensitive:
                self.assertEqual(r.values[r.values.attribute == a]["count"].sum(), r.manifest["records"])
                self.assertNotIn(a, r.rows)  # values that were drawn for rows are nobody's
        self.assertEqual(anond.read(CASE / "buckets", release=1).manifest["release"], 1)

    def test_tables_ask_each_cell(self) -> None:
        r = anond.read(CASE / "buckets")
        t = r.crosstab(["age < 50", "age >= 50"], "illness", "sex in {F, M}")
        self.assertEqual(len(t), 12)
        self.assertEqual(t.loc[("age < 50", "gout")].estimate, r.count("sex in {F, M} and age < 50 and illness = gout").estimate)
        self.assertEqual(r.means("income", by="sex").loc["F"].estimate, r.mean("income", "sex = F").estimate)
        sure = r.crosstab("sex", "illness")
        self.assertTrue(((sure.lower <= sure.low) & (sure.low <= sure.estimate) & (sure.estimate <= sure.high) & (sure.high <= sure.upper)).all())

    def test_eras(self) -> None:
        r = anond.read(CASE / "eras")
        records = json.loads((CASE / "eras.json").read_text())  # age, postcode, ward, income, illness, drug
        self.assertEqual([e.k for e in r.eras], [2, 3])
        self.assertEqual(list(r.rows.columns), ["part", "age", "postcode", "income", "class", "bag", "ward"])
        self.assertEqual((len(r.rows), r.rows["ward"].notna().sum(), r.rows["income"].isna().sum()), (len(records), 16, 16))
        self.assertEqual(r.values[r.values.attribute == "illness"]["count"].sum(), len(records))
        for where, holds in (("", lambda x: True), ("age < 50 and illness = flu", lambda x: int(x[0]) < 50 and x[4] == "flu"),
                             ("drug = A", lambda x: x[5] == "A"), ("ward = ward-e and income < 1200", lambda x: x[2] == "ward-e" and int(x[3]) < 1200),
                             ("postcode = 101*", lambda x: x[1] in ("1011", "1012")), ("postcode not in {101*}", lambda x: x[1] not in ("1011", "1012"))):
            a, true = r.count(where), sum(map(holds, records))
            self.assertTrue(a.lower <= true <= a.upper and a.lower <= a.estimate <= a.upper, (where, true, a))
        self.assertGreaterEqual(r.count("drug = A").upper, 16)  # anybody of the first era may have it
        a, flu = r.mean("age", "illness = flu"), [int(x[0]) for x in records if x[4] == "flu"]
        self.assertTrue(a.lower <= sum(flu) / len(flu) <= a.upper)
        self.assertGreater(r.sum("age").upper, sum(int(x[0]) for x in records) - 1)
        self.assertRaises(anond.QueryError, r.sum, "income")
        self.assertEqual(r.check(), [])
        if not shutil.which("Rscript"):
            self.skipTest("there is no Rscript")
        script = f"""source("{Path(__file__).parent.parent.parent / 'r' / 'release.R'}"); r <- read_release("{CASE / 'eras'}")
            cat(nrow(r$rows), sum(is.na(r$rows$ward)), sprintf("%.12g", c(count(r, inside(r$rows$age, 0, 49), "illness", "flu"),
              count(r, among(r$rows$ward, "ward-e"), "drug", "A"))))"""
        out = subprocess.run(["Rscript", "--vanilla", "-e", script], capture_output=True, text=True)
        self.assertEqual(out.returncode, 0, out.stderr)
        rows, lack, _, lower, upper, share, low, high = map(float, out.stdout.split())
        young, both = r.count("age < 50 and illness = flu"), sum(x[2] == "ward-e" and x[5] == "A" for x in records)
        self.assertEqual((rows, lack, lower, upper), (len(records), len(records) - 16, young.lower, young.upper))
        self.assertTrue(low <= both <= high and low <= share <= high)

    def test_histories(self) -> None:
        r = anond.read(CASE / "histories")
        self.assertEqual(r.histories, ["illness"])
        self.assertEqual(list(r.values.columns), ["bag", "attribute", "value", "value_2", "value_3", "count"])
        own = r.values[["value", "value_2", "value_3"]].values.tolist()
        people = lambda holds: sum(n for h, n in zip(own, r.values["count"]) if holds([v for v in h if v]))  # noqa: E731
        for where, holds in (("ever = i0", lambda h: "i0" in h), ("first = i0", lambda h: h[0] == "i0"), ("whole = i0 then i1", lambda h: h == ["i0", "i1"]),
                             ("ever = i0 then i1", lambda h: ["i0", "i1"] in (h[:2], h[1:])), ("ever != i0", lambda h: "i0" not in h)):
            a = r.count("illness " + where)
            self.assertEqual([a.lower, a.upper], [people(holds)] * 2, where)
        t = r.crosstab(["age < 40", "age >= 40"], "illness")
        self.assertIn(("age < 40", "i0 then i1"), t.index)
        self.assertIn("age", r.glm("illness ever = i0", ["age"]).index)
        for where, says in (("illness = i0", "has histories"), ("age ever = 30", "no history"), ("illness ever < 3", "has histories"),
                            ("illness ever = i0 then", "expected")):
            with self.assertRaisesRegex(anond.QueryError, says):
                r.count(where)
        with self.assertRaisesRegex(anond.QueryError, "no histories"):
            anond.read(CASE / "buckets").count("illness ever = flu then gout")
        one = anond.read(CASE / "buckets")  # one record a person
        self.assertEqual(one.count("illness ever = flu"), one.count("illness = flu"))

    def test_r_counts_histories(self) -> None:
        if not shutil.which("Rscript"):
            self.skipTest("there is no Rscript")
        script = f"""source("{Path(__file__).parent.parent.parent / 'r' / 'release.R'}"); r <- read_release("{CASE / 'histories'}")
            part <- inside(r$rows$age, 20, 39); cat(sprintf("%.12g", c(count(r, part, "illness", "i0"), count(r, part, "illness", "i0", 1))))"""
        out = subprocess.run(["Rscript", "--vanilla", "-e", script], capture_output=True, text=True)
        self.assertEqual(out.returncode, 0, out.stderr)
        r = anond.read(CASE / "histories")
        want = [getattr(r.count(f"age in [20,39] and illness {at} = i0"), name) for at in ("ever", "first") for name in ("shares", "lower", "upper")]
        for got, is_ in zip(out.stdout.split(), want):
            self.assertAlmostEqual(float(got), is_, places=8)

    def test_a_regression_says_what_cannot_be_seen(self) -> None:
        r = anond.read(CASE / "buckets")
        people = [row for f in CASE.glob("feed-*.csv") for row in csv.DictReader(f.read_text().splitlines()) if row["age"]]
        x = [float(row["age"]) for row in people]
        mean = sum(x) / len(x)
        slope = sum((v - mean) * (row["illness"] == "flu") for v, row in zip(x, people)) / sum((v - mean) ** 2 for v in x)
        got = r.glm("illness = flu", ["age", "sex", "city"], "gaussian")
        self.assertEqual(list(got.index), ["(intercept)", "age", "sex = M", "sex = X", "city = Bonn", "city = Celle", "city = Diez"])
        self.assertTrue(got.loc["age"].hidden)  # nobody above 50 has flu: the promise hides how steep that is
        self.assertLess(slope, got.loc["age"].estimate)
        self.assertLess(got.loc["age"].estimate, got.loc["age"].shares)
        for name in got.index[2:]:  # nothing depends on these
            self.assertFalse(got.loc[name].hidden, name)
            self.assertTrue(got.loc[name].low < 0 < got.loc[name].high, name)
        for outcome, on in (("age < 40", ["sex"]), ("illness = flu", ["income"]), ("income", ["sex"]), ("illness = flu and smoker = yes", ["sex"])):
            with self.assertRaises(anond.QueryError):
                r.glm(outcome, on)

    def test_a_wrong_query_says_what_to_write(self) -> None:
        r = anond.read(CASE / "buckets")
        for where, says in (("shoe = 1", "no attribute"), ("sex in [1,2]", "no ranges"), ("age = old", "number"), ("age in [9,1]", "empty"),
                            ("sex =", "expected"), ("age ! 3", "cannot read")):
            with self.assertRaisesRegex(anond.QueryError, says):
                r.count(where)
        with self.assertRaisesRegex(anond.QueryError, "cannot be summed"):
            r.mean("sex")
        with self.assertRaisesRegex(anond.QueryError, "list of conditions"):
            r.crosstab("age", "sex")
        with self.assertRaisesRegex(anond.UnreadableRelease, "no release"):
            anond.read(CASE)

    def test_r_reads_the_same(self) -> None:
        if not shutil.which("Rscript"):
            print("WARNING: clients/r WAS NOT TESTED: there is no Rscript", file=sys.stderr)
            self.skipTest("there is no Rscript")
        script = f"""source("{Path(__file__).parent.parent.parent / 'r' / 'release.R'}"); r <- read_release("{CASE / 'buckets'}")
            part <- inside(r$rows$age, 40, 60) * among(r$rows$sex, "F") * among(r$rows$city, c("Bonn", "Diez"),
              leaves_of(file.path(r$hierarchies, "city.csv"))) * inside(r$rows$weight, 50, 90, 0)
            cat(sprintf("%.12g", count(r, part, "illness", c("flu", "mig, raine"))))"""
        out = subprocess.run(["Rscript", "--vanilla", "-e", script], capture_output=True, text=True)
        self.assertEqual(out.returncode, 0, out.stderr)
        want = anond.read(CASE / "buckets").count(
            'age in [40,60] and sex = F and city = west and weight in [50,90] and illness in {flu, "mig, raine"}')
        for got, name in zip(out.stdout.split(), ("shares", "lower", "upper")):
            self.assertAlmostEqual(float(got), getattr(want, name), places=8, msg=name)


class Checks(unittest.TestCase):
    def damaged(self, *damage: "object", of: str = "buckets") -> list[str]:
        with tempfile.TemporaryDirectory() as top:
            shutil.copytree(CASE / of, Path(top) / "releases", symlinks=True)
            for d in damage:
                d(Path(top) / "releases")  # type: ignore[operator]
            return anond.check(Path(top) / "releases")

    def test_whole_chains_pass(self) -> None:
        for name in {a["of"] for a in ANSWERS}:
            k = anond.read(CASE / name).k
            self.assertEqual(anond.check(CASE / name, k, {"illness": 1 / 3}), [], name)
        self.assertGreater(anond.read(CASE / "window").manifest["expired"], 0)
        self.assertIn("k is", " ".join(anond.check(CASE / "buckets", 9)))
        self.assertIn("more of a value of illness than you rely on", " ".join(anond.check(CASE / "buckets", caps=.3)))
        self.assertIn("more of a value of smoker", " ".join(anond.check(CASE / "buckets", caps={"smoker": {"no": .5}})))
        self.assertEqual(anond.read(CASE / "buckets").check(), [])

    def test_damaged_histories_are_found(self) -> None:
        def again(change: "object", file: str = "values.csv") -> "object":  # a line of a file of release 3, which nobody has copied, and hashes
            def damage(r: Path) -> None:
                home = r / "000003" / "part-000003"
                data = change((home / file).read_bytes())  # type: ignore[operator]
                (home / file).unlink()
                (home / file).write_bytes(data)
                m = json.loads((r / "000003" / "manifest.json").read_text())
                entry = next(f for f in m["parts"][-1]["files"] if f["name"] == file)
                entry.update(sha256=hashlib.sha256(data).hexdigest(), bytes=len(data), rows=data.count(b"\n") - 1)
                (r / "000003" / "manifest.json").chmod(0o644)
                (r / "000003" / "manifest.json").write_text(json.dumps(m, indent=2) + "\n")
            return damage

        def line(row: str, to: "object") -> "object":
            return lambda data: re.sub(row.encode(), to if callable(to) else to.encode(), data, count=1, flags=re.M)  # type: ignore[attr-defined]

        for change, file, says in (
                (line(r"^(1,illness,i\d,i\d),i\d", r"\1,"), "values.csv", "longer or shorter"),
                (line(r"^(1,illness,i\d),i\d(,i\d)", r"\1,\2"), "values.csv", "record of a history is missing"),
                (line(r"^(1,1,15,.*),3$", r"\1,2"), "buckets.csv", "longer or shorter"),
                (line(r"^(1,illness,)(i\d),i\d,(i[^0],\d)", r"\1i0,\2,\3"), "values.csv", "not the sum")):
            self.assertIn(says, " ".join(self.damaged(again(change, file), of="histories")), says)
        self.assertIn("than you rely on", " ".join(anond.check(CASE / "histories", caps=.3)))  # of who has a value in any record

    def test_damaged_files_are_found(self) -> None:
        part = lambda r, n=1: r / "000001" / "part-000001" / "data.csv"  # noqa: E731

        def write(file: Path, data: bytes) -> None:
            file.unlink(missing_ok=True)
            file.write_bytes(data)

        def link(r: Path) -> None:
            file = r / "000002" / "part-000001" / "data.csv"
            file.unlink()
            file.symlink_to("../../000001/part-000001/data.csv")

        last = max(int(p.name) for p in (CASE / "buckets").iterdir() if p.name.isdigit())
        for name, damage in {
            "byte": lambda r: write(part(r), part(r).read_bytes().replace(b",1,1\n", b",1,2\n", 1)),
            "row too many": lambda r: write(part(r), part(r).read_bytes() + b"x\n"),
            "manifest": lambda r: write(r / "000001" / "manifest.json", (r / "000001" / "manifest.json").read_bytes().replace(b"\n", b" \n", 1)),
            "release missing": lambda r: shutil.rmtree(r / "000002"),
            "older CURRENT": lambda r: write(r / "CURRENT", b"000001\n"),
            "newer CURRENT": lambda r: write(r / "CURRENT", b"%06d\n" % (last + 1)),
            "another CURRENT": lambda r: write(r / "CURRENT", b"%06d" % last),
            "file nobody named": lambda r: write(r / "000001" / "part-000001" / "more.csv", b""),
            "directory nobody named": lambda r: (r / "000001" / "part-000009").mkdir(),
            "link": link,
            "hierarchy": lambda r: write(next((r / "hierarchies").iterdir()), b"Aalen;*\n"),
        }.items():
            self.assertTrue(self.damaged(damage), name)

    def test_whoever_leaves_leaves_by_the_window(self) -> None:
        """Chains that are whole but for one false word about who has left."""
        def told(old: str, new: str, newest: bool = False) -> "object":
            def damage(r: Path) -> None:
                files, sha = sorted(r.glob("0*/manifest.json")), ""
                for n, file in enumerate(files):
                    text = file.read_text()
                    if n > 0:
                        at = text.rindex('"sha256": "') + len('"sha256": "')
                        text = text[:at] + sha + text[at + 64:]
                    if not newest or n == len(files) - 1:
                        text = re.sub(old, new, text)
                    file.unlink()
                    file.write_text(text)
                    sha = hashlib.sha256(text.encode()).hexdigest()
            return damage

        self.assertEqual(self.damaged(told("x^", ""), of="window"), [])
        wrong = "what has left is not what the window says"
        for says, damage in (
                (wrong, told('"window": "1"', '"window": "9"')),
                (wrong, told('"window": "1"', '"window": "365d"')),
                ("documents are missing", told(r'"documents": \[[^]]*\],\n  ', "")),
                (wrong, told(r'"expired": \d+', '"expired": 0', newest=True)),
                ("people leave without a window, or come back", told(r'"expired": \d+', '"expired": 99', newest=True)),
                ("people leave without a window, or come back", told(r'\n  "window": "1",', "")),
                ("people_ever is not who was published", told(r'"people_ever": \d+', '"people_ever": 7', newest=True)),
                ("cannot be read any further", told('"window": "1"', '"window": "soon"'))):
            self.assertIn(says, " ".join(self.damaged(damage, of="window")))
        left = sys.modules["anond.check"].left  # type: ignore[attr-defined]
        day = {n: 86400 * n for n in range(1, 101)}
        for window, upto in (("100", 0), ("24", 76), ("36", 63), ("30", 70), ("98d", 0), ("90d", 6), ("36d", 62), ("40h", 98), ("90m", 99), ("1s", 99)):
            self.assertEqual(left(window, day), upto, window)


    def test_buckets_leave_for_good(self) -> None:
        """Chains that are whole but for what they say, or show, of buckets that have left."""
        chain = {int(f.parent.name): json.loads(f.read_text()) for f in sorted((CASE / "joined").glob("0*/manifest.json"))}
        last, lost = max(chain), min(n for n, m in chain.items() if any("withdrawn" in p for p in m["parts"]))
        part = next(p["part"] for p in chain[lost]["parts"] if "withdrawn" in p)
        self.assertLess(lost, last)
        self.assertTrue(any("withdrawn" in p and "replaces" in p for p in chain[last]["parts"]))

        def edited(change: "object", at: int = lost) -> "object":
            """A manifest says something else, and those that follow are linked to it again."""
            def damage(r: Path) -> None:
                sha = ""
                for n in range(at, last + 1):
                    file = r / f"{n:06d}" / "manifest.json"
                    m = json.loads(file.read_text(), parse_float=lambda s: "\ue000" + s)
                    if n == at:
                        change(m, r / f"{n:06d}")  # type: ignore[operator]
                    else:
                        m["previous"]["sha256"] = sha
                    text = re.sub('"\ue000([^"]*)"', r"\1", json.dumps(m, indent=2, ensure_ascii=False)) + "\n"
                    file.unlink()
                    file.write_text(text)
                    sha = hashlib.sha256(text.encode()).hexdigest()
            return damage

        def of(m: dict) -> dict:
            return next(p for p in m["parts"] if p["part"] == part)

        def one_row_more(m: dict, home: Path) -> None:
            """A row leaves without its bucket."""
            file, p = home / part / "data.csv", of(m)
            data = b"".join(file.read_bytes().splitlines(True)[:-1])
            file.unlink()
            file.write_bytes(data)
            entry = next(f for f in p["files"] if f["name"] == "data.csv")
            p["rows"] = entry["rows"] = p["rows"] - 1
            entry["bytes"], entry["sha256"] = len(data), hashlib.sha256(data).hexdigest()

        self.assertEqual(self.damaged(edited(lambda m, _: None), of="joined"), [])
        for says, damage in {
            "other bytes": edited(one_row_more),
            "not the first of its period": edited(lambda m, _: m["erasure"].update(every=10**9)),
            "there again": edited(lambda m, _: of(m).pop("withdrawn"), lost + 1),
            "a part was changed": edited(lambda m, _: of(m).update(release=lost - 1)),
            "no list of buckets": edited(lambda m, _: of(m)["withdrawn"].append(10**6)),
            "another dataset than before": edited(lambda m, _: m.pop("erasure"), last),
            "people_ever": edited(lambda m, _: m.update(people_ever=m["people_ever"] - 1), last),
        }.items():
            self.assertIn(says, " ".join(self.damaged(damage, of="joined")))


if __name__ == "__main__":
    unittest.main()
