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

// FileStore is a store in a folder, for all processes of one machine: a file per notification (one byte until it is done), and one per
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
	_, err = os.Stat(mark)
	if errors.Is(err, fs.ErrNotExist) {
		return claim, nil
	}
	if err == nil && claim == New {
		err = store.Release(notification.TransactionID)
	}
	return Reversed, err
}

func (store *FileStore) Done(transactionID int64) error {
	// Not truncated: the file keeps its room on the disk.
	file, err := os.OpenFile(store.file(transactionID), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString("DONE")
	return errors.Join(err, file.Sync(), file.Close())
}

func (store *FileStore) Release(transactionID int64) error {
	if err := os.Remove(store.file(transactionID)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
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
		claim, _, err := store.look(store.file(id))
		if err != nil {
			return nil, err
		}
		if claim == New {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (store *FileStore) take(file string) (Claim, error) {
	if isNew, err := created(file); isNew || err != nil {
		return New, err
	}
	claim, claimedAt, err := store.look(file)
	if claim != New || err != nil {
		return claim, err
	}
	// Of several callers that find the same old claim, the one that creates this file takes it over.
	if isOurs, err := created(fmt.Sprintf("%s-taken-over-%d", file, claimedAt.UnixMilli())); !isOurs || err != nil {
		return Busy, err
	}
	return New, os.Chtimes(file, time.Now(), time.Now())
}

func (store *FileStore) file(id int64) string { return store.path(strconv.FormatInt(id, 10)) }

func (store *FileStore) path(name string) string { return filepath.Join(store.Folder, name) }

// created is false when the file exists already: the file system lets one of several callers create it. Its byte needs room: a full disk fails before
// the work.
func created(file string) (bool, error) {
	opened, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = opened.WriteString("-")
	if err = errors.Join(err, opened.Close()); err != nil {
		return false, errors.Join(err, os.Remove(file))
	}
	return true, nil
}

// look tells what has become of a claim, and since when it is held: New is one that may be taken over. One that was just released is Busy, so that the caller tries again.
func (store *FileStore) look(file string) (Claim, time.Time, error) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Busy, time.Time{}, nil
	case err != nil:
		return "", time.Time{}, err
	case info.Size() > 1:
		return Done, info.ModTime(), nil
	case time.Since(info.ModTime()) > orElse(store.ClaimFor, time.Minute):
		return New, info.ModTime(), nil
	}
	return Busy, info.ModTime(), nil
}

func orElse(given, otherwise time.Duration) time.Duration {
	if given == 0 {
		return otherwise
	}
	return given
}
