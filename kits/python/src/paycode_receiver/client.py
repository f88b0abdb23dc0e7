"""Logs in with the mutual challenge (docs/how-to/log-in.md), keeps the session fresh, and sends requests with it."""

import base64
import hashlib
import hmac
import json
import secrets
import ssl
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timezone
from threading import RLock
from typing import Any, Dict, Optional, Tuple

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.serialization import load_der_public_key, load_pem_private_key

from .notification import Notification, read_notification

OAEP = padding.OAEP(mgf=padding.MGF1(algorithm=hashes.SHA1()), algorithm=hashes.SHA1(), label=None)
TIMEOUT_SECONDS = 30
ANSWER_BYTES_MAX = 1_048_576
RENEW_BEFORE_SECONDS = 60


class UnexpectedAnswer(Exception):
    """The service gave an unexpected answer. The message holds neither the request nor secrets."""


class Session(Dict[str, str]):
    """headerName, headerValue, sessionId, expires. Printed it is its id, so that no log holds the token."""

    def __repr__(self) -> str:
        return f"Session({self.get('sessionId')})"


class Client:
    """private_key: your RSA-4096 key, PEM (PKCS#8). service_key: the service's public key, base64 X.509. ca_file: PEM of the authority to
    trust (default: the system's authorities). Threads may share a client."""

    def __init__(self, url: str, identity: str, password: str, private_key: str, service_key: str, ca_file: Optional[str] = None):
        self._url, self._identity, self._password = url, identity, password
        self._private_key: Any = load_pem_private_key(private_key.encode(), password=None)
        self._service_key: Any = load_der_public_key(base64.b64decode(service_key))
        self._tls = ssl.create_default_context(cafile=ca_file)
        self._session: Optional[Session] = None
        self._lock = RLock()

    def log_in(self) -> Session:
        """Raises UnexpectedAnswer before it sends the password, if the service does not prove that it holds its key."""
        secret = secrets.token_bytes(64)
        client_challenge = base64.b64encode(self._service_key.encrypt(secret, OAEP)).decode()
        query = urllib.parse.urlencode({"identity": self._identity, "clientChallenge": client_challenge})
        challenge = self._expect("GET", f"/authentication/login-challenges?{query}")
        if not hmac.compare_digest(challenge["base64EncodedClientChallengeResponse"], _sha256(secret)):
            raise UnexpectedAnswer("the service did not prove that it holds its key")
        encrypted = base64.b64decode(challenge["base64EncodedChallenge"])
        body = {
            "identity": self._identity,
            "password": self._password,
            "base64EncodedChallengeHash": _sha256(encrypted),
            "base64EncodedChallengeResponse": _sha256(self._private_key.decrypt(encrypted, OAEP)),
        }
        self._session = self._expect("POST", "/authentication/login", body)
        return self._session

    def renew(self) -> Session:
        """Gets a new token for the same session; the old one stops working."""
        with self._lock:
            if self._session is None:
                return self.log_in()
            status, text = self._call("POST", "/authentication/renew", _jwt(self._session))
            if status == 401:  # the token has expired, so log in again
                return self.log_in()
            self._session = _parsed("/authentication/renew", status, text)
            return self._session

    def log_out(self) -> None:
        with self._lock:
            if self._session is not None:
                self._expect("POST", "/authentication/logout", _jwt(self._session))
            self._session = None

    def send(self, method: str, path: str, body: Optional[Dict[str, Any]] = None) -> Tuple[int, bytes]:
        """A request in the session: logs in first, and renews a token that ends within a minute. Gives status and text."""
        with self._lock:
            session = self._session or self.log_in()
            ends_at = datetime.strptime(session["expires"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
            if (ends_at - datetime.now(timezone.utc)).total_seconds() < RENEW_BEFORE_SECONDS:
                session = self.renew()
        return self._call(method, path, body, {session["headerName"]: session["headerValue"]})

    def notification(self, transaction_id: int) -> Notification:
        """Reads a notification that was missed. If nobody has acknowledged the payment yet, this call acknowledges it."""
        status, text = self.send("GET", f"/pluto/purchase/notification/{transaction_id}")
        if status != 200:
            raise UnexpectedAnswer(f"getNotification answered {status}")
        return read_notification(text)

    def _expect(self, method: str, path: str, body: Optional[Dict[str, Any]] = None) -> Session:
        return _parsed(path, *self._call(method, path, body))

    def _call(self, method: str, path: str, body: Any = None, headers: Optional[Dict[str, str]] = None) -> Tuple[int, bytes]:
        data = None if body is None else json.dumps(body).encode()
        fields = {**({} if data is None else {"Content-Type": "application/json"}), **(headers or {})}
        request = urllib.request.Request(self._url + path, data=data, method=method, headers=fields)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS, context=self._tls) as response:
                return response.status, response.read(ANSWER_BYTES_MAX)
        except urllib.error.HTTPError as error:
            return error.code, error.read(ANSWER_BYTES_MAX)


def _parsed(path: str, status: int, text: bytes) -> Session:
    if status != 200:
        raise UnexpectedAnswer(f"{path.split('?')[0]} answered {status}")
    return Session(json.loads(text))


def _jwt(session: Dict[str, str]) -> Dict[str, str]:
    """The body of renew and logout, which take the token without the word Bearer."""
    return {"jwt": session["headerValue"].replace("Bearer ", "", 1)}


def _sha256(data: bytes) -> str:
    return base64.b64encode(hashlib.sha256(data).digest()).decode()
