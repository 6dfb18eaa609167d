"""One station: general arrivals and service times, finite populations, priorities, abandonment."""

from __future__ import annotations

from typing import Annotated

from qnsolve import stations as forms
from qnsolve.stations import StationForm

from ..catalogue import worksheet_function
from ..cells import CellError, Numbers, Table, remark
from .words import Population, Rate, Servers, ThinkTime, Time, Variation

GROUP = "One station"
MOST_CLASSES = 1_000
ArrivalVariation = Annotated[float, "Squared coefficient of variation of the times between arrivals: 1 for Poisson."]
Patience = Annotated[float, "Mean patience, the time after which a waiting job abandons the queue, in the unit of time."]


def _noted(form: StationForm) -> StationForm:
    """The form; its note becomes a remark of the cell."""
    remark(form.note or "exact")
    return form


@worksheet_function(GROUP)
def machine_repair_throughput(population: Population, think_time: ThinkTime, service_time: Time, servers: Servers = 1) -> float:
    """Throughput of a finite population with think time: the machine repair model [jobs/time].

    Exact; M/M/c//N.

    Examples
    --------
    =QN.MACHINE_REPAIR_THROUGHPUT(50,10,0.25)
    =QN.MACHINE_REPAIR_THROUGHPUT(1000,10,0.1,10)
    =QN.MACHINE_REPAIR_THROUGHPUT(-5,10,0.25)
    """
    return forms.finite_population(population, think_time, service_time, servers).throughput


@worksheet_function(GROUP)
def machine_repair_response(population: Population, think_time: ThinkTime, service_time: Time, servers: Servers = 1) -> float:
    """Mean response time of a finite population with think time: the machine repair model [time].

    Exact; M/M/c//N.

    Examples
    --------
    =QN.MACHINE_REPAIR_RESPONSE(50,10,0.25)
    =QN.MACHINE_REPAIR_RESPONSE(1000,10,0.1,10)
    =QN.MACHINE_REPAIR_RESPONSE(50,10,FALSE)
    """
    return forms.finite_population(population, think_time, service_time, servers).response_time


@worksheet_function(GROUP)
def machine_repair_utilization(
    population: Population, think_time: ThinkTime, service_time: Time, servers: Servers = 1
) -> float:
    """Utilization of each server under a finite population with think time: the machine repair model [0..1].

    Exact; M/M/c//N.

    Examples
    --------
    =QN.MACHINE_REPAIR_UTILIZATION(50,10,0.25)
    =QN.MACHINE_REPAIR_UTILIZATION(1000,10,0.1,10)
    =QN.MACHINE_REPAIR_UTILIZATION(50,10)
    """
    return forms.finite_population(population, think_time, service_time, servers).utilization


@worksheet_function(GROUP)
def mg1_response(arrival_rate: Rate, service_time: Time, variation: Variation = 1) -> float:
    """Mean response time of one server with service times of any variation: M/G/1 [time].

    Exact, first come first served; Pollaczek and Khinchine.

    Examples
    --------
    =QN.MG1_RESPONSE(8,0.1)
    =QN.MG1_RESPONSE(8,0.1,0)
    =QN.MG1_RESPONSE(8,0.1,-2)
    """
    return forms.mg1(arrival_rate, service_time, variation).response_time


@worksheet_function(GROUP)
def mg1_wait(arrival_rate: Rate, service_time: Time, variation: Variation = 1) -> float:
    """Mean waiting time before one server with service times of any variation: M/G/1 [time].

    Exact, first come first served; Pollaczek and Khinchine.

    Examples
    --------
    =QN.MG1_WAIT(8,0.1)
    =QN.MG1_WAIT(8,0.1,4)
    =QN.MG1_WAIT(10,0.1,4)
    """
    return forms.mg1(arrival_rate, service_time, variation).waiting_time


@worksheet_function(GROUP)
def mgc_response(arrival_rate: Rate, service_time: Time, servers: Servers, variation: Variation = 1) -> float:
    """Mean response time of servers with service times of any variation: M/G/c [time].

    Examples
    --------
    =QN.MGC_RESPONSE(90,0.1,10)
    =QN.MGC_RESPONSE(90,0.1,10,3)
    =QN.MGC_RESPONSE(90,0.1,9,3)
    """
    return _noted(forms.mgc(arrival_rate, service_time, servers, variation)).response_time


@worksheet_function(GROUP)
def mdc_response(arrival_rate: Rate, service_time: Time, servers: Servers = 1) -> float:
    """Mean response time of servers whose service times are all the same: M/D/c [time].

    Exact, first come first served.

    Examples
    --------
    =QN.MDC_RESPONSE(8,0.1)
    =QN.MDC_RESPONSE(90,0.1,10)
    =QN.MDC_RESPONSE(90,0,10)
    """
    return _noted(forms.mdc(arrival_rate, service_time, servers)).response_time


@worksheet_function(GROUP)
def ggc_response(
    arrival_rate: Rate,
    service_time: Time,
    servers: Servers = 1,
    arrival_variation: ArrivalVariation = 1,
    variation: Variation = 1,
) -> float:
    """Mean response time of servers with arrivals and service times of any variation: GI/G/c [time].

    Examples
    --------
    =QN.GGC_RESPONSE(8,0.1)
    =QN.GGC_RESPONSE(90,0.1,10,2,0.5)
    =QN.GGC_RESPONSE(8,0.1,1,0.5)
    """
    if servers == 1:
        return _noted(forms.gig1(arrival_rate, service_time, arrival_variation, variation)).response_time
    return _noted(forms.gigc(arrival_rate, service_time, servers, arrival_variation, variation)).response_time


@worksheet_function(GROUP)
def batch_response(
    arrival_rate: Rate,
    service_time: Time,
    batch_size: Annotated[float, "Jobs that arrive together, their mean; a whole number unless geometric."],
    servers: Servers = 1,
    geometric: Annotated[bool, "TRUE for geometric batch sizes, FALSE for batches of one size."] = False,
) -> float:
    """Mean response time of jobs that arrive in batches [time]; arrival_rate counts jobs, not batches.

    Exact, first come first served.

    Examples
    --------
    =QN.BATCH_RESPONSE(8,0.1,4)
    =QN.BATCH_RESPONSE(90,0.1,5,12,TRUE)
    =QN.BATCH_RESPONSE(8,0.1,0.5)
    """
    return _noted(forms.batch_servers(arrival_rate, service_time, servers, batch_size, geometric=geometric)).response_time


@worksheet_function(GROUP)
def priority_response(
    arrival_rates: Annotated[Numbers, "Arrival rate of each class, the highest priority first."],
    service_times: Annotated[Numbers, "Mean service time of each class, in the same order."],
    servers: Servers = 1,
    preemptive: Annotated[bool, "TRUE for preemptive priorities, FALSE for non-preemptive ones (head of line)."] = False,
) -> Table:
    """Mean response time of each priority class, one below the other, the highest first [time].

    Examples
    --------
    =QN.PRIORITY_RESPONSE({2;3},{0.1;0.2})
    =QN.PRIORITY_RESPONSE({2;3;1},{0.1;0.1;0.1},2,TRUE)
    =QN.PRIORITY_RESPONSE({2;3},{0.1})
    """
    if len(arrival_rates) != len(service_times):
        rule = f"{len(arrival_rates)} rates and {len(service_times)} service times; give one of each for a class"
        raise CellError("#VALUE!", f"arrival_rates and service_times are {rule}")
    if len(arrival_rates) > MOST_CLASSES:
        raise CellError(
            "#VALUE!", f"arrival_rates has {len(arrival_rates)} cells; a cell solves {MOST_CLASSES} classes at most"
        )
    found = forms.priorities(arrival_rates, service_times, servers=servers, preemptive=preemptive)
    return [[_noted(form).response_time] for form in found]


@worksheet_function(GROUP)
def erlang_a_abandon(arrival_rate: Rate, service_time: Time, servers: Servers, patience: Patience) -> float:
    """Probability that a job abandons the queue before service: Erlang A [0..1].

    Exact; exponential patience.

    Examples
    --------
    =QN.ERLANG_A_ABANDON(90,0.1,10,2)
    =QN.ERLANG_A_ABANDON(120,0.1,10,0.5)
    =QN.ERLANG_A_ABANDON(90,0.1,10,0)
    """
    return forms.erlang_a(arrival_rate, service_time, servers, patience).probability_abandoned


@worksheet_function(GROUP)
def erlang_a_wait(arrival_rate: Rate, service_time: Time, servers: Servers, patience: Patience) -> float:
    """Mean waiting time of the served jobs in a queue with abandonment: Erlang A [time].

    Exact; exponential patience.

    Examples
    --------
    =QN.ERLANG_A_WAIT(90,0.1,10,2)
    =QN.ERLANG_A_WAIT(120,0.1,10,0.5)
    =QN.ERLANG_A_WAIT(90,0.1,0,2)
    """
    return forms.erlang_a(arrival_rate, service_time, servers, patience).waiting_time


@worksheet_function(GROUP)
def fork_join_response(
    arrival_rate: Rate,
    service_time: Time,
    branches: Annotated[int, "Parts of a job, each at a server of its own."],
) -> float:
    """Mean response time of a fork-join job, until its last part ends [time].

    Examples
    --------
    =QN.FORK_JOIN_RESPONSE(5,0.1,1)
    =QN.FORK_JOIN_RESPONSE(5,0.1,8)
    =QN.FORK_JOIN_RESPONSE(12,0.1,8)
    """
    return _noted(forms.fork_join(arrival_rate, service_time, branches)).response_time


@worksheet_function(GROUP)
def usl_capacity(
    servers: Servers,
    contention: Annotated[
        float, "Contention, sigma of the scalability law: share of the work that only one server can do at a time."
    ],
    coherency: Annotated[float, "Coherency, kappa of the scalability law: cost of each pair of servers that must agree."] = 0,
) -> float:
    """Capacity of several servers in units of one: the universal scalability law [servers].

    Exact for the law; N. J. Gunther.

    Examples
    --------
    =QN.USL_CAPACITY(8,0.02)
    =QN.USL_CAPACITY(32,0.02,0.0005)
    =QN.USL_CAPACITY(8,-1)
    """
    return forms.usl_speeds(servers, contention, coherency)[-1]
