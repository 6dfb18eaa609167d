"""What the planner's page asks its server, without a browser."""

from __future__ import annotations

import base64
import io
import json
import threading
import urllib.error
import urllib.request
import zipfile
from typing import Any

import pytest
import qnsolve as qn
from qnsolve.files.system_file import system_from_data
from qnsolve.files.system_templates import TEMPLATES, template_text
from qnsolve_excel.planner.what_helps import tens

from tests.support.planner_host import QUESTION, TOKEN, PlannerHost, ten_regions

STEP = {"regions": ["AOR1"], "qr_cpu": 0.001}
SMALL: dict[str, Any] = {
    "lpars": [{"name": "PROD", "processors": {"engines": 4.0}}],
    "regions": [{"name": "AOR1", "lpar": "PROD", "mxt": 150}],
    "work": [
        {"name": "orders", "rate": 500.0, "think_time": 0.0, "burst": 1.0, "steps": [{"regions": ["AOR1"], "qr_cpu": 0.001}]}
    ],
}
ASKED = {"growth": {"": "8%/quarter"}, "begin": "2026-12", "until": "2028-12", "targets": {"orders": "3ms"}}


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_first_curve_is_near_the_study(host: PlannerHost, name: str) -> None:
    """Today is solved; within 1 % up to 72 % use, within 7 % up to 90 %, the date within three months."""
    scenario = host.ask("template", template=name)["scenarios"][0]
    given = {"model": scenario["model"], "question": {**scenario["question"], "begin": "2026-12", "until": "2028-12"}}
    first, whole = host.ask("quick", **given), host.ask("study", **given)
    assert first["preliminary"]
    assert not whole["preliminary"]
    assert [each["name"] for each in first["periods"]] == [each["name"] for each in whole["periods"]]
    for one, other in zip(first["periods"], whole["periods"], strict=True):
        for mine, solved in zip(one["work"], other["work"], strict=True):
            within = 1e-9 if one is first["periods"][0] else 0.01 if other["used_percent"] < 72 else 0.07
            if other["solved"] and other["used_percent"] < 90:
                assert mine["response_time"] == pytest.approx(solved["response_time"], rel=within)
            assert mine["target"] == solved["target"]
    assert first["verdict"]["kind"] in ("target", "saturated")
    assert abs(_months(first["verdict"]["holds_until"]) - _months(whole["verdict"]["holds_until"])) <= 3
    assert first["centers"][0]["used"][0] == pytest.approx(whole["centers"][0]["used"][0])


def _months(text: str) -> int:
    return 12 * int(text[:4]) + int(text[5:7])


def test_a_saturated_system_has_a_first_answer(host: PlannerHost) -> None:
    """It does not hold today, and says what is full."""
    given = {"model": {**SMALL, "work": [{**SMALL["work"][0], "rate": 1100.0}]}, "question": ASKED}
    first, whole = host.ask("quick", **given), host.ask("study", **given)
    assert first["verdict"]["holds_until"] == whole["verdict"]["holds_until"] == ""
    assert first["periods"][0]["fullest"] == whole["periods"][0]["fullest"] == "AOR1 QR TCB"
    assert first["headroom"] is None


def test_without_growth_nothing_ends(host: PlannerHost) -> None:
    """The first answer says so too."""
    question = {**ASKED, "growth": {}}
    for kind in ("quick", "study"):
        assert host.ask(kind, model=SMALL, question=question)["verdict"]["kind"] == "none"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"regions": [{"name": "AOR1", "lpar": "PROD", "mxt": 5}]},
            "region 'AOR1': mxt = 5: CICS takes 10 to 2000",
        ),
        ({"regions": [{"name": "AOR1", "lpar": "PRD"}]}, "did you mean 'PROD'?"),
        ({"stations": []}, "must describe a system"),
        ({"wrok": []}, "is an unknown key"),
    ],
)
def test_a_wrong_model_is_one_line(host: PlannerHost, change: dict[str, Any], said: str) -> None:
    """With the item that is wrong."""
    found = host.ask("quick", model={**SMALL, **change}, question=ASKED)
    assert said in found["error"]
    assert "\n" not in found["error"]
    assert found["item"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"growth": {"": "much"}}, "must be a percentage"),
        ({"growth": "/etc/passwd.csv"}, "must be a percentage"),
        ({"growth": {"orders": "forecast.csv"}}, "must be a percentage"),
        ({"growth": {"odrers": "8%/year"}}, "did you mean 'orders'?"),
        ({"targets": {"orders": "soon"}}, "write 200ms or 0.2s"),
        ({"targets": {"orders": "1.2.3ms"}}, "write 200ms or 0.2s"),
        ({"targets": {"orders": "0,2s"}}, "write '0.2s', with a point"),
        ({"until": "2020-01"}, "must lie after"),
        ({"what_ifs": ["AOR1.mxt"]}, "what-if"),
        ({"what_ifs": ["AOR1.mxt+1"] * 41}, "must be at most 40"),
        ({"hurry": True}, "is an unknown key"),
    ],
)
def test_a_wrong_question_is_one_line(host: PlannerHost, change: dict[str, Any], said: str) -> None:
    """Names of files are no growth here: a page opens none."""
    kind = "study" if "what_ifs" in change else "quick"
    assert said in host.ask(kind, model=SMALL, question={**ASKED, **change})["error"]


def test_a_newer_request_takes_the_place_of_an_older_one(host: PlannerHost) -> None:
    """The older one of the same page ends without an answer, that of another page goes on; the processes are free again."""
    older: dict[str, Any] = {}
    model = ten_regions()

    def slow() -> None:
        older.update(host.ask("study", "mine", model=model, question={**QUESTION, "by": "month", "until": "2034-12"}))

    thread = threading.Thread(target=slow)
    thread.start()
    while not any(each.is_alive() for each in (thread,)) or older:
        pass
    found = {}
    for step in range(1, 40):  # until the older one has come to the server
        model["work"][0]["rate"] = 900.0 + step
        found = host.ask("quick", "mine", model=model, question=QUESTION)
        if older:
            break
    thread.join(60)
    assert older == {"superseded": True}
    assert found["periods"][0]["work"][0]["load"] == model["work"][0]["rate"]
    assert host.ask("study", "mine", model=SMALL, question=ASKED)["sentences"]


def test_requests_that_overtake_each_other(host: PlannerHost) -> None:
    """The one that the page sent last is answered, whichever comes first; another page's numbers are its own."""
    assert host.ask("quick", "hasty", model=SMALL, question=ASKED, number=7)["periods"]
    assert host.ask("quick", "hasty", model=SMALL, question=ASKED, number=6) == {"superseded": True}
    assert host.ask("quick", "calm", model=SMALL, question=ASKED, number=6)["periods"]
    assert host.ask("study", "hasty", model=SMALL, question=ASKED, number=8)["periods"]


@pytest.mark.parametrize("kind", ["html", "xlsx", "json", "toml", "workbook"])
def test_what_is_exported_is_the_study(host: PlannerHost, kind: str) -> None:
    """Each file opens, and has what the page shows."""
    whole = host.ask("study", model=SMALL, question=ASKED)
    found = host.ask("export", kind=kind, model=SMALL, question=ASKED, name="my site/..")
    content = base64.b64decode(found["content"])
    assert found["name"].startswith("my-site")
    assert "/" not in found["name"]
    if kind == "html":
        assert whole["sentences"][0] in content.decode()
    elif kind == "json":
        assert json.loads(content)["verdict"] == whole["verdict"]
    elif kind == "toml":
        again = host.ask("open", text=content.decode(), name=found["name"])["scenarios"][0]
        assert again["model"] == SMALL
        assert again["question"] == {**ASKED, "targets": {"orders": 0.003}}
        assert qn.loads(content.decode()) == system_from_data(SMALL)
    else:
        names = zipfile.ZipFile(io.BytesIO(content)).namelist()
        assert "xl/workbook.xml" in names
    assert "must be one of" in host.ask("export", kind="pdf", model=SMALL)["error"]


def test_a_shared_file_opens_again(host: PlannerHost) -> None:
    """Scenarios with their questions; a wrong one is named."""
    scenarios = [{"name": "A", "model": SMALL, "question": ASKED}, {"name": "B", "model": ten_regions(), "question": {}}]
    text = json.dumps({"qnsolve_scenarios": 1, "current": 1, "scenarios": scenarios})
    found = host.ask("open", text=text, name="site.scenarios.json")
    assert [each["name"] for each in found["scenarios"]] == ["A", "B"]
    assert found["current"] == 1
    assert found["scenarios"][0]["model"] == SMALL
    assert (
        "must be 1"
        in host.ask("open", text=text.replace('"qnsolve_scenarios": 1', '"qnsolve_scenarios": 7'), name="x.json")["error"]
    )
    wrong = host.ask("open", text=text.replace('"mxt": 400', '"mxt": 4'), name="x.json")
    assert "scenario 'B'" in wrong["error"]
    assert "x.json" in wrong["error"]


def _table(rows: int) -> str:
    lines = ["start,length [s],orders.rate [1/s],PROD.busy [%]"]
    for row in range(rows):
        rate = 300 + 10 * (row % 24)
        lines.append(f"2026-03-{1 + row // 24:02d}T{row % 24:02d}:00,3600,{rate},{rate * 0.025 + (row % 5) * 0.01:.3f}")
    return "\n".join(lines) + "\n"


def test_measurements_are_checked_and_taken_over(host: PlannerHost) -> None:
    """The doctor's findings in sentences, and the loads of the peak."""
    text = _table(96).replace("2026-03-02T05:00,3600,350", "2026-03-02T05:00,3600,-350")
    found = host.ask("measure", name="day.csv", content=base64.b64encode(text.encode()).decode(), model=SMALL)
    assert any(each["severity"] == "wrong" for each in found["findings"])
    text = _table(96)
    found = host.ask("measure", name="day.csv", content=base64.b64encode(text.encode()).decode(), model=SMALL)
    assert found["rows"] == 96
    assert found["loads"] == [{"work": "orders", "mean": 415.0, "peak": 530.0, "model": 500.0, "users": False, "growth": None}]
    assert found["model"]["work"][0]["rate"] == 530
    assert found["model"]["regions"] == SMALL["regions"]
    other = text.replace("orders", "claims")
    hint = host.ask("measure", name="day.csv", content=base64.b64encode(other.encode()).decode(), model=SMALL)["hint"]
    assert "claims" in hint
    wrong = host.ask("measure", name="day.csv", content=base64.b64encode(b"\x00\x01").decode(), model=SMALL)
    assert "day.csv" in wrong["error"]
    assert "did not arrive whole" in host.ask("measure", name="day.csv", content="%", model=SMALL)["error"]


def test_what_helps_most_is_found(host: PlannerHost) -> None:
    """Sorted by months; the date of the best is that of a study with this change alone."""
    found = host.ask("help", model=SMALL, question=ASKED)
    months = [each["months"] for each in found["changes"]]
    assert months == sorted(months, reverse=True)
    names = {each["name"]: each for each in found["changes"]}
    assert names["AOR1: each in two"]["months"] > names["orders: QR CPU −10 %"]["months"] > 0
    assert names["AOR1: MXT +10 %"]["months"] == 0
    best = names["orders: QR CPU −10 %"]
    assert not best["estimate"]
    question = {**ASKED, "what_ifs": ["orders.qr_cpu=0.0009"]}
    assert host.ask("study", model=SMALL, question=question)["what_ifs"][0]["holds_until"] == best["holds_until"]


@pytest.mark.parametrize("name", TEMPLATES)
def test_each_figure_of_a_template_is_tried_by_its_name(name: str) -> None:
    """Engines of a coupling facility too, whose key is that of an LPAR's CPs."""
    system = qn.loads(template_text(name))
    tried = {change.name for change in tens(system)}
    for facility in system.coupling_facilities:
        assert f"{facility.name}: Processors +50 %" in tried
    for lpar in system.lpars:
        assert any(each.startswith(f"{lpar.name}: Engines +") for each in tried)
    assert not [each for each in tried if ": +" in each or ": −" in each]


def _status(host: PlannerHost, path: str, **headers: str) -> int:
    request = urllib.request.Request(f"http://127.0.0.1:{host.port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        with error:
            return int(error.code)


def test_no_other_site_reaches_it(host: PlannerHost) -> None:
    """A name of elsewhere, another origin, no token: refused."""
    page = f"/{TOKEN}/"
    assert _status(host, page) == 200
    assert _status(host, page, Host="planner.example") == 403
    assert _status(host, page, Origin="https://planner.example") == 403
    assert _status(host, "/api/start") == 403
    assert _status(host, f"{page}static/echarts.min.js") == 200
    assert _status(host, f"{page}functions/catalogue.json") == 200
    assert _status(host, f"{page}../../setup.cfg") in (403, 404)
