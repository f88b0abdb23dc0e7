"""Opens the body of a webhook and reads the notification in it."""

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Dict, Optional, Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

NONCE_BYTES = 12
TAG_BYTES = 16
ID_MAX = 2**53 - 1
KEY = re.compile(r"\W*([0-9A-Fa-f]{32})\W*", re.ASCII)
BASE64 = re.compile(rb"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


class RefusedBody(Exception):
    """None of the keys opens the body as a notification. `code`: BAD_ENCODING, TOO_SHORT, NOT_AUTHENTIC or NOT_A_NOTIFICATION."""

    def __init__(self, code: str):
        super().__init__(f"the body was refused: {code}")
        self.code = code


@dataclass(frozen=True, repr=False)
class Notification:
    """A notification, version V3. A field that the JSON leaves out is None; fractions are Decimal, with their digits as sent. Printed it is
    its id and status, so that no log holds a card or a phone."""

    transaction_id: int  #: Repeats have the same id.
    merchant_id: int
    merchant_name: str
    acquirer: str
    reference: str  #: The merchantReference given at createCode.
    amount: Decimal
    currency_code: str
    code: Optional[str]
    status: str  #: SUCCESS, REVERSED, ... The kit passes an unknown status on unchanged.
    client_msisdn: Optional[str]
    destination: Optional[str]
    extra_reference_name: Optional[str]
    extra_reference_value: Optional[str]
    tip_amount: Optional[Decimal]
    reference_transaction_id: int  #: For a refund or reversal the id of the original payment, else 0.
    bank_response: Optional[Dict[str, Any]]
    card_info: Optional[Dict[str, Any]]
    client_contact: Optional[Dict[str, Any]]
    client_billing: Optional[Dict[str, Any]]
    client_shipping: Optional[Dict[str, Any]]
    version_data: Optional[Dict[str, Any]]
    text: str  #: The JSON as it was sent. It holds personal data.

    def __repr__(self) -> str:
        return f"Notification({self.transaction_id} {self.status})"

    @property
    def payment_id(self) -> int:
        """The id of the payment that this notification is about; for a reversal, of the original payment."""
        is_reversal = self.status == "REVERSED" and self.reference_transaction_id > 0
        return self.reference_transaction_id if is_reversal else self.transaction_id


def open_notification(raw_body: bytes, keys: Sequence[str], key_id: Optional[str] = None) -> Notification:
    """The notification in a raw body: base64 of nonce (12 bytes), ciphertext and tag (16 bytes), AES-128-GCM under one of the keys
    (32 hexadecimal characters each). Give the lines of your key file: blanks, quotes, empty lines and what follows a # do not matter, and every
    key is tried, the new and the old one during a renewal. The one that `key_id`, the header X-Webhook-Key-Id, names is the first; nobody vouches
    for a header, so the others follow. Raises RefusedBody, and ValueError when no key fits and a line is none."""
    if not BASE64.fullmatch(raw_body):
        raise RefusedBody("BAD_ENCODING")
    sealed = base64.b64decode(raw_body)
    if len(sealed) < NONCE_BYTES + TAG_BYTES:
        raise RefusedBody("TOO_SHORT")
    lines = [line for key in keys for line in re.sub("#.*", "", key).splitlines() if re.search(r"\w", line)]
    found = [match[1] for match in map(KEY.fullmatch, lines) if match]
    for secret in sorted(found, key=lambda secret: _id_of(secret) != key_id):
        try:
            # AESGCM always takes the last 16 bytes as the tag.
            plaintext = AESGCM(bytes.fromhex(secret)).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], None)
        except InvalidTag:
            continue  # the body has another key or was changed on the way
        return read_notification(plaintext)
    if len(found) < len(lines):
        raise ValueError("a webhook key is 32 hexadecimal characters")
    raise RefusedBody("NOT_AUTHENTIC")


def _id_of(secret: str) -> str:
    """As the platform names a key."""
    return hashlib.sha256(bytes.fromhex(secret)).hexdigest()[:16]


def read_notification(plaintext: bytes) -> Notification:
    """The notification in its plain JSON: a decrypted body, or what getNotification answers. Raises RefusedBody."""
    try:
        text = plaintext.decode("utf-8")
        return _typed(json.loads(text, parse_float=Decimal), text)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RefusedBody("NOT_A_NOTIFICATION") from error


def _typed(fields: Dict[str, Any], text: str) -> Notification:
    def required(name: str, *types: type) -> Any:
        if type(fields[name]) not in types:
            raise TypeError(name)
        return fields[name]

    def optional(name: str, *types: type) -> Any:
        return None if fields.get(name) is None else required(name, *types)

    def identity(name: str, least: int) -> int:
        if not least <= required(name, int) <= ID_MAX:
            raise ValueError(name)
        return fields[name]

    def decimal(name: str) -> Decimal:
        value = Decimal(required(name, int, Decimal))
        if value < 0:
            raise ValueError(name)
        return value

    return Notification(
        transaction_id=identity("transactionId", 1),
        merchant_id=identity("merchantId", 1),
        merchant_name=required("merchantName", str),
        acquirer=required("acquirer", str),
        reference=required("reference", str),
        amount=decimal("amount"),
        currency_code=required("currencyCode", str),
        code=optional("code", str),
        status=required("status", str),
        client_msisdn=optional("clientMsisdn", str),
        destination=optional("destination", str),
        extra_reference_name=optional("extraReferenceName", str),
        extra_reference_value=optional("extraReferenceValue", str),
        tip_amount=None if fields.get("tipAmount") is None else decimal("tipAmount"),
        reference_transaction_id=0 if fields.get("referenceTransactionId") is None else identity("referenceTransactionId", 0),
        bank_response=optional("bankResponse", dict),
        card_info=optional("cardInfo", dict),
        client_contact=optional("clientContact", dict),
        client_billing=optional("clientBilling", dict),
        client_shipping=optional("clientShipping", dict),
        version_data=optional("versionData", dict),
        text=text,
    )
