"""Keys of a model file that stand for others: the ways to give a station's speeds, routing in place of visits."""

from __future__ import annotations

from typing import Any

from .errors import ModelError
from .model import LoadDependent

SPEED_KEYS = (("rates",), ("server_speeds",), ("contention", "coherency", "jobs"))  # ways to give a station's speeds
ROUTE_KEYS = ("routing", "entry", "exits", "reference")  # in place of visits


def load_dependent(name: str, item: str, rest: dict[str, Any]) -> LoadDependent:
    """The station by its rates, by the speed of each server, or by the universal scalability law."""
    ways = [way for way in SPEED_KEYS if any(key in rest for key in way)]
    if len(ways) > 1:
        rule = "gives its speeds in several ways: " + ", ".join(rest)
        raise ModelError(item, rule, "keep rates, or server_speeds, or contention with coherency and jobs")
    for key in ways[0] if ways else ("rates",):
        if key not in rest:
            hint = " = [1.0, 1.8, ...]" if key == "rates" else ", with the rest of " + ", ".join(ways[0])
            raise ModelError(f"{item}: {key}", "is missing", f"write {key}{hint}")
    if "server_speeds" in rest:
        return LoadDependent.of_servers(name, speeds=rest["server_speeds"])
    return LoadDependent(name, **rest) if "rates" in rest else LoadDependent.usl(name, **rest)


def check_routed(item: str, rest: dict[str, Any]) -> None:
    """That a class with a routing has all of it, and nothing in its place."""
    for key in ("visits", "demands"):
        if key in rest:
            raise ModelError(f"{item}: {key}", "does not go with routing", "keep one of them", rest[key])
    if "routing" not in rest:
        raise ModelError(f"{item}: routing", "is missing", "write routing = { from = { to = p } }")
