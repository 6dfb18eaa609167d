"""What points of a network and of a system share: the loads that a sketch takes from the measurements."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qnsolve.analysis.runs.points import LongRun
from qnsolve.errors import ModelError, suggestion
from qnsolve.fitting.measured_rows import MeasuredRows, complete
from qnsolve.fitting.sketch import LOADS, Sketch
from qnsolve.measure.checked_series import Array


class SketchedPoints:
    """Points of a sketched model at the loads of intervals; those that are solved one by one are points of a run."""

    def __init__(self, sketch: Sketch, run: LongRun) -> None:
        self.sketch, self.run = sketch, run

    def loads(self, rows: MeasuredRows) -> dict[tuple[str, str], Array]:
        """What is measured of the loads, by class or work and key, shape (n,)."""
        found = {}
        for name, key, _ in self.sketch.loads:
            if not rows.has(name, LOADS[key]):
                rule = f"have no series {name}.{LOADS[key]}, which the sketch takes as measured"
                raise ModelError(
                    "intervals", rule, f"{suggestion(name, rows.names(LOADS[key]))}; --rename NAME={name} renames one"
                )
            found[name, key] = rows.column(name, LOADS[key])
        return found

    def usable(self, rows: MeasuredRows) -> NDArray[np.bool_]:
        """Rows whose loads are all known (n,)."""
        given = list(self.loads(rows).values())
        return complete(given) if given else np.ones(len(rows), dtype=bool)
