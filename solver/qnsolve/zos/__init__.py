"""The mainframe layer: LPARs, processors, coupling facilities, loggers, regions and their work in IBM's own terms.

    from qnsolve import zos

A `System` compiles to a network, is solved, and answers in the terms of RMF and CICS reports.
"""

from .change import (
    make_threadsafe,
    move,
    move_work,
    scale,
    split_region,
    switch_smt,
)
from .comparing import SystemComparison, compare
from .growth import Growth, grow, most_work
from .parts import CouplingFacility, Device, Link, Logger, Structure
from .processors import Lpar, LsprTable, Processors, Ziips
from .regions import CicsRegion, ImsRegions
from .results import SystemResult
from .solve import solve
from .system import System
from .systemfile import dumps, load, loads
from .tcbs import Program, change_modes
from .verification import SystemVerification, verify
from .work import Step, Work

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
    "dumps",
    "grow",
    "load",
    "loads",
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
