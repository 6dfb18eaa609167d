"""How many servers resources have, as a caller says it: of each by its name, or of all at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from qnsolve.errors import ModelError, suggestion
from qnsolve.model import checks

ServerCounts = Mapping[str, float] | float | None
ALL = ""  # the name of what is said of every resource


def server_counts(given: ServerCounts, names: Collection[str], rule: str) -> dict[str, float]:
    """Counts by resource; `ALL` is the one of every resource that has no other.

    Parameters
    ----------
    given : float, mapping of str to float, or None
        [servers]
    names : collection of str
        Those that may be named.
    rule : str
        What a name must be, for the error.

    Raises
    ------
    ModelError
        For another name, or a count that is not above 0.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        return {ALL: checks.number("servers", given, positive=True)}
    for name in given:
        if name not in names:
            raise ModelError("servers", rule, suggestion(str(name), names), name)
    return {str(name): checks.number(f"servers[{name!r}]", count, positive=True) for name, count in given.items()}
