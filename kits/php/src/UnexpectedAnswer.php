<?php
declare(strict_types=1);

namespace Paycode\Receiver;

/** The service answered something else than what was needed. Neither request nor secrets are in its text. */
final class UnexpectedAnswer extends \Exception
{
}
