<?php
declare(strict_types=1);

namespace Paycode\Receiver;

/** 200 keeps the payment, anything else reverses it. */
final class Answer
{
    /**
     * @param string $reason for your log: HANDLED, ACCEPTED, REPEAT, PROBE, TEST, REVERSED, BUSY, TOO_SLOW, HANDLER_FAILED, TOO_LONG or that of a RefusedBody
     * @param ?\Closure $after the handler's work when the receiver answers first; an adapter calls it once the answer is sent
     */
    public function __construct(public readonly int $status, public readonly string $reason, public readonly ?\Closure $after = null) {}
}
