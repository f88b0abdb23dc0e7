// Creates codes, pays one and reads the notification with the client of openapi-generator; prints each number as it was read.
package main

import (
	"context"
	"net/http"
	"time"

	paycode "pay/paycode"
)

func answered[T any](value T, _ *http.Response, err error) T { return must(value, err) }

func main() {
	order, transport := readOrder()
	configuration := paycode.NewConfiguration()
	configuration.Servers = paycode.ServerConfigurations{{URL: order.BaseURL}}
	configuration.HTTPClient = transport
	client := paycode.NewAPIClient(configuration)
	as := context.WithValue(context.Background(), paycode.ContextBasicAuth, paycode.BasicAuth{UserName: order.Username, Password: order.Password})

	stored := answered(client.MerchantNotificationsAPI.AddHttp(as).AddHttpRequest(*paycode.NewAddHttpRequest(order.URL, "V3", order.MerchantID)).Execute())
	create := func(reference, amount, currency string) *paycode.PaymentCode {
		body := paycode.NewCreateCodeBody(reference, number(amount), currency)
		body.SetMerchantId(order.MerchantID)
		body.SetExpiryDate(order.ExpiryDate)
		body.SetRequestTip(true)
		created := answered(client.CodesAPI.CreateCode(as).CreateCodeBody(*body).Execute())
		return answered(client.CodesAPI.GetCode(as, created.Code).Execute())
	}
	kept := []map[string]string{}
	for _, wish := range order.Amounts {
		code := create(order.Reference+"-"+wish.Amount, wish.Amount, wish.CurrencyCode)
		kept = append(kept, map[string]string{"code": code.Code, "amount": text(code.Amount)})
	}
	code := create(order.Reference, order.Amount, "ZAR")
	payment := paycode.NewPaymentBody("SUCCESS", "+27820000001")
	payment.SetTipAmount(0.5)
	paid := answered(client.PublicPagesAPI.PayCode(as, code.Code).PaymentBody(*payment).Execute())
	notification := notificationOf(as, client, paid.TransactionId)
	report(map[string]any{
		"encryptKey":               stored.EncryptKey,
		"kept":                     kept,
		"code":                     code.Code,
		"expiryDate":               digits(code.ExpiryDate),
		"merchantId":               digits(notification.MerchantId),
		"transactionId":            digits(notification.TransactionId),
		"referenceTransactionId":   digits(notification.ReferenceTransactionId),
		"retrievalReferenceNumber": digits(notification.BankResponse.GetRetrievalReferenceNumber()),
		"amount":                   text(notification.Amount),
		"tipAmount":                text(notification.GetTipAmount()),
	})
}

// notificationOf waits: a moment after the payment there may be nothing to read yet.
func notificationOf(as context.Context, client *paycode.APIClient, id int64) *paycode.TransactionNotificationV3 {
	for giveUpAt := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		notification, response, err := client.RecoveryAPI.GetNotification(as, id).Execute()
		if err == nil {
			return notification
		}
		if response == nil || response.StatusCode != 404 || time.Now().After(giveUpAt) {
			panic(err)
		}
	}
}
