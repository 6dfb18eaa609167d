"""zos-memory: more memory for Db2, MQ, Cognos and DFSORT."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qnsolve import zos

from ...case import Case, Missing, Study
from ...published.published_tables import Row, table

SESSIONS = 2000  # more than are ever in the system
CPS = 64  # where none are printed and no CPU is modeled


def _site(engines: float, parts: tuple[zos.Device, ...] = (), **work: Any) -> zos.System:
    """Work on the open TCBs of one region, and the devices that it waits for."""
    return zos.System(
        lpars=[zos.Lpar("LPAR", processors=zos.Processors(engines))],
        regions=[zos.CicsRegion("threads", lpar="LPAR", mxt=SESSIONS)],
        work=[zos.Work("transactions", regions="threads", **work)],
        devices=parts,
    )


def _bank(study: Study) -> None:
    small, more, most = table("zos-memory", "figure-2-2").rows
    cps = small["lpar_cps"]
    cpu, reads, response = (
        [row["cpu_pct"] / 100 * cps / row["etr_tran_per_s"] for row in (small, more)],
        [1000 * row["sync_read_io_k_per_s"] / row["etr_tran_per_s"] for row in (small, more)],
        [row["response_s"] for row in (small, more)],
    )
    fewer = reads[0] - reads[1]
    rows = [small, more]
    per_read = study.calibrate("CPU of a read", (cpu[0] - cpu[1]) / fewer, "s", rows, "CPU saved / reads saved, rows 1 and 2")
    wait = study.calibrate("time of a read", (response[0] - response[1]) / fewer, "s", rows, "response saved / reads saved")
    left = study.calibrate("CPU without reads", cpu[0] - per_read * reads[0], "s", rows, "line of CPU over reads")
    rest = response[0] - wait * reads[0]
    at_cps = _response(study, "row 1 at the CPs", _site(cps, open_cpu=cpu[0], rate=small["etr_tran_per_s"]))
    rest = study.calibrate("other waits", rest - at_cps, "s", rows, "line of response over reads, less the time at the CPs")
    users = (response[0] - response[1]) / (1 / small["etr_tran_per_s"] - 1 / more["etr_tran_per_s"])
    think = users / small["etr_tran_per_s"] - response[0]
    how = "users = X (Z + R) in rows 1 and 2"
    study.calibrate("users", users, "count", rows, how)
    study.calibrate("think time", think, "s", rows, how)
    device = zos.Device("Db2 reads")
    asked = {"Db2 reads": wait * reads[0]}
    system = _site(
        cps, (device,), open_cpu=left + per_read * reads[0], delay=rest, devices=asked, users=round(users), think_time=think
    )
    result = study.solve_system("no reads left", zos.avoid_reads(system, "Db2 reads", 1.0, cpu=per_read / wait))
    missing = Missing(
        "waits that fall with the reads: latches, prefetch and log",
        "10 ms more for each of the last reads avoided than for the first ones",
        "class 3 suspensions by kind in the three runs",
    )
    done = result["transactions"]
    as_before: Any = {"station": "Db2 reads", "kind": "path", "like": (more, None)}
    study.predict("ITR", "tran/s", most, "itr_tran_per_s", result["LPAR"].itr, **as_before)
    study.predict("response", "s", most, "response_s", done.response_time, missing=missing, **as_before)
    study.predict("ETR", "tran/s", most, "etr_tran_per_s", done.etr, missing=missing, **as_before)


def _response(study: Study, label: str, system: zos.System) -> float:
    return float(study.solve_system(label, system)["transactions"].response_time)


def _mdm(study: Study) -> None:
    rows = {row.cells["quantity"]: row for row in table("zos-memory", "table-2-3").rows}

    def printed(key: str) -> float:
        return rows[key]["value"]

    before, after = printed("sync_io_per_tran_before"), printed("sync_io_per_tran_after")
    used = [rows["sync_io_per_tran_before"], rows["sync_io_response_us"], rows["sync_io_suspension_share_of_cl1_elapsed_pct"]]
    waits = before * printed("sync_io_response_us") * 1e-6
    how = "reads times read time / share of class 1, less the reads"
    rest = waits / (printed("sync_io_suspension_share_of_cl1_elapsed_pct") / 100) - waits
    rest = study.calibrate("class 1 time beside sync I/O", rest, "s", used, how)
    devices = (zos.Device("sync I/O"), zos.Device("group buffer pool"))
    system = _site(CPS, devices, users=1, devices={"sync I/O": waits}, delay=rest)
    faster = {"group buffer pool": printed("gbp_read_response_us") / printed("sync_io_response_us")}
    old = _response(study, "before", system)
    more = zos.avoid_reads(system, "sync I/O", (before - after) / before, instead=faster)
    new = _response(study, "large group buffer pool", more)
    missing = Missing(
        "time outside Db2: what is predicted, 11.1 % of class 1, bounds the gain",
        "0.28 s of an end to end response of about 0.51 s",
        "response times of the transactions",
    )
    study.predict(
        "response saved",
        "%",
        rows["end_to_end_response_reduction_pct"],
        "value",
        100 * (1 - new / old),
        station="group buffer pool",
        kind="path",
        naive=printed("sync_io_suspension_share_of_cl1_elapsed_pct"),  # all waits for reads saved
        missing=missing,
    )


def _cognos(study: Study) -> None:
    one, two, three = table("zos-memory", "table-5-1").rows
    ratio = "tran_rate_ratio_as_labelled_per_cpu_s"
    law = zos.LsprTable({row["cpus"]: row[ratio] for row in (one, two)})
    how = "CPs / rate at 16 over that at 8"
    study.calibrate("CPU with a server more", law.cpu(two["cpus"]) / law.cpu(one["cpus"]), "ratio", [one, two], how)
    system = _site(one["cpus"], open_cpu=1.0, rate=one["cpus"] / 2)  # half busy; the unit of time is a transaction's CPU
    base = study.solve_system("one server", system)["LPAR"].itr
    more = zos.move(system, "LPAR", engines=three["cpus"], lspr=law)
    found = study.solve_system("three servers", more)["LPAR"].itr / base
    study.predict(
        "rate over that of one server",
        "ratio",
        three,
        ratio,
        found,
        station="processor capacity",
        kind="full center",
        like=(one, "cpus"),
    )


def _mq(study: Study) -> None:
    published = table("zos-memory", "text-mq-api-times")
    device = zos.Device("page set")
    for number, name in ((1, "MQGET"), (2, "MQPUT")):
        row, after = published[number], published[number + 2]
        cpu = study.calibrate(f"CPU, {name}", row["cpu_us"] * 1e-6, "s", [row], "as printed, small pool", kind="printed")
        wait = study.calibrate(
            f"page set, {name}", row["suspend_us"] * 1e-6, "s", [row], "as printed, small pool", kind="identity"
        )
        small = _site(1, (device,), users=1, open_cpu=cpu, devices={"page set": wait})
        study.identity(
            f"{name}, small pool", "µs", row, "elapsed_us", 1e6 * _response(study, name, small), station="buffer pool"
        )
        large = _response(study, f"{name}, large pool", zos.avoid_reads(small, "page set", 1.0))
        more = Missing(
            f"CPU that {name} takes more with the large pool",
            f"{after['elapsed_us'] - row['cpu_us']:.0f} µs, in whole units of print",
            "times of a call with a decimal",
        )
        study.predict(
            f"{name}, large pool", "µs", after, "elapsed_us", 1e6 * large, station="buffer pool", kind="path", like=(row, None),
            missing=more,
        )  # fmt: skip


def _dfsort(study: Study) -> None:
    rows = table("zos-memory", "text-dfsort-memory").rows
    none, all_of_it = rows[0], rows[3]
    space = study.given("work space [GB]", none, "work_space_gb")
    disk = all_of_it["elapsed_reduction_pct"] / 100
    how = "elapsed time saved where all work space is in memory; the unit is the elapsed time on disk alone"
    disk = study.calibrate("work space on disk", disk, "elapsed", [all_of_it], how)

    def elapsed(row: Row) -> float:
        system = _site(CPS, (zos.Device("sort work"),), users=20, devices={"sort work": disk}, delay=1 - disk)
        system = zos.avoid_reads(system, "sort work", row["memory_gb"] / space)
        return _response(study, f"{row.printed('memory_gb')} GB in memory", system)

    queues = Missing(
        "queues of 20 jobs at the work volumes",
        "10 % of the elapsed time: the first 200 GB of memory save 49 %, the last 100 only 9 %",
        "device response by memory size",
    )
    for row, missing in ((rows[1], None), (rows[2], queues)):
        saved = 100 * (1 - elapsed(row))
        study.predict(
            "elapsed time saved", "%", row, "elapsed_reduction_pct", saved, station="DASD and locks", kind="path",
            like=(all_of_it, "memory_gb"), missing=missing,
        )  # fmt: skip


def _case(
    number: str,
    file: str,
    title: str,
    question: str,
    text: str,
    run: Callable[[Study], None],
) -> Case:
    reason = "a capacity plan is held to 5 %"
    return Case(f"zos-memory-{number}", "zos-memory", file, title, question, 0.05, reason, text, run)


CASES = (
    _case(
        "2-2",
        "figure-2-2",
        "Bank workload on 12 CPs: 1 TB of memory from 256 and 512 GB",
        "What is left to gain when no read misses the buffer pools?",
        "CPU is reproduced: 37 µs for a read avoided. Response is not: reads avoided save 6.7 ms each at first and 16.4 ms "
        "later, so a fixed time per read underestimates the gain, on the safe side.",
        _bank,
    ),
    _case(
        "2-3",
        "table-2-3",
        "MDM with a group buffer pool that holds all pages",
        "What response time do reads from the coupling facility in place of disk save?",
        "34 reads of 758 µs become requests of 3.6 µs: 11 % of the time in Db2. End to end 5 % are printed: more than half of "
        "the response lies outside Db2, which the document does not measure.",
        _mdm,
    ),
    _case(
        "5-1",
        "table-5-1",
        "Cognos Dynamic Cubes: three servers from one and two",
        "What does a third server bring?",
        "The law through one and two servers meets the third within 0.6 %. The response ratios are not predicted.",
        _cognos,
    ),
    _case(
        "mq",
        "text-mq-api-times",
        "MQGET and MQPUT with a buffer pool large enough",
        "What does a call take once no page comes from a page set?",
        "What is left is the CPU of the call. Both are a unit or two of print off: each takes "
        "more CPU with the large pool than before.",
        _mq,
    ),
    _case(
        "dfsort",
        "text-dfsort-memory",
        "DFSORT: work space in memory",
        "What elapsed time does each 100 GB of memory save?",
        "In proportion to the work space that is in memory for the first 100 GB; the second 100 GB save more than that.",
        _dfsort,
    ),
)
