"""The planner's page for the tests: its server in a thread, and what a page asks it."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from qnsolve.files.system_file import system_to_data
from qnsolve.zos import CicsRegion, Device, Lpar, Processors, Step, System, Work
from qnsolve_excel.officejs.thread import served
from qnsolve_excel.planner.planner_server import planner_application

TOKEN = "0123456789abcdef" * 3


@dataclass(frozen=True)
class PlannerHost:
    """A server that runs."""

    port: int

    @property
    def address(self) -> str:
        """Of the page."""
        return f"http://127.0.0.1:{self.port}/{TOKEN}/"

    def ask(self, kind: str, page: str = "a page", /, **given: Any) -> dict[str, Any]:
        """The answer to a request of a page."""
        body = json.dumps({**given, "page": page}).encode()
        request = urllib.request.Request(f"{self.address}api/{kind}", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as response:
            found: dict[str, Any] = json.loads(response.read())
        return found


@contextmanager
def planning(begin: dict[str, Any] | None = None) -> Iterator[PlannerHost]:
    """One that runs, and shows these scenarios first."""
    with served(lambda port: planner_application(TOKEN, port, begin)) as port:
        yield PlannerHost(port)


def ten_regions() -> dict[str, Any]:
    """A site of two TORs and eight AORs as plain tables; two kinds of work."""
    tors, aors = ("TOR1", "TOR2"), tuple(f"AOR{place}" for place in range(1, 9))
    system = System(
        name="ten regions",
        lpars=[Lpar("PROD", processors=Processors(8), fixed_cpu=0.2)],
        regions=[CicsRegion(name, lpar="PROD", mxt=400 if name in tors else 150) for name in (*tors, *aors)],
        work=[
            Work("orders", rate=900, steps=[Step(tors, qr_cpu=0.0002), Step(aors, qr_cpu=0.002, devices={"Db2": 0.006})]),
            Work("inquiry", rate=600, steps=[Step(tors, qr_cpu=0.0002), Step(aors, qr_cpu=0.0015, devices={"Db2": 0.002})]),
        ],
        devices=[Device("Db2")],
    )
    return system_to_data(system)


QUESTION = {"growth": {"": "8%/quarter"}, "begin": "2026-12", "until": "2028-12", "targets": {"orders": 0.02}}
