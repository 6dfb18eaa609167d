"""What Office.js is to our script, for the tests: a server with a page of its own, and a real browser that runs it."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from qnsolve_excel import catalogue
from qnsolve_excel.officejs.server import application
from qnsolve_excel.officejs.thread import served
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

    def __init__(self, port: int) -> None:
        self.port = port
        self.inner: ASGIApp = application(TOKEN, port, "http")
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


@contextmanager
def serving() -> Iterator[Harness]:
    """One that runs."""
    made: list[Harness] = []

    def application_at(port: int) -> Harness:
        made.append(Harness(port))
        return made[0]

    with served(application_at):
        yield made[0]


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
