"""Limits on the number of jobs inside a part of the network: MXT, TRANCLASS, dependent regions, threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from qnsolve.errors import ModelError

from . import checks


@dataclass(frozen=True)
class AdmissionLimit:
    """At most `capacity` jobs of some classes inside some stations; the others wait outside.

    MXT, TRANCLASS MAXACTIVE, dependent regions and thread limits are of this kind.

    Parameters
    ----------
    capacity : int
        Jobs inside at once [count].
    classes, stations : sequences of str, optional
        The classes limited, and the stations that count; by default all of them.
    name : str, default "limit"
    """

    capacity: int
    _: KW_ONLY
    classes: Sequence[str] | None = None
    stations: Sequence[str] | None = None
    name: str = "limit"

    def __post_init__(self) -> None:
        checks.text("limit: name", self.name)
        item = f"limit {self.name!r}"
        checks.assign(self, capacity=checks.whole(f"{item}: capacity", self.capacity, least=1))
        for part in ("classes", "stations"):
            if getattr(self, part) is not None:
                names = checks.listed(f"{item}: {part}", getattr(self, part))
                if not names:
                    raise ModelError(f"{item}: {part}", "must not be empty", "leave it out to mean all", [])
                checks.assign(self, **{part: tuple(checks.text(f"{item}: {part}", n) for n in names)})
