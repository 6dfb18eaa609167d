"""Where tasks run: CICS regions and IMS dependent regions, and the limits on their tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass

from .. import checks
from ..errors import ModelError

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
        checks.text("region: name", self.name)
        item = f"region {self.name!r}"
        checks.text(f"{item}: lpar", self.lpar)
        least, most = MXT_RANGE
        mxt = checks.whole(f"{item}: mxt", self.mxt, most=10**9)
        if not least <= mxt <= most:
            raise ModelError(f"{item}: mxt", f"CICS takes {least} to {most}", "correct MXT", self.mxt)
        classes = checks.figures(f"{item}: tranclasses", self.tranclasses or {})
        for name, active in classes.items():
            checks.whole(f"{item}: tranclasses[{name!r}]", active, least=1)
        checks.assign(self, mxt=mxt, tranclasses=classes, importance=_importance(item, self.importance))
        checks.assign(self, fixed_cpu=checks.number(f"{item}: fixed_cpu", self.fixed_cpu))
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
        checks.text("region: name", self.name)
        item = f"region {self.name!r}"
        checks.text(f"{item}: lpar", self.lpar)
        classes = checks.figures(f"{item}: tranclasses", self.tranclasses or {})
        for name, active in classes.items():
            checks.whole(f"{item}: tranclasses[{name!r}]", active, least=1)
        regions = checks.whole(f"{item}: regions", self.regions, least=1, most=10_000)
        checks.assign(self, regions=regions, tranclasses=classes, importance=_importance(item, self.importance))
        checks.assign(self, fixed_cpu=checks.number(f"{item}: fixed_cpu", self.fixed_cpu))

    @property
    def limit(self) -> int:
        """Transactions at once."""
        return self.regions

    @property
    def limit_name(self) -> str:
        """What its reports call the limit."""
        return "regions"


Region = CicsRegion | ImsRegions


def _importance(item: str, value: int) -> int:
    return checks.whole(f"{item}: importance", value, least=1, most=100)
