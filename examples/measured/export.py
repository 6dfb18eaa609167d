"""Write rmf.csv and cics.csv: a week of one LPAR as RMF's overview report and CICS statistics have it.

The system in simulated.toml is solved at the rates of each half hour. Responses, CPU times and utilizations then vary by
2 %, as measurements do; in the real world the two files come from the postprocessors of RMF and CICS.

Run: python examples/measured/export.py
"""

from __future__ import annotations

import csv
from datetime import datetime, timedelta
from math import cos, pi
from pathlib import Path
from random import Random
from typing import Any

from qnsolve import load, zos

FOLDER = Path(__file__).parent
FIRST, DAYS, MINUTES = datetime(2026, 3, 2), 7, 30
NOISE = 0.02


def rates(hour: float, weekday: int, random: Random) -> dict[str, float]:
    """Transactions in a second: orders by day with two peaks, reports at night, both quiet at weekends."""
    day = 0.5 - 0.5 * cos(2 * pi * (hour - 3) / 24) + 0.35 * max(0.0, cos(2 * pi * (hour - 10.5) / 8)) * (7 < hour < 14)
    night = 0.5 + 0.5 * cos(2 * pi * (hour - 1) / 24)
    week = 0.45 if weekday >= 5 else 1.0
    return {
        "ORDERS": (40 + 260 * day * week) * random.uniform(0.93, 1.07),
        "REPORTS": (6 + 26 * night * week) * random.uniform(0.85, 1.15),
    }


def intervals() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of both files."""
    system, random = load(FOLDER / "simulated.toml"), Random(7)
    rmf, cics = [], []

    def near(value: float) -> float:
        """A figure as it is measured."""
        return value * random.gauss(1, NOISE)

    for i in range(DAYS * 24 * 60 // MINUTES):
        begin = FIRST + timedelta(minutes=i * MINUTES)
        here = rates(begin.hour + begin.minute / 60, begin.weekday(), random)
        for name, rate in here.items():
            system = system.replace(name, rate=rate)
        found = zos.solve(system)
        row = {"Date": f"{begin:%m/%d/%Y}", "Time": f"{begin:%H.%M.%S}", "Int": "00.30.00", "LPAR": "PROD"}
        row |= {"CPUBSY": round(near(found["PROD"].cpu_percent), 2), "NUMPROC": 2}
        for name, rate in here.items():
            work = found[name]
            row[f"TRANS(S.{name})"] = round(rate, 3)
            row[f"RTIME(S.{name})"] = round(near(work.response_time), 5)
            row[f"APPLPER(S.{name})"] = round(100 * rate * near(work.cpu), 2)
        rmf.append(row)
        seconds = near(found["AOR1"].qr_cpu_percent) / 100 * 60 * MINUTES
        cics.append({"Start Time": begin, "Interval [s]": 60 * MINUTES, "APPLID": "AOR1", "DSGACT": round(seconds, 2)})
    return rmf, cics


def main() -> None:
    """Write both files."""
    for name, rows in zip(("rmf.csv", "cics.csv"), intervals(), strict=True):
        with (FOLDER / name).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
