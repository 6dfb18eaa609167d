"""Time limits and kept answers under several threads; and tables as people type them."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from qnsolve_excel import OMITTED, CellError, call
from qnsolve_excel.deadline import LONGEST, SETTING, TookTooLongError, deadline, left, longest, one_call, running
from qnsolve_excel.modelling import ANSWERS, Kept
from qnsolve_excel.tables import several


def endless() -> None:
    """Until it is stopped."""
    while True:
        try:
            sum(range(100))
        except Exception:  # nothing that catches faults of its own holds the limit up
            continue


def test_each_thread_has_its_own_limit() -> None:
    """Eight at once, four of which are stopped; nothing is raised in the others or afterwards."""
    stopped: list[int] = []
    through: list[int] = []

    def work(i: int) -> None:
        try:
            with deadline(0.3 if i % 2 else 600):
                if i % 2:
                    endless()
                for _ in range(40):
                    time.sleep(0.02)
                    sum(range(1000))
        except TookTooLongError:
            stopped.append(i)
        sum(range(100_000))
        through.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
    assert sorted(stopped) == [1, 3, 5, 7]
    assert sorted(through) == list(range(8))


def test_limits_nest() -> None:
    """The earlier end holds, whichever is inside; afterwards there is none."""
    for outer, inner in ((0.2, 600.0), (600.0, 0.2)):
        with pytest.raises(TookTooLongError), deadline(outer), deadline(inner):
            endless()
        assert not running()
    with one_call(0.2), one_call(600.0):
        assert left() <= 0.2
        with pytest.raises(TookTooLongError), deadline():
            endless()
    assert left() == LONGEST


def test_the_limit_of_a_cell_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty seconds where the environment says nothing; what is no number of seconds is refused."""
    monkeypatch.delenv(SETTING)
    assert longest() == 20
    monkeypatch.setenv(SETTING, "1.5")
    assert longest() == 1.5
    for wrong in ("soon", "0", "-1", "nan", "inf", ""):
        monkeypatch.setenv(SETTING, wrong)
        with pytest.raises(ValueError, match=f"{SETTING} = '{wrong}': must be a positive number of seconds"):
            longest()


def test_a_question_inside_another_shares_its_time() -> None:
    """The inner one keeps no answer that it had no time for; the outer one shows the limit."""
    kept = Kept(9, 999)

    def asks() -> Any:
        return kept.answer("inner", endless)

    with one_call(0.3), pytest.raises(CellError, match=f"not solved within {LONGEST:g} s"):
        kept.answer("outer", asks)
    assert not kept.answers  # it had a part of the time: it may be asked again
    assert kept.answer("inner", lambda: 1.0) == 1.0


def test_kept_answers_are_few_and_small() -> None:
    """As many as allowed, of as many cells; each is worked out once; an error is a new one each time."""
    kept, made = Kept(3, 100), []

    def ask(key: Any) -> Any:
        return kept.answer(key, lambda: made.append(key) or len(made))

    assert [ask(key) for key in "abca"] == [1, 2, 3, 1]
    assert ask("d") == 4
    assert list(kept.answers) == ["c", "a", "d"]
    large = ((1.0,) * 60, (2.0,) * 30)
    assert ask(large) == ask(large) == 5
    assert (kept.cells, len(kept.answers)) == (92, 3)
    assert ask(((3.0,) * 101,)) == 6
    assert (kept.cells, len(kept.answers)) == (0, 0)

    def fails() -> Any:
        raise CellError("#N/A", "none")

    errors = []
    for _ in range(2):
        with pytest.raises(CellError) as caught:
            kept.answer("bad", fails)
        errors.append(caught.value)
    assert errors[0] == errors[1]
    assert errors[0] is not errors[1]
    kept.clear()
    assert (kept.cells, len(kept.answers)) == (0, 0)


def test_threads_do_not_get_each_others_answers() -> None:
    """Eight threads, eight models, mixed."""
    tables = [[["name", "arrival_rate", "cpu"], ["q", float(i), 0.01]] for i in range(1, 9)]
    wrong: list[Any] = []

    def work(first: int) -> None:
        for k in range(24):
            rate = (first + k) % 8 + 1
            found = call("RESPONSE", [[["name"], ["cpu"]], tables[rate - 1], "q"])
            if found != pytest.approx(0.01 / (1 - 0.01 * rate), rel=1e-12):
                wrong.append((rate, found))

    ANSWERS.clear()
    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
    assert not wrong


LPARS = [["name", "processors"], [7.0, 8.0]]
REGIONS = [["name", "type", "lpar", "tranclass 12"], [1.0, "CICS", 7.0, 20.0]]
WORK = [["name", "rate", "regions", "qr_cpu", "tranclass", "called"], ["orders", 900.0, 1.0, 0.0008, 12.0, 0.0]]


def test_numbers_are_names_and_calc_has_no_booleans() -> None:
    """A region may be called 1, a cell says CICS, and FALSE comes as 0 from Calc."""
    named = [
        call("SYSTEM_RESPONSE", [LPARS, REGIONS, [WORK[0], [*WORK[1][:5], message]], "orders"])
        for message in (0.0, False, "FALSE", "no", None)
    ]
    assert isinstance(named[0], float)
    assert named == [named[0]] * 5


def test_names_are_found_in_any_case() -> None:
    """As a sheet's own look-up finds them; two that differ in case alone are refused."""
    regions = [["name", "lpar", "tranclass Json"], ["AOR1", "prod", 20.0], ["AOR2", "PROD", None]]
    work = [["name", "rate", "regions", "qr_cpu", "tranclass", "device db2"], ["o", 900.0, "aor1", 0.0008, "JSON", 0.01]]
    tables = [[["name", "processors"], ["PROD", 8.0]], regions, work, OMITTED, OMITTED, [["name"], ["DB2"]]]
    assert isinstance(call("SYSTEM", tables), list), call("SYSTEM", tables)
    two = call("SYSTEM", [tables[0], [*regions, ["aor1", "PROD", None]], *tables[2:]])
    assert isinstance(two, CellError)
    assert "differs only in case" in two.reason
    limits = [["name", "capacity", "classes"], ["MXT", 5.0, "QUERY"]]
    closed = [["name", "population", "think_time", "cpu"], ["query", 60.0, 12.0, 0.22]]
    assert call("ADMISSION_WAIT", [[["name"], ["cpu"]], closed, limits, "query"]) == call(
        "ADMISSION_WAIT", [[["name"], ["cpu"]], closed, [["name", "capacity"], ["MXT", 5.0]], "query"]
    )


@pytest.mark.parametrize(
    ("name", "tables", "message"),
    [
        (
            "SYSTEM",
            [[["name", "processors"], ["A", "x"]], REGIONS, WORK],
            ["lpar 'A'", "engines = 'x'", "a number in its cell"],
        ),
        (
            "SYSTEM",
            [[["name", "processors", "ziip_speed"], ["7", 8.0, 2.0]], REGIONS, WORK],
            ["'7' has ziip_speed and no ziips"],
        ),
        ("SOLVE", [[["name"], ["cpu"]], [["name", "arrival_rate"], ["q", 1.0]]], ["class 'q'", "head a column"]),
        ("SOLVE", [[["name"], ["cpu"]], [["name", "cpu"], ["q", 1.0]]], ["fill in a column population or arrival_rate"]),
        ("SOLVE", [[[0.0]], [["name"]]], ["stations is empty"]),
        ("QR_RESPONSE", [900.0, 0.8], ["QR TCB", "1.25 transactions a second", "0.0008 for 0.8 ms"]),
        (
            "UTILIZATION",
            [[["name", "type"], ["z", "delay"]], [["name", "arrival_rate", "z"], ["q", 1.0, 1.0]], "z"],
            ["a delay"],
        ),
        ("SATURATION_POPULATION", [[["name"], ["z"]], [["name", "arrival_rate", "z"], ["q", 1.0, 0.1]], "q"], ["is open"]),
        ("CLOSED_RESPONSE", [0.1, 0.0], ["population is 0"]),
        ("FIT_CONSTANT", [[[1e200, 1.0]], [[0.1, 0.2]]], ["rates, value 1", "must lie within", "check the unit"]),
        (
            "SOLVE",
            [[["name", "capacity"], ["cpu", 5.0]], [["name", "population", "cpu"], ["q", 10.0, 0.1]]],
            ["class 'q': population = 10", "capacities of its stations", "lower it"],
        ),
    ],
)
def test_reasons_are_for_a_sheet(name: str, tables: list[Any], message: list[str]) -> None:
    """They name what is wrong and what to do in the sheet."""
    found = call(name, tables)
    assert isinstance(found, CellError)
    assert all(part in found.reason for part in message), found.reason
    assert "quotes" not in found.reason


def test_a_system_that_can_stop_for_good_is_an_error_value() -> None:
    """Tasks that wait for others of their own full region: the reason is in the cell."""
    lpars = [["name", "processors"], ["PROD", 2.4]]
    regions = [["name", "lpar", "tranclass A"], ["AOR1", "PROD", 20.0]]
    work = [["name", "users", "think_time", "regions", "device Db2", "qr_cpu"], ["orders", 1000.0, 1.0, "AOR1", 1.0, 0.0002]]
    work += [["orders", None, None, "AOR1", 1000.0, 0.0002], ["mail", 1000.0, 1.0, "AOR1", 0.01, 0.0002]]
    found = call("SYSTEM", [lpars, regions, work, OMITTED, OMITTED, [["name", "servers"], ["Db2", 10.0]]])
    assert isinstance(found, CellError)
    assert found.code == "#VALUE!"
    assert "never lets a child in" in found.reason


def test_an_iteration_that_diverges_is_an_error_value() -> None:
    """A hundred thousand jobs at the one station that is sized for ten."""
    classes = [["name", "population", "think_time", "net"], ["batch", 10.0, 12.0, 0.22], ["Q", 100000.0, 1.0, 0.04]]
    classes += [["cpu", 200.0, 1.0, 0.04]]
    found = call("SERVERS_FOR_RESPONSE", [[["name"], ["net"]], classes, "net", "batch", 0.3])
    assert isinstance(found, float) or (found.code == "#NUM!" and "fault" not in found.reason)


def test_names_in_a_cell_may_have_commas_between_them() -> None:
    """But not numbers: 1,3 is 1.3 elsewhere."""
    assert several("AOR1, AOR2") == several("AOR1; AOR2") == ["AOR1", "AOR2"]
    assert several("0.4; 0.6") == [0.4, 0.6]
    assert several("1,3") == ["1,3"]
