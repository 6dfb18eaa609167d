"""The script that Excel runs and the page to try the functions, in a real browser against the running server."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from qnsolve_excel import call, catalogue
from qnsolve_excel.formula import parsed
from qnsolve_excel.officejs import wire
from qnsolve_excel.officejs.server import application
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

TOKEN = "0123456789abcdef" * 3
# what Excel gives the script: null for what is left out, and an object of its own behind the last argument
HARNESS = """<!doctype html><meta charset="utf-8"><pre id="out"></pre><script>
var known = {};
var CustomFunctions = {
  Error: function (code, message) { this.code = code; this.message = message; },
  associate: function (name, run) { known[name] = run; }
};
</script><script src="functions.js"></script><script>
function host(v) {
  if (Array.isArray(v)) return v.map(host);
  return v && v.error ? new CustomFunctions.Error(v.error, "") : v;
}
var asked = ASKED;
Promise.all(asked.map(function (c) {
  var given = c.a.map(host);
  while (given.length < SIZES[c.f]) given.push(null);
  return known[c.f].apply(null, given.concat([{ address: "Sheet1!A1" }])).then(
    function (value) { return { value: value }; },
    function (fault) { return { error: fault.code, reason: fault.message }; });
})).then(function (found) {
  document.getElementById("out").textContent = JSON.stringify({ found: found, counts: QN_COUNTS, known: Object.keys(known) });
});
</script>"""


class Harness:
    """The server with one page more."""

    def __init__(self) -> None:
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.inner: ASGIApp = application(TOKEN, self.port, "http")
        self.page = ""
        self.refusing = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if path.endswith("/harness.html"):
            await HTMLResponse(self.page)(scope, receive, send)
        elif self.refusing and path.endswith("/batch"):
            await HTMLResponse("closed for the day", 503)(scope, receive, send)
        else:
            await self.inner(scope, receive, send)


@pytest.fixture(scope="module")
def served() -> Iterator[Harness]:
    """It runs."""
    harness = Harness()
    server = uvicorn.Server(uvicorn.Config(harness, log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [harness.socket]}, daemon=True)
    thread.start()
    for _ in range(200):
        if server.started:
            break
        time.sleep(0.05)
    yield harness
    server.should_exit = True
    thread.join(20)


def dom(page: str, tmp_path: Path) -> str:
    """The page's elements once its script is through."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        assert not os.environ.get("CI"), "Chromium is missing: .ci/system-packages installs it"
        pytest.skip("Chromium is not installed")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={tmp_path}"]
    options += ["--virtual-time-budget=60000", "--dump-dom"]
    home = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run([program, *options, page], capture_output=True, text=True, timeout=180, check=True, env=home)
    return done.stdout


def ran(served: Harness, calls: list[dict[str, Any]], tmp_path: Path) -> dict[str, Any]:
    """What the script in the browser made of the calls."""
    sizes = json.dumps({function.name: len(function.arguments) for function in catalogue().values()})
    served.page = HARNESS.replace("ASKED", json.dumps(calls).replace("<", "\\u003c")).replace("SIZES", sizes)
    text = dom(f"http://localhost:{served.port}/{TOKEN}/harness.html", tmp_path)
    found = re.search(r'<pre id="out">(.*?)</pre>', text, re.DOTALL)
    assert found, text[:2000]
    result: dict[str, Any] = json.loads(html.unescape(found.group(1)))
    return result


def test_every_example_in_one_request(served: Harness, tmp_path: Path) -> None:
    """Each function is known to the browser; its answers are those of direct calls; one request holds them all."""
    asked = [parsed(example) for function in catalogue().values() for example in function.examples]
    found = ran(served, [{"f": name, "a": [wire.given(value) for value in given]} for name, given in asked], tmp_path)
    assert found["known"] == list(catalogue())
    assert found["counts"] == {"requests": 1, "calls": len(asked)}
    for (name, given), answer in zip(asked, found["found"], strict=True):
        assert answer == wire.written(call(name, given)), name


def test_a_thousand_cells_are_one_request(served: Harness, tmp_path: Path) -> None:
    """Each with its own value."""
    calls = [{"f": "MMC_RESPONSE", "a": [0.009 * i, 0.1]} for i in range(1, 1001)]
    found = ran(served, calls, tmp_path)
    assert found["counts"] == {"requests": 1, "calls": 1000}
    assert [answer["value"] for answer in found["found"]] == [call("MMC_RESPONSE", [0.009 * i, 0.1]) for i in range(1, 1001)]


def test_a_server_that_does_not_answer_is_told_in_the_cell(served: Harness, tmp_path: Path) -> None:
    """#N/A, and what to start."""
    served.refusing = True
    try:
        found = ran(served, [{"f": "MMC_RESPONSE", "a": [8, 0.1]}], tmp_path)["found"][0]
    finally:
        served.refusing = False
    assert found["error"] == "#N/A"
    assert "qnsolve addin serve" in found["reason"]
    assert "closed for the day" in found["reason"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("MMC_RESPONSE", '<div class="value">0.5</div>'),
        ("SOLVE", "<th>residence time</th>"),
        ("ITR", '<div class="value">1500</div>'),
    ],
)
def test_the_page_calculates_the_first_example(served: Harness, tmp_path: Path, name: str, shown: str) -> None:
    """A form for the function, its answer, and the formula to copy."""
    text = dom(f"http://localhost:{served.port}/{TOKEN}/#{name}", tmp_path)
    assert shown in text
    assert f'data-done="{name}"' in text
    assert text.count('<a href="#') == len(catalogue())
    assert f"=QN.{name}(" in html.unescape(text)
    for argument in catalogue()[name].arguments:
        assert html.escape(argument.help, quote=False) in text
