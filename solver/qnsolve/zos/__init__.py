"""The mainframe layer: LPARs, processors, coupling facilities, loggers, regions and their work in IBM's own terms.

    from qnsolve import zos

A `System` compiles to a network, is solved, and answers in the terms of RMF and CICS reports.
"""

from qnsolve.zos.parts.facilities import CouplingFacility, Device, Link, Logger, Structure
from qnsolve.zos.parts.processors import Lpar, LsprTable, Processors, Ziips
from qnsolve.zos.parts.regions import CicsRegion, ImsRegions
from qnsolve.zos.parts.system import System
from qnsolve.zos.parts.tcbs import Program, change_modes
from qnsolve.zos.parts.work import Step, Work
from qnsolve.zos.report.system_result import SystemResult
from qnsolve.zos.simulate.verification import SystemVerification, verify
from qnsolve.zos.whatif.changes import make_threadsafe, move, move_work, scale, split_region, switch_smt
from qnsolve.zos.whatif.comparison import SystemComparison, compare
from qnsolve.zos.whatif.growth import Growth, grow, most_work

from .solve_system import solve

__all__ = [
    "CicsRegion",
    "CouplingFacility",
    "Device",
    "Growth",
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
    "SystemComparison",
    "SystemResult",
    "SystemVerification",
    "Work",
    "Ziips",
    "change_modes",
    "compare",
    "grow",
    "make_threadsafe",
    "most_work",
    "move",
    "move_work",
    "scale",
    "solve",
    "split_region",
    "switch_smt",
    "verify",
]
