package receiver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Claim is the result of a claim. New: you handle it. Busy: another caller handles it now. Done: it was handled. Reversed: a SUCCESS whose payment
// was announced as reversed.
type Claim string

const (
	New      Claim = "NEW"
	Busy     Claim = "BUSY"
	Done     Claim = "DONE"
	Reversed Claim = "REVERSED"
)

// Store remembers which notifications were handled. Implement it on your database to share it between machines: kits/README.md has the
// statements.
type Store interface {
	// Claim claims a notification atomically: of two concurrent calls one gets New. A claim that is older than a minute is taken over.
	Claim(notification *Notification) (Claim, error)
	// Done: the handler has succeeded.
	Done(transactionID int64) error
	// Release: the handler has failed, a repeat may try again.
	Release(transactionID int64) error
	// Pending gives the ids that were claimed more than a minute ago and are not done, because a process died or a handler failed after the answer.
	Pending() ([]int64, error)
}

// FileStore is a store in a folder, for all processes of one machine: a file per notification (empty until it is done), and one per
// reversed payment.
type FileStore struct {
	Folder string
	// ClaimFor is a minute unless given.
	ClaimFor time.Duration
}

func (store *FileStore) Claim(notification *Notification) (Claim, error) {
	if err := os.MkdirAll(store.Folder, 0o700); err != nil {
		return "", err
	}
	mark := store.path(fmt.Sprintf("reversed-%d", notification.PaymentID()))
	if notification.Status == "REVERSED" {
		if _, err := created(mark); err != nil {
			return "", err
		}
	}
	claim, err := store.take(store.file(notification.TransactionID))
	if err != nil || notification.Status != "SUCCESS" {
		return claim, err
	}
	// Checked after the claim, so that a reversal that this check misses comes later than our claim.
	if _, err := os.Stat(mark); errors.Is(err, fs.ErrNotExist) {
		return claim, nil
	} else if err != nil {
		return "", err
	}
	if claim == New {
		err = store.Release(notification.TransactionID)
	}
	return Reversed, err
}

func (store *FileStore) Done(transactionID int64) error {
	file, err := os.Create(store.file(transactionID))
	if err != nil {
		return err
	}
	_, err = file.WriteString("DONE")
	return errors.Join(err, file.Sync(), file.Close())
}

func (store *FileStore) Release(transactionID int64) error {
	err := os.Remove(store.file(transactionID))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (store *FileStore) Pending() ([]int64, error) {
	entries, err := os.ReadDir(store.Folder)
	if err != nil {
		return nil, err
	}
	ids := []int64{}
	for _, entry := range entries {
		id, err := strconv.ParseInt(entry.Name(), 10, 64)
		if err != nil {
			continue // not a notification
		}
		if isDone, claimedAt, err := look(store.file(id)); err != nil {
			return nil, err
		} else if !isDone && store.isStale(claimedAt) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (store *FileStore) take(file string) (Claim, error) {
	if isNew, err := created(file); isNew || err != nil {
		return New, err
	}
	isDone, claimedAt, err := look(file)
	switch {
	case err != nil:
		return "", err
	case isDone:
		return Done, nil
	case !store.isStale(claimedAt):
		return Busy, nil
	}
	// Of several callers that find the same old claim, the one that creates this file takes it over.
	if isOurs, err := created(fmt.Sprintf("%s-taken-over-%d", file, claimedAt.UnixMilli())); !isOurs || err != nil {
		return Busy, err
	}
	return New, os.Chtimes(file, time.Now(), time.Now())
}

func (store *FileStore) isStale(claimedAt time.Time) bool {
	claimFor := store.ClaimFor
	if claimFor == 0 {
		claimFor = time.Minute
	}
	return time.Since(claimedAt) > claimFor
}

func (store *FileStore) file(id int64) string { return store.path(strconv.FormatInt(id, 10)) }

func (store *FileStore) path(name string) string { return filepath.Join(store.Folder, name) }

// created is false when the file exists already: the file system lets one of several callers create it.
func created(file string) (bool, error) {
	opened, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, opened.Close()
}

// look tells whether the notification is done and when it was claimed. One that was just released counts as claimed now, so that the caller tries
// again.
func look(file string) (bool, time.Time, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, time.Now(), nil
	}
	if err != nil {
		return false, time.Time{}, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return false, time.Now(), nil
	}
	return string(text) == "DONE", info.ModTime(), nil
}
