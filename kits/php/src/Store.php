<?php
declare(strict_types=1);

namespace Paycode\Receiver;

/** Remembers which notifications were handled. Implement it on your database to share it between machines: kits/README.md has the statements. */
interface Store
{
    /**
     * Claims a notification atomically. NEW: you handle it. BUSY: another caller handles it now. DONE: it was handled. REVERSED: a SUCCESS whose
     * payment was announced as reversed. A claim that is older than a minute is taken over.
     */
    public function claim(Notification $notification): string;

    /** The handler has succeeded. */
    public function done(int $transactionId): void;

    /** The handler has failed: a repeat may try again. */
    public function release(int $transactionId): void;

    /** The ids claimed more than a minute ago and not done, because a process died or a handler failed after the answer. @return int[] */
    public function pending(): array;
}
