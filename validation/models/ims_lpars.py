"""Systems that several cases share: one IMS LPAR, or a front end and a back end."""

from __future__ import annotations

from typing import Any

import qnsolve as qn
from qnsolve import zos

from ..published.published_tables import Row

ENOUGH = 5000  # dependent regions where the document prints no number: no transaction waits for one


def cpu_of(row: Row, busy: str, engines: str, rate: str = "etr_tran_per_s") -> float:
    """CPU of one transaction [s]: busy times engines over ETR."""
    return qn.measure.cpu_per_transaction(row[rate], row[busy] / 100, row[engines])


def one_lpar(engines: float, *, regions: int = ENOUGH, fixed_cpu: float = 0.0, parts: Any = None, **work: Any) -> zos.System:
    """One IMS with its dependent regions on one LPAR; `work` as of zos.Work in one region."""
    return zos.System(
        lpars=[zos.Lpar("IMS", processors=zos.Processors(engines), fixed_cpu=fixed_cpu)],
        regions=[zos.ImsRegions("regions", lpar="IMS", regions=regions)],
        work=[zos.Work("transactions", regions="regions", **work)],
        **(parts or {}),
    )


def two_lpars(
    engines: tuple[float, float],
    cpu: tuple[float, float],
    *,
    regions: int = ENOUGH,
    waits: tuple[dict[str, float], dict[str, float]] = ({}, {}),
    devices: tuple[zos.Device, ...] = (),
    **work: Any,
) -> zos.System:
    """A front end whose transactions run at the back end; the front end waits for them."""
    front = zos.Step("front end", cpu=cpu[0], devices=waits[0])
    back = zos.Step("back end", cpu=cpu[1], devices=waits[1])
    return zos.System(
        lpars=[zos.Lpar("FE", processors=zos.Processors(engines[0])), zos.Lpar("BE", processors=zos.Processors(engines[1]))],
        devices=devices,
        regions=[
            zos.ImsRegions("front end", lpar="FE", regions=ENOUGH + 5000),
            zos.ImsRegions("back end", lpar="BE", regions=regions),
        ],
        work=[zos.Work("transactions", steps=[front, back], **work)],
    )
