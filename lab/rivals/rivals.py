"""rivals.py TABLE SEED ANOND [ANOND-LAB]: other ways to publish the same people as often, by the same questions and the same attacks.

    python3 -m venv V && V/bin/pip install -r lab/rivals/requirements.txt
    go build -o A ./cmd/anond
    V/bin/python lab/rivals/rivals.py adult 1 ./A     # or acs; prints one JSON line for each figure

lab/docs/RIVALS.md says what is compared, what came out, and what each method promises. TABLE is in testdata/ and public, so
that counting right guesses harms nobody here; of private people such a count is the truth about a person.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment, minimize
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from sklearn.tree import DecisionTreeClassifier

K, CUTS = 10, 6  # the first release has half of the people, each later one a tenth more
TABLES = {
    "adult": ("adult.csv.gz", ["age", "education-num"], ["workclass", "marital-status", "race", "sex", "native-country"],
              "occupation", 5, 30_000),
    "acs": ("acs-national2019.csv.gz", ["AGEP", "DENSITY"], ["SEX", "MSP", "RAC1P", "HISP", "OWN_RENT"], "EDU", 4, 18_000),
}


class People:
    """X: a code by person and quasi-identifier; y: the code of the sensitive value; value[j]: what a code stands for."""

    def __init__(self, name, seed):
        file, self.numbers, categories, self.sensitive, self.l, n = TABLES[name]
        self.quasi = self.numbers + categories
        root = pathlib.Path(__file__).resolve().parents[2] / "testdata"
        t = pd.read_csv(root / file, dtype=str, skipinitialspace=True)[self.quasi + [self.sensitive]]
        t = t.sample(frac=1, random_state=seed).reset_index(drop=True)
        for q in self.numbers:
            t[q] = t[q].astype(float)
        coded = [pd.factorize(t[c], sort=True) for c in t]
        X, self.value = np.column_stack([c for c, _ in coded[:-1]]), [np.asarray(v) for _, v in coded[:-1]]
        self.names, self.size = coded[-1][1], [len(v) for v in self.value]
        self.table, self.X, self.y = t[:n], X[:n], coded[-1][0][:n]
        self.otherX, self.othery = X[n:], coded[-1][0][n:]  # the control group: people who are in no release
        self.n, self.values = n, len(self.names)
        self.batch = np.minimum(np.maximum(0, np.arange(n) * 10 // n - 4), CUTS - 1)  # which release a person is new in


# ---- what is published: `cells` spreads each group over the codes of each attribute, `shares` over the sensitive values

def one_hot(p, X):
    return [np.eye(s, dtype=np.float32)[X[:, j]] for j, s in enumerate(p.size)]


def tight(p, groups):
    """Cells of groups of people: a number's range, both ends of which occur, and a category's set; the rest equally likely."""
    out = []
    for j, s in enumerate(p.size):
        m = np.zeros((len(groups), s), np.float32)
        for g, rows in enumerate(groups):
            codes = p.X[rows, j]
            if p.quasi[j] in p.numbers:
                lo, hi, n = codes.min(), codes.max(), len(rows)
                m[g, lo:hi + 1] = max(0, 1 - 2 / n) / (hi - lo + 1)
                m[g, [lo, hi]] += 1 / n
            else:
                m[g, codes] = 1
        out.append(m / m.sum(1, keepdims=True))
    return out


def summary(p, groups):
    """Counts of each quasi-identifier in each class: what `permutation` shows, too."""
    return [np.array([np.bincount(p.X[rows, j], minlength=s) for rows in groups], np.float32) / np.array([[len(r)] for r in groups])
            for j, s in enumerate(p.size)]


def loss(p, groups):
    """NCP: the mean part of its domain that a cell covers."""
    total = 0
    for rows in groups:
        for j, s in enumerate(p.size):
            c = p.X[rows, j]
            v = p.value[j]
            part = (v[c.max()] - v[c.min()]) / (v[-1] - v[0]) if p.quasi[j] in p.numbers else (len(set(c)) - 1) / (s - 1)
            total += len(rows) * part / len(p.size)
    return total / sum(map(len, groups))


# ---- questions

def questions(p, rng, published, low, high, n=300):
    """Conditions on one to three quasi-identifiers and a set of sensitive values that low to high of the people satisfy."""
    out, exact, y = [], one_hot(p, p.X[published]), p.y[published]
    while len(out) < n:
        conditions = {}
        for j in rng.choice(len(p.size), rng.integers(1, 4), replace=False):
            w = np.zeros(p.size[j], np.float32)
            if p.quasi[j] in p.numbers:
                a, b = np.sort(rng.integers(0, p.size[j], 2))
                w[a:b + 1] = 1
            else:
                w[rng.choice(p.size[j], rng.integers(1, p.size[j] + 1), replace=False)] = 1
            conditions[j] = w
        s = np.zeros(p.values, np.float32)
        s[rng.choice(p.values, rng.integers(1, p.values + 1), replace=False)] = 1
        truth = np.prod([exact[j] @ w for j, w in conditions.items()], axis=0) @ s[y]
        if low <= truth / len(published) <= high:
            out.append((conditions, s, truth))
    return out


def error(asked, cells, shares, people):
    """Median relative error; `shares` by group and value, `people` by group."""
    out = []
    for conditions, s, truth in asked:
        fit = people * np.prod([cells[j] @ w for j, w in conditions.items()], axis=0)
        out.append(abs(fit @ (shares @ s) - truth) / truth)
    return round(float(np.median(out)), 3)


# ---- attacks

def softmax(z):
    z = np.exp(z - z.max(1, keepdims=True))
    return z / z.sum(1, keepdims=True)


def fitted(shares, of, bags, people, rounds=30):
    """Proportional fitting: in each bucket, groups keep their people and values their counts."""
    for _ in range(rounds):
        have = np.zeros_like(bags, dtype=float)
        np.add.at(have, of, shares * people[:, None])
        shares = shares * (bags / np.maximum(have, 1e-12))[of]
        shares /= np.maximum(shares.sum(1, keepdims=True), 1e-12)
    return shares


def learn(cells, of, bags, people, ridge=2.0):
    """A multinomial model of the value given quasi-identifiers, from bags alone: maximum likelihood of the counts of each
    bucket, the mean of what its classes are predicted to have. Rows that carry a value are buckets of their own."""
    f = np.hstack(cells)
    base = np.log(np.maximum(bags.sum(0), .5) / bags.sum())
    member = coo_matrix((people, (of, np.arange(len(of)))), (len(bags), len(of))).tocsr()
    counts, norm = bags.astype(float), 1 / bags.sum(1, keepdims=True)

    def loss_of(w):
        w = w.reshape(f.shape[1], -1)
        each = softmax(f @ w + base)
        shown = np.maximum(member @ each * norm, 1e-12)
        pull = each * (member.T @ (counts / shown * norm))
        slope = f.T @ (pull - each * pull.sum(1, keepdims=True))
        return (ridge * (w ** 2).sum() / 2 - (counts * np.log(shown)).sum()), (ridge * w - slope).ravel()

    w = minimize(loss_of, np.zeros(f.shape[1] * bags.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 150}).x
    w = w.reshape(f.shape[1], -1)
    return lambda g: softmax(np.hstack(g) @ w + base)


def above(beliefs, y):
    """Who is believed to have a value with more than .3, .5, .7: share of the people, and how many of these rightly."""
    top, right = beliefs.max(1), beliefs.argmax(1) == y
    out = {"guess": round(float(right.mean()), 3)}
    for t in (.3, .5, .7):
        hit = top > t
        out[f">{t}"] = [round(float(hit.mean()), 4), round(float(right[hit].mean()), 2) if hit.any() else None]
    return out


def attack(p, name, model, in_it, own):
    """own: beliefs about the people who are published, as far as the release says more of them than the model."""
    say(name, attack="model", people=above(own, p.y[in_it]), control=above(model(one_hot(p, p.otherX)), p.othery))


def say(name, **figures):
    print(json.dumps({"table": sys.argv[1], "seed": int(sys.argv[2]), "method": name, **figures}), flush=True)


def bags_of(p, groups):
    return np.array([np.bincount(p.y[rows], minlength=p.values) for rows in groups], float)


def judge(p, rng, name, cells, people, of, bags, groups=None, asked=None):
    """Errors of a release whose classes share buckets, by shares and by the model, and the attack by the model."""
    shares = (bags / bags.sum(1, keepdims=True))[of]
    model = learn(cells, of, bags, people)
    within = fitted(model(cells), of, bags, people)
    say(name, error={k: [error(a, cells, shares, people), error(a, cells, within, people)] for k, a in asked.items()})
    if groups is not None:
        rows = np.concatenate(groups)
        where = np.repeat(of, [len(r) for r in groups])
        own = fitted(model(one_hot(p, p.X[rows])), where, bags, np.ones(len(rows)), 60)
        say(name, attack="shares alone", people=above(shares[np.repeat(np.arange(len(groups)), [len(r) for r in groups])], p.y[rows]))
        attack(p, name, model, rows, own)


# ---- anond

CONFIG = """version: 1
dataset: rivals
source: {{type: file, format: csv, file: {{path: people.csv}}}}
schema:
  attributes:
    - {{name: person, role: subject}}
{attributes}    - {{name: {sensitive}, role: sensitive, type: categorical}}
policy: {{k: {k}, l: {l}}}
initial: {{max_records: {first}, min_pool: {first}}}
release: {{dir: ./releases, ledger: ./state/ledger, trigger: {{on: records, every: {every}}}}}
"""


def asked_of(p, program, releases, asked, most=24):
    """Errors of anond-lab query for the first of the questions, each a run of a second or two, and how many of them it does not
    answer, because they cannot be seen at the promise."""
    def ask(question):
        conditions, s, truth = question
        where = [f"{p.sensitive} in {{{', '.join(json.dumps(str(v)) for v in p.names[s > 0])}}}"]
        for j, w in conditions.items():
            v = p.value[j][w > 0]
            where.append(f"{p.quasi[j]} in " + (f"[{v[0]},{v[-1]}]" if p.quasi[j] in p.numbers else
                                                "{" + ", ".join(json.dumps(str(x)) for x in v) + "}"))
        said = subprocess.run([program, "query", releases, "count where " + " and ".join(where), "--json"], capture_output=True, text=True)
        if said.returncode:
            sys.exit(said.stderr)
        estimate = json.loads(said.stdout)["estimate"]
        return None if estimate is None else abs(estimate - truth) / truth

    out = {}
    for kind, questions in asked.items():
        errors = [ask(q) for q in questions[:most]]
        seen = [e for e in errors if e is not None]
        out[kind] = {"error": round(float(np.median(seen)), 3), "not answered": len(errors) - len(seen), "of": len(errors)}
    return out


def anond(p, program, rows, then=lambda releases, published: None):
    """Publishes rows in CUTS releases at level L2; returns the classes (rows of each) and the bucket of each class."""
    n = len(rows)
    with tempfile.TemporaryDirectory() as d:
        d = pathlib.Path(d)
        t = p.table.iloc[rows].reset_index(drop=True)
        t.insert(0, "person", [f"p{i}" for i in range(n)])
        t.to_csv(d / "people.csv", index=False)
        kinds = {q: "decimal, digits: 1" if q in p.numbers else "categorical" for q in p.quasi}
        (d / "anond.yaml").write_text(CONFIG.format(
            attributes="".join(f"    - {{name: {q}, role: quasi, type: {kinds[q]}}}\n" for q in p.quasi),
            sensitive=p.sensitive, k=K, l=p.l, first=n // 2, every=n // 10))
        for args in (["run", "--once"], ["state", "members", "--out", "m.csv"]):
            done = subprocess.run([program, *args], cwd=d, capture_output=True, text=True)
            if done.returncode:
                sys.exit(done.stderr)
        m = pd.read_csv(d / "m.csv")
        m = m[m.release == m.release.max()]
        start = np.cumsum([0] + [len(line) for line in (d / "people.csv").read_bytes().splitlines(keepends=True)])
        at = {int(o): i - 1 for i, o in enumerate(start)}  # line 0 is the header
        m["row"] = [at[int(r.rsplit(":", 1)[1])] for r in m.record]
        classes = {c: rows[g.row.to_numpy()] for c, g in m.groupby(["part", "bucket", "class"])}
        then(d / "releases", np.sort(np.concatenate(list(classes.values()))))
        return list(classes.values()), pd.factorize(pd.Series([c[:2] for c in classes]))[0]


def refined(p, groups):
    """Combinatorial refinement: somebody who knows all quasi-identifiers but no classes keeps those (person, class) that are in
    some assignment which fills each class with people inside its cells. That is: both ends in one strong component of the
    graph person -> class that can hold them, class -> person whom it holds."""
    rows = np.concatenate(groups)
    holds = np.repeat(np.arange(len(groups)), [len(g) for g in groups])
    cells = tight(p, groups)
    a, b = [], []
    for at in range(0, len(rows), 2000):
        fits = np.ones((len(rows[at:at + 2000]), len(groups)), bool)
        for j in range(len(p.size)):
            fits &= (cells[j] > 0).T[p.X[rows[at:at + 2000], j]]
        i, c = np.nonzero(fits)
        a.append(i + at)
        b.append(c)
    a, b, n = np.concatenate(a), np.concatenate(b), len(rows)
    g = coo_matrix((np.ones(len(a) + n, bool), (np.append(a, n + holds), np.append(n + b, np.arange(n)))), (n + len(groups),) * 2)
    part = connected_components(g.tocsr(), connection="strong")[1]
    can = np.bincount(a[part[a] == part[n + b]], minlength=n)
    return np.bincount(a, minlength=n), can, rows


# ---- others

def mondrian(p, rows, ahead):
    """Strict Mondrian with l by frequency. ahead: a cut is taken only if both sides would keep l whoever has which value of the
    set that is cut (the worst-case test of look-ahead publishing): who is where then says nothing about values."""
    out, todo = [], [rows]
    while todo:
        g = todo.pop()
        worst = np.bincount(p.y[g]).max()
        spans = sorted(range(len(p.size)), key=lambda j: -np.ptp(p.X[g, j]) / max(1, p.size[j] - 1))
        for j in spans:
            x = p.X[g, j]
            low = x <= np.median(x) if (x > np.median(x)).any() else x < np.median(x)
            a, b = g[low], g[~low]
            if min(len(a), len(b)) < K:
                continue
            fine = worst * p.l <= min(len(a), len(b)) if ahead else all(np.bincount(p.y[s]).max() * p.l <= len(s) for s in (a, b))
            if fine:
                todo += [a, b]
                break
        else:
            out.append(g)
    return out


def below_l(p, history):
    """People by how many values are left when the classes of all releases are intersected."""
    left = {}
    for groups in history:
        for g in groups:
            have = set(p.y[g])
            for r in g:
                left[r] = left[r] & have if r in left else have
    few = np.array([len(v) for v in left.values()])
    return {"fewer than l": round(float((few < p.l).mean()), 4), "one": round(float((few == 1).mean()), 4)}


def cart(p, rows, seed):
    """Sequential synthesis as by synthpop: each column from a tree on those before, with the value of a random person of the
    leaf (at least five people)."""
    rng = np.random.default_rng(seed)
    data = np.column_stack([p.X[rows], p.y[rows]])
    made = np.empty_like(data)
    made[:, 0] = rng.choice(data[:, 0], len(rows))
    for j in range(1, data.shape[1]):
        tree = DecisionTreeClassifier(min_samples_leaf=5, max_leaf_nodes=3000, random_state=seed).fit(data[:, :j], data[:, j])
        leaf, want = tree.apply(data[:, :j]), tree.apply(made[:, :j])
        order = np.argsort(leaf, kind="stable")
        first, last = np.searchsorted(leaf[order], want, "left"), np.searchsorted(leaf[order], want, "right")
        made[:, j] = data[order[first + (rng.random(len(rows)) * (last - first)).astype(int)], j]
    return made


def private(p, rows, epsilon, seed):
    """Differential privacy for each person over all releases: people are new in one release only, so the tables of each
    release's newcomers take the whole epsilon, and releases add them up. Each value with each quasi-identifier, and a tree of
    pairs of quasi-identifiers that is chosen from the control group. Noise by OpenDP (Gaussian, zero-concentrated, delta
    1e-6), joined to one distribution and rows by mbi."""
    import opendp.prelude as dp
    from mbi import Domain, LinearMeasurement, estimation

    dp.enable_features("contrib")
    names = p.quasi + [p.sensitive]
    data, other, size = np.column_stack([p.X, p.y]), np.column_stack([p.otherX, p.othery]), p.size + [p.values]

    def table(d, a, b):
        return np.bincount(d[:, a] * size[b] + d[:, b], minlength=size[a] * size[b]).astype(float)

    def information(a, b):
        t = table(other, a, b).reshape(size[a], size[b]) / len(other)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.nansum(t * np.log(t / t.sum(1, keepdims=True) / t.sum(0)))

    s, inside, pairs = len(p.size), [0], []
    while len(inside) < s:
        a, b = max(((a, b) for a in inside for b in range(s) if b not in inside), key=lambda e: information(*e))
        inside.append(b)
        pairs.append((a, b))
    pairs += [(j, s) for j in range(s)]
    log = np.log(1e6)
    rho = (np.sqrt(log + epsilon) - np.sqrt(log)) ** 2  # epsilon = rho + 2 sqrt(rho log(1/delta))
    scale = float(np.sqrt(len(pairs) / (2 * rho)))
    noisy = dp.m.make_gaussian(dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l2_distance(T=float), scale=scale)
    assert noisy.map(1.0) * len(pairs) <= rho * (1 + 1e-9)
    measured = []
    for a, b in pairs:
        total = sum(np.array(noisy(list(table(data[rows[p.batch[rows] == c]], a, b)))) for c in range(CUTS))
        measured.append(LinearMeasurement(total, (names[a], names[b]), stddev=scale * CUTS ** .5))
    model = estimation.MirrorDescent().estimate(Domain(names, size), measured, iters=1000)
    made = model.synthetic_data(len(rows)).to_dict()
    return np.column_stack([np.asarray(made[c]) for c in names]).astype(int)


def synthetic(p, name, made, asked, in_it):
    """Made rows: errors, the model trained on them, and the value of made rows that equal a person in all quasi-identifiers."""
    X, y = made[:, :-1], made[:, -1]
    n = len(made)
    cells, shares = one_hot(p, X), np.eye(p.values)[y]
    say(name, error={k: [error(a, cells, shares, np.ones(n)), None] for k, a in asked.items()})
    model = learn(cells, np.arange(n), shares, np.ones(n))
    attack(p, name, model, in_it, model(one_hot(p, p.X[in_it])))
    key = {}
    for x, v in zip(map(bytes, X.astype(np.int16)), y):
        key.setdefault(x, []).append(v)
    twin = lambda Z: np.array([np.bincount(key[b], minlength=p.values) / len(key[b]) if b in key else np.zeros(p.values)
                               for b in map(bytes, Z.astype(np.int16))])
    say(name, attack="equal rows", people=above(twin(p.X[in_it]), p.y[in_it]), control=above(twin(p.otherX), p.othery))


def freeform(p, rows):
    """k perfect matchings of people to rows, the first the identity, each of least cost: what a row's cells lose more by holding
    the person, too. A row shows the cells of its k people."""
    n = len(rows)
    groups, there = [[i] for i in range(n)], np.eye(n, dtype=bool)
    for _ in range(K - 1):
        cost = np.where(there, 1e6, 0)
        for j, s in enumerate(p.size):
            x = p.X[rows, j]
            if p.quasi[j] in p.numbers:
                v = p.value[j][x].astype(float)
                lo, hi = np.array([v[g].min() for g in groups]), np.array([v[g].max() for g in groups])
                cost += (np.maximum(lo[:, None] - v, 0) + np.maximum(v - hi[:, None], 0)) / (p.value[j][-1] - p.value[j][0])
            else:
                has = np.zeros((n, s), bool)
                for i, g in enumerate(groups):
                    has[i, x[g]] = True
                cost += ~has[:, x] / (s - 1)
        for i, j in zip(*linear_sum_assignment(cost)):
            groups[i].append(j)
            there[i, j] = True
    return [rows[g] for g in groups]


def main():
    table, seed, program = sys.argv[1], int(sys.argv[2]), str(pathlib.Path(sys.argv[3]).resolve())
    p, rng = People(table, seed), np.random.default_rng(seed)
    asked = {}

    def then(releases, published):
        asked.update({"1-5 %": questions(p, rng, published, .01, .05), ".2-1 %": questions(p, rng, published, .002, .01)})
        if len(sys.argv) > 4:
            say("anond-lab query", reply=asked_of(p, str(pathlib.Path(sys.argv[4]).resolve()), releases, asked))

    classes, of = anond(p, program, np.arange(p.n), then)
    in_it = np.sort(np.concatenate(classes))
    size = np.array([len(c) for c in classes], float)
    bags = np.zeros((of.max() + 1, p.values))
    np.add.at(bags, of, bags_of(p, classes))
    say("anond L2", people=len(in_it), buckets=len(bags), ncp=round(loss(p, classes), 4))
    judge(p, rng, "anond L2", tight(p, classes), size, of, bags, classes, asked)
    exact = np.concatenate(classes)
    judge(p, rng, "anond L2, summary", summary(p, classes), size, of, bags, None, asked)
    judge(p, rng, "anond L2, anatomy", one_hot(p, p.X[exact]), np.ones(len(exact)), np.repeat(of, size.astype(int)), bags, None, asked)
    before, after, _ = refined(p, classes)
    say("anond L2", attack="refinement", classes_that_fit=float(np.median(before)), classes_left=float(np.median(after)),
        class_certain=round(float((after == 1).mean()), 4), row_at_most=1 / K)

    history = [mondrian(p, in_it[p.batch[in_it] <= c], False) for c in range(CUTS)]
    ahead = sum((mondrian(p, in_it[p.batch[in_it] == c], True) for c in range(CUTS)), [])
    for name, groups, chain in ("Mondrian, run again", history[-1], history), ("Mondrian, look-ahead by release", ahead, None):
        people = np.array([len(g) for g in groups], float)
        say(name, ncp=round(loss(p, groups), 4), median_class=float(np.median(np.repeat(people, people.astype(int)))))
        judge(p, rng, name, tight(p, groups), people, np.arange(len(groups)), bags_of(p, groups), groups, asked)
        if chain:
            say(name, attack="all releases intersected", people=below_l(p, chain))

    synthetic(p, "CART synthesis", cart(p, in_it, seed), asked, in_it)
    for epsilon in (1.0, 3.0):
        synthetic(p, f"DP, epsilon {epsilon:g}", private(p, in_it, epsilon, seed), asked, in_it)

    few = np.arange(2000)
    ours, _ = anond(p, program, few)
    there = np.sort(np.concatenate(ours))
    say("2,000 people", ncp={"anond L2": round(loss(p, ours), 4), "freeform": round(loss(p, freeform(p, there)), 4)})


if __name__ == "__main__":
    main()
