"""Seeded mainframe systems over the range that sites have: at least 200 for each salt, by family."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import qnsolve as qn
from qnsolve.errors import ModelError
from qnsolve.zos import System

from . import free_systems, limited_systems, site_systems, tor_systems
from .rough_loads import Draft, Draw, Plain

MOST_DRAWS = 3000
IN_ORDER = 0.15  # systems whose QR TCBs serve in order of arrival, tasks being dispatched so many times: what others do not say
FAMILIES: dict[str, tuple[Callable[[Draw], Draft | None], int]] = {
    "small": (free_systems.small, 8),
    "open": (free_systems.opened, 10),
    "open busy": (free_systems.busy, 11),
    "users": (free_systems.users, 8),
    "many users": (free_systems.many_users, 7),
    "mixed": (free_systems.mixed, 7),
    "crowd": (free_systems.crowd, 9),
    "QR beside open": (free_systems.qr_beside_open, 13),
    "unlike QR": (free_systems.unlike_qr, 6),
    "QR dispatches": (free_systems.dispatches, 5),
    "one QR TCB": (free_systems.one_qr, 6),
    "bursts": (free_systems.bursts, 7),
    "bursts at limits": (limited_systems.burst_limits, 5),
    "importance": (free_systems.importance, 10),
    "fixed CPU": (free_systems.fixed, 5),
    "MXT open": (limited_systems.mxt_open, 11),
    "MXT users": (limited_systems.mxt_users, 8),
    "MXT mixed": (limited_systems.mxt_mixed, 6),
    "MXT of CPU": (limited_systems.mxt_cpu, 7),
    "MXT crowd": (limited_systems.mxt_crowd, 9),
    "unlike at a limit": (limited_systems.unlike, 11),
    "TRANCLASS": (limited_systems.tranclass, 8),
    "TOR": (tor_systems.tor, 5),
    "TOR open limits": (tor_systems.tor_open, 6),
    "TOR full": (tor_systems.tor_full, 12),
    "TOR of CPU": (tor_systems.tor_cpu, 6),
    "TOR and direct": (tor_systems.tor_direct, 8),
    "TRANCLASS under TOR": (tor_systems.tor_class, 9),
    "IMS": (limited_systems.ims, 8),
    "limits of CPU": (limited_systems.cpu_bound, 10),
    "JVM threads": (limited_systems.threads, 7),
    "zIIP": (site_systems.ziip, 7),
    "coupling": (site_systems.coupling, 7),
    "logs and devices": (site_systems.logs_devices, 7),
    "LPARs": (site_systems.lpars, 8),
    "site": (site_systems.site, 10),
}


@dataclass(frozen=True)
class Drawn:
    """A system of a family.

    Attributes
    ----------
    family, name : str
    attempt : int
        How many before it were drawn and not kept: of systems whose simulation does not settle.
    data : dict
        As in a system file.
    """

    family: str
    name: str
    attempt: int
    data: Plain

    @property
    def system(self) -> System:
        """The system."""
        found = qn.loads(json.dumps(self.data), "json")
        assert isinstance(found, System)
        return found

    @property
    def digest(self) -> str:
        """Eight characters that another system does not have."""
        return hashlib.sha256(json.dumps(self.data, sort_keys=True).encode()).hexdigest()[:8]


def drawn(family: str, number: int, salt: int, attempt: int = 0) -> Drawn:
    """One system of a family."""
    name = f"{family} {number}"
    draw = Draw(f"{salt}/{name}/{attempt}")
    for _ in range(MOST_DRAWS):
        draft = FAMILIES[family][0](draw)
        if draft is None:
            continue
        if draw.chance(IN_ORDER):
            in_order(draft)
        found = Drawn(family, name, attempt, draft.plain(name))
        try:
            assert found.system
        except ModelError as error:
            raise RuntimeError(f"{name}: {error}\n{json.dumps(found.data)}") from error
        return found
    raise RuntimeError(f"{name}: nothing drawn")


def in_order(draft: Draft) -> None:
    """Say how often tasks are dispatched on QR TCBs."""
    for work in draft.work:
        count = draft.g.choice((1, 1, 1, 2, 4))
        for step in work["steps"]:
            if draft.region(step["regions"][0]).get("type") != "ims":
                step.setdefault("qr_dispatches", count)


def every(salt: int, kept: dict[str, int] | None = None) -> Iterator[Drawn]:
    """All systems of a salt; `kept` has the attempts of those whose first drawing was not kept."""
    for family, (_, count) in FAMILIES.items():
        for number in range(count):
            yield drawn(family, number, salt, (kept or {}).get(f"{family} {number}", 0))
