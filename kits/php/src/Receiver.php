<?php
declare(strict_types=1);

namespace Paycode\Receiver;

/** Decides what to answer to a notification. */
final class Receiver
{
    /** The receiver refuses longer bodies (413); a notification is far smaller. */
    public const BODY_BYTES_MAX = 131072;
    private const BUSY_PAUSE_SECONDS = 0.05;

    /**
     * @param callable(): string[] $keys the current keys, called at each notification: one, and during a renewal the new and the old one
     * @param callable(Notification, float): void $handler your work, and the instant by which it must end (seconds of hrtime, `hrtime(true) / 1e9`),
     *   because PHP cannot answer while it runs. It must be idempotent: a process may die after the work and before the store records it.
     * @param string $when BEFORE (the answer waits for the handler, and a payment that you could not store is reversed) or AFTER (the handler runs
     *   after the answer 200)
     * @param float $answerWithinSeconds of the platform's 45, from the arrival of the request; an answer that is later is not 200
     * @param ?callable(\Throwable): void $onError called when the handler, the keys or the store fails; without one, error_log is
     */
    public function __construct(
        private readonly mixed $keys,
        private readonly Store $store,
        private readonly mixed $handler,
        private readonly string $when = 'BEFORE',
        private readonly float $answerWithinSeconds = 40,
        private readonly mixed $onError = null,
    ) {}

    /**
     * The answer to a raw body.
     *
     * @param callable(string): ?string $header gives a header's value by its name
     * @param ?float $arrivedAt when the request came, in seconds of hrtime
     */
    public function receive(string $rawBody, callable $header, ?float $arrivedAt = null): Answer
    {
        $dueAt = ($arrivedAt ?? self::now()) + $this->answerWithinSeconds;
        $answer = $this->answered($rawBody, $header, $dueAt);
        return $answer->status === 200 && self::now() > $dueAt ? new Answer(503, 'TOO_SLOW') : $answer;
    }

    private function answered(string $rawBody, callable $header, float $dueAt): Answer
    {
        if (strlen($rawBody) > self::BODY_BYTES_MAX) {
            return new Answer(413, 'TOO_LONG');
        }
        if (preg_match('/^\s*\{\s*"result"\s*:\s*"TEST"\s*\}\s*$/', $rawBody) === 1) {
            return new Answer(200, 'PROBE');
        }
        try {
            $notification = Notification::open($rawBody, ($this->keys)(), $header('X-Webhook-Key-Id'));
            $isTest = $header('X-Webhook-Test') === '1' && $notification->isTest();
            return $isTest ? new Answer(200, 'TEST') : $this->claimed($notification, $dueAt);
        } catch (RefusedBody $refused) {
            return new Answer(400, $refused->reason);
        } catch (\Throwable $error) {
            return $this->failed($error);
        }
    }

    /**
     * Handles notifications that a dead process left or whose handler failed after the answer. Call it every minute, from cron. One that cannot be read
     * stays for the next call, and the error handler is told; the others are handled.
     *
     * @param callable(int): Notification $read Client::notification
     */
    public function resume(callable $read): void
    {
        foreach ($this->store->pending() as $transactionId) {
            try {
                $notification = $read($transactionId);
                $claim = $this->store->claim($notification);
                if ($claim === 'NEW') {
                    $this->handle($notification, self::now() + $this->answerWithinSeconds, false);
                } elseif ($claim === 'REVERSED') {
                    $this->store->done($transactionId);
                }
            } catch (\Throwable $error) {
                $this->failed($error);
            }
        }
    }

    private function claimed(Notification $notification, float $dueAt): Answer
    {
        $isAfter = $this->when === 'AFTER';
        while (($claim = $this->store->claim($notification)) === 'BUSY' && !$isAfter) {
            if (self::now() + self::BUSY_PAUSE_SECONDS > $dueAt) {
                return new Answer(503, 'BUSY');
            }
            usleep((int) (self::BUSY_PAUSE_SECONDS * 1e6));
        }
        if ($claim === 'NEW' && self::now() > $dueAt) {
            $this->store->release($notification->transactionId);
            return new Answer(503, 'TOO_SLOW');
        }
        return match (true) {
            $claim === 'REVERSED' => new Answer(409, 'REVERSED'),
            $claim !== 'NEW' => new Answer(200, 'REPEAT'),
            $isAfter => new Answer(200, 'ACCEPTED', fn () => $this->handle($notification, $dueAt, false)),
            default => $this->handle($notification, $dueAt, true),
        };
    }

    private function handle(Notification $notification, float $dueAt, bool $mayRetry): Answer
    {
        try {
            ($this->handler)($notification, $dueAt);
            $this->store->done($notification->transactionId);
            return new Answer(200, 'HANDLED');
        } catch (\Throwable $error) {
            // The platform does not repeat after a 200, so the claim stays and resume() finds it.
            $answer = $this->failed($error);
            if ($mayRetry) {
                $this->store->release($notification->transactionId);
            }
            return $answer;
        }
    }

    private static function now(): float
    {
        return hrtime(true) / 1e9;
    }

    private function failed(\Throwable $error): Answer
    {
        try {
            ($this->onError ?? fn (\Throwable $error) => error_log("Paycode receiver: $error"))($error);
        } catch (\Throwable $failing) {
            error_log("Paycode receiver: the error handler failed: $failing"); // it must not cost the answer
        }
        return new Answer(500, 'HANDLER_FAILED');
    }
}
