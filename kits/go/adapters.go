package receiver

import (
	"io"
	"net/http"
)

// ServeHTTP is the adapter to net/http, and so to every router on it: mux.Handle("POST /paycode", &receiver).
func (receiver *Receiver) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(io.LimitReader(request.Body, BodyBytesMax+1))
	if err != nil {
		http.Error(response, "the body did not arrive", http.StatusBadRequest)
		return
	}
	answer := receiver.Receive(body, request.Header.Get)
	http.Error(response, answer.Reason, answer.Status)
	if answer.After != nil {
		go answer.After()
	}
}
