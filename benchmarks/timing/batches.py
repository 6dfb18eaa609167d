"""The server of worksheet functions: a thousand cells in one request, as Excel's JavaScript functions ask."""

from __future__ import annotations

import http.client
import json

from qnsolve_excel import call

from benchmarks.timing.clock import best
from benchmarks.timing.table import duration
from benchmarks.timing.targets import Target

CELLS, LIMIT = 1000, 0.05  # in one request, and its limit [s]
TOKEN = "0" * 48


def collect(quick: bool) -> list[Target]:
    """One target: the time from the request to the last answer read, the server in a thread of this process."""
    from qnsolve_excel.officejs.server import application
    from qnsolve_excel.officejs.thread import served

    asked = [[5.0 + i / CELLS, 0.1, 1 + i % 7] for i in range(CELLS)]
    body = json.dumps([{"f": "MMC_RESPONSE", "a": given} for given in asked])
    with served(lambda port: application(TOKEN, port, "http")) as port:
        connection = http.client.HTTPConnection("localhost", port, timeout=60)

        def ask() -> list[dict[str, float]]:
            connection.request("POST", f"/{TOKEN}/batch", body, {"Content-Type": "application/json"})
            found: list[dict[str, float]] = json.loads(connection.getresponse().read())
            return found

        right = [answer["value"] for answer in ask()] == [call("MMC_RESPONSE", given) for given in asked]
        seconds = best(ask, 0.1 if quick else 1.0)
        connection.close()
    name = f"server, {CELLS} cells in one batch"
    return [Target(name, f"{CELLS} answers", "direct calls'", right, duration(seconds), duration(LIMIT), seconds <= LIMIT)]
