"""Seeded systems of one LPAR whose users of two or three unlike works fill the MXT of one to three AORs, with or without a TOR.

The QR TCBs are 65 to 105 % of what they do asked for, by pieces of 0.5 to 25 ms; some work has open pieces or delays beside.
"""

from __future__ import annotations

from qnsolve import zos

from .rough_loads import Draw, Plain


def unlike_system(seed: int) -> zos.System:
    """The system of a seed."""
    g = Draw(f"unlike/{seed}")
    tor, number, mxt = g.chance(0.5), g.randint(1, 3), g.randint(10, 39)
    names = [f"AOR{k}" for k in range(1, number + 1)]
    parts = [g.log(0.1, 1.0) for _ in range(g.randint(2, 3))]
    asked = g.log(0.65, 1.05) * number / sum(parts)
    work = []
    for k, part in enumerate(parts):
        piece, think = g.log(5e-4, 2.5e-2), g.log(2.0, 20.0)
        beside: Plain = {"open_cpu": 0.0, "delay": 0.0}
        if g.chance(0.5):
            beside[g.choice(("open_cpu", "delay"))] = piece * g.log(0.1, 1.0)
        steps = [zos.Step("TOR", qr_cpu=1e-4)] if tor else []
        users = max(int(asked * part / piece * (think + 5 * piece)), 5)
        work.append(zos.Work(f"W{k}", users=users, think_time=think, steps=[*steps, zos.Step(names, qr_cpu=piece, **beside)]))
    regions = [zos.CicsRegion(name, lpar="L", mxt=mxt) for name in names]
    regions += [zos.CicsRegion("TOR", lpar="L", mxt=1000)] if tor else []
    return zos.System(lpars=[zos.Lpar("L", processors=zos.Processors(2.0 * number + 1))], regions=regions, work=work)
