"""Processors of an LPAR and its zIIPs: one figure each, times in seconds."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import qnsolve as qn
from qnsolve import measure, zos

from ..catalogue import worksheet_function
from ..cells import Numbers
from ..modelling import ANSWERS
from .words import Busy, CpuTime, Engines, Etr, OtherTime, paired, positive, share, some

GROUP = "Mainframe"
Itr = Annotated[float, "Internal throughput rate, ITR: ETR over busy."]
FixedCpu = Annotated[float, "CPU that does not grow with the work, in processors: 0.12 is 12 % of one."]
Cores = Annotated[int, "zIIP cores."]
Threads = Annotated[int, "Threads of a core: 2 in SMT mode 2."]
MaxFactor = Annotated[float, "RMF's MAX CF: work of a core with all threads over that with one; 1 without SMT."]
ZiipTime = Annotated[float, "Time on a zIIP of one transaction, in seconds."]

MANY = 10_000  # regions, so that none of them is a limit


@worksheet_function(GROUP)
def itr(etr: Etr, busy: Busy) -> float:
    """Internal throughput rate, ETR over busy [1/s].

    An identity.

    Examples
    --------
    =QN.ITR(1200,0.8)
    =QN.ITR(0,0.8)
    =QN.ITR(1200,80)
    """
    return measure.itr(etr, busy)


@worksheet_function(GROUP)
def etr_at_busy(itr: Itr, busy: Busy) -> float:
    """External throughput rate at a utilization of the processors: ITR times busy [1/s].

    Exact while CPU time of a transaction does not grow with the load.

    Examples
    --------
    =QN.ETR_AT_BUSY(1500,0.9)
    =QN.ETR_AT_BUSY(1500,1)
    =QN.ETR_AT_BUSY(1500,-0.1)
    """
    return measure.etr_at_busy(itr, busy)


@worksheet_function(GROUP)
def cpu_per_tran(etr: Etr, busy: Busy, engines: Engines) -> float:
    """CPU time of one transaction: busy times processors over ETR [s].

    An identity.

    Examples
    --------
    =QN.CPU_PER_TRAN(1200,0.8,8)
    =QN.CPU_PER_TRAN(1200,0.8,2.4)
    =QN.CPU_PER_TRAN(0,0.8,8)
    """
    return measure.cpu_per_transaction(etr, busy, engines)


@worksheet_function(GROUP)
def lpar_busy(etr: Etr, cpu_time: CpuTime, engines: Engines, fixed_cpu: FixedCpu = 0) -> float:
    """Utilization of an LPAR's processors [0..1]; #NUM! where the work needs more processors than it has.

    The utilization law; exact.

    Examples
    --------
    =QN.LPAR_BUSY(1200,0.004,8)
    =QN.LPAR_BUSY(1200,0.004,8,0.5)
    =QN.LPAR_BUSY(2400,0.004,8)
    """
    return measure.lpar_busy(etr, cpu_time, engines, fixed_cpu)


@worksheet_function(GROUP)
def engines_needed(etr: Etr, cpu_time: CpuTime, busy: Busy, fixed_cpu: FixedCpu = 0) -> float:
    """Fewest processors whose utilization does not exceed a target [count].

    The utilization law; exact.

    Examples
    --------
    =QN.ENGINES_NEEDED(1200,0.004,0.8)
    =QN.ENGINES_NEEDED(1200,0.004,0.8,0.5)
    =QN.ENGINES_NEEDED(1200,0.004,0)
    """
    return measure.engines_needed(etr, cpu_time, busy, fixed_cpu)


@worksheet_function(GROUP)
def lspr_ratio(
    engines: Annotated[Numbers, "Numbers of processors of the LSPR's rows, or of measured ones; two or more."],
    itrs: Annotated[Numbers, "ITR of each of these rows, in any one unit."],
    from_engines: Annotated[float, "Processors before."],
    to_engines: Annotated[float, "Processors after."],
) -> float:
    """Ratio of the ITRs of two numbers of processors, from a table of the LSPR [ratio].

    CPU of a transaction is a straight line between two rows: Amdahl's law.

    Examples
    --------
    =QN.LSPR_RATIO({3;5},{8.3;13.21},3,6)
    =QN.LSPR_RATIO({1,2,4,8},{1,1.9,3.6,6.6},2,8)
    =QN.LSPR_RATIO({3;5},{8.3},3,6)
    """
    paired(engines=engines, itrs=itrs)
    positive("from_engines", from_engines)
    positive("to_engines", to_engines)
    return zos.LsprTable(dict(zip(engines, itrs, strict=True))).ratio(from_engines, to_engines)


@worksheet_function(GROUP)
def lspr_response(
    etr: Etr,
    cpu_time: CpuTime,
    engines: Engines,
    itr_ratio: Annotated[float, "ITR of the new machine over that of the old one, all processors of each."],
    new_engines: Annotated[float, "Processors of the new machine."],
    other_time: OtherTime = 0,
) -> float:
    """Mean response time of the same work on another machine [s].

    Processor sharing, Poisson arrivals: exact for that model.

    Examples
    --------
    =QN.LSPR_RESPONSE(1200,0.004,8,1.3,8)
    =QN.LSPR_RESPONSE(1200,0.004,6.5,1.5,7,0.045)
    =QN.LSPR_RESPONSE(1200,0.004,8,0.5,8)
    """
    return cpu_response(etr, measure.scaled_cpu_time(cpu_time, engines, itr_ratio, new_engines), new_engines, other_time)


@worksheet_function(GROUP)
def cpu_response(etr: Etr, cpu_time: CpuTime, engines: Engines, other_time: OtherTime = 0) -> float:
    """Mean response time of work on an LPAR's processors [s].

    Processor sharing, Poisson arrivals: exact for that model.

    Examples
    --------
    =QN.CPU_RESPONSE(1200,0.004,8)
    =QN.CPU_RESPONSE(1200,0.004,5.4,0.045)
    =QN.CPU_RESPONSE(1200,0.004,4.8)
    """
    work = qn.OpenClass("work", arrival_rate=etr, demands={"CPs": cpu_time})
    model = qn.Network([qn.Queue("CPs", servers=engines)], [work])
    found = ANSWERS.answer(("cpu_response", etr, cpu_time, engines), lambda: qn.solve(model))
    return float(found["work"].response_time) + some("other_time", other_time)


@worksheet_function(GROUP)
def smt_capacity_factor(
    thread_density: Annotated[float, "Threads at work in a busy core, RMF's AVG TD: 1 to the threads of a core."],
    max_capacity_factor: MaxFactor,
    threads: Threads = 2,
) -> float:
    """Capacity factor of cores at a thread density: RMF's CF [ratio].

    A straight line from 1 with one thread to MAX CF with all.

    Examples
    --------
    =QN.SMT_CAPACITY_FACTOR(1.6,1.25)
    =QN.SMT_CAPACITY_FACTOR(1,1.25)
    =QN.SMT_CAPACITY_FACTOR(2.5,1.25)
    """
    return measure.smt_capacity_factor(thread_density, max_capacity_factor, threads)


@worksheet_function(GROUP)
def smt_thread_density(
    etr: Etr, ziip_time: ZiipTime, cores: Cores, max_capacity_factor: MaxFactor, threads: Threads = 2
) -> float:
    """Thread density of the busy cores under this work: RMF's AVG TD [threads].

    Threads are packed densely, nothing overflows: exact for that model.

    Examples
    --------
    =QN.SMT_THREAD_DENSITY(500,0.006,4,1.25)
    =QN.SMT_THREAD_DENSITY(100,0.006,4,1.4,2)
    =QN.SMT_THREAD_DENSITY(500,0.006,2,1.25)
    """
    return float(_ziips(etr, ziip_time, cores, threads, max_capacity_factor).lpars[0].thread_density)


@worksheet_function(GROUP)
def ziip_response(
    etr: Etr,
    ziip_time: ZiipTime,
    cores: Cores,
    threads: Threads = 1,
    max_capacity_factor: MaxFactor = 1,
    other_time: OtherTime = 0,
) -> float:
    """Mean response time of work on zIIPs, without overflow to CPs [s].

    Exact for shared cores and Poisson arrivals.

    Examples
    --------
    =QN.ZIIP_RESPONSE(500,0.006,4)
    =QN.ZIIP_RESPONSE(500,0.006,4,2,1.25,0.02)
    =QN.ZIIP_RESPONSE(800,0.006,4)
    """
    found = _ziips(etr, ziip_time, cores, threads, max_capacity_factor)
    return float(found.work[0].response_time) + some("other_time", other_time)


@worksheet_function(GROUP)
def ziip_overflow(
    etr: Etr,
    ziip_time: ZiipTime,
    cores: Cores,
    engines: Engines,
    threads: Threads = 1,
    max_capacity_factor: MaxFactor = 1,
    cp_busy: Annotated[float, "Share of the CPs that other work keeps busy, 0 to 1."] = 0,
) -> float:
    """Share of the eligible work that overflows to CPs because all zIIP threads are busy: RMF's IIPCP [0..1].

    Within 2.9 % of a simulation on 24 systems.

    Examples
    --------
    =QN.ZIIP_OVERFLOW(500,0.006,4,8)
    =QN.ZIIP_OVERFLOW(800,0.006,4,8,2,1.25,0.5)
    =QN.ZIIP_OVERFLOW(500,0.006,4,8,1,1.25)
    """
    found = _ziips(etr, ziip_time, cores, threads, max_capacity_factor, engines, share("cp_busy", cp_busy) * engines)
    on, over = found.lpars[0].appl_iip, found.lpars[0].appl_iipcp
    return over / (on + over) if over else 0.0


def _ziips(
    etr: float, time: float, cores: int, threads: int, factor: float, engines: float | None = None, beside: float = 0.0
) -> zos.SystemResult:
    """A system of one LPAR with work that is all eligible; overflow where it has engines."""
    asked = ("ziips", etr, time, cores, threads, factor, engines, beside)
    return ANSWERS.answer(asked, partial(_ziip_system, etr, time, cores, threads, factor, engines, beside))


def _ziip_system(
    etr: float, time: float, cores: int, threads: int, factor: float, engines: float | None, beside: float
) -> zos.SystemResult:
    ziips = zos.Ziips(cores, threads=threads, max_capacity_factor=factor, overflow=engines is not None)
    cps = zos.Processors(1.0 if engines is None else engines)
    server = zos.ImsRegions("server", lpar="LPAR", regions=MANY)
    work = zos.Work("work", rate=etr, regions="server", cpu=positive("ziip_time", time), ziip_share=1.0)
    return zos.System([zos.Lpar("LPAR", processors=cps, ziips=ziips, fixed_cpu=beside)], [server], [work]).solve()
