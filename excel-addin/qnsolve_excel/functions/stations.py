"""One station: closed forms, and the servers or the rate for a target."""

from __future__ import annotations

from typing import Annotated

from qnsolve import stations as forms

from ..catalogue import worksheet_function
from ..cells import Table
from .words import Capacity, Rate, Servers, Share, Target, Time

GROUP = "One station"
Part = Annotated[float, "Share of the jobs that meet the target, 0 to 1; the mean is to meet it where left out."]


@worksheet_function(GROUP)
def mmc_utilization(arrival_rate: Rate, service_time: Time, servers: Servers = 1) -> float:
    """Utilization of each server of an M/M/c queue [0..1].

    Exact.

    Examples
    --------
    =QN.MMC_UTILIZATION(8,0.1)
    =QN.MMC_UTILIZATION(90,0.1,12)
    =QN.MMC_UTILIZATION(12,0.1)
    """
    return forms.mmc(arrival_rate, service_time, servers).utilization


@worksheet_function(GROUP)
def mmc_queue_length(arrival_rate: Rate, service_time: Time, servers: Servers = 1) -> float:
    """Mean number of jobs at an M/M/c queue, waiting and in service [jobs].

    Exact.

    Examples
    --------
    =QN.MMC_QUEUE_LENGTH(8,0.1)
    =QN.MMC_QUEUE_LENGTH(90,0.1,12)
    =QN.MMC_QUEUE_LENGTH(8,-1)
    """
    return forms.mmc(arrival_rate, service_time, servers).queue_length


@worksheet_function(GROUP)
def mmc_wait(arrival_rate: Rate, service_time: Time, servers: Servers = 1) -> float:
    """Mean waiting time before service at an M/M/c queue [time].

    Exact.

    Examples
    --------
    =QN.MMC_WAIT(8,0.1)
    =QN.MMC_WAIT(90,0.1,12)
    =QN.MMC_WAIT(8,0.1,2.5)
    """
    return forms.mmc(arrival_rate, service_time, servers).waiting_time


@worksheet_function(GROUP)
def mmc_response(arrival_rate: Rate, service_time: Time, servers: Servers = 1) -> float:
    """Mean response time of an M/M/c queue, waiting and service [time].

    Exact.

    Examples
    --------
    =QN.MMC_RESPONSE(8,0.1)
    =QN.MMC_RESPONSE(90,0.1,12)
    =QN.MMC_RESPONSE(130,0.1,12)
    """
    return forms.mmc(arrival_rate, service_time, servers).response_time


@worksheet_function(GROUP)
def mmc_prob_wait(arrival_rate: Rate, service_time: Time, servers: Servers = 1) -> float:
    """Probability of waiting at an M/M/c queue [0..1].

    Exact; Erlang C.

    Examples
    --------
    =QN.MMC_PROB_WAIT(8,0.1)
    =QN.MMC_PROB_WAIT(90,0.1,12)
    =QN.MMC_PROB_WAIT("eight",0.1)
    """
    return forms.mmc(arrival_rate, service_time, servers).probability_wait


@worksheet_function(GROUP)
def mmc_wait_percentile(arrival_rate: Rate, service_time: Time, servers: Servers = 1, share: Share = 0.95) -> float:
    """Waiting time that a share of the jobs does not exceed at an M/M/c queue [time].

    Exact, first come first served.

    Examples
    --------
    =QN.MMC_WAIT_PERCENTILE(8,0.1)
    =QN.MMC_WAIT_PERCENTILE(90,0.1,12,0.99)
    =QN.MMC_WAIT_PERCENTILE(90,0.1,12,1)
    """
    return forms.mmc(arrival_rate, service_time, servers).waiting_percentile(share)


@worksheet_function(GROUP)
def mmc_response_percentile(arrival_rate: Rate, service_time: Time, servers: Servers = 1, share: Share = 0.95) -> float:
    """Response time that a share of the jobs does not exceed at an M/M/c queue [time].

    Exact, first come first served.

    Examples
    --------
    =QN.MMC_RESPONSE_PERCENTILE(8,0.1)
    =QN.MMC_RESPONSE_PERCENTILE(90,0.1,12,0.99)
    =QN.MMC_RESPONSE_PERCENTILE(8,0.1,,0.9)
    """
    return forms.mmc(arrival_rate, service_time, servers).response_percentile(share)


@worksheet_function(GROUP, formerly="MMC_SERVERS_FOR_RESPONSE")
def mmc_fewest_servers(arrival_rate: Rate, service_time: Time, response_time: Target, share: Part | None = None) -> float:
    """Fewest servers of an M/M/c queue with which the response time, mean or percentile, meets a target [count].

    Exact.

    Examples
    --------
    =QN.MMC_FEWEST_SERVERS(90,0.1,0.12)
    =QN.MMC_FEWEST_SERVERS(90,0.1,0.35,0.95)
    =QN.MMC_FEWEST_SERVERS(90,0.1,0.05)
    """
    if share is None:
        return forms.fewest_servers(arrival_rate, service_time, response_time=response_time)
    return forms.fewest_servers(arrival_rate, service_time, response_percentile=(share, response_time))


@worksheet_function(GROUP, formerly="MMC_RATE_FOR_RESPONSE")
def mmc_highest_rate(service_time: Time, response_time: Target, servers: Servers = 1, share: Part | None = None) -> float:
    """Highest arrival rate at which an M/M/c queue meets a response time, mean or percentile [jobs/time].

    Exact.

    Examples
    --------
    =QN.MMC_HIGHEST_RATE(0.1,0.5)
    =QN.MMC_HIGHEST_RATE(0.1,0.12,10)
    =QN.MMC_HIGHEST_RATE(0.1,0.35,10,0.95)
    """
    if share is None:
        return forms.highest_rate(service_time, servers, response_time=response_time)
    return forms.highest_rate(service_time, servers, response_percentile=(share, response_time))


@worksheet_function(GROUP)
def mmc_table(arrival_rate: Rate, service_time: Time, servers: Servers = 1) -> Table:
    """All measures of an M/M/c queue: a heading row, then measure, value and unit.

    Exact.

    Examples
    --------
    =QN.MMC_TABLE(8,0.1)
    =QN.MMC_TABLE(90,0.1,12)
    =QN.MMC_TABLE(12,0.1)
    """
    form = forms.mmc(arrival_rate, service_time, servers)
    return [
        ["measure", "value", "unit"],
        ["throughput", form.throughput, "jobs/time"],
        ["utilization", form.utilization, "0..1"],
        ["queue length", form.queue_length, "jobs"],
        ["waiting time", form.waiting_time, "time"],
        ["response time", form.response_time, "time"],
        ["95th percentile", form.response_percentile(0.95), "time"],
        ["share that waits", form.probability_wait, "0..1"],
    ]


@worksheet_function(GROUP)
def erlang_b(arrival_rate: Rate, service_time: Time, servers: Servers) -> float:
    """Blocking probability of servers without waiting places: Erlang B [0..1].

    Exact for any distribution of the service time. With the load in erlangs, give it as rate and 1 as time.

    Examples
    --------
    =QN.ERLANG_B(20,1,30)
    =QN.ERLANG_B(20,0,30)
    =QN.ERLANG_B(20,1)
    """
    return forms.erlang_b(servers, arrival_rate * service_time)


@worksheet_function(GROUP, formerly="ERLANG_B_SERVERS")
def erlang_b_fewest_servers(
    arrival_rate: Rate, service_time: Time, blocking: Annotated[float, "Highest blocking probability, 0 to 1."]
) -> float:
    """Fewest servers with which the blocking probability of Erlang B meets a target [count].

    Exact; Erlang B.

    Examples
    --------
    =QN.ERLANG_B_FEWEST_SERVERS(20,1,0.01)
    =QN.ERLANG_B_FEWEST_SERVERS(200,0.5,0.001)
    =QN.ERLANG_B_FEWEST_SERVERS(20,1,0)
    """
    return forms.fewest_servers(arrival_rate, service_time, form=forms.loss, probability_blocked=blocking)


@worksheet_function(GROUP)
def erlang_c(arrival_rate: Rate, service_time: Time, servers: Servers) -> float:
    """Probability of waiting at an M/M/c queue: Erlang C [0..1].

    Exact. With the load in erlangs, give it as rate and 1 as time.

    Examples
    --------
    =QN.ERLANG_C(20,1,30)
    =QN.ERLANG_C(90,0.1,10)
    =QN.ERLANG_C(90,0.1,9)
    """
    return forms.mmc(arrival_rate, service_time, servers).probability_wait


@worksheet_function(GROUP)
def mmck_blocking(arrival_rate: Rate, service_time: Time, servers: Servers, capacity: Capacity) -> float:
    """Blocking probability of an M/M/c/K queue [0..1].

    Exact, also where the arrival rate exceeds the capacity.

    Examples
    --------
    =QN.MMCK_BLOCKING(8,0.1,1,5)
    =QN.MMCK_BLOCKING(120,0.1,10,40)
    =QN.MMCK_BLOCKING(8,0.1,3,2)
    """
    return forms.mmck(arrival_rate, service_time, servers, capacity).probability_blocked


@worksheet_function(GROUP)
def mmck_response(arrival_rate: Rate, service_time: Time, servers: Servers, capacity: Capacity) -> float:
    """Mean response time of the accepted jobs at an M/M/c/K queue [time].

    Exact, also where the arrival rate exceeds the capacity.

    Examples
    --------
    =QN.MMCK_RESPONSE(8,0.1,1,5)
    =QN.MMCK_RESPONSE(120,0.1,10,40)
    =QN.MMCK_RESPONSE(8,0.1,1,0)
    """
    return forms.mmck(arrival_rate, service_time, servers, capacity).response_time


@worksheet_function(GROUP)
def mmck_throughput(arrival_rate: Rate, service_time: Time, servers: Servers, capacity: Capacity) -> float:
    """Throughput of an M/M/c/K queue [jobs/time].

    Exact, also where the arrival rate exceeds the capacity.

    Examples
    --------
    =QN.MMCK_THROUGHPUT(8,0.1,1,5)
    =QN.MMCK_THROUGHPUT(120,0.1,10,40)
    =QN.MMCK_THROUGHPUT(8,0.1,1,1.5)
    """
    return forms.mmck(arrival_rate, service_time, servers, capacity).throughput
