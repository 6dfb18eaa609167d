"""Model figures from measured intervals: fits, operational laws, ITR, LSPR scaling."""

from .batches import fit_batch
from .coupling_facility import cf_busy, cf_host_cpu, cf_request_time
from .engines import EngineLaw, fit_engines, scaled_cpu_time
from .logs import StripeLaw, fit_stripes
from .lpar import cpu_per_transaction, engines_needed, etr_at_busy, itr, lpar_busy
from .operational_laws import UtilizationLaw, fit_think_time, fit_utilization, saturation_rate
from .payloads import PayloadLaw, fit_payload
from .regression import Line, fit_line
from .smt import smt_capacity_factor

__all__ = [
    "EngineLaw",
    "Line",
    "PayloadLaw",
    "StripeLaw",
    "UtilizationLaw",
    "cf_busy",
    "cf_host_cpu",
    "cf_request_time",
    "cpu_per_transaction",
    "engines_needed",
    "etr_at_busy",
    "fit_batch",
    "fit_engines",
    "fit_line",
    "fit_payload",
    "fit_stripes",
    "fit_think_time",
    "fit_utilization",
    "itr",
    "lpar_busy",
    "saturation_rate",
    "scaled_cpu_time",
    "smt_capacity_factor",
]
