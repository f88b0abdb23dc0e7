<?php
declare(strict_types=1);

namespace Paycode\Receiver;

/** Thin functions between a Receiver and PHP's web servers and frameworks. The frameworks are not dependencies. */
final class Adapters
{
    /** For plain PHP: the whole script that the web server calls. */
    public static function forPhp(Receiver $receiver): void
    {
        $body = (string) file_get_contents('php://input', false, null, 0, Receiver::BODY_BYTES_MAX + 1);
        $answer = $receiver->receive($body, fn (string $name): ?string => $_SERVER['HTTP_' . strtoupper(strtr($name, '-', '_'))] ?? null);
        http_response_code($answer->status);
        foreach (self::fields($answer) as $name => $value) {
            header("$name: $value");
        }
        echo $answer->reason;
        if ($answer->after !== null) {
            self::endAnswer();
            ($answer->after)();
        }
    }

    /**
     * For Laravel: `Route::post('/paycode', Adapters::forLaravel($receiver))`, outside the CSRF check (`$except` of the middleware, or routes/api.php).
     *
     * @return \Closure(object): object from Illuminate\Http\Request to Illuminate\Http\Response
     */
    public static function forLaravel(Receiver $receiver): \Closure
    {
        return function (\Illuminate\Http\Request $request) use ($receiver): \Illuminate\Http\Response {
            $answer = $receiver->receive($request->getContent(), fn (string $name): ?string => $request->headers->get($name));
            if ($answer->after !== null) {
                app()->terminating(function () use ($answer): void {
                    self::endAnswer();
                    ($answer->after)();
                });
            }
            return new \Illuminate\Http\Response($answer->reason, $answer->status, self::fields($answer));
        };
    }

    /**
     * With a length and an end of the connection, the client need not wait for the end of the script.
     *
     * @return array<string, string>
     */
    private static function fields(Answer $answer): array
    {
        return ['Content-Type' => 'text/plain', 'Connection' => 'close', 'Content-Length' => (string) strlen($answer->reason)];
    }

    /** The client has its answer after this, and the script goes on. */
    private static function endAnswer(): void
    {
        ignore_user_abort(true);
        if (function_exists('fastcgi_finish_request')) {
            fastcgi_finish_request();
            return;
        }
        while (ob_get_level() > 0) {
            ob_end_flush();
        }
        flush();
    }
}
