"""Systems whose transactions come in groups: to devices, logs, coupling facilities, zIIPs, JVM threads, and before others."""

from __future__ import annotations

from collections.abc import Callable

from . import free_systems, limited_systems, site_systems
from .all_systems import MOST_DRAWS, Drawn
from .rough_loads import Draft, Draw, short

KINDS: dict[str, Callable[[Draw], Draft | None]] = {
    "logs and devices": site_systems.logs_devices,
    "coupling": site_systems.coupling,
    "zIIPs": site_systems.ziip,
    "JVM threads": limited_systems.threads,
    "importance": free_systems.importance,
}
LARGEST = 30.0  # burst


def drawn(kind: str, number: int, salt: int, attempt: int = 0) -> Drawn:
    """One system of a kind; `attempt` is how many before it did not settle when they were simulated."""
    g = Draw(f"bursts/{kind}/{number}/{salt}/{attempt}")
    for _ in range(MOST_DRAWS):
        draft = KINDS[kind](g)
        if draft is None:
            continue
        for work in draft.work:
            if g.chance(0.6) or work is draft.work[0]:
                work["burst"] = short(g.log(1.3, LARGEST))
                if "users" in work:
                    work["burst"] = min(work["burst"], work["users"])
        return Drawn(kind, f"{kind} {number}", attempt, draft.plain(f"{kind} {number}"))
    raise RuntimeError(f"{kind} {number}: nothing drawn")
