"""Thin functions between a Receiver and a web framework. Each function imports its framework itself, so none is a dependency."""

import asyncio
from threading import Thread
from typing import Any, Callable

from .receiver import BODY_BYTES_MAX, Answer, Receiver


def for_flask(receiver: Receiver) -> Callable[[], Any]:
    """`app.add_url_rule("/paycode", view_func=for_flask(receiver), methods=["POST"])`"""
    from flask import Response, request

    def paycode() -> Any:
        answer = receiver.receive(request.stream.read(BODY_BYTES_MAX + 1), request.headers.get)
        response = Response(answer.reason, answer.status, mimetype="text/plain")
        response.call_on_close(lambda: _work_on(answer))
        return response

    return paycode


def for_fastapi(receiver: Receiver) -> Callable[[Any], Any]:
    """`app.add_route("/paycode", for_fastapi(receiver), methods=["POST"])`; the same for Starlette."""
    from starlette.background import BackgroundTask
    from starlette.responses import PlainTextResponse

    async def paycode(request: Any) -> Any:
        body = b""
        async for chunk in request.stream():
            body = (body + chunk)[: BODY_BYTES_MAX + 1]
        answer = await asyncio.to_thread(receiver.receive, body, request.headers.get)
        return PlainTextResponse(answer.reason, answer.status, background=BackgroundTask(_work_on, answer))

    return paycode


def for_django(receiver: Receiver) -> Callable[[Any], Any]:
    """`path("paycode", for_django(receiver))` in urlpatterns. Exempt from the CSRF check, because the encryption authenticates the sender."""
    from django.http import HttpResponse

    def paycode(request: Any) -> Any:
        if request.method != "POST":
            return HttpResponse(status=405)
        answer = receiver.receive(request.read(BODY_BYTES_MAX + 1), request.headers.get)
        response = HttpResponse(answer.reason, status=answer.status, content_type="text/plain")
        response._resource_closers.append(lambda: _work_on(answer))  # Django calls it once the answer is sent
        return response

    paycode.csrf_exempt = True  # type: ignore[attr-defined]
    return paycode


def _work_on(answer: Answer) -> None:
    if answer.after is not None:
        Thread(target=answer.after).start()
