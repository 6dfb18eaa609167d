"""IMS, MQ and memory against their documents: the errors that the report states, and what sizes a missing station."""

import pytest
import qnsolve as qn
from qnsolve import zos
from qnsolve_validation.models.ims_lpars import cpu_of, two_lpars
from qnsolve_validation.published import published_tables


def errors(study, quantity=""):
    """Errors of the quantities that begin so [%]."""
    return [100 * p.error for p in study.predicted if p.quantity.startswith(quantity)]


def test_the_tables_are_there(studies):
    """IMS 12, IMS 14 on z14, the MQ bridge and memory: a case for each table named here."""
    ims = {f"ims12-{n}" for n in (3, 4, 5, 8, 12, 17, 18, 23, 26, 30, 33, 38, 40)}
    memory = {f"zos-memory-{n}" for n in ("2-2", "2-3", "5-1", "mq", "dfsort")}
    assert ims | memory | {"ims14-z14-16", "mq-otma-bridge"} <= set(studies)


@pytest.mark.parametrize(
    ("name", "quantity", "largest"),
    [
        ("ims12-3", "", 0.96),
        ("ims12-4", "", 0.32),
        ("ims12-5", "ETR", 0.32),
        ("ims12-5", "CPs busy", 0.6),
        ("ims12-12", "", 2.9),
        ("ims12-6", "", 0.17),
        ("ims12-17", "", 2.9),
        ("ims12-18", "transit", 1.6),
        ("ims12-18", "CPs busy after", 3.2),
        ("ims12-26", "BE busy", 1.1),
        ("ims12-30", "BE busy", 4.0),
        ("ims12-33", "GHN", 0.13),
        ("ims12-38", "", 0.06),
        ("mq-otma-bridge", "rate, 9:3:3", 4.4),  # 6 without the coupling facility, 17 with LPAR 1 alone
        ("ims14-z14-16", "ETR", 3.0),
        ("ims14-z14-16", "response", 0.81),
        ("zos-memory-5-1", "", 0.58),
        ("zos-memory-2-2", "ITR", 4.6),
    ],
)
def test_what_is_met(studies, name, quantity, largest):
    """Largest error without sign [%]."""
    found = errors(studies[name], quantity)
    assert found
    assert max(map(abs, found)) < largest


@pytest.mark.parametrize(
    ("name", "quantity", "low", "high"),
    [
        ("ims12-23", "", 7, 11),  # on the safe side
        ("ims12-26", "ETR", -22, -21),
        ("ims12-30", "ETR", -12.5, -12),
        ("ims12-40", "", -22, -21),
        ("mq-otma-bridge", "rate, 6:3:3", 8, 8.3),  # 15.8 with engines one for one
    ],
)
def test_what_is_missed_is_missed_by_so_much(studies, name, quantity, low, high):
    """Misses that name their missing station, and their sizes [%]."""
    assert all(low < error < high for error in errors(studies[name], quantity))


@pytest.mark.parametrize(("file", "coupling"), [(f, c) for f in ("table-22", "table-23") for c in ("RRS", "XCF")])
def test_otma_rates_are_below_what_the_back_end_can_do(file, coupling):
    """Each measured rate is one that the system carries, and a rate above engines / CPU is refused."""
    row = published_tables.table("ims12", file).where(coupling=coupling)
    cpu = [cpu_of(row, f"{end}_cpu_busy_pct", f"{end}_gp_engines") for end in ("fe", "be")]
    engines = (row["fe_gp_engines"], row["be_gp_engines"])
    highest = engines[1] / cpu[1]
    assert row["etr_tran_per_s"] < highest
    result = two_lpars(engines, cpu, rate=0.999 * highest).solve()
    assert result["BE"].cpu_percent == pytest.approx(99.9)
    with pytest.raises(qn.SaturatedError, match="BE CPs"):
        two_lpars(engines, cpu, rate=1.001 * highest).solve()


def test_full_links_rule_the_rate():
    """32 links of 3.4394 ms: VTAM's rate whatever the clients; at 3.02 ms they would still be full at TCP/IP's."""
    row, other = published_tables.table("ims12", "table-31")[1], published_tables.table("ims12", "table-30")[1]
    links = int(row["msc_links"])
    for time, rate in ((links / row["etr_tran_per_s"], row["etr_tran_per_s"]), (0.0030224, other["etr_tran_per_s"])):
        system = two_lpars(
            (4, 8),
            (0.0003, 0.0004),
            users=9000,
            think_time=0.1,
            devices=(zos.Device("links", servers=links),),
            waits=({"links": time}, {}),
        )
        assert system.solve()["transactions"].etr == pytest.approx(rate, rel=1e-4)
