"""Calls Paycode for an account: by Basic, or with a session that it keeps fresh (docs/how-to/log-in.md)."""

import base64
import hashlib
import hmac
import json
import logging
import secrets
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timezone
from decimal import Decimal
from http.client import HTTPException
from threading import RLock
from typing import Any, Dict, List, Optional, Union

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.serialization import load_der_public_key, load_pem_private_key

from .notification import Notification, read_notification

OAEP = padding.OAEP(mgf=padding.MGF1(algorithm=hashes.SHA1()), algorithm=hashes.SHA1(), label=None)
ANSWER_BYTES_MAX = 1_048_576
RENEW_BEFORE_SECONDS = 60
REPEAT_WAIT_SECONDS_MAX = 5.0  # a longer wait is the caller's to decide
PASSING = (429, 502, 503, 504)
NOTIFICATION = "/portal/restful/merchant/notification"
LOG = logging.getLogger("paycode_receiver")


class ApiError(Exception):
    """Paycode's answer was no success. Decide by `code` (docs/reference/errors.md), and tell support the `request_id`; both may be empty.
    `retry_after`: the seconds that a 429 or 503 asks for. Holds no secrets."""

    def __init__(self, message: str, status: int, code: str = "", request_id: str = "", retry_after: Optional[float] = None):
        super().__init__(message)
        self.status, self.code, self.request_id, self.retry_after = status, code, request_id, retry_after


class Session(Dict[str, str]):
    """headerName, headerValue, sessionId, expires. Printed it is its id, so that no log holds the token."""

    def __repr__(self) -> str:
        return f"Session({self.get('sessionId')})"


class HttpNotification(Dict[str, Any]):
    """merchantId, url, version, encryptKey. Printed it is its URL, so that no log holds the key."""

    def __repr__(self) -> str:
        return f"HttpNotification({self.get('url')})"


class Client:
    """bearer: the account logs in for a token of 15 minutes; by default the password goes with each request (Basic). private_key: your
    RSA-4096 key, PEM (PKCS#8), with service_key, the service's public key, base64 X.509: the log-in proves both sides' keys. ca_file: PEM of
    the authority to trust (default: the system's authorities). timeout: the seconds that a connection or an answer may stay silent. Proxies
    come from HTTPS_PROXY and NO_PROXY. Threads may share a client; `AsyncClient` is the same for asyncio."""

    def __init__(
        self, url: str, identity: str, password: str, *, bearer: bool = False, private_key: Optional[str] = None,
        service_key: Optional[str] = None, ca_file: Optional[str] = None, timeout: float = 30,
    ):  # fmt: skip
        if (private_key is None) != (service_key is None):
            raise ValueError("private_key and service_key go together")
        self._url, self._identity, self._password, self._timeout = url, identity, password, timeout
        self._bearer = bearer or private_key is not None
        self._private_key: Any = private_key and load_pem_private_key(private_key.encode(), password=None)
        self._service_key: Any = service_key and load_der_public_key(base64.b64decode(service_key))
        self._tls = ssl.create_default_context(cafile=ca_file)
        self._session: Optional[Session] = None
        self._lock = RLock()

    def create_code(self, merchant_reference: str, amount: Union[Decimal, int, str], currency_code: str, **others: Any) -> Dict[str, Any]:
        """amount: Decimal("25.50"), never a float. others: as the API names them, e.g. shortDescription. Gives code, expiryDate and codeUrl. A
        repeat with the same reference and content gives the same code, so a lost answer is asked for again."""
        if isinstance(amount, float):
            raise TypeError("amount: a float is not exact, use Decimal")
        body = {"merchantReference": merchant_reference, "currencyCode": currency_code, **others}
        text = json.dumps(body)[:-1] + f', "amount": {Decimal(amount):f}}}'  # json knows no Decimal
        return _json(self.send("POST", "/pluto/code/create", text, repeatable=True))

    def query_ref(self, code: str, merchant_reference: str) -> Dict[str, Any]:
        """How the payment of a code stands; the amount is a Decimal."""
        return self._post("/pluto/code/queryRef", {"code": code, "merchantReference": merchant_reference})

    def get_notification(self, transaction_id: int) -> Notification:
        """Reads a notification that was missed. If nobody has acknowledged the payment yet, this call acknowledges it."""
        return read_notification(self.send("GET", f"/pluto/purchase/notification/{transaction_id}"))

    def notifications(self, since: Optional[datetime] = None, **query: Any) -> Dict[str, Any]:
        """One page of what became final since an instant: notifications, and next, the cursor of the next page or None. query: reference,
        code, merchantId, cursor, limit. Reading the list acknowledges nothing."""
        given = {**({} if since is None else {"since": since.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")}), **query}
        return _json(self.send("GET", f"/pluto/purchase/notifications?{urllib.parse.urlencode(given)}"))

    def add_http(self, merchant_id: int, url: str, version: str = "V3") -> HttpNotification:
        """Sets the URL of a merchant's notifications; encryptKey in the answer opens them. The URL must answer the probe."""
        return HttpNotification(self._post(f"{NOTIFICATION}/addHttp", {"merchantId": merchant_id, "url": url, "version": version}))

    def renew_key(self, merchant_id: int) -> HttpNotification:
        """A new key each time: after a lost answer look at what arrives before you call again."""
        return HttpNotification(self._post(f"{NOTIFICATION}/renewKey", {"merchantId": merchant_id}, repeatable=False))

    def extra(self, merchant_id: int, type: str, value: str) -> List[Dict[str, Any]]:
        """Also tells an e-mail address or phone number of payments; gives all entries."""
        return self._post(f"{NOTIFICATION}/extra", {"merchantId": merchant_id, "type": type, "value": value})

    def list(self, merchant_id: int) -> "List[Dict[str, Any]]":
        return self._post(f"{NOTIFICATION}/list", {"merchantId": merchant_id})

    def send(self, method: str, path: str, body: Union[str, Dict[str, Any], None] = None, *, repeatable: Optional[bool] = None) -> bytes:
        """Any other operation, body as JSON text or what json writes; gives the bytes of its answer. repeatable: a lost answer is asked for
        again (default: for GET). Raises ApiError for a status beside 200."""
        may_repeat = method == "GET" if repeatable is None else repeatable
        text = body if body is None or isinstance(body, str) else json.dumps(body)
        headers = self._authorization()
        try:
            return self._repeated(method, path, text, headers, may_repeat)
        except ApiError as error:
            if not self._bearer or error.status != 401:
                raise
            with self._lock:  # the session has ended elsewhere; another thread may have logged in since
                if self._session is not None and self._session["headerValue"] in headers.values():
                    self._session = None
            return self._repeated(method, path, text, self._authorization(), may_repeat)

    def log_in(self) -> Session:
        """For Bearer accounts; the other methods do it by themselves. Raises ApiError before it sends the password, if the service does not
        prove that it holds its key."""
        with self._lock:
            body = {"identity": self._identity, "password": self._password, **(self._proof() if self._private_key else {})}
            self._session = Session(_json(self._attempt("POST", "/authentication/login", json.dumps(body))))
            return self._session

    def renew(self) -> Session:
        """Gets a new token for the same session; the old one stops working."""
        with self._lock:
            if self._session is None:
                return self.log_in()
            try:
                self._session = Session(_json(self._attempt("POST", "/authentication/renew", _jwt(self._session))))
                return self._session
            except ApiError as error:
                if error.status != 401:
                    raise
                return self.log_in()  # the token has expired

    def log_out(self) -> None:
        with self._lock:
            if self._session is not None:
                self._attempt("POST", "/authentication/logout", _jwt(self._session))
            self._session = None

    def _post(self, path: str, body: Dict[str, Any], repeatable: bool = True) -> Any:
        return _json(self.send("POST", path, body, repeatable=repeatable))

    def _proof(self) -> Dict[str, str]:
        """Both challenge fields of the log-in."""
        secret = secrets.token_bytes(64)
        client_challenge = base64.b64encode(self._service_key.encrypt(secret, OAEP)).decode()
        query = urllib.parse.urlencode({"identity": self._identity, "clientChallenge": client_challenge})
        challenge = _json(self._repeated("GET", f"/authentication/login-challenges?{query}", None, {}, True))
        if not hmac.compare_digest(challenge["base64EncodedClientChallengeResponse"], _sha256(secret)):
            raise ApiError("the service did not prove that it holds its key", 200, "SERVICE_NOT_PROVEN")
        encrypted = base64.b64decode(challenge["base64EncodedChallenge"])
        decrypted = self._private_key.decrypt(encrypted, OAEP)
        return {"base64EncodedChallengeHash": _sha256(encrypted), "base64EncodedChallengeResponse": _sha256(decrypted)}

    def _authorization(self) -> Dict[str, str]:
        if not self._bearer:
            return {"Authorization": "Basic " + base64.b64encode(f"{self._identity}:{self._password}".encode()).decode()}
        with self._lock:
            session = self._session or self.log_in()
            ends_at = datetime.strptime(session["expires"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
            if (ends_at - datetime.now(timezone.utc)).total_seconds() < RENEW_BEFORE_SECONDS:
                session = self.renew()
            return {session["headerName"]: session["headerValue"]}

    def _repeated(self, method: str, path: str, text: Optional[str], headers: Dict[str, str], may_repeat: bool) -> bytes:
        """A lost answer, 429, 502, 503 and 504 are tried once more."""
        try:
            return self._attempt(method, path, text, headers)
        except (ApiError, OSError, HTTPException) as error:
            wait = getattr(error, "retry_after", None)
            wait = 1.0 if wait is None else wait
            if not may_repeat or wait > REPEAT_WAIT_SECONDS_MAX or getattr(error, "status", PASSING[0]) not in PASSING:
                raise
            LOG.info("%s %s is sent again: %s", method, path.split("?")[0], error)
            time.sleep(wait)
            return self._attempt(method, path, text, headers)

    def _attempt(self, method: str, path: str, text: Optional[str], headers: Optional[Dict[str, str]] = None) -> bytes:
        fields = {**({} if text is None else {"Content-Type": "application/json"}), **(headers or {})}
        data = None if text is None else text.encode()
        request = urllib.request.Request(self._url + path, data=data, method=method, headers=fields)
        try:
            with urllib.request.urlopen(request, timeout=self._timeout, context=self._tls) as response:
                return response.read(ANSWER_BYTES_MAX)
        except urllib.error.HTTPError as error:
            raise _error(f"{method} {path.split('?')[0]}", error) from None


class AsyncClient:
    """A Client for asyncio: the same methods, awaited, each in a thread of asyncio's pool."""

    def __init__(self, *args: Any, **options: Any):
        self._client = Client(*args, **options)

    def __getattr__(self, name: str) -> Any:
        import asyncio

        method = getattr(self._client, name)
        return lambda *args, **options: asyncio.get_running_loop().run_in_executor(None, lambda: method(*args, **options))


def _error(what: str, answer: urllib.error.HTTPError) -> ApiError:
    try:
        body = dict(_json(answer.read(ANSWER_BYTES_MAX)))
    except (ValueError, TypeError):  # something between here and Paycode has answered
        body = {}
    retry_after = answer.headers.get("Retry-After", "")
    code, request_id = body.get("code", ""), body.get("requestId") or answer.headers.get("X-Request-Id", "")
    message = f"{what} answered {answer.code} {code}: {body.get('message', '')} (requestId {request_id})"
    return ApiError(message, answer.code, code, request_id, float(retry_after) if retry_after.isdigit() else None)


def _json(text: bytes) -> Any:
    return json.loads(text, parse_float=Decimal)


def _jwt(session: Dict[str, str]) -> str:
    """The body of renew and logout, which take the token without the word Bearer."""
    return json.dumps({"jwt": session["headerValue"].replace("Bearer ", "", 1)})


def _sha256(data: bytes) -> str:
    return base64.b64encode(hashlib.sha256(data).digest()).decode()
