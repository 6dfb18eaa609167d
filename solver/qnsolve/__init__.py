"""qnsolve: analytic capacity planning for mainframe transaction systems.

The package is loaded name by name: `import qnsolve` alone loads nothing, and a name its module when it is first used.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import measure, stations, zos
    from .analysis.bottleneck import Bottleneck, bottleneck
    from .analysis.bottleneck_switches import Switches, bottleneck_switches
    from .analysis.bounds import Bound, Bounds, bounds
    from .analysis.compare import Comparison, compare
    from .analysis.percentiles import ResponsePercentile, response_percentile
    from .analysis.sensitivity import Effect, Sensitivity, sensitivity
    from .analysis.sizing import Sizing, fewest_servers, highest_population, highest_rate
    from .analysis.sweep import Sweep, sweep
    from .analysis.verify import Verification, VerifiedFigure, verify
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
    from .files.load_save import dumps, load, loads, save
    from .fitting.days.day import Day, day
    from .fitting.fit import fit
    from .fitting.fitted_file import FittedFigure
    from .fitting.fitted_model import Fit, FitPrediction, HeldOutError
    from .fitting.pages.beside import MeasuredBesideModelled, measured_beside_modelled
    from .fitting.ranges.bands import Bands, bands
    from .fitting.ranges.fitted_figures import FittedFigures, fitted_of
    from .methods.solve import MethodReport, methods, solve
    from .model.admission_limit import AdmissionLimit
    from .model.job_classes import ClosedClass, OpenClass
    from .model.network import Network
    from .model.routing import chain_class, visits
    from .model.station_types import Delay, LoadDependent, Queue
    from .planning.options.what_ifs import WhatIf, what_if
    from .planning.study import Study, study
    from .results.answer import Answer
    from .results.rows import ClassResult, LimitResult, PairResult, StationResult
    from .results.solution import Solution
    from .stations import symbolic

__version__ = "0.1.0"

__all__ = [
    "AdmissionLimit",
    "Answer",
    "ApproximationWarning",
    "Bands",
    "Bottleneck",
    "Bound",
    "Bounds",
    "ClassResult",
    "ClosedClass",
    "Comparison",
    "ConvergenceError",
    "Day",
    "Delay",
    "Effect",
    "Fit",
    "FitPrediction",
    "FittedFigure",
    "FittedFigures",
    "HeldOutError",
    "ImportNote",
    "LawError",
    "LimitResult",
    "LoadDependent",
    "MeasuredBesideModelled",
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
    "Study",
    "Sweep",
    "Switches",
    "Verification",
    "VerifiedFigure",
    "WhatIf",
    "bands",
    "bottleneck",
    "bottleneck_switches",
    "bounds",
    "chain_class",
    "compare",
    "day",
    "dumps",
    "fewest_servers",
    "fit",
    "fitted_of",
    "highest_population",
    "highest_rate",
    "load",
    "loads",
    "measure",
    "measured_beside_modelled",
    "methods",
    "response_percentile",
    "save",
    "sensitivity",
    "solve",
    "stations",
    "study",
    "sweep",
    "symbolic",
    "verify",
    "visits",
    "what_if",
    "zos",
]

# where each name is at home
_HOMES = {
    "analysis.bottleneck": "Bottleneck bottleneck",
    "analysis.bottleneck_switches": "Switches bottleneck_switches",
    "analysis.bounds": "Bound Bounds bounds",
    "analysis.compare": "Comparison compare",
    "analysis.percentiles": "ResponsePercentile response_percentile",
    "analysis.sensitivity": "Effect Sensitivity sensitivity",
    "analysis.sizing": "Sizing fewest_servers highest_population highest_rate",
    "analysis.sweep": "Sweep sweep",
    "analysis.verify": "Verification VerifiedFigure verify",
    "errors": "ApproximationWarning ConvergenceError ImportNote LawError ModelError NoMethodError QnsolveError Repair"
    " SaturatedError",
    "files.load_save": "dumps load loads save",
    "fitting.days.day": "Day day",
    "fitting.pages.beside": "MeasuredBesideModelled measured_beside_modelled",
    "fitting.ranges.bands": "Bands bands",
    "fitting.ranges.fitted_figures": "FittedFigures fitted_of",
    "fitting.fit": "fit",
    "fitting.fitted_file": "FittedFigure",
    "fitting.fitted_model": "Fit FitPrediction HeldOutError",
    "methods.solve": "MethodReport methods solve",
    "model.job_classes": "ClosedClass OpenClass",
    "model.admission_limit": "AdmissionLimit",
    "model.network": "Network",
    "model.routing": "chain_class visits",
    "model.station_types": "Delay LoadDependent Queue",
    "results.rows": "ClassResult LimitResult PairResult StationResult",
    "results.answer": "Answer",
    "results.solution": "Solution",
    "planning.study": "Study study",
    "planning.options.what_ifs": "WhatIf what_if",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}
_MODULES = {
    "errors": ".errors",
    "measure": ".measure",
    "stations": ".stations",
    "symbolic": ".stations.symbolic",
    "zos": ".zos",
}


class _Package(ModuleType):
    """The package, its names loaded on first use."""

    def __getattr__(self, name: str) -> Any:
        if name in _MODULES:
            return import_module(_MODULES[name], __name__)
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
