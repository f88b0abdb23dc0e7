"""Thin functions between a Receiver and a web framework. Each function imports its framework itself, so none is a dependency."""

import asyncio
import socket
import struct
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from typing import Any, Callable

from .receiver import BODY_BYTES_MAX, TOO_SLOW, Answer, Receiver

BROKEN_OFF = Answer(400, "the body did not arrive")
#: Notifications that an event loop handles at once. The time of those that wait for a thread runs on.
THREADS_MAX = 200


def for_flask(receiver: Receiver) -> Callable[[], Any]:
    """`app.add_url_rule("/paycode", view_func=for_flask(receiver), methods=["POST"])`"""
    from flask import Response, request

    def paycode() -> Any:
        # get_data has what something in front of the receiver has read already.
        answer = _answer(receiver, lambda: request.stream.read(BODY_BYTES_MAX + 1) or request.get_data(), request)
        response = Response(answer.reason, answer.status, mimetype="text/plain")
        response.call_on_close(lambda: _work_on(answer))
        return response

    return paycode


def for_fastapi(receiver: Receiver) -> Callable[[Any], Any]:
    """`app.add_route("/paycode", for_fastapi(receiver), methods=["POST"])`; the same for Starlette."""
    from starlette.background import BackgroundTask
    from starlette.requests import ClientDisconnect
    from starlette.responses import PlainTextResponse

    threads = ThreadPoolExecutor(THREADS_MAX, "paycode")

    async def body_of(request: Any) -> bytes:
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > BODY_BYTES_MAX:
                break
        return body

    async def answer_to(request: Any, arrived_at: float) -> Answer:
        body = await body_of(request)
        return await asyncio.get_running_loop().run_in_executor(threads, receiver.receive, body, request.headers.get, arrived_at)

    async def paycode(request: Any) -> Any:
        arrived_at = time.monotonic()
        try:
            # The receiver's own answer comes first, unless it waits for a thread.
            answer = await asyncio.wait_for(answer_to(request, arrived_at), receiver.answer_within_seconds + 0.5)
        except asyncio.TimeoutError:
            answer = TOO_SLOW
        except ClientDisconnect:
            answer = BROKEN_OFF
        return PlainTextResponse(answer.reason, answer.status, background=BackgroundTask(_work_on, answer))

    return paycode


def for_django(receiver: Receiver) -> Callable[[Any], Any]:
    """`path("paycode", for_django(receiver))` in urlpatterns. Exempt from the CSRF check, because the encryption authenticates the sender."""
    from django.http import HttpResponse

    def paycode(request: Any) -> Any:
        if request.method != "POST":
            return HttpResponse(status=405)
        answer = _answer(receiver, lambda: request.read(BODY_BYTES_MAX + 1), request)
        response = HttpResponse(answer.reason, status=answer.status, content_type="text/plain")
        response._resource_closers.append(lambda: _work_on(answer))  # Django calls it once the answer is sent
        return response

    paycode.csrf_exempt = True  # type: ignore[attr-defined]
    return paycode


def _answer(receiver: Receiver, read: Callable[[], bytes], request: Any) -> Answer:
    arrived_at = time.monotonic() - _waited_seconds(getattr(request, "environ", {}))  # an ASGI request of Django has none
    try:
        body = read()
    except (OSError, ValueError):  # the client broke off, or sent a malformed chunk
        return BROKEN_OFF
    return receiver.receive(body, request.headers.get, arrived_at)


def _waited_seconds(environ: Any) -> float:
    """How long the request has waited for a process or thread of the server: the age of its last packet, which Linux knows, where the server (Gunicorn,
    Werkzeug) hands on the socket."""
    connection = environ.get("gunicorn.socket") or environ.get("werkzeug.socket")
    try:
        # struct tcp_info of linux/tcp.h: eight bytes, then numbers of four bytes; the twelfth is tcpi_last_data_recv, in milliseconds.
        return struct.unpack_from("=I", connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 56), 52)[0] / 1000
    except (AttributeError, OSError):
        return 0


def _work_on(answer: Answer) -> None:
    if answer.after is not None:
        Thread(target=answer.after).start()
