"""What every page of this machine shares: who may ask, how large and how slow a request may be, what answers carry."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from .wire import RequestError

LARGEST = 64 * 2**20  # bytes of a request: a million cells of 17 digits, and some
SLOWEST = 20.0  # seconds in which a request must have come whole
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def guarded(inner: ASGIApp, token: str, port: int, scheme: str, command: str) -> ASGIApp:
    """An application that only this machine's own pages with the token reach.

    Parameters
    ----------
    inner : ASGIApp
    token : str
        The first part of each address.
    port : int
        Where it listens: only requests to this machine at that port are answered.
    scheme : {"https", "http"}
    command : str
        Who printed the address: "qnsolve addin serve".
    """
    hosts = tuple(f"{name}:{port}" for name in ("localhost", "127.0.0.1", "[::1]"))
    return _Guard(inner, token, hosts, tuple(f"{scheme}://{host}" for host in hosts), command)


class _Guard:
    """Refuses, before a body is read, requests that do not come from this machine's own pages with the token."""

    def __init__(self, inner: ASGIApp, token: str, hosts: tuple[str, ...], origins: tuple[str, ...], command: str) -> None:
        self.inner, self.token, self.hosts, self.origins, self.command = inner, token, hosts, origins, command

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.inner(scope, receive, send)
            return
        refused = refusal(403, "not here") if scope["type"] != "http" else self.refusal(Request(scope))
        if refused is not None:
            await refused(scope, receive, send)
            return
        path = scope["path"][len(self.token) + 1 :]
        await self.inner({**scope, "path": path, "raw_path": path.encode()}, receive, send)

    def refusal(self, request: Request) -> Response | None:
        """Why not, or None."""
        if request.headers.get("host", "") not in self.hosts:
            return refusal(403, "this server answers this machine alone, as localhost")
        if request.headers.get("origin", self.origins[0]) not in self.origins:
            return refusal(403, "this server does not answer other sites")
        if request.headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
            return refusal(403, "this server does not answer other sites")
        shown, _, rest = request.url.path.removeprefix("/").partition("/")
        if not secrets.compare_digest(shown.encode(), self.token.encode()):
            asked = request.query_params.get("token", "")
            if not shown and secrets.compare_digest(asked.encode(), self.token.encode()):
                return RedirectResponse(f"/{self.token}/", status_code=303, headers=HEADERS)
            return refusal(403, f"the token is missing: open the address that {self.command} printed")
        if not rest and not request.url.path.endswith("/"):
            return RedirectResponse(f"/{self.token}/", status_code=303, headers=HEADERS)
        if request.method == "POST" and not request.headers.get("content-type", "").startswith("application/json"):
            return refusal(415, "calls come as application/json")
        length = request.headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 12 or int(length) > LARGEST:
            return refusal(413, f"a request must not have more than {LARGEST} bytes")
        return None


async def body_of(request: Request) -> bytes:
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


def page(make: Callable[[], str | bytes], kind: str, policy: str = "default-src 'none'") -> Callable[[Request], Any]:
    """A route that hands out what is made, with a content security policy."""

    async def found(request: Request) -> Response:
        return Response(make(), media_type=kind, headers={**HEADERS, "Content-Security-Policy": policy})

    return found


def refusal(status: int, text: str) -> Response:
    """One line and a status; the connection is closed."""
    return PlainTextResponse(f"{text}\n", status_code=status, headers={**HEADERS, "Connection": "close"})
