// Both Go programs read their order from the first argument, and print each number as it was read.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"time"
)

type given struct {
	BaseURL, CaFile, Username, Password, URL, Reference, Amount string
	MerchantID, ExpiryDate                                      int64
	Amounts                                                     []struct{ Amount, CurrencyCode string }
}

const patience = 2 * time.Minute

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func number(text string) float64 { return must(strconv.ParseFloat(text, 64)) }

func text(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }

func digits(value int64) string { return strconv.FormatInt(value, 10) }

func readOrder() (order given, client *http.Client) {
	must(0, json.Unmarshal([]byte(os.Args[1]), &order))
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(must(os.ReadFile(order.CaFile)))
	return order, &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities}}}
}

func report(numbers map[string]any) { must(0, json.NewEncoder(os.Stdout).Encode(numbers)) }
