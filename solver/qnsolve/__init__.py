"""qnsolve: analytic capacity planning for mainframe transaction systems.

The package is loaded name by name: `import qnsolve` alone loads nothing, and a name its module when it is first used.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import measure, stations, symbolic
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
        Repair,
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
    "Repair",
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
    "measure",
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

# where each name is at home; "measure", "stations" and "symbolic" are modules themselves
_HOMES = {
    "bottleneck": "Bottleneck bottleneck",
    "bounds": "Bound Bounds bounds",
    "errors": "ApproximationWarning ConvergenceError ImportNote LawError ModelError NoMethodError QnsolveError Repair"
    " SaturatedError",
    "model": "AdmissionLimit ClosedClass Delay LoadDependent OpenClass Queue",
    "modelfile": "dumps load loads save",
    "network": "Network",
    "percentiles": "ResponsePercentile response_percentile",
    "results": "ClassResult LimitResult PairResult StationResult",
    "routing": "chain_class visits",
    "sensitivity": "Effect Sensitivity sensitivity",
    "sizing": "Sizing fewest_servers highest_population highest_rate",
    "solution": "Solution",
    "solve": "MethodReport methods solve",
    "sweep": "Sweep sweep",
    "switches": "Switches bottleneck_switches",
    "verify": "Comparison Verification verify",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}
_MODULES = ("measure", "stations", "symbolic")


class _Package(ModuleType):
    """The package, its names loaded on first use."""

    def __getattr__(self, name: str) -> Any:
        if name in _MODULES:
            return import_module(f".{name}", __name__)
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=self)
        found = getattr(import_module(f".{_HOME[name]}", __name__), name)
        setattr(self, name, found)
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        """A module that is loaded does not take the name of a function, as `sweep` and `methods` would."""
        if not (isinstance(value, ModuleType) and name in _HOME):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *__all__})


sys.modules[__name__].__class__ = _Package
