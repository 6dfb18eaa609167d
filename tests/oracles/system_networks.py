"""The network whose Markov chain is that of a plain system."""

from __future__ import annotations

import qnsolve as qn
from qnsolve import zos
from qnsolve.zos.compile.compiled import compiled
from qnsolve.zos.compile.needs import needs
from qnsolve.zos.compile.plain_network import plain_network


def network_of(system: zos.System) -> qn.Network:
    """The network of a system of TCBs, logs and devices."""
    form = compiled(system)
    network = plain_network(form, needs(form))
    assert network is not None
    return network
