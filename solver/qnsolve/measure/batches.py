"""The batch size that explains a measured response time."""

from __future__ import annotations

from qnsolve.errors import ModelError
from qnsolve.model import checks
from qnsolve.numerics.bisection import last_real
from qnsolve.stations import batch_servers

LARGEST_BATCH = 1e5
FINE = 1e-14  # relative, of the size


def fit_batch(arrival_rate: float, service_time: float, response_time: float, servers: int = 1) -> float:
    """The mean size of geometric batches whose mean response time is the measured one [jobs].

    Parameters
    ----------
    arrival_rate : float
        Jobs, not batches [jobs/time].
    service_time : float
        Mean of one job [time].
    response_time : float
        Measured mean [time].
    servers : int, default 1
        [count]

    Returns
    -------
    float
        1 where single arrivals have that response time or a longer one.

    Raises
    ------
    ModelError
        Where no batch size explains it.
    SaturatedError

    Examples
    --------
    >>> round(fit_batch(8, 0.1, 1.0), 9)
    2.0
    """
    target = checks.number("response_time", response_time)
    if target < checks.number("service_time", service_time):
        rule = f"must not be less than the service time, {service_time:g}"
        raise ModelError("response_time", rule, "measure both in the same intervals", response_time)

    def mean_response(size: float) -> float:
        return batch_servers(arrival_rate, service_time, servers, size, geometric=True).response_time

    if mean_response(1.0) >= target:
        return 1.0
    found = last_real(lambda size: mean_response(size) <= target, 1.0, 2.0, LARGEST_BATCH, FINE)
    if found is None:
        rule = f"must not be longer than that of batches of {LARGEST_BATCH:g} jobs"
        raise ModelError("response_time", rule, "look for another cause of the delay", response_time)
    return found
