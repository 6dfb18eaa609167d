"""Model figures from measured intervals and ladders of loads: fits, operational laws, ITR, LSPR scaling."""

from .batches import fit_batch
from .coupling_facility import cf_busy, cf_host_cpu, cf_request_time
from .demands.open_intervals import FittedDemand, IntervalFit, IntervalPrediction, fit_intervals
from .doctor.checking import check
from .doctor.finding import Finding, Findings
from .engines import EngineLaw, fit_engines, scaled_cpu_time
from .intervals.building import table
from .intervals.interval_table import Intervals, MeasuredSeries
from .ladders.busy_servers import BusyServers
from .ladders.ladder_fit import LadderFit, LadderPrediction, fit_ladder
from .logs import StripeLaw, fit_stripes
from .lpar import cpu_per_transaction, engines_needed, etr_at_busy, itr, lpar_busy
from .operational_laws import UtilizationLaw, fit_think_time, fit_utilization, saturation_rate
from .payloads import PayloadLaw, fit_payload
from .readers.canonical_table import canonical
from .readers.joining import join
from .readers.reading import read
from .regression import Line, fit_line
from .smt import smt_capacity_factor

__all__ = [
    "BusyServers",
    "EngineLaw",
    "Finding",
    "Findings",
    "FittedDemand",
    "IntervalFit",
    "IntervalPrediction",
    "Intervals",
    "LadderFit",
    "LadderPrediction",
    "Line",
    "MeasuredSeries",
    "PayloadLaw",
    "StripeLaw",
    "UtilizationLaw",
    "canonical",
    "cf_busy",
    "cf_host_cpu",
    "cf_request_time",
    "check",
    "cpu_per_transaction",
    "engines_needed",
    "etr_at_busy",
    "fit_batch",
    "fit_engines",
    "fit_intervals",
    "fit_ladder",
    "fit_line",
    "fit_payload",
    "fit_stripes",
    "fit_think_time",
    "fit_utilization",
    "itr",
    "join",
    "lpar_busy",
    "read",
    "saturation_rate",
    "scaled_cpu_time",
    "smt_capacity_factor",
    "table",
]
