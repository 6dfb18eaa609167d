"""Closed forms of one station, with distributions where they are known, and the questions asked the other way round."""

from .abandonment import erlang_a
from .approximate import gig1, gigc, mgc
from .batch_arrivals import batch_servers
from .deterministic import md1, mdc
from .erlang import StationArrays, erlang_b, erlang_c, mmc_arrays
from .fork_join import fork_join
from .form import StationForm
from .general_service import batch, mg1
from .inverse import highest_rate, servers_needed
from .markovian import finite_population, loss, mm1, mmc, mmck, mminf
from .several_classes import priorities, processor_sharing, sharing
from .unlike_servers import unlike_servers, usl_speeds

__all__ = [
    "StationArrays",
    "StationForm",
    "batch",
    "batch_servers",
    "erlang_a",
    "erlang_b",
    "erlang_c",
    "finite_population",
    "fork_join",
    "gig1",
    "gigc",
    "highest_rate",
    "loss",
    "md1",
    "mdc",
    "mg1",
    "mgc",
    "mm1",
    "mmc",
    "mmc_arrays",
    "mmck",
    "mminf",
    "priorities",
    "processor_sharing",
    "servers_needed",
    "sharing",
    "unlike_servers",
    "usl_speeds",
]
