"""qnsolve: analytic capacity planning for mainframe transaction systems."""

from . import stations, symbolic
from .bottleneck import Bottleneck, bottleneck
from .bounds import Bound, Bounds, bounds
from .errors import (
    ApproximationWarning,
    ConvergenceError,
    ImportNote,
    LawError,
    ModelError,
    NoMethodError,
    QnsolveError,
    SaturatedError,
)
from .model import AdmissionLimit, ClosedClass, Delay, LoadDependent, OpenClass, Queue
from .modelfile import dumps, load, loads, save
from .network import Network
from .percentiles import ResponsePercentile, response_percentile
from .results import ClassResult, LimitResult, PairResult, StationResult
from .routing import chain_class, visits
from .sensitivity import Effect, Sensitivity, sensitivity
from .sizing import Sizing, fewest_servers, highest_population, highest_rate
from .solution import Solution
from .solve import MethodReport, methods, solve
from .sweep import Sweep, sweep
from .switches import Switches, bottleneck_switches
from .verify import Comparison, Verification, verify

__version__ = "0.1.0"

__all__ = [
    "AdmissionLimit",
    "ApproximationWarning",
    "Bottleneck",
    "Bound",
    "Bounds",
    "ClassResult",
    "ClosedClass",
    "Comparison",
    "ConvergenceError",
    "Delay",
    "Effect",
    "ImportNote",
    "LawError",
    "LimitResult",
    "LoadDependent",
    "MethodReport",
    "ModelError",
    "Network",
    "NoMethodError",
    "OpenClass",
    "PairResult",
    "QnsolveError",
    "Queue",
    "ResponsePercentile",
    "SaturatedError",
    "Sensitivity",
    "Sizing",
    "Solution",
    "StationResult",
    "Sweep",
    "Switches",
    "Verification",
    "bottleneck",
    "bottleneck_switches",
    "bounds",
    "chain_class",
    "dumps",
    "fewest_servers",
    "highest_population",
    "highest_rate",
    "load",
    "loads",
    "methods",
    "response_percentile",
    "save",
    "sensitivity",
    "solve",
    "stations",
    "sweep",
    "symbolic",
    "verify",
    "visits",
]
