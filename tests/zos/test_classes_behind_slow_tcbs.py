"""TRANCLASSes at a QR TCB that long work on the CPs makes slow now and then: against simulation of 40 million transactions."""

from __future__ import annotations

import pytest
from qnsolve import zos

PIECE, OPEN = 60e-6, 0.012  # of QR and of open work [CPU s]
INQUIRIES, REPORTS, ENGINES, BUSY = 4000.0, 1000.0, 3, 0.92


def one_tcb(places: dict[str, int]) -> zos.System:
    """Inquiries and reports on one QR TCB, in classes of so many places, beside open work that fills three CPs to 92 %."""
    works = [
        zos.Work(name, rate=rate, regions="AOR1", qr_cpu=PIECE, tranclass=name if name in places else None)
        for name, rate in (("INQUIRY", INQUIRIES), ("REPORTS", REPORTS))
    ]
    rate = (BUSY * ENGINES - (INQUIRIES + REPORTS) * PIECE) / OPEN
    regions = [zos.CicsRegion("AOR1", lpar="SYSA", mxt=1500, tranclasses=places), zos.CicsRegion("AOR2", lpar="SYSA")]
    return zos.System(
        [zos.Lpar("SYSA", processors=ENGINES)], regions, [*works, zos.Work("BATCH", rate=rate, regions="AOR2", open_cpu=OPEN)]
    )


def test_a_class_keeps_its_line_from_the_others() -> None:
    """136.6 ± 14 and 4.855 ± 0.15 ms, simulated; both waited for 122 ms, as if the class were never full."""
    found = one_tcb({"INQUIRY": 20}).solve()
    assert found["INQUIRY"].response_time == pytest.approx(0.1366, abs=0.015)
    assert found["REPORTS"].response_time == pytest.approx(0.004855, rel=0.1)
    assert found["INQUIRY"].admission_wait > 0.9 * found["INQUIRY"].response_time


def test_classes_of_all_the_work_of_a_region() -> None:
    """149.8 ± 29 ms of the larger one, simulated, beside 29 ± 5 of the smaller: it is no shorter than with the class alone."""
    found = one_tcb({"INQUIRY": 20, "REPORTS": 10}).solve()
    assert found["INQUIRY"].response_time == pytest.approx(0.1498, abs=0.029)
    assert found["REPORTS"].response_time < 0.034
