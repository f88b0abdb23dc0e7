// Package receiver receives Paycode's payment notifications, and logs in to Paycode.
package receiver

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// RefusedBody says that none of the keys opens the body as a notification. Its message holds neither body nor key.
type RefusedBody struct {
	// Code is BAD_ENCODING, TOO_SHORT, NOT_AUTHENTIC or NOT_A_NOTIFICATION.
	Code string
}

func (refused *RefusedBody) Error() string { return "the body was refused: " + refused.Code }

// Notification is a notification of version V3. A field that the JSON leaves out is nil.
type Notification struct {
	TransactionID          int64          `json:"transactionId"` // Repeats have the same id.
	MerchantID             int64          `json:"merchantId"`
	MerchantName           string         `json:"merchantName"`
	Acquirer               string         `json:"acquirer"`
	Reference              string         `json:"reference"` // The merchantReference given at createCode.
	Amount                 json.Number    `json:"amount"`    // The digits as they were sent: give them to a decimal type, never to a float.
	CurrencyCode           string         `json:"currencyCode"`
	Code                   *string        `json:"code"`
	Status                 string         `json:"status"` // SUCCESS, REVERSED, ... The kit passes an unknown status on unchanged.
	ClientMsisdn           *string        `json:"clientMsisdn"`
	Destination            *string        `json:"destination"`
	ExtraReferenceName     *string        `json:"extraReferenceName"`
	ExtraReferenceValue    *string        `json:"extraReferenceValue"`
	TipAmount              *json.Number   `json:"tipAmount"`
	ReferenceTransactionID int64          `json:"referenceTransactionId"` // For a refund or reversal the id of the original payment, else 0.
	BankResponse           map[string]any `json:"bankResponse"`           // Numbers in it are json.Number.
	CardInfo               map[string]any `json:"cardInfo"`
	ClientContact          map[string]any `json:"clientContact"`
	ClientBilling          map[string]any `json:"clientBilling"`
	ClientShipping         map[string]any `json:"clientShipping"`
	VersionData            map[string]any `json:"versionData"`
	Text                   string         `json:"-"` // The JSON as it was sent. It holds personal data.
}

// Format prints a notification with every verb as its id and status, so that no log holds a card or a phone.
func (notification Notification) Format(state fmt.State, _ rune) {
	fmt.Fprintf(state, "Notification %d %s", notification.TransactionID, notification.Status)
}

// PaymentID is the id of the payment that the notification is about; for a reversal, of the original payment.
func (notification *Notification) PaymentID() int64 {
	if notification.Status == "REVERSED" && notification.ReferenceTransactionID > 0 {
		return notification.ReferenceTransactionID
	}
	return notification.TransactionID
}

const (
	nonceBytes = 12
	tagBytes   = 16
	idMax      = 1<<53 - 1
)

var (
	base64Form     = regexp.MustCompile(`^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$`)
	keyForm        = regexp.MustCompile(`^\W*([0-9A-Fa-f]{32})\W*$`)
	word           = regexp.MustCompile(`\w`)
	unsignedNumber = regexp.MustCompile(`^\d`)
)

// Open gives the notification in a raw body: base64 of nonce (12 bytes), ciphertext and tag (16 bytes), AES-128-GCM under one of the
// keys (32 hexadecimal characters each). Give the lines of your key file: blanks, quotes, empty lines and what follows a # do not matter, and every
// key is tried, the new and the old one during a renewal. The error of a bad body is a *RefusedBody; another says that no key fits and a line is none.
func Open(rawBody []byte, keys []string) (*Notification, error) {
	if !base64Form.Match(rawBody) {
		return nil, &RefusedBody{"BAD_ENCODING"}
	}
	sealed, _ := base64.StdEncoding.DecodeString(string(rawBody)) // it has the form
	if len(sealed) < nonceBytes+tagBytes {
		return nil, &RefusedBody{"TOO_SHORT"}
	}
	isUnreadable := false
	for _, line := range keys {
		line, _, _ = strings.Cut(line, "#")
		key := keyForm.FindStringSubmatch(line)
		if key == nil {
			isUnreadable = isUnreadable || word.MatchString(line)
			continue
		}
		secret, _ := hex.DecodeString(key[1]) // it has the form
		block, err := aes.NewCipher(secret)
		if err != nil {
			return nil, err
		}
		gcm, err := cipher.NewGCMWithTagSize(block, tagBytes)
		if err != nil {
			return nil, err
		}
		// An error means that the body has another key or was changed on the way.
		if plaintext, err := gcm.Open(nil, sealed[:nonceBytes], sealed[nonceBytes:], nil); err == nil {
			return Read(plaintext)
		}
	}
	if isUnreadable {
		return nil, errors.New("a webhook key is 32 hexadecimal characters")
	}
	return nil, &RefusedBody{"NOT_AUTHENTIC"}
}

// namedFirst puts the key that id, the header X-Webhook-Key-Id, names before the others: during a renewal it is the right one. Nobody vouches for a
// header, so the others stay.
func namedFirst(keys []string, id string) []string {
	isNamed := func(line string) bool {
		line, _, _ = strings.Cut(line, "#")
		key := keyForm.FindStringSubmatch(line)
		if key == nil {
			return false
		}
		secret, _ := hex.DecodeString(key[1]) // it has the form
		digest := sha256.Sum256(secret)
		return hex.EncodeToString(digest[:8]) == id
	}
	at := slices.IndexFunc(keys, isNamed)
	if at < 1 {
		return keys
	}
	return append(append([]string{keys[at]}, keys[:at]...), keys[at+1:]...)
}

// Read gives the notification in its plain JSON: a decrypted body, or what getNotification answers. The error is a *RefusedBody.
func Read(plaintext []byte) (*Notification, error) {
	notification := &Notification{Text: string(plaintext)}
	decoder := json.NewDecoder(bytes.NewReader(plaintext))
	decoder.UseNumber()
	if !utf8.Valid(plaintext) || decoder.Decode(notification) != nil || decoder.Decode(&struct{}{}) != io.EOF || !notification.isWhole() {
		return nil, &RefusedBody{"NOT_A_NOTIFICATION"}
	}
	return notification, nil
}

// isWhole says that every required field is present and has its type. encoding/json alone takes "110.10" for a json.Number, and fills absent fields.
func (notification *Notification) isWhole() bool {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal([]byte(notification.Text), &fields) != nil || !unsignedNumber.Match(fields["amount"]) {
		return false
	}
	for _, name := range []string{"merchantName", "acquirer", "reference", "currencyCode", "status"} {
		if !bytes.HasPrefix(fields[name], []byte(`"`)) {
			return false
		}
	}
	if notification.TipAmount != nil && !unsignedNumber.Match(fields["tipAmount"]) {
		return false
	}
	return isID(notification.TransactionID, 1) && isID(notification.MerchantID, 1) && isID(notification.ReferenceTransactionID, 0)
}

func isID(id, least int64) bool { return id >= least && id <= idMax }

// isTest: the header is not authenticated, so the encrypted body must be that of a test too: amount 0 and a reference that begins with TEST-.
func (notification *Notification) isTest() bool {
	return strings.Trim(notification.Amount.String(), "0.") == "" && strings.HasPrefix(notification.Reference, "TEST-")
}
