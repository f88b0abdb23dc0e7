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
     * @param callable(Notification, float): void $handler your work, and the instant (microtime) by which it must end, because PHP cannot answer while
     *   it runs. It must be idempotent: a process may die after the work and before the store records it.
     * @param string $when BEFORE (the answer waits for the handler, and a payment that you could not store is reversed) or AFTER (the handler runs
     *   after the answer 200)
     * @param float $answerWithinSeconds of the platform's 45
     * @param ?callable(\Throwable): void $onError called when the handler, the keys or the store fails
     */
    public function __construct(
        private readonly mixed $keys,
        private readonly Store $store,
        private readonly mixed $handler,
        private readonly string $when = 'BEFORE',
        private readonly float $answerWithinSeconds = 40,
        private readonly mixed $onError = null,
    ) {}

    /** The answer to a raw body. @param callable(string): ?string $header gives a header's value by its name */
    public function receive(string $rawBody, callable $header): Answer
    {
        $dueAt = microtime(true) + $this->answerWithinSeconds;
        if (strlen($rawBody) > self::BODY_BYTES_MAX) {
            return new Answer(413, 'TOO_LONG');
        }
        if (preg_match('/^\s*\{\s*"result"\s*:\s*"TEST"\s*\}\s*$/', $rawBody) === 1) {
            return new Answer(200, 'PROBE');
        }
        try {
            $notification = Notification::open($rawBody, ($this->keys)());
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
                    $this->handle($notification, microtime(true) + $this->answerWithinSeconds, false);
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
            if (microtime(true) + self::BUSY_PAUSE_SECONDS > $dueAt) {
                return new Answer(503, 'BUSY');
            }
            usleep((int) (self::BUSY_PAUSE_SECONDS * 1e6));
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
            return $mayRetry && microtime(true) > $dueAt ? new Answer(503, 'TOO_SLOW') : new Answer(200, 'HANDLED');
        } catch (\Throwable $error) {
            // The platform does not repeat after a 200, so the claim stays and resume() finds it.
            if ($mayRetry) {
                $this->store->release($notification->transactionId);
            }
            return $this->failed($error);
        }
    }

    private function failed(\Throwable $error): Answer
    {
        ($this->onError ?? fn (): null => null)($error);
        return new Answer(500, 'HANDLER_FAILED');
    }
}
