"""A case: its calibration, its predictions, and their errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import qnsolve as qn
from qnsolve import zos

from .point import CPU_KINDS, IDENTITY, KINDS, MOVES, VERDICTS, Calibration, Like, Missing, Point
from .published.published_tables import Row, sources

__all__ = ["KINDS", "VERDICTS", "Calibration", "Case", "Like", "Missing", "Point", "Study", "straight_line"]


@dataclass
class Study:
    """A case that has run: inputs, calibrations, predictions, for the report; without queues it says bounds only."""

    case: Case
    queues: bool = True
    inputs: list[tuple[str, str, str]] = field(default_factory=list)
    calibrations: list[Calibration] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    models: list[tuple[str, zos.System]] = field(default_factory=list)
    last: zos.SystemResult | None = None  # of the last model
    shown: tuple[str, str] = ("", "")  # the last model file, and its solution as printed: once, as it takes the headroom
    picture: str = ""  # SVG, where the report asked for it

    def given(self, name: str, row: Row, column: str = "value") -> float:
        """A configured number that the document states."""
        self.inputs.append((name, row.printed(column), str(row)))
        return row[column]

    def calibrate(self, name: str, value: float, unit: str, rows: Iterable[Row], how: str, *, kind: str = "fitted") -> float:
        """Note a number from published rows, and give it back; kind "printed" or "identity" where it is that.

        A number from rows of other tables alone is taken, not fitted.
        """
        used = tuple(rows)
        own = any((row.table.document, row.table.file) == (self.case.source, self.case.file) for row in used)
        found = "taken" if kind == "fitted" and not own else kind
        self.calibrations.append(Calibration(name, value, unit, used, how, found))
        return value

    def solve_system(self, label: str, system: zos.System) -> zos.SystemResult:
        """Solve a system as a user would: from the text of its system file."""
        read = qn.loads(qn.dumps(system))
        assert isinstance(read, zos.System)
        self.models.append((label, read))
        if not self.queues:
            return read.bounds()
        self.last = read.solve()
        return self.last

    def predict(
        self,
        quantity: str,
        unit: str,
        row: Row,
        column: str,
        value: float,
        *,
        station: str,
        kind: str = KINDS[0],
        like: Like | None = None,
        naive: float | None = None,
        across: bool = False,
        missing: Missing | None = None,
    ) -> None:
        """Set a prediction beside the printed figure, which did not enter it.

        Parameters
        ----------
        kind : str
            One of KINDS.
        like : (Row, str or None)
            The naive planner's figure: that of the same column in another row (at the lowest load, or of the last release),
            in proportion to a further column, or as it is where that is None.
        naive : float
            In its place where no row has it.
        across : bool
            Where a number of another table entered it.
        """
        if kind not in KINDS:
            raise ValueError(f"{self.case.name}: no kind {kind!r}; kinds: {', '.join(KINDS)}")
        if like is not None:
            base, by = like
            naive = base[column] * (row[by] / base[by] if by else 1.0)
        source = sources()[self.case.source]
        limit = source["across"] if across else source["repeatability"]
        self._point(kind, quantity, unit, station, row, column, value, limit, missing, naive)

    def identity(self, quantity: str, unit: str, row: Row, column: str, value: float, *, station: str) -> None:
        """Set a figure beside the value that figures given imply; it is never counted."""
        self._point(IDENTITY, quantity, unit, station, row, column, value, sources()[self.case.source]["repeatability"])

    def _point(
        self,
        kind: str,
        quantity: str,
        unit: str,
        station: str,
        row: Row,
        column: str,
        value: float,
        limit: float,
        missing: Missing | None = None,
        naive: float | None = None,
    ) -> None:
        point = Point(kind, quantity, unit, station, row, column, float(value), limit, self.case.tolerance, missing, naive)
        if not math.isfinite(point.predicted):
            raise ValueError(f"{self.case.name}: {quantity} of {row} is predicted as {value}")
        if self.queues and point.counts and (point.verdict == "missed") != bool(missing):
            state = "is missed but names no missing effect" if not missing else "is not missed but names a missing effect"
            raise ValueError(f"{self.case.name}: {quantity} of {row}, {100 * point.error:+.2f} %, {state}")
        self.points.append(point)

    def beside(self, bounds: Study) -> None:
        """Put the figures of the same case without queues beside those with them.

        CPU that moves by more than the repeatability of its source is of contention.

        Raises
        ------
        ValueError
            Where a figure of contention does not move.
        """
        for place, (point, other) in enumerate(zip(self.points, bounds.points, strict=True)):
            if point.kind == "contention" and abs(point.predicted - other.predicted) <= MOVES * abs(point.predicted):
                where = f"{self.case.name}: {point.quantity} of {point.row}"
                raise ValueError(f"{where} does not move without queues: it is not a figure of contention")
            queued = point.kind in CPU_KINDS and abs(other.predicted / point.predicted - 1) > point.limit
            self.points[place] = replace(point, bounds=other.predicted, kind="contention" if queued else point.kind)

    @property
    def predicted(self) -> list[Point]:
        """The points that count."""
        return [point for point in self.points if point.counts]

    @property
    def largest(self) -> float:
        """The largest error of a predicted point, without sign; 0 without any."""
        return max((abs(point.error) for point in self.predicted), default=0.0)

    @property
    def free(self) -> int:
        """Parameters fitted, to be held against the points predicted."""
        return sum(c.free for c in self.calibrations)

    @property
    def verdict(self) -> str:
        """The worst verdict of its predicted points; "identity" without any."""
        verdicts = {point.verdict for point in self.predicted}
        return max(verdicts, key=VERDICTS.index) if verdicts else "identity"


@dataclass(frozen=True)
class Case:
    """One published table and the predictions of its figures.

    Attributes
    ----------
    name : str
        document-table.
    source, file : str
        Key in sources.toml, and the table's file without its ending.
    title, question : str
        The measurement; the question of a planner.
    tolerance, reason : float, str
        Largest error that counts as close [relative], stated in advance, and the reason.
    verdict_text : str
        The conclusion for the reader.
    run : callable
        Fills a Study.
    """

    name: str
    source: str
    file: str
    title: str
    question: str
    tolerance: float
    reason: str
    verdict_text: str
    run: Callable[[Study], None]

    def study(self) -> Study:
        """Run the case, with queues and without."""
        study, bounds = Study(self), Study(self, queues=False)
        self.run(study)
        self.run(bounds)
        study.beside(bounds)
        if study.last is not None:
            study.shown, study.last = (qn.dumps(study.models[-1][1]), str(study.last)), None
        return study


def straight_line(rows: Iterable[Row], x: str, y: Callable[[Row], float]) -> tuple[float, float]:
    """Intercept and slope of y over column x by least squares."""
    used = list(rows)
    line = qn.measure.fit_line([row[x] for row in used], [y(row) for row in used], item=x)
    return line.intercept, line.slope
