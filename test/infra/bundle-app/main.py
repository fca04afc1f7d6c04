"""Runs the middleware under uvicorn on a free port, above one of the two apps beside this file.

    PYTHONPATH=infra/bundle python3 test/infra/bundle-app/main.py [--upstream URL] [--key KEY]

Says its address in a line of JSON, and ends when its standard input does.
"""
import argparse
import json
import os
import socket
import sys
import threading

import uvicorn

from continuo_bundle import KEEP_ALIVE_SECONDS, Bundles
from scripted import scripted
from upstream import forwarding


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--upstream", help="the engine to ask, instead of the scripted app")
    parser.add_argument("--key", default="", help="which the scripted app asks for")
    parser.add_argument("--keep-alive-seconds", default=KEEP_ALIVE_SECONDS, type=float)
    asked = parser.parse_args()
    app = (
        Bundles(forwarding(asked.upstream), asked.keep_alive_seconds)
        if asked.upstream
        else scripted(asked.key, asked.keep_alive_seconds)
    )
    listener = socket.create_server(("127.0.0.1", 0))
    # It listens: who connects before uvicorn accepts is kept waiting, not refused.
    print(json.dumps({"url": f"http://127.0.0.1:{listener.getsockname()[1]}"}), flush=True)
    threading.Thread(target=end_with_stdin, daemon=True).start()
    # The engine's own names and dates stand in its answers.
    settings = {"server_header": False, "date_header": False, "lifespan": "off"}
    config = uvicorn.Config(app, log_level="warning", **settings)
    uvicorn.Server(config).run(sockets=[listener])


def end_with_stdin():
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
