"""The marks of the first predictions: what was asked of each, and where one is missed, what is reached and why."""

import math

import pytest

# case, how a quantity begins, rows (none: all), error asked [%], error reached where the mark is missed [%], why
MARKS = [
    ("ims12-8", "ETR", (), 6.9, None, ""),
    ("ims12-8", "log speed, 8 stripes", (13,), 0.71, None, ""),
    ("cics-perf-9-13", "ETR", (3,), 0.3, None, ""),
    ("cics-perf-9-13", "response", (3,), 1.7, None, ""),
    ("cics-perf-9-13", "response", (2,), 2.1, None, ""),
    ("cics-perf-9-14", "ETR", (3,), 0.3, None, ""),
    ("cics-perf-9-14", "response", (3,), 1.7, 1.8, "demand and bursts are those of table 9-13: nothing is fitted"),
    ("cics-perf-9-14", "response", (1, 2), 2.1, 4.3, "demand and bursts are those of table 9-13: nothing is fitted"),
    ("cics-perf-9-15", "ETR", (4, 5), 0.5, None, ""),
    ("cics-perf-9-15", "response", (4, 5), 0.5, None, ""),
    ("cics-perf-9-15", "response", (2,), 2.1, None, ""),
    ("cics-perf-9-15", "response", (1,), 2.1, 11.3, "the wait for dispatch after a switch of TCB, 0.17 ms"),
    ("cics-perf-9-16", "response", (1, 4, 5), 5.0, None, ""),
    (
        "cics-perf-9-16",
        "response",
        (3,),
        5.0,
        11.9,
        "how many of a tick come to the QR TCB at once, with a clock that is a fit",
    ),
    ("cics-perf-9-16", "ETR", (), 1.7, None, ""),
    ("cics-perf-9-16", "CICS CPU", (), 6.0, None, ""),
    ("cics-perf-5-3", "CICS CPU", (), 0.6, None, ""),
    ("cics-perf-5-4", "CICS CPU", (3, 4, 5), 0.6, None, ""),
    ("cics-perf-5-3", "LPAR busy", (), 1.2, None, ""),
    ("cics-perf-5-4", "LPAR busy", (3, 4, 5), 1.2, None, ""),
    ("cics-perf-5-4", "LPAR busy", (1, 2), 1.2, None, ""),
    ("cics-perf-8-7", "CICS CPU", (), 7.0, None, ""),
    ("cics-perf-8-8", "CICS CPU", (), 7.0, None, ""),
    ("cics-perf-9-7", "CICS CPU", (), 7.0, None, ""),
    ("cics-perf-9-8", "CICS CPU", (), 7.0, None, ""),
    ("cics-perf-5-17", "changes of TCB", (1, 2), 1.4, None, ""),
    ("cics-perf-5-17", "changes of TCB", (3,), 1.4, 75.0, "6 changes at the first Db2 call, which the rules do not count"),
    ("cics-perf-5-17", "CPU", (2, 3), 7.6, None, ""),
    ("cics-perf-8-15", "cpu, COMMAREA", (), 4.0, None, ""),
    ("cics-perf-8-15", "cpu, channel", (12, 13, 14), 4.0, 17.3, "a byte costs less in a large container"),
    ("cics-perf-8-16", "response, COMMAREA", (4, 5, 6, 7), 4.0, None, ""),
    ("cics-perf-8-16", "response, COMMAREA", (2,), 4.0, 7.6, "two units of print"),
    ("cics-perf-8-16", "response, channel", (12, 13, 14), 4.0, 6.3, "a byte costs less in a large container"),
    ("cics-perf-9-20", "ETR", (2, 3, 4), 4.0, None, ""),
    ("cics-perf-9-20", "ETR", (5,), 4.0, 4.43, "CPU of a request in five regions is that in three, 3 % less than printed"),
    ("cics-perf-5-saturation", "highest rate, QR", (1,), 8.8, None, ""),
    ("ims12-3", "CPs busy", (), 1.0, None, ""),
    ("ims12-23", "", (), 12.0, None, ""),
    ("ims12-26", "BE busy", (), 12.0, None, ""),
    ("ims12-26", "ETR", (), 12.0, 21.6, "a wait before the region, 0.66 ms of one full server"),
    ("ims12-26", "IFP regions", (2,), 12.0, 25.6, "waits of a region that XCF does not shorten, 0.4 ms of 1.7 ms"),
    ("ims12-30", "BE busy", (), 12.0, None, ""),
    ("ims12-30", "ETR", (), 12.0, 12.2, "32 MSC links, full over VTAM at 3.44 ms a transaction"),
    ("ims12-40", "CPs busy", (), 12.0, 21.6, "a larger network, 0.024 ms of 0.114 ms a transaction"),
    ("mq-otma-bridge", "rate, 6:3:3", (), 8.0, 8.2, "LPARs 2 and 3, which are nearly full at 6:3:3"),
    ("mq-otma-bridge", "rate, 9:3:3", (), 4.4, None, ""),
    ("ims14-z14-16", "response", (), 0.6, 0.81, "the response of z13 less its CPU, at the printed rate"),
    ("zos-memory-2-2", "ITR", (), 5.0, None, ""),
    ("zos-memory-2-2", "response", (), 5.0, 58.1, "reads avoided last save 16.4 ms each, those avoided first 6.7 ms"),
    ("zos-memory-2-3", "response", (), 5.0, 122.7, "0.28 s of the response outside Db2"),
    ("zos-memory-5-1", "rate", (), 0.6, None, ""),
    ("zos-memory-mq", "MQGET", (), 10.0, None, ""),
    ("zos-memory-mq", "MQPUT", (), 10.0, 20.1, "1 µs, a unit of print"),
    ("zos-memory-dfsort", "elapsed", (2,), 5.0, None, ""),
    ("zos-memory-dfsort", "elapsed", (3,), 5.0, 21.1, "queues of 20 jobs at the work volumes"),
    # the clock and the groups of table 9-9, from its rows 2 and 3, hold for three other runs
    ("cics-perf-9-10", "response", (2, 3, 4), 1.7, None, ""),
    ("cics-perf-9-10", "response", (5,), 1.7, 4.3, "the CPU of 750 containers is that of the law of 100 and 250"),
    ("cics-perf-9-11", "response", (2, 3), 5.0, 27.2, "how tasks that begin together come to the CPs"),
    ("cics-perf-9-11", "response", (4,), 5.0, None, ""),
    ("cics-perf-9-12", "response", (2,), 5.0, 7.8, "how tasks that begin together come to the CPs"),
    ("cics-perf-9-12", "response", (3, 4), 5.0, None, ""),
    ("cics-perf-9-9", "response", (4,), 5.0, None, ""),
    ("cics-perf-9-9", "ETR", (5,), 5.0, 6.3, "CPU of a container that grows faster than the list: 0.14 ms of 3.02 ms"),
]


def largest(study, quantity, rows):
    """The largest error without sign of the predicted figures that a mark is about [%]."""
    found = [p for p in study.predicted if p.quantity.startswith(quantity) and (not rows or p.row.number in rows)]
    assert found
    assert not rows or {p.row.number for p in found} == set(rows)
    return 100 * max(abs(p.error) for p in found)


@pytest.mark.parametrize(("name", "quantity", "rows", "asked", "reached", "why"), MARKS)
def test_mark(studies, name, quantity, rows, asked, reached, why):
    """Met where nothing else is said; a missed mark is as far off as it says, no further and no nearer."""
    error = largest(studies[name], quantity, rows)
    if reached is None:
        assert error <= asked + 0.05
    else:
        assert why
        assert asked < error <= reached + 0.05
        assert error > 0.95 * reached


def test_the_mean_of_the_logger(studies):
    """50 and 74 KB from 25 KB: 3.2 % in the mean were asked, 3.3 % are reached from the speeds as printed."""
    rates = [abs(p.error) for p in studies["ims12-8"].predicted if p.quantity.startswith("ETR")]
    assert len(rates) == 8
    assert 0.032 < math.fsum(rates) / 8 < 0.0331


def test_completions_at_mxt(studies):
    """Table 7-3 prints the CPU of a transaction, and one over it is the rate of a region that is always full: within 2.2 %."""
    (point,) = studies["cics-perf-7-3"].points
    assert point.kind == "full center"
    assert abs(point.error) < 0.022
