"""Methods for closed classes that approximate: any size, a measured error."""

from __future__ import annotations

from functools import partial

from ..arrays import Arrays
from ..errors import ConvergenceError
from ..kernels.amva import NotConvergedError, amva
from ..kernels.measures import Measures
from ..kernels.series import falls
from .method import Method, closed_refuses, idle, merged, occupied


def _approximate_refuses(arrays: Arrays) -> str:
    reason = closed_refuses(arrays)
    used = arrays.demand[arrays.population > 0].sum(axis=0)
    for k, (station, speeds) in enumerate(zip(arrays.model.stations, arrays.speeds, strict=True)):
        if speeds is not None and used[k] > 0 and falls(speeds):
            reason = reason or f"station {station.name!r}: rates that fall again, where the mean does not tell the state"
    return reason


def _approximate(linearize: bool, arrays: Arrays) -> Measures:
    some = occupied(arrays)
    if len(some) == 0:
        return idle(arrays)
    try:
        part = amva(arrays.population[some], arrays.think_time[some], arrays.demand[some], arrays.speeds, linearize)
    except NotConvergedError as error:
        name = "linearizer" if linearize else "schweitzer"
        raise ConvergenceError(f"method {name}: {error}, damped steps neither", error.residual) from error
    return merged(arrays, [(some, part)])


METHODS = (
    Method("linearizer", partial(_approximate, True), False, _approximate_refuses, "closed classes, any size", "Chandy1982"),
    Method(
        "schweitzer", partial(_approximate, False), False, _approximate_refuses, "closed classes, roughest", "Schweitzer1979"
    ),
)
