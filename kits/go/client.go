package receiver

import (
	"bytes"
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
	"strings"
	"sync"
	"time"
)

const (
	timeout        = 30 * time.Second
	answerBytesMax = 1 << 20
	renewBefore    = time.Minute
)

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

// Client logs in with the mutual challenge (docs/how-to/log-in.md), keeps the session fresh, and sends requests with it. Goroutines may
// share it.
type Client struct {
	url, identity, password string
	privateKey              *rsa.PrivateKey
	serviceKey              *rsa.PublicKey
	http                    *http.Client
	lock                    sync.Mutex
	session                 *Session
}

// ClientOptions: PrivateKey is your RSA-4096 key, PEM (PKCS#8); ServiceKey the service's public key, base64 X.509; CA the PEM of the authority to
// trust (default: the system's authorities).
type ClientOptions struct{ URL, Identity, Password, PrivateKey, ServiceKey, CA string }

// Format prints the options with every verb as URL and identity, so that no log holds the password.
func (options ClientOptions) Format(state fmt.State, _ rune) {
	fmt.Fprint(state, "ClientOptions ", options.URL, " ", options.Identity)
}

// Format prints a client with every verb as its URL and identity.
func (client *Client) Format(state fmt.State, _ rune) {
	fmt.Fprint(state, "Client ", client.url, " ", client.identity)
}

// NewClient reads the keys.
func NewClient(options ClientOptions) (*Client, error) {
	block, _ := pem.Decode([]byte(options.PrivateKey))
	if block == nil {
		return nil, errors.New("the private key is not PEM")
	}
	private, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	der, err := base64.StdEncoding.DecodeString(strings.TrimSpace(options.ServiceKey))
	if err != nil {
		return nil, err
	}
	public, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, err
	}
	privateKey, isPrivate := private.(*rsa.PrivateKey)
	serviceKey, isPublic := public.(*rsa.PublicKey)
	if !isPrivate || !isPublic {
		return nil, errors.New("both keys must be RSA keys")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if options.CA != "" {
		authorities := x509.NewCertPool()
		if !authorities.AppendCertsFromPEM([]byte(options.CA)) {
			return nil, errors.New("the authority is not PEM")
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: authorities}
	}
	sender := &http.Client{Transport: transport, Timeout: timeout}
	return &Client{url: options.URL, identity: options.Identity, password: options.Password, privateKey: privateKey, serviceKey: serviceKey, http: sender}, nil
}

// LogIn fails before it sends the password, if the service does not prove that it holds its key.
func (client *Client) LogIn() (*Session, error) {
	client.lock.Lock()
	defer client.lock.Unlock()
	return client.logIn()
}

func (client *Client) logIn() (*Session, error) {
	secret := make([]byte, 64)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	sealed, err := rsa.EncryptOAEP(sha1.New(), rand.Reader, client.serviceKey, secret, nil)
	if err != nil {
		return nil, err
	}
	query := url.Values{"identity": {client.identity}, "clientChallenge": {base64.StdEncoding.EncodeToString(sealed)}}
	challenge := struct{ Base64EncodedChallenge, Base64EncodedClientChallengeResponse string }{}
	if err := client.expect(http.MethodGet, "/authentication/login-challenges?"+query.Encode(), nil, &challenge); err != nil {
		return nil, err
	}
	if !hmac.Equal([]byte(challenge.Base64EncodedClientChallengeResponse), []byte(hash(secret))) {
		return nil, errors.New("the service did not prove that it holds its key")
	}
	encrypted, err := base64.StdEncoding.DecodeString(challenge.Base64EncodedChallenge)
	if err != nil {
		return nil, err
	}
	decrypted, err := rsa.DecryptOAEP(sha1.New(), nil, client.privateKey, encrypted, nil)
	if err != nil {
		return nil, err
	}
	body := map[string]string{
		"identity": client.identity, "password": client.password,
		"base64EncodedChallengeHash": hash(encrypted), "base64EncodedChallengeResponse": hash(decrypted),
	}
	session := &Session{}
	if err := client.expect(http.MethodPost, "/authentication/login", body, session); err != nil {
		return nil, err
	}
	client.session = session
	return session, nil
}

// Renew gets a new token for the same session; the old one stops working.
func (client *Client) Renew() (*Session, error) {
	client.lock.Lock()
	defer client.lock.Unlock()
	return client.renew()
}

func (client *Client) renew() (*Session, error) {
	if client.session == nil {
		return client.logIn()
	}
	status, text, err := client.call(http.MethodPost, "/authentication/renew", client.jwt(), nil)
	if err != nil {
		return nil, err
	}
	if status == http.StatusUnauthorized { // the token has expired, so log in again
		return client.logIn()
	}
	session := &Session{}
	if err := parsed("/authentication/renew", status, text, session); err != nil {
		return nil, err
	}
	client.session = session
	return session, nil
}

// LogOut ends the session.
func (client *Client) LogOut() error {
	client.lock.Lock()
	defer client.lock.Unlock()
	if client.session == nil {
		return nil
	}
	err := client.expect(http.MethodPost, "/authentication/logout", client.jwt(), &struct{}{})
	client.session = nil
	return err
}

// Send sends a request in the session: it logs in first, and renews a token that ends within a minute. It gives status and text.
func (client *Client) Send(method, path string, body any) (int, []byte, error) {
	session, err := client.fresh()
	if err != nil {
		return 0, nil, err
	}
	return client.call(method, path, body, session)
}

// Notification reads a notification that was missed. If nobody has acknowledged the payment yet, this call acknowledges it.
func (client *Client) Notification(transactionID int64) (*Notification, error) {
	status, text, err := client.Send(http.MethodGet, fmt.Sprintf("/pluto/purchase/notification/%d", transactionID), nil)
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("getNotification answered %d", status)
	}
	return Read(text)
}

func (client *Client) fresh() (*Session, error) {
	client.lock.Lock()
	defer client.lock.Unlock()
	if client.session == nil {
		return client.logIn()
	}
	if time.Until(client.session.Expires) < renewBefore {
		return client.renew()
	}
	return client.session, nil
}

// jwt is the body of renew and logout, which take the token without the word Bearer.
func (client *Client) jwt() map[string]string {
	return map[string]string{"jwt": strings.TrimPrefix(client.session.HeaderValue, "Bearer ")}
}

func (client *Client) expect(method, path string, body, into any) error {
	status, text, err := client.call(method, path, body, nil)
	if err != nil {
		return err
	}
	return parsed(path, status, text, into)
}

func (client *Client) call(method, path string, body any, session *Session) (int, []byte, error) {
	var payload bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&payload).Encode(body); err != nil {
			return 0, nil, err
		}
	}
	request, err := http.NewRequest(method, client.url+path, &payload)
	if err != nil {
		return 0, nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if session != nil {
		request.Header.Set(session.HeaderName, session.HeaderValue)
	}
	response, err := client.http.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, answerBytesMax))
	return response.StatusCode, text, err
}

// The errors of parsed hold neither the request nor secrets.
func parsed(path string, status int, text []byte, into any) error {
	if status != http.StatusOK {
		return fmt.Errorf("%s answered %d", strings.Split(path, "?")[0], status)
	}
	return json.Unmarshal(text, into)
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return base64.StdEncoding.EncodeToString(sum[:])
}
