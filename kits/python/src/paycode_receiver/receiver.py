"""Decides what to answer to a notification: 200 keeps the payment, anything else reverses it."""

import logging
import re
import time
from dataclasses import dataclass
from queue import Empty, Queue
from threading import Thread
from typing import Callable, Optional, Sequence

from .file_store import Store
from .notification import Notification, RefusedBody, open_notification

BODY_BYTES_MAX = 131_072  #: The receiver refuses longer bodies (413); a notification is far smaller.
BUSY_PAUSE_SECONDS = 0.05
LOGGER = logging.getLogger("paycode_receiver")
PROBE = re.compile(rb'\s*\{\s*"result"\s*:\s*"TEST"\s*\}\s*')


@dataclass(frozen=True)
class Answer:
    status: int
    #: HANDLED, ACCEPTED, REPEAT, PROBE, TEST, REVERSED, BUSY, TOO_SLOW, HANDLER_FAILED, TOO_LONG, or the code of a RefusedBody; for your log.
    reason: str
    #: With `when="AFTER"`: the handler's work. The adapters start it once the answer is sent. It never raises.
    after: Optional[Callable[[], object]] = None


TOO_SLOW = Answer(503, "TOO_SLOW")


class Receiver:
    """keys: gives the current keys, called at each notification: one, and during a renewal the new and the old one.
    handler: your work. It must be idempotent: a process may die after the work and before the store records it.
    when: BEFORE (the answer waits for the handler, and a payment that you could not store is reversed) or AFTER (the handler runs after the answer 200).
    answer_within_seconds: the answer is given within this time from the arrival of the request, whatever the handler does, and is not 200 later; the
    platform waits 45 seconds.
    on_error: called when the handler, the keys or the store fails, or something has read the body before. Default: the logger paycode_receiver."""

    def __init__(
        self,
        keys: Callable[[], Sequence[str]],
        store: Store,
        handler: Callable[[Notification], None],
        when: str = "BEFORE",
        answer_within_seconds: float = 40,
        on_error: Callable[[Exception], None] = lambda error: LOGGER.error("%s", error, exc_info=error),
    ):
        self._keys, self._store, self._handler = keys, store, handler
        self._is_after, self._on_error = when == "AFTER", on_error
        self.answer_within_seconds = answer_within_seconds

    def receive(self, raw_body: bytes, header: Callable[[str], Optional[str]], arrived_at: Optional[float] = None) -> Answer:
        """The answer to a raw body. `header` gives a header's value by its name. `arrived_at`: when the request came, on the clock of time.monotonic."""
        due_at = (time.monotonic() if arrived_at is None else arrived_at) + self.answer_within_seconds
        answer = self._answered(raw_body, header, due_at)
        return TOO_SLOW if answer.status == 200 and time.monotonic() > due_at else answer

    def _answered(self, raw_body: bytes, header: Callable[[str], Optional[str]], due_at: float) -> Answer:
        if len(raw_body) > BODY_BYTES_MAX:
            return Answer(413, "TOO_LONG")
        if not raw_body and (header("content-length") or "0").strip("0"):
            return self._failed(RuntimeError("something has read the notification before the receiver: mount the receiver before it"))
        if PROBE.fullmatch(raw_body):
            return Answer(200, "PROBE")
        try:
            notification = open_notification(raw_body, self._keys(), header("x-webhook-key-id"))
            if header("x-webhook-test") == "1" and _is_test(notification):
                return Answer(200, "TEST")
            return self._claimed(notification, due_at)
        except RefusedBody as refusal:
            return Answer(400, refusal.code)
        except Exception as error:  # keys or store may raise anything: the payment must not be acknowledged
            return self._failed(error)

    def resume(self, read: Callable[[int], Notification]) -> None:
        """Handles notifications that a dead process left or whose handler failed after the answer. Call it every minute; `read` is Client.notification.
        One that cannot be read stays for the next call, and `on_error` is told; the others are handled."""
        for transaction_id in self._store.pending():
            try:
                notification = read(transaction_id)
                claim = self._store.claim(notification)
                if claim == "NEW":
                    self._handle(notification, may_retry=False)
                elif claim == "REVERSED":
                    self._store.done(transaction_id)
            except Exception as error:  # one notification must not hold up the others
                self._failed(error)

    def _claimed(self, notification: Notification, due_at: float) -> Answer:
        claim = self._store.claim(notification)
        while claim == "BUSY" and not self._is_after:
            if time.monotonic() + BUSY_PAUSE_SECONDS > due_at:
                return Answer(503, "BUSY")
            time.sleep(BUSY_PAUSE_SECONDS)
            claim = self._store.claim(notification)
        if claim == "REVERSED":
            return Answer(409, "REVERSED")
        if claim != "NEW":
            return Answer(200, "REPEAT")
        if time.monotonic() > due_at:
            self._store.release(notification.transaction_id)
            return TOO_SLOW
        if self._is_after:
            return Answer(200, "ACCEPTED", lambda: self._handle(notification, may_retry=False))
        return self._handled_by(due_at, notification)

    def _handled_by(self, due_at: float, notification: Notification) -> Answer:
        answers: "Queue[Answer]" = Queue()
        # A handler that runs on after the answer ends by itself.
        Thread(target=lambda: answers.put(self._handle(notification, may_retry=True)), daemon=True).start()
        try:
            return answers.get(timeout=max(0.0, due_at - time.monotonic()))
        except Empty:
            return TOO_SLOW

    def _handle(self, notification: Notification, may_retry: bool) -> Answer:
        try:
            self._handler(notification)
            self._store.done(notification.transaction_id)
            return Answer(200, "HANDLED")
        except Exception as error:  # whatever the handler raises is a failure of the handler
            # The platform does not repeat after a 200, so the claim stays and resume() finds it.
            if may_retry:
                try:
                    self._store.release(notification.transaction_id)
                except Exception as unreleased:  # the claim ends by itself after a minute
                    self._failed(unreleased)
            return self._failed(error)

    def _failed(self, error: Exception) -> Answer:
        try:
            self._on_error(error)
        except Exception:  # a failing on_error must not cost the answer
            LOGGER.exception("on_error failed")
        return Answer(500, "HANDLER_FAILED")


def _is_test(notification: Notification) -> bool:
    """The header is not authenticated, so the encrypted body must be that of a test too: amount 0 and a reference that begins with TEST-."""
    return notification.amount == 0 and notification.reference.startswith("TEST-")
