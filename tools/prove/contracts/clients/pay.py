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

    def create(reference, amount, currency):
        body = paycode.CreateCodeBody(
            merchantId=given["merchantId"],
            merchantReference=reference,
            amount=float(amount),
            currencyCode=currency,
            expiryDate=given["expiryDate"],
            requestTip=True,
        )
        return codes.get_code(codes.create_code(body).code)

    wishes = [(wish["amount"], wish["currencyCode"]) for wish in given["amounts"]]
    made = [create(f"{given['reference']}-{amount}", amount, currency) for amount, currency in wishes]
    code = create(given["reference"], given["amount"], "ZAR")
    payment = paycode.PublicPagesApi(client).pay_code(
        code.code, paycode.PaymentBody(outcome="SUCCESS", clientMsisdn="+27820000001", tipAmount=0.5)
    )
    told = notification_of(paycode.RecoveryApi(client), payment.transaction_id)

print(
    json.dumps(
        {
            "encryptKey": url.encrypt_key,
            "entries": [entry.value for entry in entries],
            "kept": [{"code": one.code, "amount": str(one.amount)} for one in made],
            "code": code.code,
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
