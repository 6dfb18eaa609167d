"""What if: one change of a system in one call, and what it does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from qnsolve.errors import ModelError, suggestion
from qnsolve.model import checks
from qnsolve.zos.parts.processors import Lpar, LsprTable, kind_of
from qnsolve.zos.parts.tcbs import Program
from qnsolve.zos.parts.work import Step
from qnsolve.zos.solve_system import System, only_system


def move(
    system: System,
    lpar: str,
    *,
    engines: float | None = None,
    itr_ratio: float | None = None,
    lspr: LsprTable | None = None,
) -> System:
    """An LPAR on another machine, or with another number of engines.

    Parameters
    ----------
    system : System
    lpar : str
    engines : float, optional
        CPs after the move [count]; as before where left out.
    itr_ratio : float, optional
        ITR of the LPAR after over before, from the LSPR [ratio]; in proportion to the engines
        where left out, which is more than a larger machine gives.
    lspr : LsprTable, optional
        In place of `itr_ratio`, on the same machine: its ITR by engines.
    """
    system = only_system(system)
    if lspr is not None:
        kind_of("move: lspr", lspr, LsprTable)
        if itr_ratio is not None:
            raise ModelError("move: itr_ratio, lspr", "either the ratio or the table that gives it", "keep one", itr_ratio)
    old = _lpar(system, lpar)
    count = old.processors.engines if engines is None else engines
    by_engines = checks.number("move: engines", count, positive=True) / old.processors.engines
    if lspr is not None:
        itr_ratio = lspr.ratio(old.processors.engines, count)
    ratio = by_engines if itr_ratio is None else checks.number("move: itr_ratio", itr_ratio, positive=True)
    processors = replace(old.processors, engines=count, speed=old.processors.speed * ratio / by_engines)
    ziips = old.ziips
    if ziips is not None and engines is None:  # another machine: its zIIPs are as much faster
        ziips = replace(ziips, speed=ziips.speed * ratio)
    return system.replace(lpar, processors=processors, ziips=ziips)


def switch_smt(system: System, lpar: str, *, max_capacity_factor: float, threads: int = 2) -> System:
    """SMT mode 2 on the zIIPs of an LPAR, or mode 1 with threads=1 and a factor of 1.

    Parameters
    ----------
    system : System
    lpar : str
    max_capacity_factor : float
        RMF's MAX CF: work of a core with all its threads over that of a core with one [ratio].
    threads : int, default 2
        Threads a core [count].
    """
    system = only_system(system)
    old = _lpar(system, lpar)
    if old.ziips is None:
        raise ModelError(f"lpar {lpar!r}: ziips", "has no zIIPs", "give it some first")
    return system.replace(lpar, ziips=replace(old.ziips, threads=threads, max_capacity_factor=max_capacity_factor))


def make_threadsafe(
    system: System,
    work: str,
    *,
    qr_cpu: float | None = None,
    change_modes: float | None = None,
    program: Program | None = None,
    concurrency: str = "REQUIRED",
) -> System:
    """A work's CPU moved from the QR TCB to open TCBs.

    Parameters
    ----------
    system : System
    work : str
    qr_cpu : float, optional
        CPU that stays on the QR TCB, of each step that has more there [s]: task start and end,
        commands that are not threadsafe.
    change_modes : float, optional
        Changes of TCB of such a step afterwards [count]; as before where left out.
    program : Program, optional
        In place of both: the program that a step was written from, with `Program.step`.
    concurrency : {"REQUIRED", "THREADSAFE", "QUASIRENT"}, default "REQUIRED"
        What that program is defined with afterwards.
    """
    system = only_system(system)
    if (qr_cpu is None) == (program is None) or (program is not None and change_modes is not None):
        raise ModelError("make_threadsafe: qr_cpu, program", "either qr_cpu or program", "keep one way")
    if program is not None:
        return _redefined(system, work, program, concurrency)
    left = checks.number("make_threadsafe: qr_cpu", qr_cpu)

    def moved(step: Step) -> Step:
        if step.qr_cpu <= left:
            return step
        modes = step.change_modes if change_modes is None else change_modes
        sender = "open" if step.cf_requests else step.cf_on
        return replace(step, qr_cpu=left, open_cpu=step.open_cpu + step.qr_cpu - left, change_modes=modes, cf_on=sender)

    return with_steps(system, work, moved)


def _redefined(system: System, work: str, program: Program, concurrency: str) -> System:
    """The steps that were written from a program, as of another CONCURRENCY."""
    new = program.step(concurrency)
    forms = [program.step(name) for name in program.concurrencies]
    found: list[Step] = []

    def redefined(step: Step) -> Step:
        if not any(all(getattr(step, key) == value for key, value in form.items()) for form in forms):
            return step
        found.append(step)
        return replace(step, **new)

    changed = with_steps(system, work, redefined)
    if not found:
        rule = "has no step with the CPU times and changes of TCB of this program"
        raise ModelError(f"make_threadsafe: work {work!r}", rule, "write the step with **program.step(...)")
    return changed


def split_region(system: System, region: str, into: Sequence[str]) -> System:
    """One region made several alike, its work spread evenly over them.

    Parameters
    ----------
    system : System
    region : str
    into : sequence of str
        Names of the regions in its place; each has the limits of the old one.
    """
    system = only_system(system)
    old = {item.name: item for item in system.regions}.get(region)
    if old is None:
        raise ModelError(
            "split_region: region", "is not in the system", suggestion(region, [r.name for r in system.regions]), region
        )
    names = tuple(str(name) for name in checks.listed("split_region: into", into))
    if not names:
        raise ModelError("split_region: into", "must name a region", "give the names of the new regions", [])
    share = replace(old, fixed_cpu=old.fixed_cpu / len(names))
    regions = [new for item in system.regions for new in ([replace(share, name=n) for n in names] if item is old else [item])]

    def spread(step: Step) -> Step:
        if region not in step.regions:
            return step
        parts: dict[str, float] = {}
        for i, name in enumerate(step.regions):
            for new in names if name == region else (name,):
                parts[new] = step.share(i) / (len(names) if name == region else 1)
        return replace(step, regions=tuple(parts), shares=tuple(parts.values()))

    work = tuple(item.with_steps([spread(step) for step in item.steps]) for item in system.work)
    return replace(system, regions=tuple(regions), work=work)


def move_work(system: System, work: str, *, regions: str | Sequence[str], from_regions: str | Sequence[str]) -> System:
    """The steps of a work that run in some regions moved to others.

    Parameters
    ----------
    system : System
    work : str
    regions : str or sequence of str
        Where they run afterwards.
    from_regions : str or sequence of str
        Where they run before.
    """
    system = only_system(system)
    old = {from_regions} if isinstance(from_regions, str) else set(from_regions)

    def moved(step: Step) -> Step:
        return replace(step, regions=regions, shares=None) if old & set(step.regions) else step

    return with_steps(system, work, moved)


def scale(system: System, factor: float, work: Sequence[str] | None = None) -> System:
    """More of the same: rates and users times a factor, users rounded.

    Parameters
    ----------
    system : System
    factor : float
        [ratio]
    work : sequence of str, optional
        Which; all where left out.
    """
    system = only_system(system)
    by = checks.number("scale: factor", factor, positive=True)
    names = [item.name for item in system.work]
    for name in work or ():
        if name not in names:
            raise ModelError("scale: work", "is not in the system", suggestion(name, names), name)
    items = []
    for item in system.work:
        if work is not None and item.name not in work:
            items.append(item)
        elif item.rate is not None:
            items.append(item.changed(rate=item.rate * by))
        else:
            items.append(item.changed(users=max(round((item.users or 0) * by), 1)))
    return replace(system, work=tuple(items))


def _lpar(system: System, name: str) -> Lpar:
    for item in system.lpars:
        if item.name == name:
            return item
    raise ModelError("lpar", "is not in the system", suggestion(name, [item.name for item in system.lpars]), name)


def with_steps(system: System, name: str, change: Callable[[Step], Step]) -> System:
    """The system with each step of a work changed.

    Raises
    ------
    ModelError
        There is no such work.
    """
    for item in system.work:
        if item.name == name:
            new = item.with_steps([change(step) for step in item.steps])
            return replace(system, work=tuple(new if other is item else other for other in system.work))
    raise ModelError("work", "is not in the system", suggestion(name, [item.name for item in system.work]), name)
