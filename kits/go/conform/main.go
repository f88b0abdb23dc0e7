// The program that the kit's tests run, in a module that requires the packed kit: `vectors <file>`, `serve http` or `client`.
package main

import (
	"context"
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

func read(file string) string {
	if os.Getenv(file) == "" {
		return ""
	}
	return string(must(os.ReadFile(os.Getenv(file))))
}

// calls are lines of words (describe-client.ts); it prints a line for each.
func calls() {
	ctx := context.Background()
	milliseconds := must(strconv.Atoi(os.Getenv("PAYCODE_TIMEOUT_MS")))
	options := receiver.ClientOptions{
		URL: os.Getenv("PAYCODE_URL"), Identity: os.Getenv("PAYCODE_IDENTITY"), Password: os.Getenv("PAYCODE_PASSWORD"),
		CA: read("PAYCODE_CA_FILE"), Timeout: time.Duration(milliseconds) * time.Millisecond, Bearer: os.Getenv("PAYCODE_LOGIN") == "BEARER",
	}
	if os.Getenv("PAYCODE_LOGIN") == "CHALLENGE" {
		options.PrivateKey, options.ServiceKey = read("PAYCODE_PRIVATE_KEY_FILE"), read("PAYCODE_SERVICE_KEY_FILE")
	}
	client := must(receiver.NewClient(options))
	code := ""
	for _, line := range strings.Split(strings.TrimSpace(read("KIT_CALLS_FILE")), "\n") {
		printed, err := called(ctx, client, strings.Split(line, " "), &code)
		var failed *receiver.APIError
		if errors.As(err, &failed) { // decide by the code, and give support the request id
			printed = fmt.Sprint("error ", failed.Status, " ", failed.Code, " ", failed.RequestID)
		} else if err != nil {
			printed = "failed " + err.Error()
		}
		fmt.Println(printed)
	}
}

func called(ctx context.Context, client *receiver.Client, words []string, code *string) (string, error) {
	id := int64(0)
	if len(words) > 1 {
		id, _ = strconv.ParseInt(words[1], 10, 64)
	}
	switch words[0] {
	case "createCode":
		created, err := client.CreateCode(ctx, receiver.NewCode{MerchantReference: words[1], Amount: json.Number(words[2]), CurrencyCode: words[3]})
		if err != nil {
			return "", err
		}
		*code = created.Code
		return "code " + created.Code, nil
	case "queryRef":
		found, err := client.QueryRef(ctx, *code, words[1])
		return fmt.Sprint("reference ", value(found).Amount, " ", value(found).Status), err
	case "getNotification":
		notification, err := client.GetNotification(ctx, id)
		return fmt.Sprint("notification ", value(notification).TransactionID, " ", value(notification).Status, " ", value(notification).Amount), err
	case "notifications":
		page, err := client.Notifications(ctx, receiver.NotificationQuery{Since: must(time.Parse(time.RFC3339, words[1]))})
		ids := []string{}
		for _, each := range value(page).Notifications {
			ids = append(ids, strconv.FormatInt(each.TransactionID, 10))
		}
		return "notifications " + strings.Join(ids, ","), err
	case "addHttp":
		added, err := client.AddHTTP(ctx, id, words[2], "V3")
		return "key " + value(added).EncryptKey, err
	case "renewKey":
		renewed, err := client.RenewKey(ctx, id)
		return "key " + value(renewed).EncryptKey, err
	case "extra":
		list, err := client.Extra(ctx, id, words[2], words[3])
		return entries(list), err
	case "list":
		list, err := client.List(ctx, id)
		return entries(list), err
	case "send":
		text, err := client.Send(ctx, words[1], words[2], nil)
		return "text " + string(text), err
	case "logIn":
		session, err := client.LogIn(ctx)
		return "session " + value(session).SessionID, err
	case "renew":
		session, err := client.Renew(ctx)
		return "session " + value(session).SessionID, err
	case "logOut":
		return "logged out", client.LogOut(ctx)
	case "resume":
		err := theReceiver.Resume(ctx, client.GetNotification) // a server calls it every minute
		return "resumed", err
	}
	session, err := client.Renew(ctx)
	return fmt.Sprintf("printed %+v %#v %+v", client, client, session), err
}

func value[T any](pointer *T) (found T) {
	if pointer != nil {
		found = *pointer
	}
	return found
}

func entries(list []receiver.NotificationEntry) string {
	texts := []string{}
	for _, each := range list {
		texts = append(texts, each.Type+"="+each.Value)
	}
	return "entries " + strings.Join(texts, ",")
}

func main() {
	switch os.Args[1] {
	case "vectors":
		vectors(os.Args[2])
	case "serve":
		serve(os.Args[2])
	case "client":
		calls()
	}
}
