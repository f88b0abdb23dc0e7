"""The program that the kit's tests run, from a folder where the packed kit is installed: `vectors <file>`, `serve <adapter>` or `client`."""

import asyncio
import json
import os
import re
import sys
import time
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from paycode_receiver import ApiError, AsyncClient, Client, FileStore, Receiver, RefusedBody, for_django, for_fastapi, for_flask, open_notification

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


def read(name):
    path = ENV.get(f"PAYCODE_{name}_FILE")
    return path and Path(path).read_text()


def client():
    """Calls by lines of words (describe-client.ts), and prints a line for each."""
    url, identity, password, ca_file = [ENV[f"PAYCODE_{name}"] for name in ("URL", "IDENTITY", "PASSWORD", "CA_FILE")]
    keys = {"private_key": read("PRIVATE_KEY"), "service_key": read("SERVICE_KEY")}
    how = {"BASIC": {}, "BEARER": {"bearer": True}, "CHALLENGE": keys}[ENV["PAYCODE_LOGIN"]]
    client = Client(url, identity, password, ca_file=ca_file, timeout=int(ENV["PAYCODE_TIMEOUT_MS"]) / 1000, **how)
    code = ""

    def create_code(reference, amount, currency):
        nonlocal code
        code = client.create_code(reference, Decimal(amount), currency)["code"]
        return f"code {code}"

    def query_ref(reference):
        found = client.query_ref(code, reference)
        return f"reference {found['amount']} {found['status']}"

    def get_notification(id):
        notification = client.get_notification(int(id))
        return f"notification {notification.transaction_id} {notification.status} {notification.amount}"

    def notifications(since):
        page = client.notifications(datetime.fromisoformat(since.replace("Z", "+00:00")))
        return f"notifications {','.join(str(each['transactionId']) for each in page['notifications'])}"

    def entries(list):
        return f"entries {','.join(each['type'] + '=' + each['value'] for each in list)}"

    def list_of(id):
        client = Client(url, identity, password, ca_file=ca_file)
        awaited = asyncio.run(list_by_asyncio(AsyncClient(url, identity, password, ca_file=ca_file), id))
        return entries(awaited if awaited == client.list(id) else [])

    def log_out():
        client.log_out()
        return "logged out"

    def resume():
        receiver.resume(client.get_notification)  # a server calls it every minute
        return "resumed"

    calls = {
        "createCode": create_code,
        "queryRef": query_ref,
        "getNotification": get_notification,
        "notifications": notifications,
        "addHttp": lambda id, to: f"key {client.add_http(int(id), to)['encryptKey']}",
        "renewKey": lambda id: f"key {client.renew_key(int(id))['encryptKey']}",
        "extra": lambda id, type, value: entries(client.extra(int(id), type, value)),
        "list": lambda id: list_of(int(id)),
        "send": lambda method, path: f"text {client.send(method, path).decode()}",
        "logIn": lambda: f"session {client.log_in()['sessionId']}",
        "renew": lambda: f"session {client.renew()['sessionId']}",
        "logOut": log_out,
        "resume": resume,
        "print": lambda: f"printed {client} {client.renew()}",
    }
    for line in Path(ENV["KIT_CALLS_FILE"]).read_text().splitlines():
        call, *words = line.split(" ")
        try:
            say(calls[call](*words))
        except ApiError as error:  # decide by the code, and give support the request id
            say(f"error {error.status} {error.code} {error.request_id}")
        except OSError as error:
            say(f"failed {error}")


async def list_by_asyncio(client, merchant_id):
    return await client.list(merchant_id)


if __name__ == "__main__":
    {"vectors": vectors, "serve": serve, "client": client}[sys.argv[1]](*sys.argv[2:])
