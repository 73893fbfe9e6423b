"""peers.py PROGRAM FILE: anonymizes a CSV file with a program of PyPI, k=10 and 5 different values a class."""

import sys
import warnings

import pandas as pd

warnings.filterwarnings("ignore")
QUASI = ["age", "workclass", "education", "marital", "race", "sex", "country"]
NUMBERS = ["age", "education"]
SENSITIVE = "occupation"
K, L = 10, 5


def anonypy(table):
    """Mondrian: strict partitions, each with its ranges and sets."""
    from anonypy import Preserver

    for name in QUASI + [SENSITIVE]:
        if name not in NUMBERS:
            table[name] = table[name].astype("category")
    return len(pd.DataFrame(Preserver(table, QUASI, SENSITIVE).anonymize_l_diversity(k=K, l=L)))


def anjana(table):
    """One generalization of the whole table. Its levels: the value; a quarter of the range, or the half of the values; *."""
    from anjana.anonymity import l_diversity

    hierarchies = {}
    for name in QUASI:
        values = table[name].to_numpy()
        if name in NUMBERS:
            low, width = values.min(), (values.max() - values.min()) // 4 + 1
            middle = [f"[{low + (v - low) // width * width},{low + ((v - low) // width + 1) * width})" for v in values]
        else:
            order = {v: i for i, v in enumerate(sorted(set(values)))}
            middle = ["first" if order[v] * 2 < len(order) else "second" for v in values]
        hierarchies[name] = {0: values, 1: middle, 2: ["*"] * len(values)}
    return len(l_diversity(table, ["person"], QUASI, SENSITIVE, K, L, 0, hierarchies))


PROGRAMS = {"read": len, "anonypy": anonypy, "anjana": anjana}
print(PROGRAMS[sys.argv[1]](pd.read_csv(sys.argv[2])), "rows")
