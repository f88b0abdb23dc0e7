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
    ) {
    }

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
        if ($this->onError !== null) {
            ($this->onError)($error);
        }
        return new Answer(500, 'HANDLER_FAILED');
    }

    /** For plain PHP: the whole script that the web server calls. */
    public function forPhp(): void
    {
        $body = (string) file_get_contents('php://input', false, null, 0, self::BODY_BYTES_MAX + 1);
        $answer = $this->receive($body, fn (string $name): ?string => $_SERVER['HTTP_' . strtoupper(strtr($name, '-', '_'))] ?? null);
        http_response_code($answer->status);
        header('Content-Type: text/plain');
        header('Connection: close');
        header('Content-Length: ' . strlen($answer->reason));
        echo $answer->reason;
        self::work($answer);
    }

    /**
     * For Laravel: `Route::post('/paycode', $receiver->forLaravel())`, outside the CSRF check (`$except` of the middleware, or routes/api.php).
     *
     * @return \Closure(object): object from Illuminate\Http\Request to Illuminate\Http\Response
     */
    public function forLaravel(): \Closure
    {
        return function (\Illuminate\Http\Request $request): \Illuminate\Http\Response {
            $answer = $this->receive($request->getContent(), fn (string $name): ?string => $request->headers->get($name));
            if ($answer->after !== null) {
                app()->terminating($answer->after);
            }
            return new \Illuminate\Http\Response($answer->reason, $answer->status, ['Content-Type' => 'text/plain']);
        };
    }

    /** Sends the answer, then does the work that follows it. */
    private static function work(Answer $answer): void
    {
        if ($answer->after === null) {
            return;
        }
        ignore_user_abort(true);
        if (function_exists('fastcgi_finish_request')) {
            fastcgi_finish_request();
        } else {
            while (ob_get_level() > 0) {
                ob_end_flush();
            }
            flush();
        }
        ($answer->after)();
    }
}
