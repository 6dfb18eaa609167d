"""Where tasks run: CICS regions and IMS dependent regions, and the limits on their tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass

from qnsolve.errors import ModelError
from qnsolve.model import checks

MXT_RANGE = (10, 2000)


@dataclass(frozen=True)
class CicsRegion:
    """A CICS region: its QR TCB, its other TCBs, and the limits on its tasks.

    Parameters
    ----------
    name, lpar : str
    mxt : int, default 500
        Tasks in the region at once, 10 to 2000 [count]; the others wait.
    tranclasses : mapping of name to int, optional
        MAXACTIVE of each TRANCLASS [count]: tasks of its work in the region at once.
    thread_limit : int, optional
        THREADLIMIT of the JVM server [count]: threads at once for the work's `jvm_cpu`.
    fixed_cpu : float, default 0
        CPU of the region that does not grow with the work [engines].
    importance : int, default 1
        Dispatching priority at the CPs; 1 is highest.
    """

    name: str
    _: KW_ONLY
    lpar: str
    mxt: int = 500
    tranclasses: Mapping[str, int] | None = None
    thread_limit: int | None = None
    fixed_cpu: float = 0.0
    importance: int = 1

    def __post_init__(self) -> None:
        item = _check(self)
        least, most = MXT_RANGE
        mxt = checks.whole(f"{item}: mxt", self.mxt, most=10**9)
        if not least <= mxt <= most:
            raise ModelError(f"{item}: mxt", f"CICS takes {least} to {most}", "correct MXT", self.mxt)
        checks.assign(self, mxt=mxt)
        if self.thread_limit is not None:
            limit = checks.whole(f"{item}: thread_limit", self.thread_limit, least=1, most=2000)
            checks.assign(self, thread_limit=limit)

    @property
    def limit(self) -> int:
        """Tasks at once."""
        return self.mxt

    @property
    def limit_name(self) -> str:
        """What its reports call the limit."""
        return "MXT"


@dataclass(frozen=True)
class ImsRegions:
    """IMS dependent regions of one kind: each runs one transaction at a time, the others wait in the message queue.

    Parameters
    ----------
    name, lpar : str
    regions : int
        MPP, IFP or BMP regions [count].
    tranclasses : mapping of name to int, optional
        Regions that may run the transactions of a class at once [count].
    fixed_cpu, importance
        As for `CicsRegion`.
    """

    name: str
    _: KW_ONLY
    lpar: str
    regions: int
    tranclasses: Mapping[str, int] | None = None
    fixed_cpu: float = 0.0
    importance: int = 1

    def __post_init__(self) -> None:
        item = _check(self)
        regions = checks.whole(f"{item}: regions", self.regions, least=1, most=10_000)
        checks.assign(self, regions=regions)

    @property
    def limit(self) -> int:
        """Transactions at once."""
        return self.regions

    @property
    def limit_name(self) -> str:
        """What its reports call the limit."""
        return "regions"


Region = CicsRegion | ImsRegions


def _check(region: Region) -> str:
    """What both kinds share: name, LPAR, TRANCLASSes, fixed CPU, importance; returns how errors name the region."""
    checks.text("region: name", region.name)
    item = f"region {region.name!r}"
    checks.text(f"{item}: lpar", region.lpar)
    classes = checks.figures(f"{item}: tranclasses", region.tranclasses or {})
    for name, active in classes.items():
        checks.whole(f"{item}: tranclasses[{name!r}]", active, least=1)
    importance = checks.whole(f"{item}: importance", region.importance, least=1, most=100)
    fixed = checks.number(f"{item}: fixed_cpu", region.fixed_cpu)
    checks.assign(region, tranclasses=classes, importance=importance, fixed_cpu=fixed)
    return item
