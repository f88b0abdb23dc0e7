package receiver

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	timeoutDefault = 30 * time.Second
	answerBytesMax = 1 << 20
	renewBefore    = time.Minute
	repeatWaitMax  = 5 * time.Second // a longer wait is the caller's to decide
	notification   = "/portal/restful/merchant/notification"
)

// APIError says that Paycode's answer was no success; errors.As finds it. Decide by Code (docs/reference/errors.md), and tell support the RequestID;
// both may be empty. It holds no secrets.
type APIError struct {
	Status          int
	Code, RequestID string
	RetryAfter      *time.Duration // The wait that a 429 or 503 asks for.
	text            string
}

func (failed *APIError) Error() string { return failed.text }

// Session is the answer of log in and renew.
type Session struct {
	HeaderName  string    `json:"headerName"`
	HeaderValue string    `json:"headerValue"`
	SessionID   string    `json:"sessionId"`
	Expires     time.Time `json:"expires"`
}

// Format prints a session with every verb as its id, so that no log holds the token.
func (session Session) Format(state fmt.State, _ rune) {
	fmt.Fprint(state, "Session ", session.SessionID)
}

// ClientOptions has URL, Identity and Password; the others may stay empty.
type ClientOptions struct {
	URL, Identity, Password string
	Bearer                  bool          // The account logs in for a token of 15 minutes. Else the password goes with each request (Basic).
	PrivateKey              string        // Your RSA-4096 key, PEM (PKCS#8): the log-in proves both sides' keys.
	ServiceKey              string        // The service's public key, base64 X.509. Needed with a private key.
	CA                      string        // PEM of the authority to trust (default: the system's authorities).
	Timeout                 time.Duration // For a request with its answer: 30 seconds.
	HTTPClient              *http.Client  // In place of one that follows no redirect and takes its proxy from HTTPS_PROXY and NO_PROXY.
}

// Format prints the options with every verb as URL and identity, so that no log holds the password.
func (options ClientOptions) Format(state fmt.State, _ rune) {
	fmt.Fprint(state, "ClientOptions ", options.URL, " ", options.Identity)
}

// Client calls Paycode for an account: by Basic, or with a session that it keeps fresh (docs/how-to/log-in.md). Goroutines may share it.
type Client struct {
	options    ClientOptions
	privateKey *rsa.PrivateKey
	serviceKey *rsa.PublicKey
	lock       sync.Mutex
	session    *Session
}

// Format prints a client with every verb as its URL and identity.
func (client *Client) Format(state fmt.State, _ rune) {
	fmt.Fprint(state, "Client ", client.options.URL, " ", client.options.Identity)
}

// NewClient reads the keys.
func NewClient(options ClientOptions) (*Client, error) {
	client := &Client{options: options}
	if options.PrivateKey != "" || options.ServiceKey != "" {
		client.options.Bearer = true
		if err := client.readKeys(); err != nil {
			return nil, err
		}
	}
	if options.Timeout == 0 {
		client.options.Timeout = timeoutDefault
	}
	if options.HTTPClient == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		if options.CA != "" {
			authorities := x509.NewCertPool()
			if !authorities.AppendCertsFromPEM([]byte(options.CA)) {
				return nil, errors.New("the authority is not PEM")
			}
			transport.TLSClientConfig = &tls.Config{RootCAs: authorities}
		}
		stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		client.options.HTTPClient = &http.Client{Transport: transport, CheckRedirect: stay}
	}
	return client, nil
}

func (client *Client) readKeys() error {
	block, _ := pem.Decode([]byte(client.options.PrivateKey))
	if block == nil {
		return errors.New("the private key is not PEM")
	}
	private, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return err
	}
	der, err := base64.StdEncoding.DecodeString(strings.TrimSpace(client.options.ServiceKey))
	if err != nil {
		return err
	}
	public, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return err
	}
	privateKey, isPrivate := private.(*rsa.PrivateKey)
	serviceKey, isPublic := public.(*rsa.PublicKey)
	if !isPrivate || !isPublic {
		return errors.New("both keys must be RSA keys")
	}
	client.privateKey, client.serviceKey = privateKey, serviceKey
	return nil
}

// NewCode is the body of CreateCode; the last eight may stay empty. Amount is an exact decimal, e.g. "25.50".
type NewCode struct {
	MerchantReference   string      `json:"merchantReference"`
	Amount              json.Number `json:"amount"`
	CurrencyCode        string      `json:"currencyCode"`
	MerchantID          int64       `json:"merchantId,omitempty"`
	ExpiryDate          *int64      `json:"expiryDate,omitempty"`
	ShortDescription    string      `json:"shortDescription,omitempty"`
	UseOnce             *bool       `json:"useOnce,omitempty"`
	RequestTip          bool        `json:"requestTip,omitempty"`
	RequestContact      bool        `json:"requestContact,omitempty"`
	ExtraReferenceName  string      `json:"extraReferenceName,omitempty"`
	ExtraReferenceValue string      `json:"extraReferenceValue,omitempty"`
}

// PaymentCode is what a customer pays.
type PaymentCode struct {
	Code       string `json:"code"`
	ExpiryDate int64  `json:"expiryDate"`
	CodeURL    string `json:"codeUrl"`
}

// PaymentReference tells how the payment of a code stands.
type PaymentReference struct {
	TransactionID *int64      `json:"transactionId"`
	Reference     string      `json:"reference"`
	Amount        json.Number `json:"amount"`
	CurrencyCode  string      `json:"currencyCode"`
	Status        string      `json:"status"`
	Code          string      `json:"code"`
	ClientMsisdn  *string     `json:"clientMsisdn"`
	Date          *string     `json:"date"`
}

// NotificationQuery says which notifications to list; each field may stay empty.
type NotificationQuery struct {
	Since                   time.Time
	Reference, Code, Cursor string
	MerchantID, Limit       int64
}

// NotificationPage is one page of a list; Next is the cursor of the next page, or nil.
type NotificationPage struct {
	Notifications []ListedNotification `json:"notifications"`
	Next          *string              `json:"next"`
}

// ListedNotification is a notification in a list.
type ListedNotification struct {
	TransactionID          int64      `json:"transactionId"`
	MerchantID             int64      `json:"merchantId"`
	Status                 string     `json:"status"`
	Reference              string     `json:"reference"`
	Code                   *string    `json:"code"`
	ReferenceTransactionID int64      `json:"referenceTransactionId"`
	CompletedAt            time.Time  `json:"completedAt"`
	Delivery               string     `json:"delivery"`
	AcknowledgedAt         *time.Time `json:"acknowledgedAt"`
}

// HTTPNotification is a merchant's URL with its key.
type HTTPNotification struct {
	MerchantID int64  `json:"merchantId"`
	URL        string `json:"url"`
	Version    string `json:"version"`
	EncryptKey string `json:"encryptKey"` // Secret: 32 hexadecimal characters for your key file.
}

// Format prints it with every verb as its URL, so that no log holds the key.
func (notification HTTPNotification) Format(state fmt.State, _ rune) {
	fmt.Fprint(state, "HTTPNotification ", notification.MerchantID, " ", notification.URL)
}

// NotificationEntry is a URL, an e-mail address or a phone number that is told of payments.
type NotificationEntry struct {
	Type    string `json:"type"`
	Value   string `json:"value"`
	Version string `json:"version"`
}

// CreateCode makes a payment code. A repeat with the same MerchantReference and content gives the same code, so a lost answer is asked for again.
func (client *Client) CreateCode(ctx context.Context, code NewCode) (*PaymentCode, error) {
	return result[PaymentCode](client, ctx, call{http.MethodPost, "/pluto/code/create", code, true})
}

// QueryRef tells how the payment of a code stands.
func (client *Client) QueryRef(ctx context.Context, code, merchantReference string) (*PaymentReference, error) {
	body := map[string]string{"code": code, "merchantReference": merchantReference}
	return result[PaymentReference](client, ctx, call{http.MethodPost, "/pluto/code/queryRef", body, true})
}

// GetNotification reads a notification that was missed. If nobody has acknowledged the payment yet, this call acknowledges it.
func (client *Client) GetNotification(ctx context.Context, transactionID int64) (*Notification, error) {
	text, err := client.send(ctx, call{http.MethodGet, fmt.Sprintf("/pluto/purchase/notification/%d", transactionID), nil, true})
	if err != nil {
		return nil, err
	}
	return Read(text)
}

// Notifications gives one page of what became final since an instant; it acknowledges nothing.
func (client *Client) Notifications(ctx context.Context, query NotificationQuery) (*NotificationPage, error) {
	words := url.Values{"reference": {query.Reference}, "code": {query.Code}, "cursor": {query.Cursor}}
	words["merchantId"], words["limit"] = []string{strconv.FormatInt(query.MerchantID, 10)}, []string{strconv.FormatInt(query.Limit, 10)}
	for name, values := range words {
		if values[0] == "" || values[0] == "0" {
			delete(words, name)
		}
	}
	if !query.Since.IsZero() {
		words.Set("since", query.Since.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	return result[NotificationPage](client, ctx, call{http.MethodGet, "/pluto/purchase/notifications?" + words.Encode(), nil, true})
}

// AddHTTP sets the URL of a merchant's notifications (version "V3") and gives the key that opens them. The URL must answer the probe.
func (client *Client) AddHTTP(ctx context.Context, merchantID int64, url, version string) (*HTTPNotification, error) {
	body := map[string]any{"merchantId": merchantID, "url": url, "version": version}
	return result[HTTPNotification](client, ctx, call{http.MethodPost, notification + "/addHttp", body, true})
}

// RenewKey gives a new key each time: after a lost answer look at what arrives before you call again.
func (client *Client) RenewKey(ctx context.Context, merchantID int64) (*HTTPNotification, error) {
	body := map[string]any{"merchantId": merchantID}
	return result[HTTPNotification](client, ctx, call{http.MethodPost, notification + "/renewKey", body, false})
}

// Extra also tells an e-mail address or phone number of payments; it gives all entries.
func (client *Client) Extra(ctx context.Context, merchantID int64, kind, value string) ([]NotificationEntry, error) {
	body := map[string]any{"merchantId": merchantID, "type": kind, "value": value}
	return some(result[[]NotificationEntry](client, ctx, call{http.MethodPost, notification + "/extra", body, true}))
}

// List gives a merchant's entries.
func (client *Client) List(ctx context.Context, merchantID int64) ([]NotificationEntry, error) {
	body := map[string]any{"merchantId": merchantID}
	return some(result[[]NotificationEntry](client, ctx, call{http.MethodPost, notification + "/list", body, true}))
}

// Send is for any other operation, body as JSON or nil. It gives the text of the answer; a status beside 200 is an *APIError. Only a GET is sent again.
func (client *Client) Send(ctx context.Context, method, path string, body any) ([]byte, error) {
	return client.send(ctx, call{method, path, body, method == http.MethodGet})
}

// LogIn is for Bearer accounts; other methods do it by themselves. It fails before it sends the password, if the service does not prove that it holds its key.
func (client *Client) LogIn(ctx context.Context) (*Session, error) {
	client.lock.Lock()
	defer client.lock.Unlock()
	return client.logIn(ctx)
}

// Renew gets a new token for the same session; the old one stops working.
func (client *Client) Renew(ctx context.Context) (*Session, error) {
	client.lock.Lock()
	defer client.lock.Unlock()
	return client.renew(ctx)
}

// LogOut ends the session.
func (client *Client) LogOut(ctx context.Context) error {
	client.lock.Lock()
	defer client.lock.Unlock()
	if client.session == nil {
		return nil
	}
	_, err := client.attempt(ctx, call{http.MethodPost, "/authentication/logout", client.jwt(), false}, nil)
	client.session = nil
	return err
}

type call struct {
	method, path string
	body         any
	isRepeatable bool // A second call does what one does, so a lost answer is asked for again.
}

func result[T any](client *Client, ctx context.Context, sent call) (*T, error) {
	text, err := client.send(ctx, sent)
	if err != nil {
		return nil, err
	}
	into := new(T)
	return into, json.Unmarshal(text, into)
}

func some[T any](list *[]T, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	return *list, nil
}

func (client *Client) send(ctx context.Context, sent call) ([]byte, error) {
	session, err := client.fresh(ctx)
	if err != nil {
		return nil, err
	}
	text, err := client.repeated(ctx, sent, session)
	var failed *APIError
	if session == nil || !errors.As(err, &failed) || failed.Status != http.StatusUnauthorized {
		return text, err
	}
	client.lock.Lock()
	if client.session == session { // it has ended elsewhere, and no other goroutine has logged in since
		client.session = nil
	}
	client.lock.Unlock()
	if session, err = client.fresh(ctx); err != nil {
		return nil, err
	}
	return client.repeated(ctx, sent, session)
}

// fresh gives nil for a Basic account.
func (client *Client) fresh(ctx context.Context) (*Session, error) {
	if !client.options.Bearer {
		return nil, nil
	}
	client.lock.Lock()
	defer client.lock.Unlock()
	if client.session == nil || time.Until(client.session.Expires) < renewBefore {
		return client.renew(ctx)
	}
	return client.session, nil
}

func (client *Client) renew(ctx context.Context) (*Session, error) {
	if client.session == nil {
		return client.logIn(ctx)
	}
	session, err := client.newSession(ctx, "/authentication/renew", client.jwt())
	var failed *APIError
	if errors.As(err, &failed) && failed.Status == http.StatusUnauthorized { // the token has expired
		return client.logIn(ctx)
	}
	return session, err
}

func (client *Client) logIn(ctx context.Context) (*Session, error) {
	body := map[string]string{"identity": client.options.Identity, "password": client.options.Password}
	if client.privateKey != nil {
		if err := client.prove(ctx, body); err != nil {
			return nil, err
		}
	}
	return client.newSession(ctx, "/authentication/login", body)
}

func (client *Client) newSession(ctx context.Context, path string, body any) (*Session, error) {
	text, err := client.attempt(ctx, call{http.MethodPost, path, body, false}, nil)
	if err != nil {
		return nil, err
	}
	session := &Session{}
	if err := json.Unmarshal(text, session); err != nil {
		return nil, err
	}
	client.session = session
	return session, nil
}

// prove adds both challenge fields of the log-in.
func (client *Client) prove(ctx context.Context, body map[string]string) error {
	secret := make([]byte, 64)
	if _, err := rand.Read(secret); err != nil {
		return err
	}
	sealed, err := rsa.EncryptOAEP(sha1.New(), rand.Reader, client.serviceKey, secret, nil)
	if err != nil {
		return err
	}
	query := url.Values{"identity": {client.options.Identity}, "clientChallenge": {base64.StdEncoding.EncodeToString(sealed)}}
	text, err := client.repeated(ctx, call{http.MethodGet, "/authentication/login-challenges?" + query.Encode(), nil, true}, nil)
	if err != nil {
		return err
	}
	challenge := struct{ Base64EncodedChallenge, Base64EncodedClientChallengeResponse string }{}
	if err := json.Unmarshal(text, &challenge); err != nil {
		return err
	}
	if !hmac.Equal([]byte(challenge.Base64EncodedClientChallengeResponse), []byte(hash(secret))) {
		return &APIError{Status: http.StatusOK, Code: "SERVICE_NOT_PROVEN", text: "the service did not prove that it holds its key"}
	}
	encrypted, err := base64.StdEncoding.DecodeString(challenge.Base64EncodedChallenge)
	if err != nil {
		return err
	}
	decrypted, err := rsa.DecryptOAEP(sha1.New(), nil, client.privateKey, encrypted, nil)
	if err != nil {
		return err
	}
	body["base64EncodedChallengeHash"], body["base64EncodedChallengeResponse"] = hash(encrypted), hash(decrypted)
	return nil
}

// jwt is the body of renew and logout, which take the token without the word Bearer.
func (client *Client) jwt() map[string]string {
	return map[string]string{"jwt": strings.TrimPrefix(client.session.HeaderValue, "Bearer ")}
}

// repeated tries a lost answer, 429, 502, 503 and 504 once more.
func (client *Client) repeated(ctx context.Context, sent call, session *Session) ([]byte, error) {
	text, err := client.attempt(ctx, sent, session)
	if err == nil || !sent.isRepeatable || ctx.Err() != nil {
		return text, err
	}
	wait := time.Second
	var failed *APIError
	if errors.As(err, &failed) {
		if failed.RetryAfter != nil {
			wait = *failed.RetryAfter
		}
		if wait > repeatWaitMax || !slices.Contains([]int{429, 502, 503, 504}, failed.Status) {
			return nil, err
		}
	}
	select {
	case <-ctx.Done():
		return nil, err
	case <-time.After(wait):
		return client.attempt(ctx, sent, session)
	}
}

func (client *Client) attempt(ctx context.Context, sent call, session *Session) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, client.options.Timeout)
	defer cancel()
	var payload bytes.Buffer
	if sent.body != nil {
		if err := json.NewEncoder(&payload).Encode(sent.body); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, sent.method, client.options.URL+sent.path, &payload)
	if err != nil {
		return nil, err
	}
	if sent.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if session != nil {
		request.Header.Set(session.HeaderName, session.HeaderValue)
	} else if !client.options.Bearer {
		request.SetBasicAuth(client.options.Identity, client.options.Password)
	}
	response, err := client.options.HTTPClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, answerBytesMax))
	if err == nil && response.StatusCode != http.StatusOK {
		err = newAPIError(request, response, text)
	}
	return text, err
}

func newAPIError(request *http.Request, response *http.Response, text []byte) *APIError {
	body := struct{ Code, Message, RequestID string }{RequestID: response.Header.Get("X-Request-Id")}
	_ = json.Unmarshal(text, &body) // an error: something between here and Paycode has answered
	failed := &APIError{Status: response.StatusCode, Code: body.Code, RequestID: body.RequestID}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		wait := time.Duration(seconds) * time.Second
		failed.RetryAfter = &wait
	}
	failed.text = fmt.Sprintf("%s %s answered %d %s: %s (requestId %s)", request.Method, request.URL.Path, failed.Status, body.Code, body.Message, body.RequestID)
	return failed
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return base64.StdEncoding.EncodeToString(sum[:])
}
