package receiver

import (
	"context"
	"errors"
	"fmt"
	"log"
	"regexp"
	"time"
)

// BodyBytesMax: the receiver refuses longer bodies (413); a notification is far smaller.
const BodyBytesMax = 131_072

const busyPause = 50 * time.Millisecond

var probe = regexp.MustCompile(`^\s*\{\s*"result"\s*:\s*"TEST"\s*\}\s*$`)

// Answer to a notification: 200 keeps the payment, anything else reverses it.
type Answer struct {
	Status int
	// Reason is HANDLED, ACCEPTED, REPEAT, PROBE, TEST, REVERSED, BUSY, TOO_SLOW, HANDLER_FAILED, TOO_LONG or the code of a RefusedBody;
	// for your log.
	Reason string
	// After is the handler's work when the receiver answers first. The adapter starts it once the answer is sent.
	After func()
}

// Receiver decides what to answer. Its fields are set before its first use.
type Receiver struct {
	// Keys gives the current keys, at each notification: one, and during a renewal the new and the old one.
	Keys  func() ([]string, error)
	Store Store
	// Handler is your work. It must be idempotent: a process may die after the work and before the store records it.
	Handler func(*Notification) error
	// AnswerFirst: the handler runs after the answer 200. Otherwise the answer waits for the handler, and a payment that you could not store is
	// reversed.
	AnswerFirst bool
	// AnswerWithin is 40 seconds from the arrival of the request unless given: the answer is given by then, whatever the handler does, and is not 200
	// later. The platform waits 45 seconds.
	AnswerWithin time.Duration
	// OnError is called when the handler, the keys or the store fails, or something has read the body before. Default: log.Print.
	OnError func(error)
}

// Receive gives the answer to a raw body; header gives a header's value by its name.
func (receiver *Receiver) Receive(rawBody []byte, header func(string) string) Answer {
	return receiver.ReceiveAt(time.Now(), rawBody, header)
}

// ReceiveAt is Receive for a request that came earlier.
func (receiver *Receiver) ReceiveAt(arrivedAt time.Time, rawBody []byte, header func(string) string) Answer {
	dueAt := arrivedAt.Add(orElse(receiver.AnswerWithin, 40*time.Second))
	answer := receiver.answered(rawBody, header, dueAt)
	if answer.Status == 200 && time.Now().After(dueAt) {
		return Answer{Status: 503, Reason: "TOO_SLOW"}
	}
	return answer
}

func (receiver *Receiver) answered(rawBody []byte, header func(string) string, dueAt time.Time) Answer {
	if len(rawBody) > BodyBytesMax {
		return Answer{Status: 413, Reason: "TOO_LONG"}
	}
	if probe.Match(rawBody) {
		return Answer{Status: 200, Reason: "PROBE"}
	}
	keys, err := receiver.Keys()
	if err != nil {
		return receiver.failed(err)
	}
	notification, err := Open(rawBody, namedFirst(keys, header("X-Webhook-Key-Id")))
	var refused *RefusedBody
	if errors.As(err, &refused) {
		return Answer{Status: 400, Reason: refused.Code}
	}
	if err != nil {
		return receiver.failed(err)
	}
	if header("X-Webhook-Test") == "1" && notification.isTest() {
		return Answer{Status: 200, Reason: "TEST"}
	}
	return receiver.claimed(notification, dueAt)
}

// Resume handles notifications that a dead process left or whose handler failed after the answer. Call it every minute; read is Client.GetNotification.
// One that cannot be read stays for the next call, and OnError is told; the others are handled. It fails when the store does not know what is pending.
func (receiver *Receiver) Resume(ctx context.Context, read func(context.Context, int64) (*Notification, error)) error {
	ids, err := receiver.Store.Pending()
	for _, id := range ids {
		if resumeErr := receiver.resume(ctx, id, read); resumeErr != nil {
			receiver.failed(resumeErr)
		}
	}
	return err
}

func (receiver *Receiver) resume(ctx context.Context, id int64, read func(context.Context, int64) (*Notification, error)) error {
	notification, err := read(ctx, id)
	if err != nil {
		return err
	}
	claim, err := receiver.Store.Claim(notification)
	if err != nil {
		return err
	}
	if claim == New {
		receiver.handle(notification, false)
	}
	if claim == Reversed {
		return receiver.Store.Done(id)
	}
	return nil
}

func (receiver *Receiver) claimed(notification *Notification, dueAt time.Time) Answer {
	claim, err := receiver.Store.Claim(notification)
	for err == nil && claim == Busy && !receiver.AnswerFirst {
		if time.Now().Add(busyPause).After(dueAt) {
			return Answer{Status: 503, Reason: "BUSY"}
		}
		time.Sleep(busyPause)
		claim, err = receiver.Store.Claim(notification)
	}
	switch {
	case err != nil:
		return receiver.failed(err)
	case claim == Reversed:
		return Answer{Status: 409, Reason: "REVERSED"}
	case claim != New:
		return Answer{Status: 200, Reason: "REPEAT"}
	case time.Now().After(dueAt):
		_ = receiver.Store.Release(notification.TransactionID) // else the claim ends by itself, after a minute
		return Answer{Status: 503, Reason: "TOO_SLOW"}
	case receiver.AnswerFirst:
		return Answer{Status: 200, Reason: "ACCEPTED", After: func() { receiver.handle(notification, false) }}
	}
	return receiver.handledBy(dueAt, notification)
}

func (receiver *Receiver) handledBy(dueAt time.Time, notification *Notification) Answer {
	handled := make(chan Answer, 1) // a handler that runs on after the answer ends by itself
	go func() { handled <- receiver.handle(notification, true) }()
	select {
	case answer := <-handled:
		return answer
	case <-time.After(time.Until(dueAt)):
		return Answer{Status: 503, Reason: "TOO_SLOW"}
	}
}

func (receiver *Receiver) handle(notification *Notification, mayRetry bool) (answer Answer) {
	err := receiver.work(notification)
	if err == nil {
		return Answer{Status: 200, Reason: "HANDLED"}
	}
	// The platform does not repeat after a 200, so the claim stays and Resume finds it.
	if mayRetry {
		err = errors.Join(err, receiver.Store.Release(notification.TransactionID))
	}
	return receiver.failed(err)
}

// work turns a panic of the handler or the store into its failure, so that no other notification fails.
func (receiver *Receiver) work(notification *Notification) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the handler panicked: %v", cause)
		}
	}()
	if err = receiver.Handler(notification); err != nil {
		return err
	}
	return receiver.Store.Done(notification.TransactionID)
}

// failed survives a panic of OnError.
func (receiver *Receiver) failed(err error) (answer Answer) {
	answer = Answer{Status: 500, Reason: "HANDLER_FAILED"}
	defer func() {
		if cause := recover(); cause != nil {
			log.Print("Paycode receiver: OnError panicked: ", cause)
		}
	}()
	if receiver.OnError == nil {
		log.Print("Paycode receiver: ", err)
	} else {
		receiver.OnError(err)
	}
	return answer
}
