"""What each center is asked for where nothing waits."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import Compiled
from qnsolve.zos.compile.needs import Needs
from qnsolve.zos.hosts.demands import Demands
from qnsolve.zos.point.utilization import center_loads


class PlainLoads:
    """What each center is asked for where nothing waits, at any load: a sum over the work.

    Parameters
    ----------
    form, need, ask
        The system, and the demands of its tasks where nothing waits.
    """

    def __init__(self, form: Compiled, need: Needs, ask: Demands) -> None:
        users = np.where(form.users > 0, form.users / np.maximum(form.think, 1e-3), form.rate)

        def at(rate: Array) -> dict[str, float]:
            return {**dict(center_loads(form, need, ask, rate)), **_ziips(form, rate, ask.ziip_work)}

        self._fixed = at(np.zeros(len(users)))
        each = [at(np.where(np.arange(len(users)) == w, users, 0.0)) for w in range(len(users))]
        names = dict.fromkeys(name for found in each for name in found)
        self._own = {name: np.array([found.get(name, 0.0) - self._fixed.get(name, 0.0) for found in each]) for name in names}

    @property
    def names(self) -> tuple[str, ...]:
        """The centers that work needs."""
        return tuple(self._own)

    def own(self, name: str) -> Array:
        """What each work needs of a center at the load of the system (W,) [ratio]."""
        return self._own[name]

    def at(self, name: str, factors: Array) -> float:
        """The load of a center over what it can do [ratio]; 0 where no work needs it."""
        if name not in self._own:
            return 0.0
        return float(self._own[name] @ factors) + self._fixed.get(name, 0.0)


def _ziips(form: Compiled, rate: Array, ziip_work: Array) -> dict[str, float]:
    """The zIIPs of each LPAR, also those whose work overflows."""
    flow = rate[form.work] * form.visits
    found = {}
    for host, speeds in enumerate(form.ziip_speeds):
        if len(speeds):
            found[f"{form.system.lpars[host].name} zIIPs"] = float(flow @ (ziip_work * (form.host == host))) / float(speeds[-1])
    return found
