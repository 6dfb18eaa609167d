"""Figure: CPU against rate of the load ladders (cics-perf), each law from the lowest rows or from the release before."""

import sys
from pathlib import Path

import qnsolve_validation
from qnsolve_validation.case import Point

LADDERS = {  # z196, zEC12, z13, z14
    "DSW, dynamic routing": ("5-3", "5-4", "6-3", "6-4", "8-3", "8-4"),
    "DSW, static routing": ("5-1", "5-2", "6-1", "6-2", "8-1", "8-2", "9-1", "9-2"),
    "RTW, threadsafe": ("5-5", "5-6", "6-7", "6-8", "7-1", "7-2", "8-7", "8-8", "9-7", "9-8"),
}
RATE = "etr_tran_per_s"


def main() -> dict[str, list[tuple[str, list[Point]]]]:
    """By workload: table, and the CICS CPU of each row that was predicted."""
    found = {}
    for workload, numbers in LADDERS.items():
        studies = [next(c for c in qnsolve_validation.all_cases() if c.name == f"cics-perf-{n}").study() for n in numbers]
        found[workload] = [(study.case.name, [p for p in study.predicted if p.quantity == "CICS CPU"]) for study in studies]
    return found


def picture(ladders: dict[str, list[tuple[str, list[Point]]]], path: Path) -> None:
    """Write the figure."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.6), layout="constrained")
    for axes, (workload, cases) in zip(figure.subplots(1, len(ladders)), ladders.items(), strict=True):
        for place, (name, points) in enumerate(cases):
            colour = f"C{place // 2}"
            rates = [p.row[RATE] for p in points]
            axes.plot(rates, [p.predicted / 100 for p in points], color=colour, linewidth=0.9)
            marks = {"marker": "os"[place % 2], "mfc": "none", "linestyle": "", "color": colour}
            axes.plot(rates, [p.measured / 100 for p in points], label=name.removeprefix("cics-perf-"), **marks)
        axes.set(title=workload, xlabel="transactions a second", xlim=(0, None), ylim=(0, None))
        axes.legend(frameon=False, fontsize=8, title="table")
    figure.axes[0].set_ylabel("CICS CPU in CPs (lines: predicted)")
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    picture(main(), Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "ladders.png")
