"""Chromium, driven by its keyboard and its pipe for debuggers, for the tests."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CODES = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowUp": 38, "ArrowDown": 40, "ArrowRight": 39, "ArrowLeft": 37}


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

    def key(self, letter: str, *, control: bool = False, shift: bool = False) -> None:
        """A key with others held down."""
        name = {"windowsVirtualKeyCode": CODES.get(letter) or ord(letter.upper()), "key": letter}
        held = 2 * control + 8 * shift
        for kind in ("rawKeyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, modifiers=held, **name)

    def size(self, width: int, height: int, *, mobile: bool = False) -> None:
        """The window [pixels]."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def picture(self, file: Path, longest: int = 5000) -> None:
        """The whole page as PNG."""
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], longest), "scale": 1}
        shot = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        file.write_bytes(base64.b64decode(shot["data"]))

    def choose_file(self, selector: str, file: Path) -> None:
        """Choose a file in a field for files, as the dialog of the system does."""
        node = self.ask("Runtime.evaluate", expression=f"document.querySelector({json.dumps(selector)})")["result"]["objectId"]
        self.ask("DOM.setFileInputFiles", objectId=node, files=[str(file)])

    def close(self) -> None:
        """End it."""
        self.out.close()
        self.process.wait(20)
        self.back.close()


@contextmanager
def chromium(folder: Path) -> Iterator[Browser]:
    """A browser with its profile in a folder; the test is skipped where there is none."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        assert not os.environ.get("CI"), "Chromium is missing: .ci/system-packages installs it"
        pytest.skip("Chromium is not installed")
    found = Browser(program, folder)
    try:
        yield found
    finally:
        found.close()
