"""Creates a code, pays it and reads the notification with the generated Python client; prints each number as it was read."""
import json
import sys
import time

import paycode_client as paycode

given = json.loads(sys.argv[1])
configuration = paycode.Configuration(
    host=given["baseUrl"], username=given["username"], password=given["password"], ssl_ca_cert=given["caFile"]
)
patience_s = 120


def notification_of(api, transaction_id):
    """A moment after the payment there may be nothing to read yet."""
    give_up_at = time.monotonic() + patience_s
    while True:
        try:
            return api.get_notification(transaction_id)
        except paycode.exceptions.NotFoundException:
            if time.monotonic() > give_up_at:
                raise
            time.sleep(0.2)


with paycode.ApiClient(configuration) as client:
    notifications = paycode.MerchantNotificationsApi(client)
    url = notifications.add_http(
        paycode.AddHttpRequest(merchantId=given["merchantId"], url=given["url"], version="V3")
    )
    entries = notifications.list_notifications(paycode.MerchantRequest(merchantId=given["merchantId"]))
    codes = paycode.CodesApi(client)
    created = codes.create_code(
        paycode.CreateCodeBody(
            merchantId=given["merchantId"],
            merchantReference=given["reference"],
            amount=float(given["amount"]),
            currencyCode="ZAR",
            expiryDate=given["expiryDate"],
            requestTip=True,
        )
    )
    code = codes.get_code(created.code)
    payment = paycode.PublicPagesApi(client).pay_code(
        created.code, paycode.PaymentBody(outcome="SUCCESS", clientMsisdn="+27820000001", tipAmount=0.5)
    )
    told = notification_of(paycode.RecoveryApi(client), payment.transaction_id)

print(
    json.dumps(
        {
            "encryptKey": url.encrypt_key,
            "entries": [entry.value for entry in entries],
            "code": created.code,
            "state": code.state,
            "expiryDate": str(code.expiry_date),
            "merchantId": str(told.merchant_id),
            "transactionId": str(told.transaction_id),
            "referenceTransactionId": str(told.reference_transaction_id),
            "retrievalReferenceNumber": str(told.bank_response.retrieval_reference_number),
            "amount": str(told.amount),
            "tipAmount": str(told.tip_amount),
        }
    )
)
