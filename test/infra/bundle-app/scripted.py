"""Stands in for vLLM below the middleware: Starlette, a key check, a request id header, and a route
that does what its body says and stops as vLLM's does when its client leaves.

`GET /journal` has what happened in order; `POST /events/NAME` is what a line can wait for.
"""
import asyncio
import json
from collections import defaultdict

from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from continuo_bundle import KEEP_ALIVE_SECONDS, PATH, Bundles

journal = []
events = defaultdict(asyncio.Event)


def scripted(key, keep_alive_seconds=KEEP_ALIVE_SECONDS):
    routes = [
        Route("/v1/completions", complete, methods=["POST"]),
        Route("/v1/models", lambda _: PlainTextResponse("models")),
        Route("/journal", lambda _: JSONResponse(journal)),
        Route("/events/{name}", happen, methods=["POST"]),
    ]
    app = Starlette(routes=routes)
    app.add_middleware(KeyCheck, key=key)
    # Last, and so outside of the others, as vLLM adds what --middleware names.
    app.add_middleware(Bundles, keep_alive_seconds=keep_alive_seconds)
    return Server(app)


async def happen(request):
    events[request.path_params["name"]].set()
    return Response(status_code=204)


async def complete(request):
    """Like vLLM's `with_cancellation`: the work against `http.disconnect`, whichever is first."""
    asked = await request.json()
    name = asked.get("request_id", "?")
    working = asyncio.ensure_future(work(request, asked, name))
    leaving = asyncio.ensure_future(until_left(request))
    try:
        await asyncio.wait([working, leaving], return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        journal.append(f"{name} was cancelled")
        raise
    if working.done():
        leaving.cancel()
        return working.result()
    working.cancel()
    # What the client's leaving takes here, the whole has to wait for.
    if "when_left" in asked:
        await events[asked["when_left"]].wait()
    journal.append(f"{name} left")
    return JSONResponse(None)


async def until_left(request):
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def work(request, asked, name):
    request.state.owner = name
    journal.append(f"{name} began")
    if "until" in asked:
        await events[asked["until"]].wait()
    if "raises" in asked:
        raise RuntimeError(asked["raises"])
    if asked.get("shows"):
        return JSONResponse(shown(request))
    parts = [part.encode() for part in asked.get("parts", ["text"])]
    headers = {"retry-after": asked["retry_after"]} if "retry_after" in asked else {}
    if "breaks_after" in asked:
        return StreamingResponse(broken(parts, asked["breaks_after"]))
    return StreamingResponse(several(parts), asked.get("status", 200), headers)


def shown(request):
    return {
        "path": request.scope["path"],
        "raw_path": request.scope["raw_path"].decode(),
        "query": request.url.query,
        "headers": [[name, value] for name, value in request.headers.items()],
        "state": {"server": request.state.server, "owner": request.state.owner},
    }


async def several(parts):
    for part in parts:
        yield part


async def broken(parts, secret):
    for part in parts:
        yield part
    raise ValueError(secret)


class KeyCheck:
    """As vLLM judges its key: every path below /v1, before the body is read."""

    def __init__(self, app, key):
        self.app = app
        self.expected = f"Bearer {key}".encode()

    async def __call__(self, scope, receive, send):
        given = dict(scope["headers"]).get(b"authorization")
        if scope["path"].startswith("/v1") and given != self.expected:
            return await JSONResponse({"error": "Unauthorized"}, 401)(scope, receive, send)
        await self.app(scope, receive, send)


class Server:
    """What the server does: a state for each request, and `send` that fails once a client is gone."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        headers = dict(scope["headers"])
        fails_at = int(headers.get(b"x-test-send-fails-at", b"0"))
        sent = 0

        async def sending(message):
            nonlocal sent
            sent += 1
            if sent == fails_at:
                raise ConnectionResetError("the client is gone")
            await send(message)

        await self.app({**scope, "state": {"server": "scripted"}}, receive, sending)
        if scope["path"] == PATH:
            journal.append(f"bundle {headers.get(b'x-test-name', b'?').decode()} ended")
