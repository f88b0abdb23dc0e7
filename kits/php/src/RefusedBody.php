<?php
declare(strict_types=1);

namespace Paycode\Receiver;

/** The body is not a notification under any of the keys. Its text names neither body nor key. */
final class RefusedBody extends \Exception
{
    /** @param string $reason BAD_ENCODING, TOO_SHORT, NOT_AUTHENTIC or NOT_A_NOTIFICATION */
    public function __construct(public readonly string $reason)
    {
        parent::__construct("the body was refused: $reason");
    }
}
