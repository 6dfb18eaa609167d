"""The server of worksheet functions: what it answers, what it refuses, and that it goes on answering."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from qnsolve_excel import CellError, call, catalogue
from qnsolve_excel.cells import EXCEL_CODES, OMITTED
from qnsolve_excel.formula import parsed
from qnsolve_excel.officejs import pages, wire
from qnsolve_excel.officejs.keys import keys

JSON = {"Content-Type": "application/json"}


@dataclass
class Server:
    """One that runs."""

    port: int
    token: str
    authority: Path

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, str]:
        """Status and text; the certificate must be the trusted one."""
        context = ssl.create_default_context(cafile=str(self.authority))
        connection = http.client.HTTPSConnection("localhost", self.port, timeout=30, context=context)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def batch(self, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The answers."""
        status, text = self.ask("POST", f"/{self.token}/batch", json.dumps(calls).encode(), Content_Type="application/json")
        assert status == 200, text
        found: list[dict[str, Any]] = json.loads(text)
        return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server as the command starts it."""
    folder = tmp_path_factory.mktemp("keys")
    command = [sys.executable, "-m", "qnsolve", "addin", "serve", "--port", "0", "--keys", str(folder)]
    command += ["--manifest", str(folder / "manifest.xml")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        page = process.stdout.readline().split()[-1]
        port, token = page.removeprefix("https://localhost:").rstrip("/").split("/")
        found = Server(int(port), token, folder / "qnsolve-local.crt")
        for _ in range(100):
            try:
                found.ask("GET", f"/{token}/")
                break
            except ConnectionError:
                time.sleep(0.1)
        yield found
    finally:
        process.terminate()
        process.wait(20)
        assert process.stdout is not None
        process.stdout.close()


@pytest.mark.parametrize("most", [1, pytest.param(None, marks=pytest.mark.slow)], ids=["one a function", "every one"])
def test_examples_are_answered_as_a_direct_call(server: Server, most: int | None) -> None:
    """Values to the last bit, errors with their reasons."""
    asked = [parsed(example) for function in catalogue().values() for example in function.examples[:most]]
    found = server.batch([{"f": name, "a": [wire.given(value) for value in given]} for name, given in asked])
    for (name, given), answer in zip(asked, found, strict=True):
        assert answer == wire.written(call(name, given)), name


def test_blanks_errors_and_omissions_arrive(server: Server) -> None:
    """What is left out is null; an empty cell of a range too."""
    calls = [{"f": "MMC_RESPONSE", "a": [8, 0.1, None]}, {"f": "MMC_RESPONSE", "a": [{"error": "#DIV/0!"}, 0.1]}]
    calls += [{"f": "CLOSED_RESPONSE", "a": [[[0.1], [0.2], [None], [""]], 3]}, {"f": "NOTHING"}]
    calls += [{"f": "MMC_RESPONSE", "a": [{"error": "<script>"}, 0.1]}, {"f": "MMC_RESPONSE", "a": [[[8]], [[0.1]]]}]
    expected = [call("MMC_RESPONSE", [8.0, 0.1, OMITTED]), CellError("#DIV/0!"), call("CLOSED_RESPONSE", [[[0.1], [0.2]], 3])]
    expected += [CellError("#NAME?"), CellError("#VALUE!"), call("MMC_RESPONSE", [8.0, 0.1])]
    for answer, wanted in zip(server.batch(calls), expected, strict=True):
        assert answer.get("error", answer.get("value")) == (wanted.code if isinstance(wanted, CellError) else wanted)


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", {}, 403),
        ("/" + "0" * 48 + "/batch", {}, 403),
        ("/TOKEN/batch", {"Origin": "https://example.com"}, 403),
        ("/TOKEN/batch", {"Origin": "null"}, 403),
        ("/TOKEN/batch", {"Host": "example.com"}, 403),
        ("/TOKEN/batch", {"Sec_Fetch_Site": "cross-site"}, 403),
        ("/TOKEN/batch", {"Content_Type": "text/plain"}, 415),
        ("/TOKEN/batch", {"Content_Length": str(10**11)}, 413),
        ("/TOKEN/../../etc/passwd", {}, 404),
        ("/TOKEN/static/page.html", {}, 404),
    ],
)
def test_what_does_not_come_from_its_own_pages_is_refused(
    server: Server, path: str, headers: dict[str, str], status: int
) -> None:
    """Other origins, other hosts, no token, other types, too large: in one line, before anything is read."""
    found, text = server.ask(
        "POST", path.replace("TOKEN", server.token), b"[]", **{"Content_Type": JSON["Content-Type"], **headers}
    )
    assert found == status
    assert text.count("\n") <= 1
    assert server.token not in text
    assert server.batch([]) == []


@pytest.mark.parametrize(
    "body", [b"", b"{", b"{}", b"[1]", b'[{"f": 1}]', b'[{"f": "ITR", "a": 1}]', b"[NaN]", b"[" * 100_000, b"\xff\xfe"]
)
def test_what_is_no_batch_is_refused_in_one_line(server: Server, body: bytes) -> None:
    """Status 400, no traceback."""
    status, text = server.ask("POST", f"/{server.token}/batch", body, Content_Type="application/json")
    assert status == 400
    assert text.count("\n") == 1
    assert "Traceback" not in text


def test_slow_requests_do_not_hold_others_up(server: Server) -> None:
    """Forty that never end, and a batch between them."""
    context = ssl.create_default_context(cafile=str(server.authority))
    slow = []
    try:
        for i in range(40):
            raw = socket.create_connection(("127.0.0.1", server.port), timeout=10)
            line = context.wrap_socket(raw, server_hostname="localhost")
            head = f"POST /{server.token}/batch HTTP/1.1\r\nHost: localhost:{server.port}\r\nContent-Type: application/json\r\n"
            line.sendall((head + ("Content-Length: 1000\r\n\r\n[" if i % 2 else "X-Slow: ")).encode())
            slow.append(line)
        assert server.batch([{"f": "ITR", "a": [1200, 0.8]}]) == [{"value": 1500.0}]
    finally:
        for line in slow:
            line.close()
    assert server.batch([{"f": "ITR", "a": [1200, 0.8]}]) == [{"value": 1500.0}]


def test_a_sheet_that_asks_for_too_much_is_cut_off() -> None:
    """When the time of a batch is over the rest shows #NUM!, with the reason."""
    found = wire.answers([("ITR", [1200.0, 0.8])] * 3, longest=-1.0)
    assert [answer["error"] for answer in found] == ["#NUM!"] * 3
    assert "calculate again" in found[0]["reason"]


def test_the_pages_are_served_and_closed_to_other_sites(server: Server) -> None:
    """Each page, and the address with the token as a parameter."""
    for page in (
        "",
        "functions.js",
        "functions.json",
        "functions.html",
        "catalogue.json",
        "manifest.xml",
        "page.js",
        "page.css",
    ):
        status, text = server.ask("GET", f"/{server.token}/{page}")
        assert status == 200, page
        assert text
    assert server.ask("GET", f"/?token={server.token}")[0] == 303
    assert server.ask("GET", f"/{server.token}")[0] == 303


def test_manifest_and_metadata_are_the_catalogue(server: Server) -> None:
    """Help, names and kinds as in the catalogue; each address of the manifest is answered."""
    found = {item["name"]: item for item in json.loads(pages.metadata())["functions"]}
    assert list(found) == list(catalogue())
    for function in catalogue().values():
        item = found[function.name]
        assert item["description"] == function.summary
        assert [p["description"] for p in item["parameters"]] == [a.help for a in function.arguments]
        assert [p["name"] for p in item["parameters"]] == [a.name for a in function.arguments]
        assert [p.get("optional", False) for p in item["parameters"]] == [a.optional for a in function.arguments]
        assert [p["dimensionality"] == "matrix" for p in item["parameters"]] == [a.is_range for a in function.arguments]
        assert (item["result"]["dimensionality"] == "matrix") == function.spills
    text = (server.authority.parent / "manifest.xml").read_text(encoding="utf-8")
    values = [element.get("DefaultValue", "") for element in ET.fromstring(text).iter()]
    base = f"https://localhost:{server.port}"
    addresses = [value.removeprefix(base) for value in values if value.startswith(base)]
    assert len(addresses) == 7
    for address in addresses:
        context = server.ask("HEAD" if address.endswith(".png") else "GET", address)
        assert context[0] == 200, address


def test_keys_are_kept_for_this_user_alone(tmp_path: Path) -> None:
    """Made once; made again where they are broken; the authority's key is nowhere."""
    first = keys(tmp_path / "new")
    assert keys(tmp_path / "new") == first
    kept = {file: file.read_bytes() for file in (tmp_path / "new").iterdir()}
    assert len(kept) == 3
    if sys.platform != "win32":
        assert {file.stat().st_mode & 0o777 for file in kept} == {0o600}
    assert sum(content.count(b"PRIVATE KEY-----") for content in kept.values()) == 2  # one key, begin and end
    first.certificate.write_bytes(b"broken")
    (tmp_path / "new" / "token").write_bytes(b"\xff")
    second = keys(tmp_path / "new")
    assert second.token != first.token
    assert len(second.token) == 48
    assert b"BEGIN CERTIFICATE" in second.certificate.read_bytes()


def test_a_port_that_is_taken_is_refused_in_one_line(server: Server, tmp_path: Path) -> None:
    """Exit code 2."""
    command = [sys.executable, "-m", "qnsolve", "addin", "serve", "--port", str(server.port), "--keys", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "take another" in done.stderr


def test_every_error_value_can_be_sent() -> None:
    """There and back."""
    for code in EXCEL_CODES:
        assert wire.calls(json.dumps([{"f": "ITR", "a": [wire.given(CellError(code))]}]).encode()) == [
            ("ITR", [CellError(code)])
        ]
