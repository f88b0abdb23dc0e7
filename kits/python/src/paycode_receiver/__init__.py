"""Receives Paycode's payment notifications, and logs in to Paycode."""

from .adapters import for_django, for_fastapi, for_flask
from .client import ApiError, AsyncClient, Client
from .file_store import FileStore, Store
from .notification import Notification, RefusedBody, open_notification, read_notification
from .receiver import BODY_BYTES_MAX, Answer, Receiver

__all__ = [
    "Answer", "ApiError", "AsyncClient", "BODY_BYTES_MAX", "Client", "FileStore", "Notification", "Receiver", "RefusedBody", "Store",
    "for_django", "for_fastapi", "for_flask", "open_notification", "read_notification",
]  # fmt: skip
