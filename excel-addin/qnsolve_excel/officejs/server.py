"""The server: pages and batches of calls, for this machine and holders of the token."""

from __future__ import annotations

from functools import partial

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from . import pages
from .guard import HEADERS, body_of, guarded, page, refusal
from .wire import RequestError, reply

AT_ONCE = 4  # batches
CLOSED = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
IN_EXCEL = f"default-src 'self'; script-src 'self' {pages.OFFICE}; connect-src 'self' {pages.OFFICE} https://*.office.com"
STATIC = {"page.js": "text/javascript", "page.css": "text/css", "icon-32.png": "image/png", "icon-64.png": "image/png"}


def application(token: str, port: int, scheme: str = "https") -> ASGIApp:
    """The server's application.

    Parameters
    ----------
    token : str
        The first part of each address.
    port : int
        Where it listens: only requests to this machine at that port are answered.
    scheme : {"https", "http"}
    """
    base = f"{scheme}://localhost:{port}/{token}"
    limiter = CapacityLimiter(AT_ONCE)

    async def batch(request: Request) -> Response:
        try:
            body = await body_of(request)
            text = await to_thread.run_sync(reply, body, limiter=limiter)
        except RequestError as error:
            return refusal(400, str(error))
        return Response(text, media_type="application/json", headers=HEADERS)

    routes = [
        Route("/", page(partial(pages.static, "page.html"), "text/html", CLOSED)),
        Route("/functions.html", page(pages.runtime, "text/html", IN_EXCEL)),
        Route("/functions.js", page(pages.script, "text/javascript")),
        Route("/functions.json", page(pages.metadata, "application/json")),
        Route("/catalogue.json", page(pages.described, "application/json")),
        Route("/manifest.xml", page(partial(pages.manifest, base), "application/xml")),
        *(Route(f"/{name}", page(partial(pages.static, name), kind)) for name, kind in STATIC.items()),
        Route("/batch", batch, methods=["POST"]),
    ]
    return guarded(Starlette(routes=routes), token, port, scheme, "qnsolve addin serve")
