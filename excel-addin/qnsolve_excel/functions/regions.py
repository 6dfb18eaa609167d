"""The QR TCB, and the limits of regions: MXT, TRANCLASS, threads; times in seconds."""

from __future__ import annotations

from typing import Annotated

import qnsolve as qn
from qnsolve import measure
from qnsolve import stations as forms

from ..catalogue import worksheet_function
from ..cells import CellError
from ..modelling import ANSWERS, solved
from .words import Etr, OtherTime, Population, ThinkTime, positive, some

GROUP = "Mainframe"
QrCpu = Annotated[float, "Time on the QR TCB of one transaction, in seconds."]
Batch = Annotated[int, "Transactions that arrive together."]
Unlimited = Annotated[float, "Response time of the transaction without admission wait, in seconds."]
Mxt = Annotated[int, "MXT of the region: most tasks in it at once."]
Wait = Annotated[float, "Target of the mean admission wait, over all transactions, in seconds."]


@worksheet_function(GROUP)
def qr_limit(qr_cpu: QrCpu) -> float:
    """Highest transaction rate of one region, set by its one QR TCB [1/s].

    Within 0.3 % of the saturated rates of CICS TS V5, tables 9-13 and 9-14.

    Examples
    --------
    =QN.QR_LIMIT(0.0004524)
    =QN.QR_LIMIT(0.001)
    =QN.QR_LIMIT(0)
    """
    return measure.saturation_rate(positive("qr_cpu", qr_cpu))


@worksheet_function(GROUP)
def qr_response(etr: Etr, qr_cpu: QrCpu, other_time: OtherTime = 0, batch: Batch = 1) -> float:
    """Mean response time of transactions of one region, waiting for its QR TCB included [s].

    One server, Poisson arrivals of batches: exact for that model.

    Examples
    --------
    =QN.QR_RESPONSE(1500,0.0004524)
    =QN.QR_RESPONSE(1500,0.0004524,0.012,8)
    =QN.QR_RESPONSE(2500,0.0004524)
    """
    busy = some("etr", etr) * some("qr_cpu", qr_cpu)
    if busy >= 1:
        raise CellError(
            "#NUM!",
            f"the QR TCB would be {busy:.0%} busy; the highest rate of one region is {1 / qr_cpu:.6g} transactions a second "
            f"of {qr_cpu:g} s each: share them among regions, or take work off QR (times are in seconds: 0.0008 for 0.8 ms)",
        )
    return forms.batch_servers(etr, qr_cpu, 1, batch).response_time + some("other_time", other_time)


@worksheet_function(GROUP)
def qr_response_users(users: Population, think_time: ThinkTime, qr_cpu: QrCpu, other_time: OtherTime = 0) -> float:
    """Mean response time at one region of users with think time [s].

    One server, a finite population: exact for that model.

    Examples
    --------
    =QN.QR_RESPONSE_USERS(1000,0.32,0.0004524,0.00008)
    =QN.QR_RESPONSE_USERS(1000,5,0.0004524)
    =QN.QR_RESPONSE_USERS(1000,5,-1)
    """
    return _users(users, think_time, qr_cpu, other_time).response_time


@worksheet_function(GROUP)
def qr_rate_users(users: Population, think_time: ThinkTime, qr_cpu: QrCpu, other_time: OtherTime = 0) -> float:
    """Throughput of one region under users with think time [1/s].

    One server, a finite population: exact for that model.

    Examples
    --------
    =QN.QR_RATE_USERS(1000,0.32,0.0004524,0.00008)
    =QN.QR_RATE_USERS(1000,5,0.0004524)
    =QN.QR_RATE_USERS(1000.5,5,0.0004524)
    """
    return _users(users, think_time, qr_cpu, other_time).throughput


@worksheet_function(GROUP)
def mxt_wait(etr: Etr, response_time: Unlimited, mxt: Mxt) -> float:
    """Mean admission wait at MXT, over all transactions [s]; #NUM! where MXT is saturated.

    Exact for Poisson arrivals and exponential response times.

    Examples
    --------
    =QN.MXT_WAIT(1200,0.1,150)
    =QN.MXT_WAIT(1200,0.1,121)
    =QN.MXT_WAIT(1200,0.1,120)
    """
    return _limited("MXT", etr, response_time, mxt).waiting_time


@worksheet_function(GROUP)
def mxt_delayed(etr: Etr, response_time: Unlimited, mxt: Mxt) -> float:
    """Fraction of the transactions that MXT delays [0..1].

    Exact for Poisson arrivals and exponential response times.

    Examples
    --------
    =QN.MXT_DELAYED(1200,0.1,150)
    =QN.MXT_DELAYED(1200,0.1,125)
    =QN.MXT_DELAYED(1200,0.1,100)
    """
    return _limited("MXT", etr, response_time, mxt).probability_wait


@worksheet_function(GROUP)
def mxt_needed(etr: Etr, response_time: Unlimited, wait: Wait) -> float:
    """Smallest MXT at which the mean admission wait meets a target [count].

    Exact for Poisson arrivals and exponential response times.

    Examples
    --------
    =QN.MXT_NEEDED(1200,0.1,0.001)
    =QN.MXT_NEEDED(1200,0.1,0.00001)
    =QN.MXT_NEEDED(1200,0,0.001)
    """
    return forms.fewest_servers(etr, positive("response_time", response_time), waiting_time=some("wait", wait))


@worksheet_function(GROUP)
def tranclass_wait(
    etr: Etr,
    response_time: Unlimited,
    limit: Annotated[int, "MAXACTIVE of the transaction class."],
    mxt: Annotated[int, "MXT of its region. No limit where left out."] | None = None,
    other_etr: Annotated[float, "Transactions in a second of the region outside that class."] = 0,
    other_response: Annotated[float, "Their response time without admission wait, in seconds."] = 0,
) -> float:
    """Mean admission wait of a transaction class, at its own limit and at MXT, over all its transactions [s].

    Within 0.7 % of exact solutions in the mean; without MXT exact for exponential response times.

    Examples
    --------
    =QN.TRANCLASS_WAIT(100,0.2,25)
    =QN.TRANCLASS_WAIT(20,0.2,8,40,150,0.1)
    =QN.TRANCLASS_WAIT(100,0.2,20)
    """
    if mxt is None:
        return _limited("limit", etr, response_time, limit).waiting_time
    asked = ("tranclass", etr, response_time, limit, mxt, other_etr, other_response)
    places = [qn.Delay("region")]
    classes = [qn.OpenClass("class", arrival_rate=etr, demands={"region": response_time})]
    if other_etr:
        classes.append(qn.OpenClass("others", arrival_rate=other_etr, demands={"region": other_response}))
    limits = [qn.AdmissionLimit(mxt, name="MXT"), qn.AdmissionLimit(limit, name="TRANCLASS", classes=["class"])]
    found = ANSWERS.answer(asked, lambda: qn.solve(qn.Network(places, classes, limits)))
    return found["class"].admission_wait


@worksheet_function(GROUP)
def thread_wait(
    etr: Etr,
    thread_time: Annotated[float, "Time that a transaction holds its thread, in seconds."],
    thread_limit: Annotated[int, "Threads of the JVM server."],
) -> float:
    """Mean wait for a thread of a JVM server, over all transactions [s].

    Exact for Poisson arrivals and exponential times.

    Examples
    --------
    =QN.THREAD_WAIT(400,0.05,25)
    =QN.THREAD_WAIT(400,0.05,32)
    =QN.THREAD_WAIT(400,0.05,20)
    """
    return _limited("thread_limit", etr, thread_time, thread_limit).waiting_time


@worksheet_function(GROUP)
def thread_limit(
    etr: Etr,
    thread_time: Annotated[float, "Time that a transaction holds its thread, in seconds."],
    wait: Annotated[float, "Target of the mean wait for a thread, in seconds."],
) -> float:
    """Fewest threads of a JVM server at which the mean wait for one meets a target [count].

    Exact for Poisson arrivals and exponential times.

    Examples
    --------
    =QN.THREAD_LIMIT(400,0.05,0.001)
    =QN.THREAD_LIMIT(400,0.05,0.00001)
    =QN.THREAD_LIMIT(400,0.05,-1)
    """
    return forms.fewest_servers(etr, positive("thread_time", thread_time), waiting_time=some("wait", wait))


def _limited(name: str, etr: float, time: float, limit: int) -> forms.StationForm:
    """The station whose servers are the places of the limit."""
    tasks = some("etr", etr) * positive("the time that a task is inside", time)
    if 0 < limit <= tasks:
        raise CellError(
            "#NUM!", f"{name} is {limit} and {tasks:.6g} tasks would be inside; it must be above that, or {etr:g}/s lower"
        )
    return forms.mmc(etr, time, limit)


def _users(users: int, think_time: float, qr_cpu: float, other_time: float) -> qn.ClassResult:
    def model() -> qn.Network:
        jobs = qn.ClosedClass("users", population=users, think_time=think_time, demands={"QR": qr_cpu, "other": other_time})
        return qn.Network([qn.Queue("QR"), qn.Delay("other")], [jobs])

    return solved(("qr users", users, think_time, qr_cpu, other_time), model).classes[0]
