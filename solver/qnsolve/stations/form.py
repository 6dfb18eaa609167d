"""The result of every closed form of one station, and common checks."""

from __future__ import annotations

from dataclasses import dataclass, field

from qnsolve.errors import ModelError, SaturatedError
from qnsolve.model import checks

from .distributions import Tail, share_of


@dataclass(frozen=True)
class StationForm:
    """Mean values of one station in steady state, and distributions where they are known.

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
        Share of the arrivals that are lost.
    probability_abandoned : float
        Share of the arrivals that leave before they are served.
    note : str
        Empty where the mean values are exact, else the approximation and its measured error.
    waiting, response : Tail or None
        Distributions of the times, None where not known; each has a `note` as above.
    """

    throughput: float
    utilization: float
    queue_length: float
    waiting_time: float
    response_time: float
    probability_wait: float
    probability_blocked: float = 0.0
    probability_abandoned: float = 0.0
    note: str = ""
    waiting: Tail | None = field(default=None, repr=False, compare=False)
    response: Tail | None = field(default=None, repr=False, compare=False)

    def waiting_percentile(self, share: float) -> float:
        """The waiting time that `share` of the served jobs do not exceed [time]; exact unless `waiting.note` is set.

        Examples
        --------
        >>> from qnsolve.stations import mmc
        >>> round(mmc(9.0, 0.2, 2).waiting_percentile(0.95), 3)
        2.836
        """
        return _known("waiting", self.waiting).percentile(share_of("waiting_percentile: share", share))

    def response_percentile(self, share: float) -> float:
        """The response time that `share` of the served jobs do not exceed [time]; exact unless `response.note` is set.

        Examples
        --------
        >>> from qnsolve.stations import mm1
        >>> round(mm1(0.5, 1.0).response_percentile(0.95), 3)
        5.991
        """
        return _known("response", self.response).percentile(share_of("response_percentile: share", share))

    def waiting_exceeds(self, time: float) -> float:
        """Share of the served jobs that wait longer than `time` [0..1]."""
        return _known("waiting", self.waiting).exceeds(checks.number("waiting_exceeds: time", time))

    def response_exceeds(self, time: float) -> float:
        """Share of the served jobs that respond later than `time` [0..1]."""
        return _known("response", self.response).exceeds(checks.number("response_exceeds: time", time))


def _known(which: str, tail: Tail | None) -> Tail:
    if tail is None:
        repair = "take the mean, or a form with a known distribution: mmc, mmck, mdc, mg1, gigc"
        raise ModelError(f"percentile of the {which} time", "must be known for the form", repair)
    return tail


def inputs(form: str, arrival_rate: float, service_time: float) -> tuple[float, float]:
    """Checked arrival rate and service time."""
    rate = checks.number(f"{form}: arrival_rate", arrival_rate)
    return rate, checks.number(f"{form}: service_time", service_time, positive=True)


def stable(form: str, utilization: float, highest_rate: float) -> None:
    """Raise SaturatedError unless the utilization is below 1."""
    if not utilization < 1:
        raise SaturatedError(form, utilization, highest_rate, f"the highest stable arrival rate is {highest_rate:.6g}")
