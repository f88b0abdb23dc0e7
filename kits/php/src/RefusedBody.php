<?php
declare(strict_types=1);

namespace Paycode\Receiver;

/** None of the keys opens the body as a notification. The message holds neither body nor key. */
final class RefusedBody extends \Exception
{
    /** @param string $reason BAD_ENCODING, TOO_SHORT, NOT_AUTHENTIC or NOT_A_NOTIFICATION */
    public function __construct(public readonly string $reason)
    {
        parent::__construct("the body was refused: $reason");
    }
}
