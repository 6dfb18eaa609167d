"""One figure beside its prediction, and the numbers from published rows that entered it."""

from __future__ import annotations

from dataclasses import dataclass

from .published.published_tables import Row

VERDICTS = ("reproduced", "close", "missed")
CPU_KINDS = ("constant CPU", "ladder", "path")
KINDS = (*CPU_KINDS, "full center", "contention")  # of the figures that count
IDENTITY = "identity"
MOVES = 1e-4  # by which a figure of contention differs from that without queues, at least [relative]
Like = tuple[Row, str | None]


@dataclass(frozen=True)
class Calibration:
    """A number from published rows.

    Attributes
    ----------
    name, value, unit, rows, how : str, float, str, tuple of Row, str
    kind : {"fitted", "taken", "printed", "identity"}
        Computed from rows of the table that is predicted; computed from other tables alone; printed as such; or it enters
        nothing but identities.
    """

    name: str
    value: float
    unit: str
    rows: tuple[Row, ...]
    how: str
    kind: str

    @property
    def free(self) -> bool:
        """Whether it is fitted to the table that is predicted."""
        return self.kind == "fitted"

    @property
    def key(self) -> tuple[str, tuple[tuple[str, str, int], ...]]:
        """Identifies a number that serves several cases: its value and its rows."""
        return f"{self.value:.12g}", tuple((row.table.document, row.table.file, row.number) for row in self.rows)


@dataclass(frozen=True)
class Missing:
    """Why a figure is missed, so that a reader can check it.

    Attributes
    ----------
    effect : str
        The station or effect that the model does not have.
    size : str
        How large it must be to explain the error.
    measurement : str
        The measurement that would confirm it.
    """

    effect: str
    size: str
    measurement: str

    def __str__(self) -> str:
        return f"{self.effect}; size: {self.size}; to confirm: {self.measurement}"


@dataclass(frozen=True)
class Point:
    """One published figure beside its prediction.

    Attributes
    ----------
    kind : str
        One of KINDS; or an identity, which follows from figures that were given and is never counted.
    quantity, unit, station : str
    row, column : Row, str
        Where the figure is printed.
    predicted : float
    limit : float
        The source's repeatability that applies [relative].
    tolerance : float
        What the case allows for "close" [relative].
    missing : Missing, optional
        Given for each missed point, and for no other.
    naive : float, optional
        What a planner says who knows no queue and no law: constant CPU, the same row of the last release, the response
        without load.
    bounds : float, optional
        What the same case says with bounds only.
    """

    kind: str
    quantity: str
    unit: str
    station: str
    row: Row
    column: str
    predicted: float
    limit: float
    tolerance: float
    missing: Missing | None = None
    naive: float | None = None
    bounds: float | None = None

    @property
    def counts(self) -> bool:
        """Whether it is a prediction."""
        return self.kind != IDENTITY

    @property
    def suspect(self) -> str:
        """The doubt about the printed figure; empty without one."""
        return self.row.suspect(self.column)

    @property
    def measured(self) -> float:
        """The printed figure."""
        return self.row[self.column]

    @property
    def printed(self) -> str:
        """The printed figure, digits as printed."""
        return self.row.printed(self.column)

    @property
    def error(self) -> float:
        """Predicted over measured, less 1."""
        return self.predicted / self.measured - 1

    def error_of(self, baseline: str) -> float | None:
        """The same of a baseline, "bounds" or "naive"; None where it has no figure."""
        found = getattr(self, baseline)
        return None if found is None else found / self.measured - 1

    @property
    def half_digit(self) -> float:
        """Half a unit of the last printed digit [relative]: no figure is known better."""
        decimals = len(self.printed.partition(".")[2])
        return float(0.5 * 10.0**-decimals / abs(self.measured))

    @property
    def verdict(self) -> str:
        """Reproduced within repeatability or print; close within the tolerance; else missed."""
        return self.verdict_of(self.error)

    def verdict_of(self, error: float) -> str:
        """The same of any error."""
        if abs(error) <= max(self.limit, self.half_digit):
            return "reproduced"
        return "close" if abs(error) <= self.tolerance else "missed"
