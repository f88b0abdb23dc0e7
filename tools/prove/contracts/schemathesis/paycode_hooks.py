"""Sets values that a generator of cases cannot know: a merchant of the caller, a code that can be paid, a transaction that can be read.

Only cases that follow the schema are changed; those that break it on purpose go out as they are.
"""
import json
import os

import schemathesis
from schemathesis.specs.openapi import checks

# Wrong credentials that come fast are made to wait (T-05): 429 refuses them as well. The version is pinned, so the name is there.
checks.AUTH_REJECTION_STATUSES = frozenset({*checks.AUTH_REJECTION_STATUSES, 429})

KNOWN = json.loads(os.environ["CONTRACTS_KNOWN"])
PATH = {"code": KNOWN["code"], "file": KNOWN["code"], "transactionId": KNOWN["transactionId"]}
BODY = {
    "merchantId": KNOWN["merchantId"],
    "code": KNOWN["code"],
    "merchantReference": KNOWN["merchantReference"],
    "url": KNOWN["url"],
    "currencyCode": "ZAR",
    "amount": 1.5,
    "expiryDate": 0,
}
TEXTS = {"shortDescription", "extraReferenceName", "extraReferenceValue"}


def is_valid(case):
    return case.meta is not None and case.meta.generation.mode.is_positive


@schemathesis.hook
def before_call(context, case, kwargs):
    if not is_valid(case):
        return
    for name, value in PATH.items():
        if name in (case.path_parameters or {}):
            case.path_parameters[name] = value
    if isinstance(case.body, dict):
        for name, value in BODY.items():
            if name in case.body and not (name == "merchantReference" and case.path.endswith("/create")):
                case.body[name] = value
        # Control characters are refused in any text, which no schema of this document repeats at every member.
        for name in TEXTS & case.body.keys():
            if isinstance(case.body[name], str):
                case.body[name] = "".join(c for c in case.body[name] if c.isprintable())
        if "type" in case.body and "value" in case.body:
            case.body["value"] = "owner@example.com" if case.body["type"] == "EMAIL" else "+27820000001"
