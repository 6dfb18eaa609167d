"""The page to try the functions, used with the keyboard in a real browser."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from qnsolve_excel import call

from tests.support.browser_host import TOKEN, serving

CODES = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32}


class Browser:
    """Chromium with one page, driven through its pipe for debuggers."""

    def __init__(self, program: str, folder: Path) -> None:
        (theirs, ours_out), (ours_in, their_out) = os.pipe(), os.pipe()
        code = "import fcntl, os, sys; ends, command = sys.argv[1:3], sys.argv[3:]; "
        code += "ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in ends]; os.dup2(ends[0], 3); os.dup2(ends[1], 4); "
        starting = [sys.executable, "-c", code + "os.execv(command[0], command)", str(theirs), str(their_out)]
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe"]
        self.process = subprocess.Popen(
            [*starting, program, *options, f"--user-data-dir={folder}"],
            pass_fds=(theirs, their_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(folder)},
        )
        os.close(theirs)
        os.close(their_out)
        self.out, self.back = os.fdopen(ours_out, "wb"), os.fdopen(ours_in, "rb")
        self.asked, self.rest = 0, b""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def ask(self, method: str, **given: Any) -> Any:
        """The result of a command."""
        self.asked += 1
        message = {"id": self.asked, "method": method, "params": given}
        session = getattr(self, "session", None)
        self.out.write(json.dumps({**message, "sessionId": session} if session else message).encode() + b"\0")
        self.out.flush()
        while True:
            while b"\0" not in self.rest:
                self.rest += os.read(self.back.fileno(), 65536) or b'{"id": -1}\0'
            text, _, self.rest = self.rest.partition(b"\0")
            answer = json.loads(text)
            if answer.get("id") == self.asked:
                return answer["result"]
            assert answer.get("id") != -1, "the browser is gone"

    def evaluate(self, script: str) -> Any:
        """The value of a script."""
        return self.ask("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def until(self, script: str) -> None:
        """Wait for a script to be true."""
        end = time.monotonic() + 60
        while not self.evaluate(script):
            assert time.monotonic() < end, script
            time.sleep(0.05)

    def type(self, *words: str) -> None:
        """Names of keys, and texts."""
        for word in words:
            if word not in CODES:
                self.ask("Input.insertText", text=word)
                continue
            key = {"key": word, "code": {" ": "Space"}.get(word, word), "windowsVirtualKeyCode": CODES[word]}
            text = {"Enter": "\r", " ": " "}.get(word)
            self.ask("Input.dispatchKeyEvent", type="keyDown", **key, **({"text": text} if text else {}))
            self.ask("Input.dispatchKeyEvent", type="keyUp", **key)

    def close(self) -> None:
        """End it."""
        self.out.close()
        self.process.wait(20)
        self.back.close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """It runs."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        assert not os.environ.get("CI"), "Chromium is missing: .ci/system-packages installs it"
        pytest.skip("Chromium is not installed")
    found = Browser(program, tmp_path_factory.mktemp("chromium"))
    yield found
    found.close()


def test_a_table_is_typed_with_tabs_or_with_spaces(browser: Browser) -> None:
    """Two tables, as a planner types them; the answer is that of a direct call; Escape and Tab leave the field."""
    with serving() as served:
        browser.ask("Page.navigate", url=f"http://localhost:{served.port}/{TOKEN}/#THROUGHPUT")
        browser.until("!!document.querySelector('[data-done=THROUGHPUT]')")
        browser.evaluate("document.querySelector('.answer').removeAttribute('data-done')")
        browser.evaluate("['a0', 'a1', 'a2'].forEach(function (id) { document.getElementById(id).value = ''; })")
        browser.evaluate("document.getElementById('a0').focus()")
        browser.type("name", "Tab", "servers", "Enter", "main cpu", "Tab", "2", "Enter", "disk", "Tab", "1")
        assert browser.evaluate("document.activeElement.id") == "a0"
        assert browser.evaluate("document.getElementById('a0').value") == "name\tservers\nmain cpu\t2\ndisk\t1"
        browser.type("Escape", "Tab")
        assert browser.evaluate("document.activeElement.id") == "a1"
        browser.type("name", " ", "population", " ", "think_time", " ", '"main', " ", 'cpu"', " ", "disk", "Enter")
        browser.type("query", " ", "60", " ", " ", "12", " ", "0.22", " ", "0.1", "Escape", "Tab", "query", "Enter")
        browser.until("!!document.querySelector('[data-done=THROUGHPUT]')")
        shown = browser.evaluate("document.querySelector('.answer .value').textContent")
    stations = [["name", "servers"], ["main cpu", 2.0], ["disk", 1.0]]
    classes = [["name", "population", "think_time", "main cpu", "disk"], ["query", 60.0, 12.0, 0.22, 0.1]]
    assert float(shown) == pytest.approx(call("THROUGHPUT", [stations, classes, "query"]), rel=1e-9)
