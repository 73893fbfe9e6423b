"""Reads releases of anond: tables, counts, means, regressions, and a check that needs nothing of the program."""

from ._eras import Eras
from ._language import QueryError
from .check import check
from .release import Answer, Release, UnreadableRelease, read

__all__ = ["Answer", "Eras", "QueryError", "Release", "UnreadableRelease", "check", "read"]
