"""What-if: one model, varied inputs, many solutions."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.analysis.runs.points import Executor, LongRun, Outcome, Progress, long_run
from qnsolve.errors import ModelError, QnsolveError, nearest
from qnsolve.methods.arrays import from_network, to_solution
from qnsolve.methods.measured_errors import measured_error
from qnsolve.methods.measures import Measures
from qnsolve.methods.solve import CHOICES, solve
from qnsolve.model.network import Network, only_network
from qnsolve.model.station_types import Delay
from qnsolve.results.answer import Answer
from qnsolve.results.rendering import defined
from qnsolve.results.solution import Solution

from .batch_solve import Solved, Stack, solve_stack, stack
from .varied_inputs import Input, inputs, model_at, places

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Sweep(Answer):
    """The solutions of a sweep, P points in the order of the varied values, the last input the fastest.

    Index it for one point's `Solution`, computed on demand; arrays and `rows()` hold all
    points. A point without an answer is nan there, and `reasons` says why.

    Attributes
    ----------
    model : Network
        The model with no input varied.
    method : str
        Name of the method given.
    varied : tuple of str
        Headings of the varied inputs: "query.population", "query.demands.cpu".
    classes, stations : tuple of str
        Names, in the order of the arrays' axes.
    throughput, response_time : ndarray (P, R)
        X [jobs/time] and R_r [time].
    utilization : ndarray (P, K)
        U per server [0..1]; nan for a delay.
    queue_length, residence_time : ndarray (P, R, K)
        Q [jobs] and R_rk [time].
    residual : ndarray (P,)
        The largest relative violation of a law that each point was checked against.
    reasons : tuple of str
        Why a point has no answer, one line; "" where it has one.
    at_once : int
        Points that were solved in one pass over arrays.
    """

    model: Network
    method: str
    varied: tuple[str, ...]
    classes: tuple[str, ...]
    stations: tuple[str, ...]
    throughput: Array
    response_time: Array
    utilization: Array
    queue_length: Array
    residence_time: Array
    residual: Array
    reasons: tuple[str, ...]
    at_once: int
    _inputs: tuple[Input, ...] = field(repr=False)
    _places: NDArray[np.intp] = field(repr=False)
    _made: dict[int, Solution] = field(repr=False, compare=False)
    _solved: Solved | None = field(repr=False, compare=False)

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, point: int) -> Solution:
        """The solution of a point; raises its error where it has none."""
        i = range(len(self))[point]
        if i not in self._made:
            self._made[i] = self._solution(i)
        return self._made[i]

    def point(self, point: int) -> dict[str, Any]:
        """The varied values of a point, by heading.

        Parameters
        ----------
        point : int
        """
        return {v.column: v.values[j] for v, j in zip(self._inputs, self._places[point].tolist(), strict=True)}

    def model_at(self, point: int) -> Network:
        """The model at a point.

        Parameters
        ----------
        point : int
        """
        return model_at(self.model, self._inputs, self._places[point].tolist())

    def rows(self) -> list[dict[str, Any]]:
        """One row a point and class: varied values, throughput, response time, the busiest station, and the reason of a gap."""
        rows = []
        blank = np.isnan(self.utilization)
        busiest = np.where(blank, -1.0, self.utilization).argmax(axis=1) if self.stations else np.zeros(len(self), dtype=int)
        for i in range(len(self)):
            k = int(busiest[i])
            busy = None if blank[i, k] else self.stations[k]
            for r, name in enumerate(self.classes):
                rows.append(
                    {
                        **self.point(i),
                        "class": name,
                        "throughput": float(self.throughput[i, r]),
                        "response_time": float(self.response_time[i, r]),
                        "busiest": busy,
                        "utilization": float(self.utilization[i, k]),
                        "reason": self.reasons[i],
                    }
                )
        return rows

    def given(self) -> frozenset[str]:
        """The inputs that vary."""
        return frozenset(self.varied)

    def time_unit(self) -> str:
        """That of the model."""
        return self.model.time_unit

    def title(self) -> str:
        """Model, number of points, and the time unit."""
        points = f"{len(self)} point" + "s" * (len(self) != 1)
        return f"{self.model.name or 'model'}: {points}, times in {self.model.time_unit}"

    def as_dict(self) -> dict[str, Any]:
        """The object with all rows; undefined numbers are None. `qnsolve sweep --json` prints its rows."""
        return {"heading": self.title(), "rows": [defined(row) for row in self.rows()]}

    def _solution(self, i: int) -> Solution:
        model, found = self.model_at(i), self._solved
        if self.reasons[i] or found is None or not found.right[i]:
            return solve(model, method=self.method)
        measures = Measures(
            found.throughput[i],
            found.queue_length[i],
            found.residence_time[i],
            partial(_distribution, model, found.method),
            found.steps,
        )
        error = measured_error(found.method)
        if error:
            measures = replace(measures, notes=(f"approximate: {error}",))
        return to_solution(from_network(model), measures, found.method, not error, float(found.residual[i]))


def sweep(
    model: Network,
    vary: object,
    /,
    *,
    method: str = "auto",
    together: bool = False,
    executor: Executor | None = None,
    journal: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    **values: Any,
) -> Sweep:
    """Solve a model at many points of its inputs.

    Closed models that differ in populations, think times, demands or numbers of servers are solved
    in one pass over arrays; others one by one. Both give what `solve` gives, checked against
    the same laws.

    Parameters
    ----------
    model : Network
    vary : str or mapping
        The class, station or limit to vary, with its `values`; or a mapping of such names to
        mappings of parameter to values, to vary several.
    method : str, default "auto"
        As for `solve`.
    together : bool, default False
        With several varied inputs: all move in step, like the columns of a table. Otherwise each
        combination of them is a point, the last input varying fastest.
    executor : object with a method map, optional
        Runs the points that are solved one by one: a pool of `concurrent.futures`, or the like.
    journal : path, optional
        A file that keeps the points that are solved one by one as they finish: a sweep that was stopped goes on from there.
    progress : callable, optional
        Gets how many of these are finished and how many there are, after each.
    **values
        A list of values by parameter name, as in the constructor of what is varied;
        `demands`, `visits` and `service_times` also as a mapping of station to a list.

    Returns
    -------
    Sweep
        A point that is saturated, that no method takes or that does not converge is a gap with its reason; the others stand.

    Raises
    ------
    ModelError
        Where a value is not possible at all, or the journal is of another sweep.

    Examples
    --------
    >>> from qnsolve import ClosedClass, Network, Queue
    >>> site = Network([Queue("cpu")], [ClosedClass("batch", population=2, think_time=1.0, demands={"cpu": 1.0})])
    >>> steps = sweep(site, "batch", population=[1, 2, 3])
    >>> steps.throughput[:, 0].round(4).tolist()
    [0.5, 0.8, 0.9375]
    >>> round(steps[1]["batch"].throughput, 4)
    0.8
    """
    if method not in CHOICES:
        raise ModelError("method", "must be one of " + ", ".join(CHOICES), nearest(method, CHOICES), method)
    varied = inputs(only_network(model), vary, values)
    where = places(varied, together)

    def started(left: list[int]) -> AbstractContextManager[LongRun]:
        return long_run((model, method, vary, values, together, left), executor, journal, progress)

    return _swept(model, varied, where, method, started)


def swept(model: Network, vary: Mapping[str, Mapping[str, Any]], run: LongRun) -> Sweep:
    """A sweep of all inputs in step, whose points that are solved one by one are a batch of a run."""
    varied = inputs(only_network(model), vary, {})
    return _swept(model, varied, places(varied, True), "auto", lambda _: nullcontext(run))


def _swept(
    model: Network,
    varied: tuple[Input, ...],
    where: NDArray[np.intp],
    method: str,
    started: Callable[[list[int]], AbstractContextManager[LongRun]],
) -> Sweep:
    """The points in one pass where that can be, and the others one by one in a run that is begun with their numbers."""
    base = from_network(model)
    many = stack(base, varied, where)
    found = None if many is None else solve_stack(base, many, method)
    shape = (len(where), len(model.classes), len(model.stations))
    reasons = [""] * len(where)
    made: dict[int, Solution] = {}
    arrays = _figures(many, found) if many is not None and found is not None else _blank(shape)
    left = list(range(len(where))) if found is None else np.flatnonzero(~found.right).tolist()
    models = [model_at(model, varied, where[i].tolist()) for i in left]
    with started(left) as run:
        done = run.points(partial(_attempt, method), models)
    for i, outcome in zip(left, done, strict=True):
        reasons[i] = outcome.figures["reason"]
        for name in arrays:
            arrays[name][i] = outcome.figures.get(name, np.nan)
        if outcome.made is not None:
            made[i] = outcome.made
    return Sweep(
        model=model,
        method=method,
        varied=tuple(v.column for v in varied),
        classes=tuple(c.name for c in model.classes),
        stations=tuple(s.name for s in model.stations),
        **arrays,
        reasons=tuple(reasons),
        at_once=len(where) - len(left),
        _inputs=varied,
        _places=where,
        _made=made,
        _solved=found,
    )


def _attempt(method: str, model: Network) -> Outcome[Solution]:
    """One point: its figures, or the reason why it has none."""
    try:
        solution = solve(model, method=method)
    except ModelError:
        raise
    except QnsolveError as error:
        return Outcome({"reason": str(error)})
    return Outcome({"reason": "", **_read(solution)}, solution)


def _blank(shape: tuple[int, int, int]) -> dict[str, Array]:
    points, classes, stations = shape
    return {
        "throughput": np.full((points, classes), np.nan),
        "response_time": np.full((points, classes), np.nan),
        "utilization": np.full((points, stations), np.nan),
        "queue_length": np.full(shape, np.nan),
        "residence_time": np.full(shape, np.nan),
        "residual": np.full(points, np.nan),
    }


def _figures(many: Stack, found: Solved) -> dict[str, Array]:
    return {
        "throughput": found.throughput,
        "response_time": found.residence_time.sum(axis=2),
        "utilization": np.minimum(np.einsum("pr,prk->pk", found.throughput, many.demand) / many.top, 1.0),
        "queue_length": found.queue_length,
        "residence_time": found.residence_time.copy(),
        "residual": found.residual.copy(),
    }


def _read(solution: Solution) -> dict[str, Any]:
    """The figures of one point, as lists."""
    classes, stations = len(solution.classes), len(solution.stations)
    pairs = [solution.pairs[r * stations : (r + 1) * stations] for r in range(classes)]
    kinds = zip(solution.model.stations, solution.stations, strict=True)
    return {
        "throughput": [c.throughput for c in solution.classes],
        "response_time": [c.response_time for c in solution.classes],
        "utilization": [nan if isinstance(s, Delay) else r.utilization for s, r in kinds],
        "queue_length": [[p.queue_length for p in own] for own in pairs],
        "residence_time": [[p.residence_time for p in own] for own in pairs],
        "residual": solution.residual,
    }


def _distribution(model: Network, method: str, k: int) -> Array:
    """P(n jobs at station k) of a point, solved by itself on demand."""
    return solve(model, method=method).distribution(model.stations[k].name)
