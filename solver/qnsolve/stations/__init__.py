"""Closed forms of one station, each with its distribution-free or exact mean values."""

from .erlang import erlang_b, erlang_c
from .form import StationForm
from .general import batch, mg1
from .markovian import finite_population, mm1, mmc, mmck

__all__ = ["StationForm", "batch", "erlang_b", "erlang_c", "finite_population", "mg1", "mm1", "mmc", "mmck"]
