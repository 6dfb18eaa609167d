"""What every closed form of one station returns, and the checks they share."""

from __future__ import annotations

from dataclasses import dataclass

from .. import checks
from ..errors import SaturatedError


@dataclass(frozen=True)
class StationForm:
    """Mean values of one station in steady state.

    Attributes
    ----------
    throughput : float
        X, jobs served [jobs/time].
    utilization : float
        U, per server [0..1].
    queue_length : float
        Q, waiting and in service [jobs].
    waiting_time, response_time : float
        W without service, R with it, of a job that is served [time].
    probability_wait : float
        Share of the served jobs that wait.
    probability_blocked : float
        Share of the arrivals turned away.
    """

    throughput: float
    utilization: float
    queue_length: float
    waiting_time: float
    response_time: float
    probability_wait: float
    probability_blocked: float = 0.0


def inputs(form: str, arrival_rate: float, service_time: float) -> tuple[float, float]:
    """Checked arrival rate and service time."""
    rate = checks.number(f"{form}: arrival_rate", arrival_rate)
    return rate, checks.number(f"{form}: service_time", service_time, positive=True)


def stable(form: str, utilization: float, highest_rate: float) -> None:
    """Raise SaturatedError unless the utilization is below 1."""
    if not utilization < 1:
        raise SaturatedError(form, utilization, highest_rate, f"the highest stable arrival rate is {highest_rate:.6g}")
