"""qnsolve: analytic capacity planning for mainframe transaction systems."""

from . import stations
from .errors import (
    ApproximationWarning,
    ConvergenceError,
    LawError,
    ModelError,
    NoMethodError,
    QnsolveError,
    SaturatedError,
)
from .model import AdmissionLimit, ClosedClass, Delay, LoadDependent, OpenClass, Queue
from .modelfile import dumps, load, loads, save
from .network import Network
from .results import ClassResult, PairResult, StationResult
from .solution import Solution
from .solve import MethodReport, methods, solve
from .sweep import Sweep, sweep

__version__ = "0.1.0"

__all__ = [
    "AdmissionLimit",
    "ApproximationWarning",
    "ClassResult",
    "ClosedClass",
    "ConvergenceError",
    "Delay",
    "LawError",
    "LoadDependent",
    "MethodReport",
    "ModelError",
    "Network",
    "NoMethodError",
    "OpenClass",
    "PairResult",
    "QnsolveError",
    "Queue",
    "SaturatedError",
    "Solution",
    "StationResult",
    "Sweep",
    "dumps",
    "load",
    "loads",
    "methods",
    "save",
    "solve",
    "stations",
    "sweep",
]
