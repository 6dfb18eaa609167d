"""Figure: highest rate of the IMS log against stripes (ims12, table 8), by a law from no stripes and two at 74 KB."""

import sys
from pathlib import Path

from qnsolve import zos
from qnsolve_validation.published.published_tables import table

STRIPES = range(1, 9)
SIZES = ("25", "50", "74")  # KB of log a transaction
SPEED, SIZE = "log_mb_per_s", "log_data_kb_per_tran"


def main() -> dict[str, list[tuple[float, float]]]:
    """Stripes and MiB/s: the law, and as measured by bytes of a transaction; no stripes count as one."""
    published = table("ims12", "table-08")
    rows = {(row.cells[SIZE], max(int(row["stripes"]), 1)): row[SPEED] for row in published.rows}
    measured = {stripes: rows["74", stripes] for stripes in (1, 2)}
    law = [(float(n), zos.Logger.fitted("OLDS", stripes=n, mib_per_second=measured).bandwidth) for n in STRIPES]
    curves = {"law": law}
    for size in SIZES:
        curves[f"{size} KB"] = [(float(n), speed) for (of, n), speed in rows.items() if of == size]
    return curves


def picture(curves: dict[str, list[tuple[float, float]]], path: Path) -> None:
    """Write the figure."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.6), layout="constrained")
    axes = figure.subplots()
    axes.plot(*zip(*curves["law"], strict=True), color="#38506a", label="time of a MiB = a + b/stripes, from 1 and 2 at 74 KB")
    for size, marker in zip(SIZES, "v^o", strict=True):
        axes.plot(*zip(*sorted(curves[f"{size} KB"]), strict=True), marker, mfc="none", ms=8, label=f"measured, {size} KB")
    axes.set(xlabel="stripes (1: none)", ylabel="MB a second", ylim=(0, 400))
    axes.set_title("IMS 12 log: rate against stripes")
    axes.legend(frameon=False, loc="lower right")
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    picture(main(), Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "log.png")
