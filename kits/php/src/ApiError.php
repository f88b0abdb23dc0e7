<?php
declare(strict_types=1);

namespace Paycode\Receiver;

/** Paycode's answer was no success, or there was none (status 0). Decide by `$apiCode` (docs/reference/errors.md), and tell support the `$requestId`; both may be empty. Holds no secrets. */
final class ApiError extends \RuntimeException
{
    /** @param ?int $retryAfter the seconds that a 429 or 503 asks for */
    public function __construct(
        string $message,
        public readonly int $status,
        public readonly string $apiCode = '',
        public readonly string $requestId = '',
        public readonly ?int $retryAfter = null,
    ) {
        parent::__construct($message, $status);
    }

    /** @param array<string, string> $headers by their names in lower case */
    public static function of(string $what, int $status, string $text, array $headers): self
    {
        $body = json_decode($text, true);
        $body = is_array($body) ? $body : []; // something between here and Paycode has answered
        [$code, $requestId] = [$body['code'] ?? '', $body['requestId'] ?? $headers['x-request-id'] ?? ''];
        $retryAfter = ctype_digit($headers['retry-after'] ?? '') ? (int) $headers['retry-after'] : null;
        $message = sprintf('%s answered %d %s: %s (requestId %s)', $what, $status, $code, $body['message'] ?? '', $requestId);
        return new self($message, $status, $code, $requestId, $retryAfter);
    }
}
