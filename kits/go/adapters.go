package receiver

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// ServeHTTP is the adapter to net/http, and so to every router on it: mux.Handle("POST /paycode", &receiver).
func (receiver *Receiver) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	arrivedAt := time.Now()
	// The reader of net/http closes the connection after a body over the limit: the server would wait for the rest before it answers.
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, BodyBytesMax))
	var tooLong *http.MaxBytesError
	if errors.As(err, &tooLong) {
		http.Error(response, "TOO_LONG", http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		http.Error(response, "the body did not arrive", http.StatusBadRequest)
		return
	}
	if len(body) == 0 && request.ContentLength > 0 {
		answer := receiver.failed(errors.New("something has read the notification before the receiver: mount the receiver before it"))
		http.Error(response, answer.Reason, answer.Status)
		return
	}
	answer := receiver.ReceiveAt(arrivedAt, body, request.Header.Get)
	http.Error(response, answer.Reason, answer.Status)
	if answer.After != nil {
		go answer.After()
	}
}
