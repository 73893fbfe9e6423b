"""Reads what anond-lake wrote with programs of others, and holds it against the CSV files.

usage: foreign.py RELEASES PARQUET WAREHOUSE [RELEASES PARQUET WAREHOUSE]...
What is expected is read from the releases by this script alone: manifest.json and CSV.
"""
import collections, csv, datetime, glob, importlib, json, os, sys

import duckdb, pandas, pyarrow.dataset
from pyiceberg.table import StaticTable

con = duckdb.connect()
seen_dead = set()


def expected(releases, number, stem):
    """The living rows of a table: part, then the fields as texts, without bounds."""
    top = os.path.join(releases, "%06d" % number)
    manifest = json.load(open(os.path.join(top, "manifest.json"), encoding="utf-8"))
    rows, header = [], None
    for part in manifest["parts"]:
        dead = set(map(str, part.get("dead", [])))
        seen_dead.update((releases, part["part"], n) for n in dead)
        with open(os.path.join(top, part["part"], stem + ".csv"), newline="", encoding="utf-8") as f:
            lines = list(csv.reader(f))
        header, place = lines[0], 0 if stem in ("st", "pst") else -1
        rows += [tuple([part["part"]] + r) for r in lines[1:] if r[place] not in dead]
    numeric = {a["name"]: a["type"] for a in manifest["schema"]
               if a["role"] == "quasi" and a["type"] in ("integer", "decimal", "date")}
    return header, numeric, rows


def texts(rows):
    return collections.Counter(tuple(str(v) for v in row) for row in rows)


def bounds(cell, kind):
    """What a cell says, as the columns should have it."""
    if cell.startswith("*"):
        return None, None
    lo, hi = cell[1:-1].split(",") if cell.startswith("[") else (cell, cell)
    read = {"integer": int, "decimal": float, "date": datetime.date.fromisoformat}[kind]
    return read(lo), read(hi)


def by_class(rows, header):
    if "class" not in header and "group" not in header:
        return None
    at = 1 + header.index("class" if "class" in header else "group")
    return collections.Counter((r[0], int(r[at])) for r in rows)


def compare(what, releases, number, stem, columns, rows):
    """columns and rows as the program of others gave them."""
    header, numeric, want = expected(releases, number, stem)
    cells = sorted(name for name in numeric if name in header)  # the other files of a part show no cells
    side = {name + s for name in cells for s in ("_lower", "_upper")}
    keep = [i for i, c in enumerate(columns) if c not in side]
    assert [columns[i] for i in keep] == ["part"] + header, (what, number, stem, columns)
    got = [tuple(r[i] for i in keep) for r in rows]
    assert texts(got) == texts(want), (what, number, stem, "other rows than the CSV files have")
    counts = by_class(want, header)
    if counts is not None:
        place = 1 + header.index("class" if "class" in header else "group")
        assert collections.Counter((r[0], r[place]) for r in got) == counts, (what, number, stem, "other counts by class")
    for name in cells:
        text, lo, hi = columns.index(name), columns.index(name + "_lower"), columns.index(name + "_upper")
        for r in rows:
            assert (r[lo], r[hi]) == bounds(r[text], numeric[name]), (what, number, name, "bounds are not those of the cell")
    return len(rows)


def tables(warehouse):
    for dataset in sorted(d for d in os.listdir(warehouse) if not d.startswith(".")):
        for stem in sorted(os.listdir(os.path.join(warehouse, dataset))):
            yield stem, os.path.join(warehouse, dataset, stem)


def result(query):
    return [d[0] for d in query.description], query.fetchall()


def files(releases, parquet):
    """Every Parquet file of every release."""
    for name in sorted(n for n in os.listdir(parquet) if not n.startswith(".")):
        number = int(name)
        for stem in sorted(d for d in os.listdir(os.path.join(parquet, name)) if not d.endswith(".json")):
            place = os.path.join(parquet, name, stem)
            found = con.execute("SELECT * FROM read_parquet(?)", [os.path.join(place, "*.parquet")])
            checked["DuckDB %s, Parquet" % duckdb.__version__] += compare("duckdb", releases, number, stem, *result(found))
            frame, want = pandas.read_parquet(place), expected(releases, number, stem)[2]
            assert collections.Counter(frame["part"]) == collections.Counter(r[0] for r in want), (number, stem, "pandas")
            checked["pandas %s, Parquet" % pandas.__version__] += len(frame)
            ids = [f.metadata[b"PARQUET:field_id"] for f in pyarrow.dataset.dataset(place).schema]
            assert ids == [str(i + 1).encode() for i in range(len(ids))], ids


def snapshots(releases, warehouse):
    """Every snapshot of every table."""
    numbers = sorted(int(n) for n in os.listdir(releases) if n.isdigit())
    for stem, place in tables(warehouse):
        table = StaticTable.from_metadata(place)
        assert [s.snapshot_id for s in table.snapshots()] == numbers, "one snapshot a release"
        assert table.current_snapshot().snapshot_id == numbers[-1]
        for number in numbers:
            assert table.snapshot_by_name("release-%06d" % number).snapshot_id == number
            found = table.scan(snapshot_id=number).to_arrow()
            rows = list(zip(*[c.to_pylist() for c in found.columns]))
            checked["PyIceberg, Iceberg"] += compare("pyiceberg", releases, number, stem, found.column_names, rows)
            query = table.scan(snapshot_id=number).to_duckdb("release").execute("SELECT * FROM release")
            checked["DuckDB on PyIceberg"] += compare("duckdb on pyiceberg", releases, number, stem, *result(query))
            if native:
                query = con.execute("SELECT * FROM iceberg_scan('%s', snapshot_from_id = %d)" % (place, number))
                checked["DuckDB, Iceberg"] += compare("duckdb iceberg", releases, number, stem, *result(query))


def load(name):
    """An extension of DuckDB, from its package or as it is installed."""
    try:
        package = importlib.import_module("duckdb_extension_" + name)
        found = glob.glob(os.path.join(os.path.dirname(package.__file__), "extensions", "v" + duckdb.__version__, name + ".duckdb_extension"))
    except ImportError:
        found = []
    con.execute("LOAD '%s'" % found[0] if found else "LOAD " + name)


try:
    con.execute("SET autoinstall_known_extensions = false")
    load("avro")
    load("iceberg")
    native = True
except duckdb.Error as e:
    native = False
    print("NOT RUN: DuckDB's own reader of Iceberg: its extension is not installed (%s)" % type(e).__name__)

checked = collections.Counter()
for at in range(1, len(sys.argv), 3):
    releases, parquet, warehouse = sys.argv[at:at + 3]
    files(releases, parquet)
    snapshots(releases, warehouse)
for program, rows in sorted(checked.items()):
    assert rows > 0, program
    print("%s: %d rows as in the CSV files" % (program, rows))
print("classes that were regrouped and left out: %d" % len(seen_dead))
