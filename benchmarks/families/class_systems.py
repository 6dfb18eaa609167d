"""Seeded systems of one LPAR: a TRANCLASS of one to ten places for work with a rate, beside other work on the same processors.

The class has all the work of its region, or all but next to nothing; its tasks may go to a device of few servers or be off the
processors for a time. Others are 5 to 50 % of the processors, in pieces of a thirtieth to thirty times theirs.
"""

from __future__ import annotations

from qnsolve import zos

from .rough_loads import Draw, Plain

PLACES = (1, 2, 3, 4, 6, 8, 10)
OTHERS = ("open", "open", "qr", "qr and open", "ims", "users")
SHARP = 4.0  # power by which bounds of the throughput are joined


def class_system(seed: int) -> zos.System:
    """The system of a seed."""
    g = Draw(f"class/{seed}")
    engines, places, part = g.choice((1, 1, 2, 2, 3, 4)), g.choice(PLACES), g.choice((0.05, 0.15, 0.3, 0.5))
    step: Plain = {"qr_cpu": g.log(3e-5, 3e-3), "open_cpu": g.log(3e-5, 3e-3), "tranclass": "T"}
    on_cps, devices, away = step["qr_cpu"] + step["open_cpu"], list[zos.Device](), g.choice(("none", "device", "delay"))
    bounds = [1 / step["qr_cpu"], engines * (1 - part) / on_cps]
    time = g.log(3e-5, 5e-3) if away != "none" else 0.0
    bounds.append(places / (on_cps + time))
    if away == "delay":
        step["delay"] = time
    elif away == "device":
        servers = g.randint(1, 3)
        devices.append(zos.Device("D", servers=servers))
        step["devices"] = {"D": time}
        bounds.append(servers / time)
    most = sum(bound**-SHARP for bound in bounds) ** (-1 / SHARP)
    work = [zos.Work("pay", rate=g.choice((0.4, 0.6, 0.75, 0.85)) * most, steps=[zos.Step("AOR", **step)])]
    if g.chance(0.5):
        work.append(zos.Work("tiny", rate=0.01 * most, steps=[zos.Step("AOR", qr_cpu=0.01 * step["qr_cpu"])]))
    region, other = _others(g, part * engines, on_cps * g.log(1 / 30, 30.0))
    regions = [zos.CicsRegion("AOR", lpar="L", tranclasses={"T": places}), region]
    lpars = [zos.Lpar("L", processors=zos.Processors(float(engines)))]
    return zos.System(lpars=lpars, regions=regions, work=[*work, other], devices=devices)


def _others(g: Draw, load: float, piece: float) -> tuple[zos.CicsRegion | zos.ImsRegions, zos.Work]:
    """A region of other work, and that: so many processors in use, in pieces of so much CPU."""
    kind = g.choice(OTHERS)
    step: Plain = {
        "qr": {"qr_cpu": piece}, "qr and open": {"qr_cpu": piece / 2, "open_cpu": piece / 2}, "ims": {"cpu": piece},
    }.get(kind, {"open_cpu": piece})  # fmt: skip
    rate = min(load, {"qr": 0.7, "qr and open": 1.4}.get(kind, load)) / piece
    if kind == "ims":
        return zos.ImsRegions("IMS", lpar="L", regions=int(load) + g.choice((1, 2, 4))), _work(rate, zos.Step("IMS", **step))
    region = zos.CicsRegion("OTHER", lpar="L")
    if kind == "users":
        return region, zos.Work("others", users=50, think_time=50 / rate, steps=[zos.Step("OTHER", **step)])
    return region, _work(rate, zos.Step("OTHER", **step))


def _work(rate: float, step: zos.Step) -> zos.Work:
    return zos.Work("others", rate=rate, steps=[step])
