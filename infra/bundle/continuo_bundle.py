"""Several Completions in one request, for vLLM: README.md has the wire.

    PYTHONPATH=infra/bundle vllm serve … --middleware continuo_bundle.Bundles

vLLM adds it outside of all that it has itself, so its key check, its request ids and its route see
each line as a request of its own. Python 3.9 or newer and its standard library, so that it runs in
any image. Of a request nothing reaches the log.
"""
import asyncio
import itertools
import json
import logging
import re
from collections import deque

PATH = "/v1/completions/bundle"
COMPLETION_PATH = "/v1/completions"
CONTENT_TYPE = b"application/vnd.continuo.bundle"
# A quarter of the sequences that vLLM runs at once, mostly: one request should not take all of them.
LINES_MAX = 64
# Held in memory until each line was read; the proxy in front of vLLM takes as much.
BODY_MAX_BYTES = 16 * 1024 * 1024
# Proxies cut an answer that is silent for a minute or two.
KEEP_ALIVE_SECONDS = 10.0

# From its first character that is no space.
NO_BLANK_LINE = re.compile(rb"\S[^\n]*")
# They speak of the whole; vLLM would take its x-request-id for the id of each line.
HEADERS_OF_THE_WHOLE = {b"content-type", b"content-length", b"transfer-encoding", b"x-request-id"}

_log = logging.getLogger("continuo_bundle")


class Bundles:
    """The middleware. Whatever is no bundle passes it untouched."""

    def __init__(self, app, keep_alive_seconds=KEEP_ALIVE_SECONDS):
        self._app = app
        self._keep_alive_seconds = keep_alive_seconds

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http" or scope["path"] != PATH:
            return await self._app(scope, receive, send)
        try:
            lines = await _read_lines(scope, receive, send)
            if lines is not None:
                await self._run_all(lines, receive, send)
        except OSError:
            # What `send` raises when the client is gone: nobody is left to be told.
            pass

    async def _run_all(self, lines, receive, send):
        ended = deque()
        running = {asyncio.ensure_future(self._run(line, ended)) for line in lines}
        leaving = asyncio.ensure_future(_until_left(receive))
        everything = [leaving, *running]
        try:
            headers = [(b"content-type", CONTENT_TYPE)]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            # Servers and proxies hold the head back until a body begins.
            await _flow(send, b"\n")
            while running:
                done, _ = await asyncio.wait(
                    {leaving, *running},
                    timeout=self._keep_alive_seconds,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if leaving in done:
                    return
                running -= done
                if not done:
                    await _flow(send, b"\n")
                while ended:
                    await _flow(send, ended.popleft().frame())
            await _flow(send, b"", more=False)
        finally:
            # However it ended, lines that still run are told, not cancelled: cancelled from out here
            # vLLM's handler would end, and leave what it awaits generating.
            for line in lines:
                line.leave()
            leaving.cancel()
            await asyncio.gather(*everything, return_exceptions=True)

    async def _run(self, line, ended):
        try:
            await self._app(line.scope, line.receive, line.send)
        except Exception as error:  # whatever broke, the other lines go on
            _log.error("a line broke: %s", type(error).__name__)
        finally:
            ended.append(line)


class _Line:
    """One line as the app below sees it, and what that app says to it."""

    def __init__(self, number, body, scope):
        self.scope = {
            **scope,
            "path": COMPLETION_PATH,
            "raw_path": COMPLETION_PATH.encode(),
            "headers": _headers_of_line(scope, body),
            # What vLLM notes about one request is no other's business.
            "state": dict(scope.get("state") or {}),
            # Of what a server may offer, `send` below takes nothing.
            "extensions": {},
        }
        self._number = number
        self._body = body
        self._over = asyncio.Event()
        self._whole = False
        self._status = 500
        self._retry_after = None
        self._parts = []

    async def receive(self):
        body, self._body = self._body, None
        if body is not None:
            return {"type": "http.request", "body": body, "more_body": False}
        await self._over.wait()
        return {"type": "http.disconnect"}

    async def send(self, message):
        if message["type"] == "http.response.start":
            self._status = message["status"]
            headers = {name.lower(): value for name, value in message.get("headers", [])}
            self._retry_after = headers.get(b"retry-after")
        elif message["type"] == "http.response.body":
            self._parts.append(message.get("body", b""))
            if not message.get("more_body", False):
                self._whole = True
                self.leave()

    def leave(self):
        """Whoever listens for it hears that the client has left, as after any answer's end."""
        self._over.set()

    def frame(self):
        """The answer, which is given away; one that is not whole is a 500 without bytes."""
        body = b"".join(self._parts) if self._whole else b""
        self._parts = []
        head = {
            "line": self._number,
            "status": self._status if self._whole else 500,
            "bytes": len(body),
        }
        if self._whole and self._retry_after is not None:
            head["retry_after"] = self._retry_after.decode("latin-1")
        return b"%s\n%s\n" % (json.dumps(head, separators=(",", ":")).encode(), body)


def _headers_of_line(scope, body):
    passed = [pair for pair in scope["headers"] if pair[0].lower() not in HEADERS_OF_THE_WHOLE]
    length = str(len(body)).encode()
    return [*passed, (b"content-type", b"application/json"), (b"content-length", length)]


async def _read_lines(scope, receive, send):
    """What is asked; None if that was refused, or if the client left before it was said."""
    if scope["method"] != "POST":
        return await _refuse(send, 405, "Method Not Allowed", "Method Not Allowed")
    body = await _read(receive)
    if body is None:
        return None
    if len(body) > BODY_MAX_BYTES:
        message = f"A bundle has at most {BODY_MAX_BYTES} bytes."
        return await _refuse(send, 413, "Content Too Large", message)
    # One more shows that there are too many: a body of short lines has millions.
    found = list(itertools.islice(NO_BLANK_LINE.finditer(body), LINES_MAX + 1))
    if not 1 <= len(found) <= LINES_MAX:
        message = f"A bundle has 1 to {LINES_MAX} lines."
        return await _refuse(send, 400, "Bad Request", message)
    return [_Line(number, line.group(), scope) for number, line in enumerate(found)]


async def _read(receive):
    """The body, or None if the client left. Above the bound just enough of it to see that."""
    parts = []
    size = 0
    while size <= BODY_MAX_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        part = message.get("body", b"")
        parts.append(part)
        size += len(part)
        if not message.get("more_body", False):
            break
    return b"".join(parts)


async def _until_left(receive):
    while (await receive())["type"] != "http.disconnect":
        pass


async def _flow(send, body, more=True):
    await send({"type": "http.response.body", "body": body, "more_body": more})


async def _refuse(send, status, kind, message):
    """In vLLM's error shape."""
    error = {"message": message, "type": kind, "param": None, "code": status}
    body = json.dumps({"error": error}, separators=(",", ":")).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *([(b"allow", b"POST")] if status == 405 else []),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
