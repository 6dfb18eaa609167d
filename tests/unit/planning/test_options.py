"""Changes as planners write them, and what each gives."""

from __future__ import annotations

from dataclasses import replace

import pytest
import qnsolve as qn
from qnsolve import zos
from qnsolve.errors import ModelError
from qnsolve.zos import CicsRegion, Lpar, Processors, System, Work

from tests.support.planned_sites import one_region, two_works


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("PROD.engines=5", lambda s: s.lpars[0].processors.engines == 5),
        ("PROD.engines+1", lambda s: s.lpars[0].processors.engines == 4),
        ("PROD.engines*1.5", lambda s: s.lpars[0].processors.engines == 4.5),
        ("PROD.engines-1", lambda s: s.lpars[0].processors.engines == 2),
        ("PROD.threads=2", lambda s: s.lpars[0].ziips.threads == 2),
        ("PROD.ziips.cores=3", lambda s: s.lpars[0].ziips.cores == 3),
        ("LOG.stripes += 1", lambda s: s.loggers[0].stripes == 3),
        ("AOR*.mxt+50%", lambda s: [r.limit for r in s.regions] == [150, 150, 80]),
        ("*OR*.mxt*1.5", lambda s: [r.limit for r in s.regions] == [150, 150, 120]),
        ("WOR.SLOW=20", lambda s: s.regions[2].tranclasses == {"SLOW": 20}),
        ("WOR.tranclasses.SLOW+5", lambda s: s.regions[2].tranclasses == {"SLOW": 15}),
        ("orders.qr_cpu*0.5", lambda s: s.work[0].steps[0].qr_cpu == 0.0005),
        ("PROD.cps+1", lambda s: s.lpars[0].processors.engines == 4),
        ("orders.1.qr_cpu=0.9 ms", lambda s: s.work[0].steps[0].qr_cpu == 0.0009),
        ("web.delay+10ms", lambda s: s.work[1].steps[0].delay == pytest.approx(0.06)),
        ("orders.LOG=6 KiB", lambda s: s.work[0].steps[0].log_bytes == {"LOG": 6144}),
        ("orders.load*2", lambda s: s.work[0].rate == 1200),
        ("*.load*2", lambda s: [w.rate for w in s.work] == [1200, 100]),
        ("orders.LOG*2", lambda s: s.work[0].steps[0].log_bytes == {"LOG": 8000}),
        ("orders.1.LOG*2", lambda s: s.work[0].steps[0].log_bytes == {"LOG": 8000}),
        ("orders.rate+10%", lambda s: s.work[0].rate == pytest.approx(660)),
        ("AOR1.split=3", lambda s: [r.name for r in s.regions] == ["AOR1", "AOR1-2", "AOR1-3", "AOR2", "WOR"]),
        ("More: LOG.stripes=4, PROD.cores+1", lambda s: (s.loggers[0].stripes, s.lpars[0].ziips.cores) == (4, 2)),
    ],
)
def test_changes(text: str, read: object) -> None:
    """Parts of parts, stars, signs, percentages, several changes with a name of their own."""
    found = qn.what_if(two_works(), text)
    assert callable(read)
    assert read(found.system)
    assert found.name == (text.partition(":")[0] if ":" in text else text.strip())
    assert all(" to " in change or " in " in change or "times" in change for change in found.changes)


@pytest.mark.parametrize(
    "text",
    [
        "", "PROD", "PROD.engines", "PROD.engines=", "PROD.engines+", "engines+1", "PORD.engines+1", "PROD.engnes+1",
        "PROD.engines+many", "PROD.engines=50%", "LOG.stripes=0", "AOR1.split=1", "AOR1.split+1", "PROD.split=2", "ZZ*.mxt+1",
        "orders.3.qr_cpu=1", "AOR1.mxt=1", "AOR1.thread_limit+1", "PROD.cores=1e999", "More:", ", ,", "LOG.stripes+1,", "=1", 5,
        "orders.load=2", "orders.load*0", "PROD.engines=+1", ": LOG.stripes+1", "LOG.split=2", "LOG.seconds_per_mib*2",
        "orders.qr_cpu=soon", "orders.qr_cpu=2 MB", "orders.LOG=3 ms", "PROD.cps=9ms", "orders.qr_cpu*2ms",
    ],
)  # fmt: skip
def test_changes_that_are_wrong(text: object) -> None:
    """Each is one line that shows the change or how to write one."""
    with pytest.raises(ModelError) as caught:
        qn.what_if(two_works(), text)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_smt_without_its_factor_is_remarked() -> None:
    """Two threads with MAX CF 1 add nothing; the answer says so."""
    assert "MAX CF" in qn.what_if(two_works(), "PROD.threads=2").remark
    assert qn.what_if(two_works(), "PROD.threads=2, PROD.max_capacity_factor=1.3").remark == ""


def test_what_ifs_are_studies_of_the_changed_system() -> None:
    """The date of a change is that of a study of the changed system; no gain is 0 months."""
    asked = {"growth": "8%/quarter", "begin": "2026-12", "until": "2027-12", "targets": {"orders": 0.004}}
    texts = ["PROD.engines+1", "LOG.stripes+1", "AOR*.split=2", "orders.qr_cpu*1.2"]
    found = qn.study(two_works(), what_ifs=texts, **asked)
    gains = {}
    for answer in found.what_ifs:
        alone = qn.study(qn.what_if(two_works(), answer.name).system, remedies=False, **asked)
        assert answer.holds_until == alone.verdict.holds_until
        gains[answer.name] = answer.months
    assert gains["LOG.stripes+1"] == 0 < gains["AOR*.split=2"]
    assert gains["orders.qr_cpu*1.2"] < 0


def test_remedies_are_found() -> None:
    """Without what-ifs of its own a study tries what may help, the largest gain first."""
    found = qn.study(one_region(), growth="8%/quarter", begin="2026-12", until="2029-12", targets={"orders": 0.003})
    assert [each.name for each in found.what_ifs] == ["AOR1: each in two"]
    assert found.what_ifs[0].months > 12
    months = [each.months for each in qn.study(two_works(), growth="8%/quarter", begin="2026-12", until="2029-12").what_ifs]
    assert months == sorted(months, reverse=True)


def test_of_many_unlike_regions_the_fullest_are_tried() -> None:
    """Eight regions of their own: six in two, the fullest; how many are left out is said."""
    names = [f"AOR{place}" for place in range(8)]
    regions = [CicsRegion(name, lpar="PROD", mxt=100 + place) for place, name in enumerate(names)]
    work = [Work(f"work of {name}", rate=400 + 10 * place, regions=name, qr_cpu=0.002) for place, name in enumerate(names)]
    system = System(lpars=[Lpar("PROD", processors=Processors(12))], regions=regions, work=work)
    found = qn.study(system, growth="8%/quarter", begin="2026-12", until="2027-12")
    tried = [each.name for each in found.what_ifs if each.name.endswith("each in two")]
    assert sorted(tried) == [f"AOR{place}: each in two" for place in range(2, 8)]
    assert found.notes[0].startswith("2 more changes of parts that are less full were not tried")


def test_the_step_that_a_table_belongs_to() -> None:
    """A device is found in the one step that uses it; where several do, the error names them."""
    system = replace(two_works(), devices=[zos.Device("DB")])
    first, second = system.work[0].steps[0], zos.Step("WOR", qr_cpu=1e-4, devices={"DB": 0.02}, called=False)
    both = system.replace("orders", steps=[first, second])
    for text in ("orders.DB=9ms", "orders.devices.DB=9ms"):
        found = qn.what_if(both, text).system
        assert [step.devices for step in found.work[0].steps] == [{}, {"DB": 0.009}]
    twice = system.replace("orders", steps=[second, second])
    with pytest.raises(ModelError, match=r"2 steps of orders have; write orders\.1\.DB or orders\.2\.DB"):
        qn.what_if(twice, "orders.DB=9ms")
