"""Figure: response against rate of data table requests, to the saturation of the QR TCB (cics-perf, tables 9-13 to 9-15).

One demand and the bursts of arrivals come from the lowest load of table 9-13, think times from the drive: 1000 terminals.
"""

import sys
from pathlib import Path

import qnsolve as qn
from qnsolve import zos
from qnsolve_validation.published.published_tables import table

TERMINALS = 1000
THINK = (1.6, 1.25, 0.9, 0.62, 0.5, 0.45, 0.42, 0.4, 0.36, 0.3229, 0.25, 0.2, 0.1719)  # s, the drive
RATE, RESPONSE, CPU = "etr_tran_per_s", "response_ms", "cics_cpu_pct"


def region(think: float, demand: float, burst: float) -> zos.System:
    """A region whose requests all run on its QR TCB."""
    return zos.System(
        lpars=[zos.Lpar("LPAR", processors=zos.Processors(8))],
        regions=[zos.CicsRegion("region", lpar="LPAR", mxt=2000)],
        work=[zos.Work("requests", users=TERMINALS, think_time=think, burst=burst, regions="region", qr_cpu=demand)],
    )


def main() -> dict[str, list[tuple[float, float]]]:
    """Rate [1/s] and response [ms]: the model's along the drive, and as measured by release."""
    lowest = table("cics-perf", "table-9-13")[1]
    demand = lowest[CPU] / 100 / lowest[RATE]
    alone = qn.stations.mm1(lowest[RATE], demand).response_time
    burst = 2 * lowest[RESPONSE] / 1000 / alone - 1
    found = []
    for think in THINK:
        work = region(think, demand, burst).solve()["requests"]
        found.append((work.etr, 1000 * work.response_time))
    curves = {"model": found}
    for number, name in (("9-13", "V5.4"), ("9-14", "V5.5")):
        curves[name] = [(row[RATE], row[RESPONSE]) for row in table("cics-perf", f"table-{number}").rows]
    return curves


def picture(curves: dict[str, list[tuple[float, float]]], path: Path) -> None:
    """Write the figure."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.6), layout="constrained")
    axes = figure.subplots()
    axes.plot(*zip(*curves["model"], strict=True), color="#38506a", label="one server, demand of the lowest load")
    for name, marker in (("V5.4", "o"), ("V5.5", "s")):
        axes.plot(*zip(*curves[name], strict=True), marker, mfc="none", ms=8, label=f"measured, CICS TS {name}")
    limit = curves["model"][-1][0]
    axes.axvline(limit, color="#b3261e", linestyle=":", label=f"QR TCB full: {limit:.0f}/s")
    axes.set(yscale="log", xlabel="transactions a second", ylabel="response time in ms", xlim=(500, 2400))
    axes.set_title("Data table requests on the QR TCB: response against rate")
    axes.legend(frameon=False, loc="upper left")
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    picture(main(), Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "cfdt.png")
