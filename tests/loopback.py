"""A scripted model server on loopback, for tests that start processes of their own."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Server:
    """An OpenAI-compatible server that answers from a list; its last answer is repeated. None: never answers."""

    def __init__(self) -> None:
        self.answers: list[str | None] = [""]
        self.prompts: list[str] = []
        self.asked = threading.Event()
        self.stopped = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                server.prompts.append(json.dumps(body["messages"]))
                answer = server.answers[min(len(server.prompts), len(server.answers)) - 1]
                if answer is None:
                    server.asked.set()
                    server.stopped.wait()
                    return
                data = json.dumps(completion(answer)).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                """Say nothing."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.thread = threading.Thread(target=self.http.serve_forever, daemon=True)

    @property
    def model(self) -> str:
        return f"http://127.0.0.1:{self.http.server_address[1]}/v1#scripted"


def completion(answer: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": answer}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [choice],
        "usage": usage,
    }


@contextmanager
def serving() -> Iterator[Server]:
    """Yield a server that answers until the end."""
    made = Server()
    made.thread.start()
    try:
        yield made
    finally:
        made.stopped.set()
        made.http.shutdown()
        made.http.server_close()
        made.thread.join()
