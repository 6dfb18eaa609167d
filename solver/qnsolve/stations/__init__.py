"""Closed forms of one station, each with its distribution-free or exact mean values."""

from .deterministic import md1, mdc
from .erlang import erlang_b, erlang_c
from .form import StationForm
from .general import batch, mg1
from .markovian import finite_population, loss, mm1, mmc, mmck, mminf

__all__ = [
    "StationForm",
    "batch",
    "erlang_b",
    "erlang_c",
    "finite_population",
    "loss",
    "md1",
    "mdc",
    "mg1",
    "mm1",
    "mmc",
    "mmck",
    "mminf",
]
