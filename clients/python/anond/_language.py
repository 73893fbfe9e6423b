"""The language of ``anond-lab query``: ``age in [40,60] and sex = F and illness in {flu, cold}``."""

from __future__ import annotations

import re
from typing import Mapping

from ._cells import MISSING, Attribute, Condition, Span

_TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([<>!]=|[()\[\]{},=<>])|([^\s()\[\]{},=<>!"]+))')


class QueryError(ValueError):
    """A condition that cannot be read, or names what the release does not have."""


def parse(text: str, attributes: Mapping[str, Attribute], known: Mapping[str, list[str]]) -> dict[str, Condition]:
    """The conditions of a text, one for each attribute; conditions on one attribute are joined."""
    tokens: list[tuple[str, str]] = []  # ("name" or "sign", text)
    at, text = 0, text.rstrip()
    while at < len(text):
        m = _TOKEN.match(text, at)
        if not m:
            raise QueryError(f"column {at + 1}: cannot read {text[at:at + 10]!r}")
        quoted, sign, word = m.groups()
        if sign is not None:
            tokens.append(("sign", sign))
        elif quoted is not None:
            tokens.append(("name", re.sub(r"\\(.)", r"\1", quoted)))
        else:
            tokens.append(("keyword" if word.lower() in ("in", "not", "and", "where") else "name", word))
        at = m.end()
    out: dict[str, Condition] = {}
    tokens.append(("end", ""))
    i = 0

    def take(kind: str, *texts: str) -> str:
        nonlocal i
        k, t = tokens[i]
        if k != kind or texts and t.lower() not in texts:
            raise QueryError(f"expected {' or '.join(texts) or 'a name or a value'}, found {t or 'the end'!r} (word {i + 1})")
        i += 1
        return t

    while tokens[i][0] != "end":
        if i > 0:
            take("keyword", "and")
        name = take("name")
        if name not in attributes:
            raise QueryError(f"the release has no attribute {name!r}: it has {', '.join(attributes)}")
        a, negated, values, span = attributes[name], False, [], None
        if tokens[i][0] == "keyword":
            negated = take("keyword", "in", "not").lower() == "not"
            if negated:
                take("keyword", "in")
            opened = take("sign", "{") if negated else take("sign", "{", "[", "(")
            if opened == "{":
                values.append(take("name"))
                while tokens[i] == ("sign", ","):
                    i += 1
                    values.append(take("name"))
                take("sign", "}")
            else:
                lo = take("name")
                take("sign", ",")
                hi = take("name")
                span = (lo, hi, opened == "(", take("sign", "]", ")") == ")")
        else:
            sign = take("sign", "=", "!=", "<", "<=", ">", ">=")
            v, negated = take("name"), sign == "!="
            if sign in ("=", "!="):
                values = [v]
            else:
                span = ("", v, False, sign == "<") if sign[0] == "<" else (v, "", sign == ">", False)
        c = _bind(a, values, negated, span)
        out[name] = out[name].meet(c, known.get(name, [])) if name in out else c
    return out


def _bind(a: Attribute, values: list[str], negated: bool, span: "tuple[str, str, bool, bool] | None") -> Condition:
    if not a.numeric:
        if span:
            raise QueryError(f"{a.name!r} is not numeric and has no ranges: use = or in {{...}}")
        asked: set[str] = set()
        for v in values:
            asked |= (a.leaves or {}).get(v or MISSING, {v or MISSING})
        return Condition(a, frozenset(asked), negated)
    try:
        if span:
            lo, hi = (a.number(span[0]) if span[0] else Span.lo), (a.number(span[1]) if span[1] else Span.hi)
            s = Span(lo, hi, span[2], span[3])
            if s.empty():
                raise QueryError(f"the range of {a.name!r} is empty: put the smaller bound first")
            return Condition(a, spans=(s,))
        points = sorted({a.number(v) for v in values})
    except QueryError:
        raise
    except ValueError:
        raise QueryError(f"a value for {a.name!r} is no {'date (YYYY-MM-DD)' if a.date else 'number'}") from None
    if not negated:
        return Condition(a, spans=tuple(Span(v, v) for v in points))
    edges = [-Span.hi, *points, Span.hi]
    return Condition(a, spans=tuple(Span(x, y, i > 0, i < len(points)) for i, (x, y) in enumerate(zip(edges, edges[1:]))))
