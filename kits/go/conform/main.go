// The program that the kit's tests run, in a module that requires the packed kit: `vectors <file>`, `serve http` or `login`.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"time"

	receiver "paycode.example/receiver"
)

var folder = os.Getenv("KIT_FOLDER")

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func vectors(file string) {
	var list struct {
		Vectors []struct {
			Name, Body string
			Keys       []string
			Expect     map[string]*string
		}
	}
	must(0, json.Unmarshal(must(os.ReadFile(file)), &list))
	for _, vector := range list.Vectors {
		printed := map[string]*string{"name": &vector.Name}
		notification, err := receiver.Open([]byte(vector.Body), vector.Keys)
		result := "OK"
		var refused *receiver.RefusedBody
		if errors.As(err, &refused) {
			result = refused.Code
		} else if err != nil {
			result = err.Error()
		} else {
			for path := range vector.Expect {
				printed[path] = at(notification, path)
			}
		}
		printed["result"] = &result
		fmt.Println(string(must(json.Marshal(printed))))
	}
}

// at gives the value of a field, named as in the JSON, as text.
func at(notification *receiver.Notification, path string) *string {
	if path == "paymentId" {
		text := strconv.FormatInt(notification.PaymentID(), 10)
		return &text
	}
	names := strings.Split(path, ".")
	fields := reflect.ValueOf(notification).Elem()
	for index := 0; index < fields.NumField(); index++ {
		if fields.Type().Field(index).Tag.Get("json") != names[0] {
			continue
		}
		value := reflect.Indirect(fields.Field(index))
		if !value.IsValid() {
			return nil
		}
		inner := value.Interface()
		if len(names) > 1 {
			inner = inner.(map[string]any)[names[1]]
		}
		if inner == nil {
			return nil
		}
		text := fmt.Sprint(inner)
		return &text
	}
	return nil
}

// keys are read at each notification, because the receiver starts before its key exists.
func keys() ([]string, error) {
	text, err := os.ReadFile(os.Getenv("KIT_KEYS_FILE"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return strings.Split(string(text), "\n"), err
}

func toldTo(what string, notification *receiver.Notification) bool {
	_, err := os.Stat(filepath.Join(folder, what))
	return err == nil && strings.HasPrefix(notification.Reference, what)
}

func handler(notification *receiver.Notification) error {
	fmt.Println("handling", notification.TransactionID)
	fmt.Printf("printed %+v %#v %s\n", notification, notification, *notification)
	if toldTo("fail", notification) {
		return errors.New("told to fail")
	}
	for toldTo("hold", notification) {
		time.Sleep(20 * time.Millisecond)
	}
	fmt.Println("handled", notification.TransactionID, notification.Status, notification.Amount, notification.Reference)
	return nil
}

var within, _ = strconv.Atoi(os.Getenv("KIT_ANSWER_WITHIN_MS"))

var theReceiver = &receiver.Receiver{
	Keys:         keys,
	Store:        &receiver.FileStore{Folder: filepath.Join(folder, "store")},
	Handler:      handler,
	AnswerFirst:  os.Getenv("KIT_WHEN") == "AFTER",
	AnswerWithin: time.Duration(within) * time.Millisecond,
	OnError:      map[string]func(error){"OWN": onError}[os.Getenv("KIT_ON_ERROR")],
}

func onError(err error) {
	fmt.Println("error", err)
	if _, err := os.Stat(filepath.Join(folder, "fail-on-error")); err == nil {
		panic("told to fail, too")
	}
}

// readFirst stands in front of the receiver and reads the body.
func readFirst(next http.Handler) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		must(io.Copy(io.Discard, request.Body))
		next.ServeHTTP(response, request)
	})
}

func serve(adapter string) {
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	var theReceiver http.Handler = theReceiver
	if adapter == "net/http, parser first" {
		theReceiver = readFirst(theReceiver)
	}
	mux := http.NewServeMux()
	mux.Handle("/paycode", theReceiver)
	fmt.Println("listening", listener.Addr().(*net.TCPAddr).Port)
	must(0, http.Serve(listener, mux))
}

func read(file string) string { return string(must(os.ReadFile(os.Getenv(file)))) }

func login() {
	url, identity, password := os.Getenv("PAYCODE_URL"), os.Getenv("PAYCODE_IDENTITY"), os.Getenv("PAYCODE_PASSWORD")
	privateKey, serviceKey, ca := read("PAYCODE_PRIVATE_KEY_FILE"), read("PAYCODE_SERVICE_KEY_FILE"), read("PAYCODE_CA_FILE")
	client, err := receiver.NewClient(receiver.ClientOptions{
		URL: url, Identity: identity, Password: password, PrivateKey: privateKey, ServiceKey: serviceKey, CA: ca,
	})
	must(0, err)
	session := must(client.LogIn())
	fmt.Println("logged in", session.SessionID)
	fmt.Printf("printed %+v %#v %+v\n", client, client, session)
	order := map[string]any{"merchantReference": "order-17", "amount": json.Number("25.50"), "currencyCode": "ZAR"}
	status, text, err := client.Send("POST", "/pluto/code/create", order)
	must(0, err)
	var created struct{ Code string }
	if status == 200 && json.Unmarshal(text, &created) == nil {
		fmt.Println("created", created.Code)
	} else {
		fmt.Println("refused with", status)
	}
	renewed := must(client.Renew())
	fmt.Println("renewed", renewed.SessionID, renewed.HeaderValue != session.HeaderValue)
	notification := must(client.Notification(must(strconv.ParseInt(os.Getenv("KIT_TRANSACTION"), 10, 64))))
	fmt.Println("read", notification.TransactionID, notification.Status, notification.Amount)
	err = theReceiver.Resume(client.Notification) // a server calls it every minute
	must(0, err)
	must(0, client.LogOut())
	fmt.Println("logged out")
}

func main() {
	switch os.Args[1] {
	case "vectors":
		vectors(os.Args[2])
	case "serve":
		serve(os.Args[2])
	case "login":
		login()
	}
}
