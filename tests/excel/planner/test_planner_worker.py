"""The processes that compute for the planner's page, and the command that starts its server."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from qnsolve.cli.main import main
from qnsolve.files.system_templates import template_text
from qnsolve_excel.planner import planner_tasks
from qnsolve_excel.planner.lanes import Lane
from qnsolve_excel.planner.planner_worker import NICE, PlannerWorker

from tests import ROOT


def _asked(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    """What a worker in this thread answers to lines that come at once."""
    out = io.BytesIO()
    PlannerWorker(io.BytesIO(b"".join(json.dumps(each).encode() + b"\n" for each in messages)), out).run()
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_requests_are_answered_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors too: those of a model by their line and item, those of ours by their name; the process goes on."""
    tasks = {**planner_tasks.TASKS, "double": lambda given: {"twice": 2 * given["value"]}, "fail": lambda given: given["none"]}
    monkeypatch.setattr(planner_tasks, "TASKS", tasks)
    requests = [
        ("double", {"value": 4}),
        ("fail", {}),
        ("describe", {"model": {"lpars": 3}}),
        ("double", {"value": 5}),
    ]
    found = _asked(*({"id": i, "task": task, "given": given} for i, (task, given) in enumerate(requests)))
    assert [each["id"] for each in found] == [0, 1, 2, 3]
    assert found[0]["answer"] == {"twice": 8}
    assert "internal error, please report it: KeyError" in found[1]["error"]
    assert found[2]["item"] == "lpars"
    assert found[3]["answer"] == {"twice": 10}


def test_a_request_can_be_stopped_while_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """And before it runs; the next one is answered."""
    reading, writing = os.pipe()
    began = threading.Event()

    def endless(given: Any) -> dict[str, Any]:
        began.set()
        while True:
            sum(range(1000))

    monkeypatch.setattr(planner_tasks, "TASKS", {"endless": endless, "short": lambda given: {"done": True}})

    def driver() -> None:
        with os.fdopen(writing, "wb") as source:
            source.write(b'{"id": 1, "task": "endless", "given": {}}\n')
            source.flush()
            began.wait(20)
            for message in ({"stop": 3}, {"stop": 1}, *({"id": i, "task": "short", "given": {}} for i in (2, 3))):
                source.write(json.dumps(message).encode() + b"\n")
                source.flush()

    thread = threading.Thread(target=driver)
    thread.start()
    out = io.BytesIO()
    with os.fdopen(reading, "rb") as source:
        PlannerWorker(source, out).run()
    thread.join()
    found = [json.loads(line) for line in out.getvalue().splitlines()]
    assert found == [{"id": 1, "stopped": True}, {"id": 2, "answer": {"done": True}}, {"id": 3, "stopped": True}]


@pytest.mark.skipif(not hasattr(os, "nice"), reason="Windows has no steps of priority")
def test_the_process_of_the_study_gives_way() -> None:
    """Its priority is lower than that of the others."""

    async def priority(lane: Lane) -> int:
        lane.start()
        try:
            await lane.ask("open", {"text": template_text("cics"), "name": "cics.toml"}, 60)
            assert lane.process is not None
            return os.getpriority(os.PRIO_PROCESS, lane.process.pid)
        finally:
            lane.end()

    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert asyncio.run(priority(Lane("near"))) == own
    assert asyncio.run(priority(Lane("whole", behind=True))) == min(own + NICE, 19)


def test_the_command_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    """It prints the address; Ctrl+C ends it without a trace, and its processes with it."""
    command = [
        sys.executable,
        "-m",
        "qnsolve",
        "serve",
        str(ROOT / "examples" / "cics-region.toml"),
        "--port",
        "0",
        "--no-browser",
    ]
    home = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "APPDATA": str(tmp_path), "HOME": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=home) as process:
        assert process.stdout is not None
        page, stop = process.stdout.readline(), process.stdout.readline()
        assert page.startswith("page: http://127.0.0.1:")
        assert stop == "stop with Ctrl+C\n"
        with urllib.request.urlopen(page.removeprefix("page: ").strip(), timeout=60) as response:  # waits until it runs
            assert b"qnsolve" in response.read()
        process.send_signal(signal.SIGINT)
        out, complaint = process.communicate(timeout=60)
    assert (out, complaint) == ("stopped\n", "")
    assert process.returncode == 0


def test_a_port_in_use_and_a_wrong_file_are_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Before any page is there."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["serve", "--no-browser", "--port", str(taken.getsockname()[1])]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    wrong = tmp_path / "site.toml"
    wrong.write_text("[[lpars]]\nname = 3\n", encoding="utf-8")
    assert main(["serve", "--no-browser", str(wrong)]) == 2
    complaint = capsys.readouterr().err
    assert "site.toml" in complaint
    assert complaint.count("\n") == 1
    assert main(["serve", "--no-browser", "--port", "99999"]) == 2
    assert "must lie within" in capsys.readouterr().err
