"""The mainframe layer: LPARs, processors, coupling facilities, loggers, regions and their work in IBM's own terms.

    from qnsolve import zos

A `System` compiles to a network, is solved, and answers in the terms of RMF and CICS reports. A name loads its module when it
is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qnsolve.analysis.compare import compare
    from qnsolve.zos.parts.facilities import CouplingFacility, Device, Link, Logger, Structure
    from qnsolve.zos.parts.processors import Lpar, LsprTable, Processors, Ziips
    from qnsolve.zos.parts.regions import CicsRegion, ImsRegions
    from qnsolve.zos.parts.tcbs import Program, change_modes
    from qnsolve.zos.parts.work import Step, Work
    from qnsolve.zos.report.system_result import SystemResult
    from qnsolve.zos.simulate.verification import SystemVerification, verify
    from qnsolve.zos.whatif.buffers import avoid_reads
    from qnsolve.zos.whatif.changes import make_threadsafe, move, move_work, scale, split_region, switch_smt
    from qnsolve.zos.whatif.growth import Growth, Headroom, growth, headroom
    from qnsolve.zos.whatif.system_bottleneck import SystemBottleneck, bottleneck
    from qnsolve.zos.whatif.system_sensitivity import SystemSensitivity, sensitivity
    from qnsolve.zos.whatif.system_sweep import SystemSweep, sweep

    from .solve_system import System, solve

__all__ = [
    "CicsRegion",
    "CouplingFacility",
    "Device",
    "Growth",
    "Headroom",
    "ImsRegions",
    "Link",
    "Logger",
    "Lpar",
    "LsprTable",
    "Processors",
    "Program",
    "Step",
    "Structure",
    "System",
    "SystemBottleneck",
    "SystemResult",
    "SystemSensitivity",
    "SystemSweep",
    "SystemVerification",
    "Work",
    "Ziips",
    "avoid_reads",
    "bottleneck",
    "change_modes",
    "compare",
    "growth",
    "headroom",
    "make_threadsafe",
    "move",
    "move_work",
    "scale",
    "sensitivity",
    "solve",
    "split_region",
    "sweep",
    "switch_smt",
    "verify",
]

# where each name is at home
_HOMES = {
    "..analysis.compare": "compare",
    ".parts.facilities": "CouplingFacility Device Link Logger Structure",
    ".parts.processors": "Lpar LsprTable Processors Ziips",
    ".parts.regions": "CicsRegion ImsRegions",
    ".parts.tcbs": "Program change_modes",
    ".parts.work": "Step Work",
    ".report.system_result": "SystemResult",
    ".simulate.verification": "SystemVerification verify",
    ".whatif.buffers": "avoid_reads",
    ".whatif.changes": "make_threadsafe move move_work scale split_region switch_smt",
    ".whatif.growth": "Growth Headroom growth headroom",
    ".whatif.system_bottleneck": "SystemBottleneck bottleneck",
    ".whatif.system_sensitivity": "SystemSensitivity sensitivity",
    ".whatif.system_sweep": "SystemSweep sweep",
    ".solve_system": "System solve",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOME[name], __name__), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
