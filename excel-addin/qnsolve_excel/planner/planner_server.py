"""The server of the planner's page: its files, and what it asks for, for this machine and holders of the token."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from importlib.resources import files
from typing import Any

from anyio import CapacityLimiter, to_thread
from qnsolve.files.system_templates import TEMPLATES, template_text
from qnsolve.planning.pages.study_html import static_text
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from ..officejs import pages
from ..officejs.guard import HEADERS, body_of, guarded, page, refusal
from ..officejs.wire import RequestError, reply
from .lanes import Lanes, SupersededError, TaskError

POLICY = "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'"
POLICY += "; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
TYPES = {"js": "text/javascript", "css": "text/css", "html": "text/html", "png": "image/png"}
SHARED = ("echarts.min.js", "study_charts.js", "study.css")
QUICK, LONG = 20.0, 300.0  # seconds that an answer may take


def own(name: str) -> bytes:
    """A file of the page."""
    return files(__package__).joinpath("static", name).read_bytes()


def planner_application(token: str, port: int, begin_with: dict[str, Any] | None = None) -> ASGIApp:
    """The page's application.

    Parameters
    ----------
    token : str
        The first part of each address.
    port : int
        Where it listens.
    begin_with : dict, optional
        Scenarios of a file that the page shows first, as `opened` gives them.
    """
    lanes = Lanes()
    limiter = CapacityLimiter(2)

    @contextlib.asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        lanes.start()
        try:
            yield
        finally:
            lanes.end()

    async def quick(given: dict[str, Any]) -> dict[str, Any]:
        """The first curve: two points at once, in two processes."""
        today, later = await _both(lanes.near.ask("today", given, QUICK), lanes.far.ask("later", given, QUICK))
        return await lanes.far.ask("first", {**given, "today": today, "later": later}, QUICK)

    async def study(given: dict[str, Any]) -> dict[str, Any]:
        return await lanes.whole.ask("study", given, LONG)

    def in_far(task: str) -> Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]:
        return lambda given: lanes.far.ask(task, given, QUICK)

    def in_long(task: str) -> Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]:
        return lambda given: lanes.long.ask(task, given, LONG)

    async def start(_: dict[str, Any]) -> dict[str, Any]:
        return {"templates": [{"name": name, "title": title} for name, title in TEMPLATES.items()], "begin": begin_with}

    async def template(given: dict[str, Any]) -> dict[str, Any]:
        name = str(given.get("template"))
        if name not in TEMPLATES:
            raise RequestError(f"there is no template {name[:40]}")
        return await lanes.far.ask("open", {"text": template_text(name), "name": f"{name}.toml"}, QUICK)

    async def functions_batch(request: Request) -> Response:
        try:
            text = await to_thread.run_sync(reply, await body_of(request), limiter=limiter)
        except RequestError as error:
            return refusal(400, str(error))
        return Response(text, media_type="application/json", headers=HEADERS)

    def answering(kind: str, work: Callable[[dict[str, Any]], Awaitable[dict[str, Any]]], group: str = "") -> Route:
        """A route; of requests of one page and group, if it has one, the newest is answered, older ones are stopped."""

        async def answered(request: Request) -> Response:
            try:
                given = _table(await body_of(request))
                found = await (lanes.latest(_sender(given), group, partial(work, given)) if group else work(given))
            except SupersededError:
                return JSONResponse({"superseded": True}, headers=HEADERS)
            except (RequestError, TaskError) as error:
                return JSONResponse({"error": str(error), "item": getattr(error, "item", "")}, headers=HEADERS)
            return Response(json.dumps(found, allow_nan=False), media_type="application/json", headers=HEADERS)

        return Route(f"/api/{kind}", answered, methods=["POST"])

    static = sorted(each.name for each in files(__package__).joinpath("static").iterdir())
    routes = [
        Route("/", page(partial(own, "planner.html"), "text/html", POLICY)),
        *(Route(f"/{name}", page(partial(own, name), TYPES[name.rpartition(".")[2]])) for name in static),
        *(Route(f"/static/{name}", page(partial(static_text, name), TYPES[name.rpartition(".")[2]])) for name in SHARED),
        answering("start", start),
        answering("template", template),
        answering("open", in_far("open")),
        answering("describe", in_far("describe")),
        answering("quick", quick, "curve"),
        answering("study", study, "curve"),
        answering("compare", in_long("study")),
        answering("export", in_long("export")),
        answering("measure", in_long("measure"), "measure"),
        answering("help", in_long("help"), "help"),
        Route("/functions/", page(partial(pages.static, "page.html"), "text/html", POLICY)),
        Route("/functions/catalogue.json", page(pages.described, "application/json")),
        Route("/functions/page.js", page(partial(pages.static, "page.js"), TYPES["js"])),
        Route("/functions/page.css", page(partial(pages.static, "page.css"), TYPES["css"])),
        Route("/functions/icon-32.png", page(partial(pages.static, "icon-32.png"), TYPES["png"])),
        Route("/icon-32.png", page(partial(pages.static, "icon-32.png"), TYPES["png"])),
        Route("/functions/batch", functions_batch, methods=["POST"]),
    ]
    return guarded(Starlette(routes=routes, lifespan=running), token, port, "http", "qnsolve serve")


async def _both(first: Awaitable[Any], second: Awaitable[Any]) -> tuple[Any, Any]:
    """Both results; where one fails the other is stopped."""
    tasks = [asyncio.ensure_future(first), asyncio.ensure_future(second)]
    try:
        return await tasks[0], await tasks[1]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _sender(given: dict[str, Any]) -> tuple[str, int]:
    number = given.get("number")
    return str(given.get("page", ""))[:40], number if isinstance(number, int) else 0


def _table(body: bytes) -> dict[str, Any]:
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise RequestError("the body is no JSON") from None
    if not isinstance(given, dict):
        raise RequestError("the body must be an object")
    return given
