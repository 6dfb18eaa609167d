"""The solver of a model at the loads of intervals: that of networks or that of systems."""

from __future__ import annotations

from typing import Any

from qnsolve.analysis.runs.points import LongRun
from qnsolve.errors import ModelError
from qnsolve.model.job_classes import ClosedClass
from qnsolve.model.network import Network

from .day_loads import DayLoads
from .network_loads import NetworkLoads
from .solved_loads import LoadSolver


def known_loads(model: Any) -> dict[str, bool]:
    """Classes of a model, and whether they are users that go round."""
    if isinstance(model, Network):
        return {each.name: isinstance(each, ClosedClass) for each in model.classes}
    from qnsolve.zos.solve_system import System

    if not isinstance(model, System):
        raise ModelError("model", "must be a Network or a System", "load one with qnsolve.load(file)", model)
    return {each.name: each.users is not None for each in model.work}


def load_solver(model: Any, loads: DayLoads, run: LongRun) -> LoadSolver:
    """What solves a network or a system at the loads; those that are solved one by one are points of a run."""
    if isinstance(model, Network):
        return NetworkLoads(model, loads, run)
    from .system_loads import SystemLoads

    return SystemLoads(model, loads, run)
