"""Logs in to Paycode with the full challenge-response of the specification (5.3), uses the session, renews it, logs out.

Python 3.9 or newer with the package "cryptography". Settings come from the environment, see ../README.md.
"""

import base64
import hashlib
import hmac
import json
import os
import secrets
import ssl
import urllib.error
import urllib.parse
import urllib.request

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.serialization import load_der_public_key, load_pem_private_key

URL = os.environ["PAYCODE_URL"]
IDENTITY = os.environ["PAYCODE_IDENTITY"]
TLS = ssl.create_default_context(cafile=os.environ.get("PAYCODE_CA_FILE"))

# RSA/ECB/OAEPWithSHA-1AndMGF1Padding
OAEP = padding.OAEP(mgf=padding.MGF1(algorithm=hashes.SHA1()), algorithm=hashes.SHA1(), label=None)

with open(os.environ["PAYCODE_PRIVATE_KEY_FILE"], "rb") as file:
    PRIVATE_KEY = load_pem_private_key(file.read(), password=None)
with open(os.environ["PAYCODE_SERVICE_KEY_FILE"], "rb") as file:
    SERVICE_KEY = load_der_public_key(base64.b64decode(file.read()))


def sha256(data):
    return base64.b64encode(hashlib.sha256(data).digest()).decode()


def send(method, path, body=None, headers=None):
    """One HTTPS request with a JSON body; gives the status and the parsed answer."""
    data = None if body is None else json.dumps(body).encode()
    fields = dict(headers or {})
    if data is not None:
        fields["Content-Type"] = "application/json"
    request = urllib.request.Request(URL + path, data=data, method=method, headers=fields)
    try:
        with urllib.request.urlopen(request, timeout=30, context=TLS) as response:
            return response.status, json.loads(response.read() or b"{}")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"{}")


def expect(status, method, path, body=None):
    """Sends and insists on a status; never prints what was sent: it holds secrets."""
    got, answer = send(method, path, body)
    if got != status:
        raise SystemExit(f"{method} {path.split('?')[0]} answered {got}: {answer.get('message')}")
    return answer


def log_in():
    # 1. 64 random bytes, encrypted to the service.
    secret = secrets.token_bytes(64)
    client_challenge = base64.b64encode(SERVICE_KEY.encrypt(secret, OAEP)).decode()
    # urlencode turns "+" into %2B, as the service demands.
    query = urllib.parse.urlencode({"identity": IDENTITY, "clientChallenge": client_challenge})
    # 2. The service answers with its proof and a challenge of its own.
    challenge = expect(200, "GET", f"/authentication/login-challenges?{query}")
    # 3. Only who holds the service's private key knows the hash of our bytes. If it is wrong, stop before the password leaves.
    if not hmac.compare_digest(challenge["base64EncodedClientChallengeResponse"], sha256(secret)):
        raise SystemExit("the service did not prove itself")
    print("service proved itself")
    encrypted = base64.b64decode(challenge["base64EncodedChallenge"])
    decrypted = PRIVATE_KEY.decrypt(encrypted, OAEP)
    # 4. Both hashes prove that we hold our private key.
    return expect(
        200,
        "POST",
        "/authentication/login",
        {
            "identity": IDENTITY,
            "password": os.environ["PAYCODE_PASSWORD"],
            "base64EncodedChallengeHash": sha256(encrypted),
            "base64EncodedChallengeResponse": sha256(decrypted),
        },
    )


def token_of(session):
    return session["headerValue"][len("Bearer ") :]


session = log_in()
print(f"logged in, session {session['sessionId']} until {session['expires']}")

# 5. Every request carries the header the session names.
headers = {session["headerName"]: session["headerValue"]}
status, _ = send("POST", "/pluto/remote/v4/lookup", {"value": "1234567890", "msisdn": "+27820000001"}, headers)
print(f"refused with {status}" if status in (401, 403) else "request authenticated")

# A token lives 15 minutes: renew it before `expires`. The old token stops working.
session = expect(200, "POST", "/authentication/renew", {"jwt": token_of(session)})
print(f"renewed until {session['expires']}")

expect(200, "POST", "/authentication/logout", {"jwt": token_of(session)})
print("logged out")
