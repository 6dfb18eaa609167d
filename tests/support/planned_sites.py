"""Small sites for studies."""

from __future__ import annotations

from qnsolve import zos
from qnsolve.zos import System


def one_region(rate: float = 500.0, engines: float = 4.0) -> System:
    """One AOR whose QR TCB is half used: it is full at twice the rate."""
    region = zos.CicsRegion("AOR1", lpar="PROD", mxt=150)
    work = zos.Work("orders", rate=rate, regions="AOR1", qr_cpu=0.001)
    return System(lpars=[zos.Lpar("PROD", processors=zos.Processors(engines))], regions=[region], work=[work], name="one")


def two_works() -> System:
    """Two equal AORs and one of its own, a log, two kinds of work."""
    lpar = zos.Lpar("PROD", processors=zos.Processors(3), ziips=zos.Ziips(1))
    regions = [zos.CicsRegion(name, lpar="PROD", mxt=100) for name in ("AOR1", "AOR2")]
    regions.append(zos.CicsRegion("WOR", lpar="PROD", mxt=80, tranclasses={"SLOW": 10}))
    orders = zos.Work("orders", rate=600, regions=["AOR1", "AOR2"], qr_cpu=0.001, open_cpu=0.0008, log_bytes={"LOG": 4000})
    web = zos.Work("web", rate=50, regions="WOR", qr_cpu=0.004, ziip_share=0.0, tranclass="SLOW", delay=0.05)
    log = zos.Logger("LOG", stripes=2, seconds_per_mib=(0.004, 0.016))
    return System(lpars=[lpar], regions=regions, work=[orders, web], loggers=[log], name="two")
