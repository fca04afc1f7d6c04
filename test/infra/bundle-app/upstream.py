"""Stands in for vLLM below the middleware by asking an engine that runs elsewhere: the same request,
a connection for each, closed when the client leaves."""
import asyncio
from urllib.parse import urlsplit

import h11

CHUNK_BYTES = 65536
# Of one connection each, not of the request or the answer.
OF_A_CONNECTION = {b"connection", b"keep-alive", b"transfer-encoding", b"content-length"}


def forwarding(url):
    address = urlsplit(url)

    async def forward(scope, receive, send):
        body = await read(receive)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        asking = asyncio.ensure_future(ask(reader, writer, scope, body, send))
        leaving = asyncio.ensure_future(until_left(receive))
        try:
            await asyncio.wait([asking, leaving], return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                asking.result()
        finally:
            for task in (asking, leaving):
                task.cancel()
            writer.close()

    return forward


async def read(receive):
    parts = []
    more = True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)


async def until_left(receive):
    while (await receive())["type"] != "http.disconnect":
        pass


async def ask(reader, writer, scope, body, send):
    connection = h11.Connection(h11.CLIENT)
    query = b"?" + scope["query_string"] if scope["query_string"] else b""
    request = h11.Request(
        method=scope["method"],
        target=scope["raw_path"] + query,
        headers=[
            *passed(scope["headers"]),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ],
    )
    for event in (request, h11.Data(body), h11.EndOfMessage()):
        writer.write(connection.send(event))
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            connection.receive_data(await reader.read(CHUNK_BYTES))
        elif isinstance(event, h11.Response):
            await send(start(event))
        elif isinstance(event, h11.Data):
            part = bytes(event.data)
            await send({"type": "http.response.body", "body": part, "more_body": True})
        elif isinstance(event, h11.EndOfMessage):
            return await send({"type": "http.response.body", "body": b"", "more_body": False})


def start(response):
    headers = passed(response.headers)
    # Kept where it was, so that an answer of a known length stays one.
    headers += [pair for pair in response.headers if pair[0] == b"content-length"]
    return {"type": "http.response.start", "status": response.status_code, "headers": headers}


def passed(headers):
    return [(name, value) for name, value in headers if name not in OF_A_CONNECTION]
