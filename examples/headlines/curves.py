"""Figure: response time against load of six systems, solved beside simulated, up to where they are full."""

import csv
import sys
from pathlib import Path

import numpy as np
from qnsolve import zos
from qnsolve.zos.compile.compiled import compiled
from qnsolve.zos.point.solved import scaled
from qnsolve.zos.simulate.simulated_system import simulate_system

STORED = Path(__file__).with_name("curves.csv")  # the simulated points, by the command below
COMMAND = "python examples/headlines/curves.py docs/pictures --simulate"


def systems() -> dict[str, tuple[zos.System, list[float]]]:
    """Each system at load 1, and the loads of its curve."""
    four = [f"AOR{i}" for i in range(1, 5)]
    aors = zos.System(
        lpars=[zos.Lpar("P", processors=5)],
        regions=[zos.CicsRegion(name, lpar="P") for name in four],
        work=[zos.Work("orders", rate=1000, regions=four, qr_cpu=0.0022, open_cpu=0.0018, delay=0.010)],
    )
    beside = zos.System(
        lpars=[zos.Lpar("P", processors=4)],
        regions=[zos.CicsRegion("AOR", lpar="P"), zos.CicsRegion("LIBERTY", lpar="P")],
        work=[
            zos.Work("short", rate=700, regions="AOR", qr_cpu=0.001),
            zos.Work("java", rate=300, regions="LIBERTY", open_cpu=0.008),
        ],
    )
    unlike = zos.System(
        lpars=[zos.Lpar("P", processors=16)],
        regions=[zos.CicsRegion("AOR", lpar="P", mxt=30)],
        devices=[zos.Device("Db2")],
        work=[
            zos.Work("short", rate=1000, regions="AOR", open_cpu=0.0002, devices={"Db2": 0.005}),
            zos.Work("long", rate=150, regions="AOR", open_cpu=0.0002, devices={"Db2": 0.12}),
        ],
    )
    threads = zos.System(
        lpars=[zos.Lpar("P", processors=4)],
        regions=[zos.CicsRegion("JVM", lpar="P", thread_limit=6)],
        work=[zos.Work("rest", rate=200, regions="JVM", jvm_cpu=0.012, delay=0.02)],
    )
    users = zos.System(
        lpars=[zos.Lpar("P", processors=6)],
        regions=[zos.CicsRegion("TOR", lpar="P", mxt=300), zos.CicsRegion("AOR", lpar="P", mxt=40)],
        devices=[zos.Device("Db2")],
        work=[
            zos.Work(
                "terminals",
                users=2000,
                think_time=4.0,
                steps=[zos.Step("TOR", qr_cpu=0.0001), zos.Step("AOR", qr_cpu=0.0008, open_cpu=0.002, devices={"Db2": 0.05})],
            )
        ],
    )
    classes = zos.System(
        lpars=[zos.Lpar("P", processors=3)],
        regions=[zos.CicsRegion("AOR", lpar="P", mxt=120, tranclasses={"REPORTS": 6})],
        devices=[zos.Device("Db2")],
        work=[
            zos.Work("orders", rate=400, regions="AOR", qr_cpu=0.0006, open_cpu=0.002, devices={"Db2": 0.02}),
            zos.Work(
                "reports", rate=20, regions="AOR", qr_cpu=0.004, open_cpu=0.01, devices={"Db2": 0.15}, tranclass="REPORTS"
            ),
        ],
    )
    return {
        "four AORs on 5 CPs": (aors, [0.2, 0.4, 0.6, 0.8, 0.9, 1.0, 1.08, 1.14, 1.18, 1.2]),
        "QR TCB beside Java on 4 CPs": (beside, [0.2, 0.4, 0.6, 0.8, 0.9, 1.0, 1.05]),
        "5 and 120 ms behind MXT 30": (unlike, [0.2, 0.4, 0.6, 0.8, 0.95, 1.05, 1.12, 1.18, 1.22]),
        "six JVM threads on 4 CPs": (threads, [0.2, 0.5, 0.8, 1.0, 1.2, 1.35, 1.45, 1.55, 1.6]),
        "users at TOR and AOR, MXT 40": (users, [0.2, 0.5, 0.8, 1.0, 1.2, 1.4, 1.7, 2.0, 2.5]),
        "TRANCLASS of 6 beside orders": (classes, [0.2, 0.5, 0.8, 1.0, 1.2, 1.35, 1.45, 1.52, 1.56]),
    }


def solved(system: zos.System, loads: list[float]) -> dict[str, list[float]]:
    """Response time [ms] of each work at each load."""
    found: dict[str, list[float]] = {work.name: [] for work in system.work}
    for load in loads:
        result = zos.scale(system, load).solve()
        for name, times in found.items():
            times.append(1000 * result[name].response_time)
    return found


def simulate() -> None:
    """Simulate all points until they are known within one percent, and store them."""
    with STORED.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["system", "load", "work", "response_ms", "half_width_ms"])
        for title, (system, loads) in systems().items():
            for load in loads:
                run = simulate_system(scaled(compiled(system), load), precision=0.01, most_transactions=20_000_000, seed=1)
                for place, work in enumerate(system.work):
                    seen = run.response(place)
                    writer.writerow([title, load, work.name, f"{1000 * seen.value:.5g}", f"{1000 * seen.half:.3g}"])


def stored() -> dict[str, list[tuple[float, str, float, float]]]:
    """The simulated points by system: load, work, response time and half width of 95 % [ms]."""
    found: dict[str, list[tuple[float, str, float, float]]] = {}
    with STORED.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            point = float(row["load"]), row["work"], float(row["response_ms"]), float(row["half_width_ms"])
            found.setdefault(row["system"], []).append(point)
    return found


def main() -> dict[str, tuple[list[float], dict[str, list[float]]]]:
    """Of each system: loads, and the response time of each work there [ms]."""
    found = {}
    for title, (system, loads) in systems().items():
        fine = np.unique(np.concatenate((np.linspace(loads[0], loads[-1], 25), loads))).tolist()
        found[title] = fine, solved(system, fine)
    return found


def picture(curves: dict[str, tuple[list[float], dict[str, list[float]]]], path: Path) -> None:
    """Write the figure."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 6.4), layout="constrained")
    panels = figure.subplots(2, 3).ravel()
    points = stored()
    for axes, (title, (loads, works)) in zip(panels, curves.items(), strict=True):
        for color, (name, times) in zip(("#38506a", "#b3261e"), works.items(), strict=False):
            axes.plot(loads, times, color=color, label=name)
            seen = [(load, value) for load, work, value, _ in points[title] if work == name]
            axes.plot(*zip(*seen, strict=True), "o", mfc="none", color=color)
        axes.set(title=title, yscale="log", xlabel="load, times today's", ylabel="response time in ms")
        axes.legend(frameon=False, loc="upper left")
    figure.suptitle("Lines solved, circles simulated (±1 %)")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    if "--simulate" in sys.argv:
        sys.argv.remove("--simulate")
        simulate()
    picture(main(), Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "curves.png")
