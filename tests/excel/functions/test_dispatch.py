"""Cells to values and back: what each kind of argument takes, what each error is, and that nothing gets through."""

from __future__ import annotations

import time
from typing import Any

import pytest
from qnsolve_excel import OMITTED, CellError, call, catalogue
from qnsolve_excel.cells import remark, remarks
from qnsolve_excel.deadline import TookTooLongError, deadline
from qnsolve_excel.formula import dotted, parsed, underlined

STATIONS = [["name", "servers"], ["cpu", 2.0], ["disk", None]]
CLASSES = [["name", "population", "think_time", "cpu", "disk"], ["query", 60.0, 12.0, 0.22, 0.1]]


def code(name: str, *given: Any) -> str:
    """The error of a call that must fail, its reason one line and no fault of ours."""
    found = call(name, list(given))
    assert isinstance(found, CellError), found
    assert found.reason
    assert "\n" not in found.reason
    assert "fault" not in found.reason
    return found.code


def test_a_scalar_argument_takes_what_built_in_functions_take() -> None:
    """Every way that a host hands a number over is that number."""
    expected = call("MMC_RESPONSE", [8.0, 0.1, 1.0])
    for servers in (1, 1.0, True, OMITTED, [[1.0]], ((1.0,),), [1.0]):
        assert call("MMC_RESPONSE", [8.0, 0.1, servers]) == expected
    assert call("MMC_RESPONSE", [None, 0.1]) == 0.1  # an empty cell is 0
    assert call("qn.mmc_response", [8, 0.1]) == call("QN_MMC_RESPONSE", [8, 0.1]) == expected


def test_each_kind_of_fault_has_its_error() -> None:
    """The error values are those of built-in functions."""
    assert code("MMC_RESPONSE", "8", 0.1) == "#VALUE!"
    assert code("MMC_RESPONSE", "", 0.1) == "#VALUE!"
    assert code("MMC_RESPONSE", [[1.0, 2.0]], 0.1) == "#VALUE!"
    assert code("MMC_RESPONSE", 8.0) == "#VALUE!"
    assert code("MMC_RESPONSE", OMITTED, 0.1) == "#VALUE!"
    assert code("MMC_RESPONSE", 8.0, 0.1, 1.0, 4.0) == "#VALUE!"
    assert code("MMC_RESPONSE", 8.0, 0.1, 2.5) == "#NUM!"
    assert code("MMC_RESPONSE", 12.0, 0.1) == "#NUM!"
    assert code("MMC_RESPONSE", -8.0, 0.1) == "#NUM!"
    assert code("MMC_RESPONSE", float("nan"), 0.1) == "#NUM!"
    assert code("MMC_RESPONSE", float("inf"), 0.1) == "#NUM!"
    assert code("MMC_RESPONSE", 10**400, 0.1) == "#NUM!"
    assert code("MMC_RESPONSE", 1e308, 1e308) == "#NUM!"
    assert code("NO_SUCH_FUNCTION") == "#NAME?"
    assert code("THROUGHPUT", STATIONS, CLASSES, "mail") == "#N/A"
    assert code("SOLVE", STATIONS, [["name", "cpus"], ["query", 1.0]]) == "#VALUE!"
    assert code("SOLVE", STATIONS, [["name", "population", "cpu"], ["query", -1.0, 0.2]]) == "#NUM!"


@pytest.mark.parametrize("error", ["#N/A", "#DIV/0!", "#REF!", "#NAME?", "#NULL!", "#NUM!", "#VALUE!"])
def test_errors_in_arguments_are_passed_on(error: str) -> None:
    """An error value anywhere in an argument is the result."""
    assert code("MMC_RESPONSE", CellError(error), 0.1) == error
    assert code("MMC_RESPONSE", [[CellError(error)]], 0.1) == error
    assert code("FIT_DEMAND", [[1.0], [CellError(error)]], [[0.1], [0.2]]) == error
    assert code("SOLVE", STATIONS, [["name", CellError(error)]]) == error


def test_the_empty_rows_and_columns_around_a_table_do_not_matter() -> None:
    """A range may be larger than its table, and have a gap."""
    wide = [[*row, None, ""] for row in CLASSES] + [[""] * 7] * 1000
    gap = [CLASSES[0], [None] * 5, *CLASSES[1:]]
    expected = call("SOLVE", [STATIONS, CLASSES])
    assert call("SOLVE", [STATIONS, wide]) == call("SOLVE", [STATIONS, gap]) == expected
    assert code("SOLVE", STATIONS, [[""]]) == "#VALUE!"
    assert code("CLOSED", [[0.1], [None], [0.2]], 3.0) == "#VALUE!"  # which station is the empty one?


def test_a_row_or_a_name_inserted_elsewhere_changes_nothing() -> None:
    """Columns are found by their headings, in any case."""
    turned = [[row[i] for i in (3, 0, 4, 2, 1)] for row in CLASSES]
    assert call("SOLVE", [STATIONS, turned]) == call("SOLVE", [STATIONS, CLASSES])
    shouting = [[str(cell).upper() for cell in CLASSES[0]], *CLASSES[1:]]
    assert call("SOLVE", [STATIONS, shouting]) == call("SOLVE", [STATIONS, CLASSES])


def test_true_is_not_one_in_a_table_that_was_solved_before() -> None:
    """Kept answers distinguish TRUE from 1."""
    assert isinstance(
        call("SOLVE", [[["name", "servers"], ["cpu", 1.0]], [["name", "population", "cpu"], ["q", 3.0, 0.2]]]), list
    )
    assert code("SOLVE", [["name", "servers"], ["cpu", True]], [["name", "population", "cpu"], ["q", 3.0, 0.2]]) == "#VALUE!"


def test_large_ranges_are_refused_or_read_in_good_time() -> None:
    """A million cells are read; more are refused."""
    column = [[0.001]] * 1_048_576
    assert code("SOLVE", column, CLASSES) == "#VALUE!"
    assert code("FIT_DEMAND", [[1.0]] * 1_048_577, [[0.1]]) == "#VALUE!"
    busy = [[i / 2_000_000] for i in range(1, 1_000_001)]
    assert call("FIT_DEMAND", [[[float(i)] for i in range(1, 1_000_001)], busy]) == pytest.approx(5e-7, rel=1e-9)


def test_why_gives_the_reason_or_the_method() -> None:
    """Errors give their reason, answers their method."""
    assert "highest stable arrival rate is 10" in str(call("WHY", ["MMC_RESPONSE", 12.0, 0.1]))
    reason = str(call("WHY", ["THROUGHPUT", STATIONS, CLASSES, "query"]))
    assert "Method convolution, exact" in reason
    assert "of an M/M/c queue" in str(call("WHY", ["mmc_response", 8.0, 0.1]))
    assert call("WHY", ["MMC_RESPONSE", CellError("#REF!"), 0.1]) == "arrival_rate is #REF!"


def test_every_function_explains_itself() -> None:
    """QN.WHY knows what each function returns."""
    for function in catalogue().values():
        name, given = parsed(function.examples[0])
        if len(given) <= 10 and name != "WHY":
            reason = call("WHY", [name, *given])
            assert isinstance(reason, str), function.name
            assert reason.startswith(function.usage), function.name


def test_a_calculation_that_takes_too_long_is_stopped_and_the_next_one_is_not() -> None:
    """The time limit stops what runs inside and nothing else."""

    def endless() -> None:
        while True:
            sum(range(100))

    with pytest.raises(TookTooLongError), deadline(0.05):
        endless()
    with deadline(0.05):
        pass
    time.sleep(0.1)
    assert sum(range(1000)) == 499_500


def test_remarks_are_heard_only_by_who_listens() -> None:
    """Each remark is kept once."""
    remark("nobody")
    with remarks() as said:
        remark("once")
        remark("once")
    assert said == ["once"]


def test_formulas_are_read_in_every_spelling() -> None:
    """What any program stores is the documented spelling."""
    for stored in ("QN_X(1)", "[3]!QN_X(1)", "'C:\\a b\\qnsolve.xlam'!QN_X(1)", "_xll.QN.X(1)", "_xldudf_QN_X(1)", "qn.x(1)"):
        assert dotted(f"=1+{stored}") == "=1+QN.X(1)"
    assert dotted('=MYQN_X(1)&"QN_X(1)"') == '=MYQN_X(1)&"QN_X(1)"'
    assert underlined("=QN.SOLVE(A1:B2,QN.X(1))") == "=QN_SOLVE(A1:B2,QN_X(1))"


@pytest.mark.parametrize(
    "text", ["=QN.X(A1)", "=QN.X(1", "=QN.X({1,2)", "=QN.X(1 2)", "=SUM(1)", "=QN.X({1,,2})", "=QN.X(1)+1"]
)
def test_what_is_no_plain_call_is_refused(text: str) -> None:
    """References and sums are no plain values."""
    with pytest.raises(ValueError, match=r"is|values|array"):
        parsed(text)


def test_plain_calls_are_read() -> None:
    """Values, arrays, errors, and what is left out."""
    assert parsed('=QN.X(1,,"a,""b""",TRUE,-1.5e-3,{1,"x";TRUE,#N/A})') == (
        "X",
        [1.0, OMITTED, 'a,"b"', True, -0.0015, [[1.0, "x"], [True, CellError("#N/A")]]],
    )
    assert parsed("=QN_VERSION()") == ("VERSION", [])
