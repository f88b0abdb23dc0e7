// Creates codes, pays one and reads the notification with the client of oapi-codegen; prints each number as it was read.
package main

import (
	"context"
	"net/http"
	"time"

	"pay/paycode"
)

// read gives the body of an answer 200.
func read[T any](value *T, body []byte) T {
	if value == nil {
		panic(string(body))
	}
	return *value
}

func main() {
	order, transport := readOrder()
	account := func(_ context.Context, request *http.Request) error {
		request.SetBasicAuth(order.Username, order.Password)
		return nil
	}
	client := must(paycode.NewClientWithResponses(order.BaseURL, paycode.WithHTTPClient(transport), paycode.WithRequestEditorFn(account)))
	ctx, isTrue, tip := context.Background(), true, 0.5

	url := must(client.AddHttpWithResponse(ctx, paycode.AddHttpRequest{MerchantId: order.MerchantID, Url: order.URL, Version: "V3"}))
	stored := read(url.JSON200, url.Body)
	create := func(reference, amount, currency string) paycode.PaymentCode {
		body := paycode.CreateCodeBody{MerchantId: &order.MerchantID, MerchantReference: reference, Amount: number(amount), CurrencyCode: currency, ExpiryDate: &order.ExpiryDate, RequestTip: &isTrue}
		created := must(client.CreateCodeWithResponse(ctx, body))
		code := must(client.GetCodeWithResponse(ctx, read(created.JSON200, created.Body).Code))
		return read(code.JSON200, code.Body)
	}
	kept := []map[string]string{}
	for _, wish := range order.Amounts {
		code := create(order.Reference+"-"+wish.Amount, wish.Amount, wish.CurrencyCode)
		kept = append(kept, map[string]string{"code": code.Code, "amount": text(code.Amount)})
	}
	code := create(order.Reference, order.Amount, "ZAR")
	paid := must(client.PayCodeWithResponse(ctx, code.Code, paycode.PaymentBody{Outcome: "SUCCESS", ClientMsisdn: "+27820000001", TipAmount: &tip}))
	notification := notificationOf(ctx, client, read(paid.JSON200, paid.Body).TransactionId)
	report(map[string]any{
		"encryptKey":               stored.EncryptKey,
		"kept":                     kept,
		"code":                     code.Code,
		"expiryDate":               digits(code.ExpiryDate),
		"merchantId":               digits(notification.MerchantId),
		"transactionId":            digits(notification.TransactionId),
		"referenceTransactionId":   digits(notification.ReferenceTransactionId),
		"retrievalReferenceNumber": digits(*notification.BankResponse.RetrievalReferenceNumber),
		"amount":                   text(notification.Amount),
		"tipAmount":                text(*notification.TipAmount),
	})
}

// notificationOf waits: a moment after the payment there may be nothing to read yet.
func notificationOf(ctx context.Context, client *paycode.ClientWithResponses, id int64) paycode.TransactionNotificationV3 {
	for giveUpAt := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		answer := must(client.GetNotificationWithResponse(ctx, id))
		if answer.StatusCode() != 404 || time.Now().After(giveUpAt) {
			return read(answer.JSON200, answer.Body)
		}
	}
}
