"""The server's limits: silent connections, a bounded log, large and deep requests, a certificate for this machine alone."""

from __future__ import annotations

import http.client
import json
import logging
import socket
import ssl
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography import x509
from qnsolve_excel.officejs import wire
from qnsolve_excel.officejs.keys import keys
from qnsolve_excel.officejs.listening import Bounded
from qnsolve_excel.officejs.server import application
from qnsolve_excel.officejs.thread import served

TOKEN = "0123456789abcdef" * 3
CALLS = [{"f": "ITR", "a": [1200, 0.8]}]


def ask(port: int, body: bytes) -> tuple[int, bytes]:
    """Status and body of a batch."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("POST", f"/{TOKEN}/batch", body, {"Content-Type": "application/json", "Host": f"localhost:{port}"})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_silent_connections_give_way() -> None:
    """Many more than the cap, half of a head in each: the next batch is answered, and the oldest are closed."""
    with served(lambda port: application(TOKEN, port, "http"), most=20) as port:
        silent = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(300)]
        try:
            for line in silent[-15:]:
                line.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
            assert ask(port, json.dumps(CALLS).encode()) == (200, b'[{"value": 1500.0}]')
            assert silent[0].recv(1) == b""
        finally:
            for line in silent:
                line.close()
        assert ask(port, json.dumps(CALLS).encode())[0] == 200


def test_a_connection_that_sends_no_request_is_closed() -> None:
    """After its time, whether it sent nothing or half of a head; one that asks is not."""
    with served(lambda port: application(TOKEN, port, "http"), longest=0.5) as port:
        silent = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(2)]
        silent[1].sendall(b"GET / HTTP/1.1\r\nHost: local")
        asking = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        head = {"Content-Type": "application/json", "Host": f"localhost:{port}"}
        try:
            asking.request("POST", f"/{TOKEN}/batch", b"[]", head)
            asking.getresponse().read()
            used = asking.sock
            assert [line.recv(1) for line in silent] == [b"", b""]  # waits until the server closes
            asking.request("POST", f"/{TOKEN}/batch", b"[]", head)
            assert asking.getresponse().read() == b"[]"
            assert asking.sock is used
        finally:
            asking.close()
            for line in silent:
                line.close()


def test_few_descriptors_neither_stop_the_server_nor_fill_its_log(tmp_path: Path) -> None:
    """64 open files, 200 silent connections: a request after them is answered; no line is printed for them."""
    code = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)); from qnsolve.cli.main import main; "
    code += f"main(['addin', 'serve', '--http', '--port', '0', '--keys', {str(tmp_path)!r}])"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    silent = []
    try:
        address = process.stdout.readline().split()[-1]
        port, token = address.removeprefix("http://localhost:").rstrip("/").split("/")
        process.stdout.readline()
        for _ in range(200):
            silent.append(socket.create_connection(("127.0.0.1", int(port)), timeout=10))
        connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=30)
        connection.request("GET", f"/{token}/page.css", headers={"Host": f"localhost:{port}"})
        assert connection.getresponse().status == 200
        connection.close()
    finally:
        for line in silent:
            line.close()
        process.terminate()
        _, log = process.communicate(timeout=20)
    assert len(log) < 2000, log


def test_the_log_is_bounded() -> None:
    """So many lines a minute."""
    line, bounded = logging.makeLogRecord({"msg": "bad"}), Bounded(3)
    assert [bounded.filter(line) for _ in range(5)] == [True, True, True, False, False]


@pytest.mark.parametrize(
    "body",
    [
        b'[{"f":"X","a":[{"error":{}}]}]',
        b'[{"f":"X","a":[{"error":[]}]}]',
        b'[{"f":"X","a":[{}]}]',
        b'[{"f":"X","a":[[[[]]]]}]',
    ],
)
def test_any_object_in_a_cell_is_an_error_value(body: bytes) -> None:
    """No fault of the server."""
    with served(lambda port: application(TOKEN, port, "http")) as port:
        status, text = ask(port, body)
    assert status == 200
    assert json.loads(text)[0]["error"] == "#NAME?"


@pytest.mark.parametrize(
    ("body", "part"),
    [
        (b"[" + b"[]," * 20_000_000 + b"[]]", b"values"),
        (b"[" * 30 + b"]" * 30, b"brackets"),
        (b'[{"f":"X","a":' + b"[" * 40 + b"1" + b"]" * 40 + b"}]", b"brackets"),
    ],
)
def test_a_bomb_is_refused_before_it_is_read(body: bytes, part: bytes) -> None:
    """In one line, while others are answered."""
    with served(lambda port: application(TOKEN, port, "http")) as port:
        found: list[tuple[int, bytes]] = []
        bomb = threading.Thread(target=lambda: found.append(ask(port, body)))
        bomb.start()
        assert ask(port, json.dumps(CALLS).encode())[0] == 200
        bomb.join()
    assert found[0][0] == 400
    assert part in found[0][1]
    assert found[0][1].count(b"\n") == 1


def test_brackets_in_texts_do_not_count() -> None:
    """A hundred names with a bracket are no nesting."""
    calls = [{"f": "X", "a": ["[{" * 100]}]
    assert wire.calls(json.dumps(calls).encode()) == [("X", ["[{" * 100])]


def test_the_authority_can_sign_for_this_machine_alone(tmp_path: Path) -> None:
    """Names and time are limited in the certificate; TLS holds with it; one of old rules is made again."""
    kept = keys(tmp_path)
    authority = x509.load_pem_x509_certificate(kept.authority.read_bytes())
    assert authority.not_valid_after_utc - authority.not_valid_before_utc < timedelta(days=730)
    names = authority.extensions.get_extension_for_class(x509.NameConstraints)
    assert names.critical
    assert sorted(str(each.value) for each in names.value.permitted_subtrees or ()) == ["127.0.0.1/32", "::1/128", "localhost"]
    ours, theirs = socket.socketpair()
    serving, asking = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context(cafile=str(kept.authority))
    serving.load_cert_chain(kept.certificate)
    thread = threading.Thread(target=lambda: serving.wrap_socket(ours, server_side=True).close())
    thread.start()
    with asking.wrap_socket(theirs, server_hostname="127.0.0.1") as line:
        assert line.version() in {"TLSv1.2", "TLSv1.3"}
    thread.join()
    ours.close()
    before = kept.authority.read_bytes()
    assert keys(tmp_path).authority.read_bytes() == before
    kept.authority.write_bytes(b"an authority without constraints")
    assert keys(tmp_path).authority.read_bytes() != before
