"""The system: all parts together, and what must hold between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

from qnsolve.errors import ModelError, Repair, suggestion
from qnsolve.model import checks

from .facilities import CouplingFacility, Device, Logger
from .holding import check_holding
from .processors import Lpar
from .regions import CicsRegion, ImsRegions, Region
from .work import Step, Work

PARTS: dict[str, tuple[type, ...]] = {
    "lpars": (Lpar,),
    "regions": (CicsRegion, ImsRegions),
    "work": (Work,),
    "coupling_facilities": (CouplingFacility,),
    "loggers": (Logger,),
    "devices": (Device,),
}
CICS_ONLY = ("qr_cpu", "ro_cpu", "open_cpu", "jvm_cpu")


@dataclass(frozen=True)
class SystemParts:
    """LPARs, regions, the work in them, and what the work waits for: the parts of a `System`, checked."""

    lpars: Sequence[Lpar]
    regions: Sequence[Region]
    work: Sequence[Work]
    _: KW_ONLY
    coupling_facilities: Sequence[CouplingFacility] = ()
    loggers: Sequence[Logger] = ()
    devices: Sequence[Device] = ()
    name: str = ""

    def __post_init__(self) -> None:
        for part, kinds in PARTS.items():
            items = checks.listed(part, getattr(self, part))
            for item in items:
                if not isinstance(item, kinds):
                    allowed = ", ".join(kind.__name__ for kind in kinds)
                    raise ModelError(part, f"must hold {allowed}", "build it with one of them", item)
            if not items and part in ("lpars", "regions", "work"):
                raise ModelError(part, "must not be empty", f"give at least one of [[{part}]]", [], code=Repair.ITEM)
            checks.assign(self, **{part: items})
        if self.name != "":
            checks.text("name", self.name)
        structures = [s.name for facility in self.coupling_facilities for s in facility.structures]
        names = [item.name for part in PARTS for item in getattr(self, part)]
        checks.unique("name", names + structures, "all parts of a system")
        lpars = [lpar.name for lpar in self.lpars]
        for region in self.regions:
            _known(f"region {region.name!r}: lpar", [region.lpar], lpars)
        facilities, logs = ([item.name for item in part] for part in (self.coupling_facilities, self.loggers))
        checks.assign(self, work=tuple(w.with_steps([step.naming(facilities, logs) for step in w.steps]) for w in self.work))
        for work in self.work:
            self._check_work(work)
        _check_dispatches(self.work)
        check_holding(self.work, self.regions)

    def _check_work(self, work: Work) -> None:
        item = f"work {work.name!r}"
        regions = {region.name: region for region in self.regions}
        requests = [s.name for facility in self.coupling_facilities for s in facility.served()]
        for step in work.steps:
            _known(f"{item}: regions", step.regions, regions)
            _known(f"{item}: cf_requests", step.cf_requests or (), requests)
            _known(f"{item}: log_bytes", step.log_bytes or (), [x.name for x in self.loggers])
            _known(f"{item}: devices", step.devices or (), [x.name for x in self.devices])
            for name in step.regions:
                _check_step(item, step, regions[name])
        if not any(_asks(step) for step in work.steps):
            raise ModelError(item, "asks for no time anywhere", "give it CPU, a device or a delay")

    def replace(self, name: str, /, **changes: Any) -> Self:
        """The same system with one part changed.

        Parameters
        ----------
        name : str
            LPAR, region, work, coupling facility, logger or device to change.
        **changes
            New values by parameter name, as in its constructor.
        """
        for part in PARTS:
            items = list(getattr(self, part))
            for i, item in enumerate(items):
                if item.name == name:
                    items[i] = _changed(item, changes)
                    parts: dict[str, Any] = {part: tuple(items)}
                    return replace(self, **parts)
        names = [item.name for part in PARTS for item in getattr(self, part)]
        raise ModelError("replace", "names what the system does not have", suggestion(name, names), name)


def _changed(item: Any, changes: dict[str, Any]) -> Any:
    known = [key for key in type(item).__dataclass_fields__ if key != "_"]
    for change in changes:
        if change not in known:
            raise ModelError(f"{item.name!r}: {change}", f"is no parameter of {type(item).__name__}", suggestion(change, known))
    return type(item)(**{**{key: getattr(item, key) for key in known}, **changes})


def _known(item: str, names: Iterable[str], known: Iterable[str]) -> None:
    listed = list(known)
    for name in names:
        if name not in listed:
            raise ModelError(item, "names what the system does not have", suggestion(name, listed), name)


def _asks(step: Step) -> bool:
    times = (step.qr_cpu, step.ro_cpu, step.open_cpu, step.jvm_cpu, step.cpu, step.system_cpu, step.delay)
    spread = (*(step.devices or {}).values(), *(step.log_bytes or {}).values(), *(step.cf_requests or {}).values())
    return any(times) or any(spread)


def _check_dispatches(works: Sequence[Work]) -> None:
    """All steps on a QR TCB say how often a task is dispatched there, or none does."""
    counted: dict[str, tuple[str, bool]] = {}
    for work in works:
        for step in work.steps:
            if step.qr_cpu or step.requests_from == "qr":
                for region in step.regions:
                    name, given = counted.setdefault(region, (work.name, step.qr_dispatches is not None))
                    if given != (step.qr_dispatches is not None):
                        rule = f"work {name!r} {'gives' if given else 'does not give'} it on the same QR TCB of {region!r}"
                        raise ModelError(f"work {work.name!r}: qr_dispatches", rule, "give it for all work there or for none")


def _check_step(item: str, step: Step, region: Region) -> None:
    for key in CICS_ONLY if isinstance(region, ImsRegions) else ("cpu",):
        if getattr(step, key):
            kind, repair = (
                ("IMS", "write cpu") if isinstance(region, ImsRegions) else ("CICS", "write qr_cpu, open_cpu or jvm_cpu")
            )
            raise ModelError(f"{item}: {key}", f"does not go with {kind} region {region.name!r}", repair, getattr(step, key))
    if step.tranclass is not None and step.tranclass not in (region.tranclasses or {}):
        known = list(region.tranclasses or {})
        rule = f"names a TRANCLASS that region {region.name!r} does not have"
        raise ModelError(f"{item}: tranclass", rule, suggestion(step.tranclass, known), step.tranclass)
