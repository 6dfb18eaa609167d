"""cics-perf table 6-11: JSON requests with larger responses."""

from __future__ import annotations

from qnsolve import zos
from qnsolve.measure import fit_payload

from ...case import Case, Missing, Study
from ...models.load_ladder import used_cpu
from ...published.published_tables import table

OWN, ELIGIBLE, SIZE = "not_ziip_eligible_ms_per_tran", "ziip_eligible_ms_per_tran", "response_json_bytes"


def _run(study: Study) -> None:
    published = table("cics-perf", "table-6-11")
    small, more = published[1], published[2]
    rows = [small, more]
    law = fit_payload([row[SIZE] for row in rows], [row[ELIGIBLE] / 1000 for row in rows])
    how = "line of eligible CPU over the bytes of the response, rows 1 and 2"
    study.calibrate("eligible CPU of a byte more", law.per_unit, "s", rows, how)
    how = "row 1 as printed: a response of 32 bytes, 103 as JSON"
    study.calibrate("eligible CPU of a request", small[ELIGIBLE] / 1000, "s", [small], how, kind="printed")
    how = "row 2 as printed: a response with a body"
    own = study.calibrate("CPU not eligible", more[OWN] / 1000, "s", [more], how, kind="printed")
    trees = Missing(
        "a byte that costs more in a larger response: objects of the parser that live longer, and are collected more often",
        "0.14 µs a byte at 6 KB, 0.16 µs at 25 KB, 0.105 µs in the two small responses",
        "CPU of garbage collection threads by response size",
    )
    for row in published.rows[2:]:
        eligible = law.cost(row[SIZE])
        cpu = own + eligible
        system = zos.System(
            lpars=[zos.Lpar("LPAR", processors=zos.Processors(32), ziips=zos.Ziips(8))],  # not printed; without effect
            regions=[zos.CicsRegion("region", lpar="LPAR", mxt=500, thread_limit=50)],
            work=[zos.Work("requests", rate=row["etr_tran_per_s"], regions="region", jvm_cpu=cpu, ziip_share=eligible / cpu)],
            name=row.cells["response_size_label"],
        )
        size = row.cells["response_size_label"]
        used = used_cpu(system, study.solve_system(size, system)) / 100 / row["etr_tran_per_s"]
        own_found = 1000 * used * own / cpu
        study.predict(f"CPU not eligible, {size}", "ms", row, OWN, own_found, station="Java", kind="path", like=(more, None))
        found = 1000 * used * eligible / cpu
        study.predict(
            f"CPU eligible, {size}", "ms", row, ELIGIBLE, found, station="Java", kind="path", like=(more, SIZE), missing=trees
        )


CASES = (
    Case(
        name="cics-perf-6-11",
        source="cics-perf",
        file="table-6-11",
        title="JSON responses of 4 and 16 KB, from 32 bytes and 1 KB",
        question="What CPU do larger responses take?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %",
        verdict_text=(
            "CPU that is not eligible does not depend on the size. Eligible CPU grows by more than in proportion, where the "
            "document calls it linear: a line through the two small responses is 19 and 32 % low."
        ),
        run=_run,
    ),
)
