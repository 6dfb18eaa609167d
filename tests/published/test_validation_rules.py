"""The rules of the validation suite: coverage, held-out rows, verdicts, misses that a reader can check."""

import copy
import csv
import itertools
import math
import re
from collections import Counter

import numpy as np
import pytest
import qnsolve as qn
from qnsolve import zos
from qnsolve_validation import case as cases
from qnsolve_validation import runner
from qnsolve_validation.cases.cics_regions.releases import LADDERS
from qnsolve_validation.published import published_tables
from qnsolve_validation.report import coverage, station_kinds, summary

from tests import ROOT

SHARED = ROOT.parent / "shared" / "published"
RATES = ("etr_tran_per_s", "aor_etr_tran_per_s", "request_rate_per_s")
# fits beyond the two lowest loads: table 9-15 takes its limit (row 3) to predict the loads above it; 9-15-low does not;
# table 6-9 gives the cost of zIIP overflow to ten others by its rows 1 and 3
FURTHER = {"cics-perf-9-15": {3}, "cics-perf-6-9": {3}}
# ladders of sizes: containers, whose law has three numbers, and bytes
SIZES = {
    "cics-perf-9-9": {1, 2, 3},
    "cics-perf-9-10": {2, 3},  # CPU without containers is that of table 9-9
    "cics-perf-9-11": {1, 5},  # row 1 has the wait at a change of TCB; by row 5 the LPAR has more than 3 CPs
    "cics-perf-9-12": set(),
    "cics-perf-8-15": {1, 3, 8, 10},
    "cics-perf-8-16": {1, 3, 8, 10},
}


def read(path):
    """Rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_table_has_a_row_with_a_known_state(studies):
    """Nothing is silently missing: a case that ran, or one of three states with its reason."""
    places = coverage.coverage(studies.values())
    assert len(places) == len(published_tables.index()) == 246
    assert {place.document for place in places} == {"cics-perf", "ims12", "ims14-z14", "mq-otma", "zos-memory"}
    for place in places:
        assert place.state in coverage.STATES, place
        assert place.why, place
    states = Counter(place.state for place in places)
    only = sum(study.verdict == "identity" for study in studies.values())
    assert states["identity"] - only + states["input"] + states["out of scope"] == len(published_tables.scope())


def test_no_table_has_both_a_case_and_a_reason_for_none():
    """scope.csv names exactly the tables of the index that have no case."""
    with_case = {(case.source, f"{case.file}.csv") for case in runner.all_cases()}
    indexed = [(entry["document"], entry["file"]) for entry in published_tables.index()]
    assert len(set(indexed)) == len(indexed)
    assert with_case | set(published_tables.scope()) == set(indexed)
    assert not with_case & set(published_tables.scope())


@pytest.mark.skipif(not SHARED.is_dir(), reason="the documents' folder is not beside the project")
def test_the_index_is_that_of_the_documents():
    """Each table of the shared index, and each of its files byte for byte."""
    ours = Counter((e["document"], e["file"], e["label"]) for e in published_tables.index() if e["kind"] != "facts")
    theirs = Counter()
    for folder in sorted(path for path in SHARED.iterdir() if path.is_dir()):
        for part in sorted(folder.glob("index*.csv")):
            theirs.update((folder.name, e["file"], e["source_label"]) for e in read(part) if not e["file"].startswith("facts"))
        for path in folder.glob("*.csv"):
            if not path.name.startswith(("index", "facts")):
                copy = published_tables.PUBLISHED / folder.name / path.name
                assert copy.read_bytes() == path.read_bytes(), path
        figures = [(f["line"], f["quantity"], f["value"]) for part in sorted(folder.glob("facts*.csv")) for f in read(part)]
        copied = [(f["line"], f["quantity"], f["value"]) for f in read(published_tables.PUBLISHED / folder.name / "facts.csv")]
        assert copied == figures
    assert ours == theirs


def test_published_tables_are_complete_and_known():
    """Each CSV file is in the index, and each of its rows is full."""
    known = {(e["document"], e["file"]) for e in published_tables.index()}
    for path in published_tables.PUBLISHED.glob("*/*.csv"):
        assert (path.parent.name, path.name) in known
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert len({len(row) for row in rows}) == 1


def test_suspect_prints_name_figures_that_are_there():
    """Each doubtful figure is one of a table, and the predicted ones are flagged."""
    for (document, file, row, column), note in published_tables.suspects().items():
        assert column in published_tables.table(document, file)[row].cells
        assert note
    row = published_tables.table("cics-perf", "table-9-9")[5]
    assert "ten times too small" in row.suspect("cpu_ms_per_tran")
    assert row.suspect("etr_tran_per_s") == ""


def ladder(rows):
    """Whether these rows are one workload at rising rates."""
    column = next((name for name in RATES if name in rows[0].cells), None)
    if column is None or "point" not in rows[0].cells or len(rows) < 3:
        return False
    rates = [row[column] for row in rows[:3]]
    return rates[1] > 1.05 * rates[0] and rates[2] > 1.05 * rates[1]


def test_a_ladder_is_calibrated_by_its_two_lowest_rows_at_most(studies):
    """No row above them enters a number of the case that predicts the ladder."""
    found = 0
    for name, study in studies.items():
        case = study.case
        own = {
            row.number
            for c in study.calibrations
            for row in c.rows
            if (row.table.document, row.table.file) == (case.source, case.file)
        }
        if ladder(published_tables.table(case.source, case.file).rows):
            found += 1
            assert own <= {1, 2} | FURTHER.get(name, set()), name
        elif name in SIZES:
            assert own <= SIZES[name], name
    assert found >= 55
    assert set(SIZES) | set(FURTHER) <= set(studies)


def test_parameters_are_few(studies):
    """Fitted to the table that is predicted: one for each 4.7 figures at most; of all that enter one for each 2.3."""
    points = summary.predicted(studies.values())
    free = sum(study.free for study in studies.values())
    assert 4.7 * free <= len(points)
    assert free == sum(c.kind == "fitted" for study in studies.values() for c in study.calibrations) > 100
    assert free < summary.anywhere(studies.values(), summary.ENTER) <= len(points) / 2.3
    for study in studies.values():
        for c in study.calibrations:
            own = any((r.table.document, r.table.file) == (study.case.source, study.case.file) for r in c.rows)
            assert c.kind in (("fitted" if own else "taken"), "printed", "identity")


EARLIER = {row[0]: row[1].split() for row in LADDERS if row[1] and not row[2]}  # releases.py: first and last run before
EARLIER |= {"5-2": ["5-1"], "5-4": ["5-3"], "5-6": ["5-5"]}
EARLIER = {number: [*runs, runs[-1]] for number, runs in EARLIER.items()}
RELEASES = list(EARLIER)
JAVA = ["6-10", "6-15", "8-10", "8-12", "9-4", "9-6"]


@pytest.mark.parametrize("numbers", [RELEASES, JAVA])
def test_the_cpu_of_a_new_release_is_better_known_than_from_the_same_row_of_the_last_one(studies, numbers):
    """CPU in CICS: mean error of the models, and of the naive planner for the same figures."""
    points = [p for n in numbers for p in studies[f"cics-perf-{n}"].predicted if p.quantity != "LPAR busy"]
    assert len(points) >= 36
    assert sum(abs(p.error) for p in points) < sum(abs(p.error_of("naive")) for p in points)


@pytest.mark.parametrize("number", RELEASES + JAVA)
def test_a_release_takes_its_law_from_the_first_run(studies, number):
    """Rows of one table, beside those that give the cost of overflow, and not those of the release itself."""
    used = [c for c in studies[f"cics-perf-{number}"].calibrations if c.name != "CPU of overflow"]
    tables = {row.table.file for c in used for row in c.rows}
    assert len(tables) == 1
    assert tables != {f"table-{number}"}


@pytest.mark.parametrize(("number", "first"), [("6-10", "6-9"), ("8-10", "8-9"), ("9-6", "9-5")])
def test_few_rows_are_taken_as_they_are(studies, number, first):
    """At the rates of the first run the CPU of a request is the one printed there, and so is what overflows."""
    points = {(p.quantity, p.row.number): p for p in studies[f"cics-perf-{number}"].predicted}
    for row in published_tables.table("cics-perf", f"table-{first}").rows:
        for quantity, column in (
            ("CPU not eligible", "not_ziip_eligible_pct"),
            ("CPU eligible for zIIPs", "ziip_eligible_pct"),
        ):
            point = points[quantity, row.number]
            scaled = row[column] * point.row["etr_tran_per_s"] / row["etr_tran_per_s"]
            assert point.predicted == pytest.approx(scaled, rel=0.005)  # rates differ by up to 1 %


def test_three_rows_as_they_are_serve_where_the_rule_was_not_chosen():
    """COBOL runs of five rows, thinned to three in all ways: as they are they are nearer to later runs than their line."""
    off = {"as they are": [], "line": [], "last release": []}
    for number, (first, *_, last) in EARLIER.items():
        runs = [published_tables.table("cics-perf", f"table-{n}").rows for n in (number, first, last)]
        if any(len([row for row in run if row.cells["cics_cpu_pct"]]) < 5 for run in runs):
            continue
        (x, y), (x1, y1), (_, y2) = (
            np.array([[row["etr_tran_per_s"], row["cics_cpu_pct"] / row["etr_tran_per_s"]] for row in run]).T for run in runs
        )
        for three in map(list, itertools.combinations(range(5), 3)):
            line = qn.measure.fit_line(x1[three], x1[three] * y1[three], relative=True)
            off["as they are"] += list(np.interp(x, x1[three], y1[three])[three] / y[three] - 1)
            off["line"] += list((line.intercept / x + line.slope)[three] / y[three] - 1)
            off["last release"] += list(y2[three] / y[three] - 1)
    mean = {rule: np.abs(errors).mean() for rule, errors in off.items()}
    assert len(off["line"]) == 14 * 10 * 3
    assert mean["as they are"] < mean["line"] < mean["last release"]
    assert mean["as they are"] == pytest.approx(0.0098, abs=5e-5)


def test_what_another_row_has_is_not_printed_for_a_row(studies):
    """Layouts of five JVM servers or regions have the CPU of three."""
    printed = {row.number for c in studies["cics-perf-9-20"].calibrations if c.kind == "printed" for row in c.rows}
    assert printed == {2, 3}


def test_the_law_of_stripes_is_applied_to_each_size(studies):
    """More than two stripes, with 25, 50 and 74 KB: no row is left out."""
    rows = published_tables.table("ims12", "table-08").rows
    speeds = [p.row.number for p in studies["ims12-8"].predicted if p.quantity.startswith("log speed")]
    assert sorted(speeds) == [row.number for row in rows if row["stripes"] > 2]


def test_what_is_called_printed_is_printed(studies):
    """The value stands in a row that it is said to be from, in some unit."""
    found = [c for study in studies.values() for c in study.calibrations if c.kind == "printed"]
    assert len(found) > 40
    for c in found:
        numbers = [float(cell) for row in c.rows for cell in row.cells.values() if re.fullmatch(r"\d+(\.\d+)?", cell)]
        assert any(c.value == pytest.approx(number * unit) for number in numbers for unit in (1, 1e-3, 1e-6)), c


def test_what_serves_identities_alone_is_in_no_prediction(studies):
    """The cases with such numbers, and the station that each sizes."""
    found = {(name, c.name) for name, study in studies.items() for c in study.calibrations if c.kind == "identity"}
    assert {name for name, _ in found} == {"cics-perf-5-saturation", "ims12-26", "ims12-30", "zos-memory-mq"}
    assert len(found) == 9


def test_seven_of_ten_figures_are_reproduced_or_close(studies):
    """What the suite must reach."""
    reproduced, close, missed = summary.verdict_counts(studies.values())
    assert reproduced + close >= 0.8 * (reproduced + close + missed)


def test_every_miss_gives_effect_size_and_measurement(studies):
    """Three fields, each with words of its own; sizes hold a number."""
    misses = [point.missing for point in summary.predicted(studies.values()) if point.verdict == "missed"]
    assert len(misses) > 50
    for missing in misses:
        parts = (missing.effect, missing.size, missing.measurement)
        assert all(len(part.split()) >= 2 for part in parts), missing
        assert len(set(parts)) == 3
        number_words = ("third", "sixth", "half")
        assert any(c.isdigit() for c in missing.size) or any(word in missing.size for word in number_words), missing


def test_each_station_is_of_a_kind(studies):
    """The report sorts every predicted figure; a kind without one says why."""
    kinds = {station_kinds.KIND[point.station] for point in summary.predicted(studies.values())}
    assert kinds | set(station_kinds.NOTHING) == set(station_kinds.KINDS)
    centers = summary.centers(studies.values())
    assert sum(skill.figures for _, skill in centers) == len(summary.predicted(studies.values()))


def test_each_case_is_about_one_system(studies):
    """The systems of the documents name every case once."""
    named = [case for _, names in published_tables.systems() for case in names]
    assert sorted(named) == sorted(studies)
    met = summary.systems(list(studies.values()))
    assert sum(system.skill.figures for system in met) == len(summary.predicted(studies.values()))
    for system in met:
        assert (system.verdict == "works") == (system.skill.hits >= 0.8)
        assert system.missing or system.verdict == "works"


def test_each_figure_has_both_baselines(studies):
    """Bounds of every point; a naive planner's figure of every prediction."""
    for name, study in studies.items():
        assert all(point.bounds is not None for point in study.points), name
        assert all(point.naive is not None for point in study.predicted), name


def test_centers_are_named_for_what_is_in_the_model(studies):
    """A coupling facility only where one is in a model, a log and zIIPs likewise."""
    for name, study in studies.items():
        systems = [model for _, model in study.models]
        kinds = {station_kinds.KIND[point.station] for point in study.predicted}
        assert "coupling facility" not in kinds or any(system.coupling_facilities for system in systems), name
        assert "logger" not in kinds or any(system.loggers for system in systems), name


def test_what_does_not_move_without_queues_is_not_of_contention(studies):
    """The case fails."""
    study = cases.Study(studies["ims12-8"].case)
    row = published_tables.table("ims12", "table-08")[1]
    study.predict("ETR", "tran/s", row, "etr_tran_per_s", 6321.0, station="log", kind="contention", naive=1.0)
    bounds = copy.copy(study)
    with pytest.raises(ValueError, match="does not move without queues"):
        study.beside(bounds)


def test_cpu_that_moves_without_queues_is_of_contention(studies):
    """By more than its source can tell apart: CPU of a zIIP's overflow, of which a queue decides; no other CPU of any case."""
    points = summary.predicted(studies.values())
    cpu = [p for p in points if p.kind in ("constant CPU", "ladder", "path")]
    assert all(abs(p.bounds / p.predicted - 1) <= p.limit for p in cpu)
    queued = [p for p in points if p.kind == "contention" and p.quantity == "CPU not eligible"]
    assert len(queued) == 9
    assert all(abs(p.bounds / p.predicted - 1) > p.limit for p in queued)


@pytest.fixture
def altered(monkeypatch, solve_once):
    """A way to read the tables with some figures half as large again."""
    real = published_tables._read
    cells = set()

    def read(path):
        rows = real(path)
        for document, file, number, column in cells:
            if (path.parent.name, path.name) == (document, f"{file}.csv"):
                rows[number - 1][column] = repr(1.5 * float(rows[number - 1][column]))
        return rows

    def alter(points):
        cells.clear()
        cells.update((p.row.table.document, p.row.table.file, p.row.number, p.column) for p in points)
        published_tables.table.cache_clear()
        published_tables.fact.cache_clear()

    monkeypatch.setattr(zos.System, "solve", solve_once)
    monkeypatch.setattr(published_tables, "_read", read)
    monkeypatch.setattr(cases.Study, "_point", lambda self, *figures: self.points.append(figures))
    yield alter
    published_tables.table.cache_clear()
    published_tables.fact.cache_clear()


def unchanged(study, points):
    """The points whose prediction is what it was."""
    again = cases.Study(study.case)
    study.case.run(again)
    values = {
        (kind == "identity", quantity, row.number): value for kind, quantity, _, _, row, _, value, *_ in again.points
    }  # the report may call other kinds contention
    found = [values[False, point.quantity, point.row.number] for point in points]
    return [p for p, value in zip(points, found, strict=True) if value == pytest.approx(p.predicted, rel=1e-9)]


def test_no_prediction_knows_its_figure(studies, altered):
    """Alter predicted figures in print: their predictions stay what they were."""
    known = []
    for study in studies.values():
        altered(study.predicted)  # all at once; then one by one those that another prediction starts from
        stayed = unchanged(study, study.predicted)
        for point in study.predicted:
            if point not in stayed:
                altered([point])
                if not unchanged(study, [point]):
                    known.append((study.case.name, point.quantity, point.row.number))
    assert known == []


def test_every_missed_figure_names_what_is_missing(studies):
    """A miss without a named effect, or a named effect without a miss, is an error."""
    row = published_tables.table("ims12", "table-08")[1]
    study = cases.Study(studies["ims12-8"].case)
    with pytest.raises(ValueError, match="names no missing effect"):
        study.predict("ETR", "tran/s", row, "etr_tran_per_s", 9999.0, station="log")
    missing = cases.Missing("an effect", "1 ms", "a measurement")
    with pytest.raises(ValueError, match="is not missed but"):
        study.predict("ETR", "tran/s", row, "etr_tran_per_s", 6321.0, station="log", missing=missing)
    with pytest.raises(ValueError, match="is predicted as nan"):
        study.predict("ETR", "tran/s", row, "etr_tran_per_s", math.nan, station="log")


@pytest.mark.parametrize(
    ("predicted", "verdict"),
    [(6321.0, "reproduced"), (6384.0, "reproduced"), (6385.0, "close"), (6637.0, "close"), (6640.0, "missed")],
)
def test_verdicts(predicted, verdict):
    """Within 1 % reproduced, within the tolerance of 5 % close, beyond it missed."""
    row = published_tables.table("ims12", "table-08")[1]
    point = cases.Point("full center", "ETR", "tran/s", "log", row, "etr_tran_per_s", predicted, 0.01, 0.05)
    assert point.verdict == verdict


def test_print_is_no_better_than_its_last_digit():
    """A figure printed as 5 is met by 4.72: half a digit is 10 %."""
    fact = published_tables.fact("cics-perf", "C1-011")
    assert cases.Point("identity", "", "", "", fact, "value", 4.72, 0.01, 0.05).verdict == "reproduced"


def test_an_identity_is_never_counted(studies):
    """Identities do not enter the predicted figures."""
    study = studies["cics-perf-1-1"]
    assert [p.kind for p in study.points].count("identity") == 4
    assert len(study.predicted) == 1


def test_cases_run_from_their_model_files(studies):
    """Each model of a case is the one that its model file gives back."""
    for study in studies.values():
        assert study.models
        for _, model in study.models:
            assert qn.loads(qn.dumps(model)) == model
