<?php
declare(strict_types=1);

namespace Paycode\Receiver;

/** The service gave an unexpected answer. The message holds neither the request nor secrets. */
final class UnexpectedAnswer extends \Exception
{
}
