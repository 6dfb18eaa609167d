"""The server: pages and batches of calls, for this machine and holders of the token."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from functools import partial
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from . import pages
from .wire import RequestError, reply

LARGEST = 64 * 2**20  # bytes of a request: a million cells of 17 digits, and some
SLOWEST = 20.0  # seconds in which a request must have come whole
AT_ONCE = 4  # batches
CLOSED = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
IN_EXCEL = f"default-src 'self'; script-src 'self' {pages.OFFICE}; connect-src 'self' {pages.OFFICE} https://*.office.com"
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
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
    hosts = tuple(f"{name}:{port}" for name in ("localhost", "127.0.0.1", "[::1]"))
    base = f"{scheme}://localhost:{port}/{token}"
    limiter = CapacityLimiter(AT_ONCE)

    async def batch(request: Request) -> Response:
        try:
            body = await _body(request)
            text = await to_thread.run_sync(reply, body, limiter=limiter)
        except RequestError as error:
            return _refusal(400, str(error))
        return Response(text, media_type="application/json", headers=HEADERS)

    routes = [
        Route("/", _page(partial(pages.static, "page.html"), "text/html", CLOSED)),
        Route("/functions.html", _page(pages.runtime, "text/html", IN_EXCEL)),
        Route("/functions.js", _page(pages.script, "text/javascript")),
        Route("/functions.json", _page(pages.metadata, "application/json")),
        Route("/catalogue.json", _page(pages.described, "application/json")),
        Route("/manifest.xml", _page(partial(pages.manifest, base), "application/xml")),
        *(Route(f"/{name}", _page(partial(pages.static, name), kind)) for name, kind in STATIC.items()),
        Route("/batch", batch, methods=["POST"]),
    ]
    return _Guard(Starlette(routes=routes), token, hosts, tuple(f"{scheme}://{host}" for host in hosts))


class _Guard:
    """Refuses, before a body is read, requests that do not come from this machine's own pages with the token."""

    def __init__(self, inner: ASGIApp, token: str, hosts: tuple[str, ...], origins: tuple[str, ...]) -> None:
        self.inner, self.token, self.hosts, self.origins = inner, token, hosts, origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.inner(scope, receive, send)
            return
        refusal = _refusal(403, "not here") if scope["type"] != "http" else self.refusal(Request(scope))
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        path = scope["path"][len(self.token) + 1 :]
        await self.inner({**scope, "path": path, "raw_path": path.encode()}, receive, send)

    def refusal(self, request: Request) -> Response | None:
        """Why not, or None."""
        if request.headers.get("host", "") not in self.hosts:
            return _refusal(403, "this server answers this machine alone, as localhost")
        if request.headers.get("origin", self.origins[0]) not in self.origins:
            return _refusal(403, "this server does not answer other sites")
        if request.headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
            return _refusal(403, "this server does not answer other sites")
        shown, _, rest = request.url.path.removeprefix("/").partition("/")
        if not secrets.compare_digest(shown.encode(), self.token.encode()):
            asked = request.query_params.get("token", "")
            if not shown and secrets.compare_digest(asked.encode(), self.token.encode()):
                return RedirectResponse(f"/{self.token}/", status_code=303, headers=HEADERS)
            return _refusal(403, "the token is missing: open the address that qnsolve addin serve printed")
        if not rest and not request.url.path.endswith("/"):
            return RedirectResponse(f"/{self.token}/", status_code=303, headers=HEADERS)
        if request.method == "POST" and not request.headers.get("content-type", "").startswith("application/json"):
            return _refusal(415, "calls come as application/json")
        length = request.headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 12 or int(length) > LARGEST:
            return _refusal(413, f"a request must not have more than {LARGEST} bytes")
        return None


async def _body(request: Request) -> bytes:
    """The body, while it is neither too large nor too slow."""
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(SLOWEST):
            async for part in request.stream():
                parts.append(part)
                size += len(part)
                if size > LARGEST:
                    raise RequestError(f"a request must not have more than {LARGEST} bytes")
    except TimeoutError:
        raise RequestError(f"the request took more than {SLOWEST:g} s to come") from None
    return b"".join(parts)


def _page(make: Callable[[], str | bytes], kind: str, policy: str = "default-src 'none'") -> Callable[[Request], Any]:
    async def page(request: Request) -> Response:
        return Response(make(), media_type=kind, headers={**HEADERS, "Content-Security-Policy": policy})

    return page


def _refusal(status: int, text: str) -> Response:
    return PlainTextResponse(f"{text}\n", status_code=status, headers={**HEADERS, "Connection": "close"})
