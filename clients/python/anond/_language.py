"""The language of ``anond-lab query``: ``age in [40,60] and sex = F and illness in {flu, cold}``, and of histories
``illness ever = flu``, ``illness first = flu`` and ``illness whole = flu then cold``."""

from __future__ import annotations

import re
from typing import Collection, Mapping

from ._cells import MISSING, THEN, Attribute, Condition, Span

_TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([<>!]=|[()\[\]{},=<>])|([^\s()\[\]{},=<>!"]+))')


class QueryError(ValueError):
    """A condition that cannot be read, or names what the release does not have."""


def parse(text: str, attributes: Mapping[str, Attribute], known: Mapping[str, list[str]],
          histories: Collection[str] = ()) -> dict[str, Condition]:
    """The conditions of a text, one for each attribute; conditions on one attribute are joined. Of attributes that are histories `known`
    has these."""
    tokens: list[tuple[str, str]] = []  # ("name", "word", "keyword" or "sign", text)
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
            tokens.append(("keyword" if word.lower() in ("in", "not", "and", "where") else "word", word))
        at = m.end()
    out: dict[str, Condition] = {}
    tokens.append(("end", ""))
    i = 0

    def take(kind: str, *texts: str) -> str:
        nonlocal i
        k, t = tokens[i]
        if k != kind and (k, kind) != ("word", "name") or texts and t.lower() not in texts:
            raise QueryError(f"expected {' or '.join(texts) or 'a name or a value'}, found {t or 'the end'!r} (word {i + 1})")
        i += 1
        return t

    def value() -> str:
        nonlocal i
        parts = [take("name")]
        while tokens[i][0] == "word" and tokens[i][1].lower() == "then":
            i += 1
            parts.append(take("name"))
        return THEN.join(parts)

    while tokens[i][0] != "end":
        if i > 0:
            take("keyword", "and")
        name = take("name")
        if name not in attributes:
            raise QueryError(f"the release has no attribute {name!r}: it has {', '.join(attributes)}")
        a, negated, values, span = attributes[name], False, [], None
        seen = ""
        if tokens[i][0] == "word" and tokens[i][1].lower() in ("ever", "first", "whole"):
            seen = take("word").lower()
            if a.role == "quasi":
                raise QueryError(f"{name!r} has one value a person, and no history: leave out {seen}")
        if tokens[i][0] == "keyword":
            negated = take("keyword", "in", "not").lower() == "not"
            if negated:
                take("keyword", "in")
            opened = take("sign", "{") if negated else take("sign", "{", "[", "(")
            if opened == "{":
                values.append(value())
                while tokens[i] == ("sign", ","):
                    i += 1
                    values.append(value())
                take("sign", "}")
            else:
                lo = take("name")
                take("sign", ",")
                hi = take("name")
                span = (lo, hi, opened == "(", take("sign", "]", ")") == ")")
        else:
            sign = take("sign", "=", "!=", "<", "<=", ">", ">=")
            v, negated = value(), sign == "!="
            if sign in ("=", "!="):
                values = [v]
            else:
                span = ("", v, False, sign == "<") if sign[0] == "<" else (v, "", sign == ">", False)
        if name in histories:
            c = _histories(a, seen, values, negated, span is not None, known[name])
        elif any(THEN in v for v in values):
            raise QueryError(f"{name!r} has no histories: leave out then")
        else:
            c = _bind(a, values, negated, span)
        out[name] = out[name].meet(c, known.get(name, [])) if name in out else c
    return out


def _histories(a: Attribute, seen: str, values: list[str], negated: bool, ranged: bool, known: list[str]) -> Condition:
    """The histories among those known that a condition asks for."""
    if not seen or ranged:
        raise QueryError(f"{a.name!r} has histories: write {a.name} ever = V, first = V, or whole = V then W")
    asked = [[(a.leaves or {}).get(v or MISSING, {v or MISSING}) for v in text.split(THEN)] for text in values]

    def holds(history: list[str], steps: "list[frozenset[str] | set[str]]") -> bool:
        if seen == "whole" and len(history) != len(steps):
            return False
        return any(all(v in step for v, step in zip(history[at:], steps))
                   for at in range(len(history) - len(steps) + 1) if at == 0 or seen == "ever")

    have = frozenset(h for h in known if any(holds(h.split(THEN), steps) for steps in asked) != negated)
    return Condition(a, have, first=seen == "first" and not any(THEN in v for v in values))


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
