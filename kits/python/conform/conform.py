"""The program that the kit's tests run, from a folder where the packed kit is installed: `vectors <file>`, `serve <adapter>` or `login`."""

import json
import os
import re
import sys
import time
from pathlib import Path

from paycode_receiver import Client, FileStore, Receiver, RefusedBody, for_django, for_fastapi, for_flask, open_notification

ENV = os.environ
FOLDER = ENV.get("KIT_FOLDER", ".")


def say(line):
    print(line, flush=True)


def vectors(file):
    with open(file, encoding="utf-8") as text:
        for vector in json.load(text)["vectors"]:
            say(json.dumps({"name": vector["name"], **opened(vector)}))


def opened(vector):
    try:
        notification = open_notification(vector["body"].encode(), vector["keys"])
    except RefusedBody as refusal:
        return {"result": refusal.code}
    return {**{path: at(notification, path) for path in vector["expect"]}, "result": "OK"}


def at(notification, path):
    first, *rest = path.split(".")
    value = getattr(notification, re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), first), None)
    for name in rest:
        value = None if value is None else value.get(name)
    return None if value is None else str(value)


def keys():
    """Read at each notification, because the receiver starts before its key exists."""
    if not os.path.exists(ENV["KIT_KEYS_FILE"]):
        return []
    return Path(ENV["KIT_KEYS_FILE"]).read_text("utf-8").splitlines()


def told_to(what, notification):
    return notification.reference.startswith(what) and os.path.exists(os.path.join(FOLDER, what))


def handler(notification):
    say(f"handling {notification.transaction_id}")
    say(f"printed {[notification]}")
    if told_to("fail", notification):
        raise RuntimeError("told to fail")
    while told_to("hold", notification):
        time.sleep(0.02)
    say(f"handled {notification.transaction_id} {notification.status} {notification.amount} {notification.reference}")


def on_error(error):
    say(f"error {error}")
    if os.path.exists(os.path.join(FOLDER, "fail-on-error")):
        raise RuntimeError("told to fail, too")


receiver = Receiver(
    keys,
    FileStore(os.path.join(FOLDER, "store")),
    handler,
    when=ENV.get("KIT_WHEN", "BEFORE"),
    answer_within_seconds=int(ENV.get("KIT_ANSWER_WITHIN_MS", "40000")) / 1000,
    **({} if ENV.get("KIT_ON_ERROR") == "DEFAULT" else {"on_error": on_error}),
)


def flask_app(first):
    from flask import Flask, request

    app = Flask("conform")
    if first:
        app.before_request(lambda: print(request.get_data()[:0].decode(), end=""))
    app.add_url_rule("/paycode", view_func=for_flask(receiver), methods=["POST"])
    return app


def reading(get_response):
    """A middleware of Django that reads the body."""
    return lambda request: request.read() and get_response(request)


def django_app(first):
    import django
    from django.conf import settings
    from django.core.handlers.wsgi import WSGIHandler
    from django.urls import path

    global urlpatterns
    csrf = "django.middleware.csrf.CsrfViewMiddleware"
    settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="only for this test", MIDDLEWARE=[csrf] + [f"{__name__}.reading"] * first)
    django.setup()
    urlpatterns = [path("paycode", for_django(receiver))]  # exempt from the CSRF check
    return WSGIHandler()


def serve(words):
    adapter, *parser = words.split(", ")
    if adapter == "fastapi":
        return serve_asgi(parser)
    from werkzeug.serving import make_server

    app = {"flask": flask_app, "django": django_app}[adapter]("parser first" in words)
    server = make_server("127.0.0.1", 0, app, threaded="one thread" not in words)
    say(f"listening {server.server_port}")
    server.serve_forever()


def serve_asgi(parser):
    import asyncio
    import socket

    import uvicorn
    from fastapi import FastAPI

    app = FastAPI()
    app.add_route("/paycode", for_fastapi(receiver), methods=["POST"])

    @app.middleware("http")
    async def read_first(request, call_next):
        if parser:
            await request.body()
        return await call_next(request)

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    say(f"listening {listener.getsockname()[1]}")
    asyncio.run(uvicorn.Server(uvicorn.Config(app, log_level="warning")).serve(sockets=[listener]))


def login():
    url, identity, password, ca_file = [ENV[f"PAYCODE_{name}"] for name in ("URL", "IDENTITY", "PASSWORD", "CA_FILE")]
    private_key, service_key = [Path(ENV[f"PAYCODE_{name}_KEY_FILE"]).read_text() for name in ("PRIVATE", "SERVICE")]
    client = Client(url, identity, password, private_key, service_key, ca_file)  # docs/how-to/log-in.md says where the keys come from
    session = client.log_in()
    say(f"logged in {session['sessionId']}")
    say(f"printed {client} {session}")
    order = {"merchantReference": "order-17", "amount": 25.5, "currencyCode": "ZAR"}
    status, text = client.send("POST", "/pluto/code/create", order)
    say(f"created {json.loads(text)['code']}" if status == 200 else f"refused with {status}")
    renewed = client.renew()
    say(f"renewed {renewed['sessionId']} {str(renewed['headerValue'] != session['headerValue']).lower()}")
    notification = client.notification(int(ENV["KIT_TRANSACTION"]))
    say(f"read {notification.transaction_id} {notification.status} {notification.amount}")
    receiver.resume(client.notification)  # a server calls it every minute
    client.log_out()
    say("logged out")


if __name__ == "__main__":
    {"vectors": vectors, "serve": serve, "login": login}[sys.argv[1]](*sys.argv[2:])
