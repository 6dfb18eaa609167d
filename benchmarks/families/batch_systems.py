"""Seeded systems of one LPAR: batch jobs, a few or some tens of them, on the same processors as CICS regions.

The regions load 15 to 60 % of the processors, no QR TCB more than 60 %; the jobs, 1 to 50, ask for 20 to 95 % of what is left,
in pieces of 1 to 50 times the QR CPU of a task.
"""

from __future__ import annotations

from qnsolve import zos

from .rough_loads import Draw, Plain

JOBS = (1, 1, 2, 4, 7, 10, 15, 20, 30, 50)


def batch_system(seed: int) -> zos.System:
    """The system of a seed."""
    g = Draw(f"batch/{seed}")
    engines = g.choice((1, 2, 4, 8, 12))
    count, load, piece = g.randint(1, min(8, engines + 1)), g.uniform(0.15, 0.6) * engines, g.log(5e-5, 1e-3)
    alike, regions, work, used = g.chance(0.5), [zos.CicsRegion("JOBS", lpar="L", mxt=500)], list[zos.Work](), 0.0
    parts = [1.0 if alike else g.uniform(0.3, 1.0) for _ in range(count)]
    for i, part in enumerate(parts):
        step = _task(g, piece * (1.0 if alike else g.log(0.4, 2.5)))
        cpu = step["qr_cpu"] + step.get("open_cpu", 0.0)
        rate = min(load * part / sum(parts) / cpu, 0.6 / step["qr_cpu"])
        used += rate * cpu
        regions.append(zos.CicsRegion(f"AOR{i}", lpar="L", mxt=500))
        work.append(zos.Work(f"pay{i}", rate=rate, steps=[zos.Step(f"AOR{i}", **step)]))
    jobs, cpu, busy = g.choice(JOBS), piece * g.log(1.0, 50.0), (engines - used) * g.uniform(0.2, 0.95)
    wait = cpu * g.log(0.1, 3.0) if g.chance(0.3) else 0.0
    think = max(jobs * cpu / busy - 1.3 * cpu - wait, 0.0)
    work.append(zos.Work("batch", users=jobs, think_time=think, steps=[zos.Step("JOBS", open_cpu=cpu, delay=wait)]))
    return zos.System(lpars=[zos.Lpar("L", processors=zos.Processors(float(engines)))], regions=regions, work=work)


def _task(g: Draw, piece: float) -> Plain:
    """What a task of a region does."""
    step: Plain = {"qr_cpu": piece}
    if g.chance(0.6):
        step["open_cpu"] = piece * g.log(0.1, 2.0)
    if g.chance(0.5):
        step["delay"] = piece * g.log(1.0, 30.0)
    return step
