"""Remembers which notifications were handled, so that no repeat is handled twice and no SUCCESS wins over a REVERSED."""

import os
import re
import time
from contextlib import suppress
from typing import Any, List, Protocol

from .notification import Notification


class Store(Protocol):
    """Implement it on your database to share it between machines: kits/README.md has the statements."""

    def claim(self, notification: Notification) -> str:
        """Claims a notification atomically. NEW: you handle it. BUSY: another caller handles it now. DONE: it was handled. REVERSED: a
        SUCCESS whose payment was announced as reversed. A claim that is older than a minute is taken over."""

    def done(self, transaction_id: int) -> None:
        """The handler has succeeded."""

    def release(self, transaction_id: int) -> None:
        """The handler has failed: a repeat may try again."""

    def pending(self) -> List[int]:
        """The ids claimed more than a minute ago and not done, because a process died or a handler failed after the answer."""


class FileStore:
    """A store in a folder, for all processes of one machine: a file per notification (one byte until done), and one per reversed payment."""

    def __init__(self, folder: str, claim_seconds: float = 60):
        os.makedirs(folder, exist_ok=True)
        self._folder = folder
        self._claim_seconds = claim_seconds

    def claim(self, notification: Notification) -> str:
        reversed_mark = f"reversed-{notification.payment_id}"
        if notification.status == "REVERSED":
            self._created(reversed_mark)
        claim = self._take(str(notification.transaction_id))
        # Checked after the claim, so that a reversal that this check misses comes later than our claim.
        if notification.status != "SUCCESS" or self._look(reversed_mark) is None:
            return claim
        if claim == "NEW":
            self.release(notification.transaction_id)
        return "REVERSED"

    def done(self, transaction_id: int) -> None:
        # Not truncated: the file keeps its room on the disk.
        descriptor = os.open(self._path(str(transaction_id)), os.O_WRONLY | os.O_CREAT, 0o666)
        with open(descriptor, "wb", buffering=0) as file:
            file.write(b"DONE")
            os.fsync(descriptor)

    def release(self, transaction_id: int) -> None:
        with suppress(FileNotFoundError):
            os.remove(self._path(str(transaction_id)))

    def pending(self) -> List[int]:
        names = [name for name in os.listdir(self._folder) if re.fullmatch(r"\d+", name)]
        return [int(name) for name in names if self._is_abandoned(self._look(name))]

    def _take(self, name: str) -> str:
        if self._created(name):
            return "NEW"
        found = self._look(name)
        if found is not None and found.st_size > 1:
            return "DONE"
        # Of several callers that find the same old claim, the one that creates this file takes it over.
        if not self._is_abandoned(found) or not self._created(f"{name}-taken-over-{round(found.st_mtime * 1000)}"):
            return "BUSY"
        os.utime(self._path(name))
        return "NEW"

    def _created(self, name: str) -> bool:
        """False when the file exists already: the file system lets one of several callers create it. Its byte needs room: a full disk fails before
        the work."""
        try:
            file = open(self._path(name), "xb", buffering=0)
        except FileExistsError:
            return False
        try:
            with file:
                file.write(b"-")
        except OSError:
            os.remove(self._path(name))
            raise
        return True

    def _is_abandoned(self, found: Any) -> bool:
        return found is not None and found.st_size <= 1 and time.time() - found.st_mtime > self._claim_seconds

    def _look(self, name: str) -> Any:
        """Returns os.stat of the file. None when it was just released."""
        try:
            return os.stat(self._path(name))
        except FileNotFoundError:
            return None

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name)
