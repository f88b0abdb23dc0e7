<?php
declare(strict_types=1);

namespace Paycode\Receiver;

/**
 * A notification, version V3. A field that the JSON leaves out is null. Amounts are text with their digits as sent, because PHP has no decimal type
 * (bcmath takes them); `transactionId` is the same in repeats, `referenceTransactionId` the original of a refund or reversal, else 0. The kit passes an
 * unknown status on unchanged. `text` is the JSON as it was sent, with personal data; var_dump and print_r show id and status only.
 */
final class Notification
{
    private const NONCE_BYTES = 12;
    private const TAG_BYTES = 16;
    private const ID_MAX = 9007199254740991;
    private const KEY = '/^\W*([0-9a-f]{32})\W*$/iD';
    private const BASE64 = '~^(?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$~D';
    private const NUMBERS_AND_STRINGS = '/"(?:[^"\\\\]|\\\\.)*+"|-?\d[\d.eE+-]*/';

    private function __construct(
        public readonly int $transactionId,
        public readonly int $merchantId,
        public readonly string $merchantName,
        public readonly string $acquirer,
        public readonly string $reference,
        public readonly string $amount,
        public readonly string $currencyCode,
        public readonly ?string $code,
        public readonly string $status,
        public readonly ?string $clientMsisdn,
        public readonly ?string $destination,
        public readonly ?string $extraReferenceName,
        public readonly ?string $extraReferenceValue,
        public readonly ?string $tipAmount,
        public readonly int $referenceTransactionId,
        public readonly ?array $bankResponse,
        public readonly ?array $cardInfo,
        public readonly ?array $clientContact,
        public readonly ?array $clientBilling,
        public readonly ?array $clientShipping,
        public readonly ?array $versionData,
        public readonly string $text,
    ) {}

    public function __debugInfo(): array
    {
        return ['transactionId' => $this->transactionId, 'status' => $this->status];
    }

    /** The id of the payment that this notification is about; for a reversal, of the original payment. */
    public function paymentId(): int
    {
        return $this->status === 'REVERSED' && $this->referenceTransactionId > 0 ? $this->referenceTransactionId : $this->transactionId;
    }

    /**
     * The notification in a raw body: base64 of nonce (12 bytes), ciphertext and tag (16 bytes), AES-128-GCM under one of the keys (32 hexadecimal
     * characters each). Give the lines of your key file: blanks, quotes, empty lines and what follows a # do not matter, and every key is tried, the new
     * and the old one during a renewal. The one that `$keyId`, the header X-Webhook-Key-Id, names is the first; nobody vouches for a header, so the
     * others follow.
     *
     * @param string[] $keys
     * @throws RefusedBody, and \InvalidArgumentException when no key fits and a line is none
     */
    public static function open(string $rawBody, array $keys, ?string $keyId = null): self
    {
        preg_match(self::BASE64, $rawBody) === 1 || throw new RefusedBody('BAD_ENCODING');
        $sealed = (string) base64_decode($rawBody, true);
        strlen($sealed) >= self::NONCE_BYTES + self::TAG_BYTES || throw new RefusedBody('TOO_SHORT');
        $nonce = substr($sealed, 0, self::NONCE_BYTES);
        $ciphertext = substr($sealed, self::NONCE_BYTES, -self::TAG_BYTES);
        // openssl_decrypt accepts a tag of any length, even 4 bytes; this tag always has 16.
        $tag = substr($sealed, -self::TAG_BYTES);
        $isUnreadable = false;
        $lines = explode("\n", (string) preg_replace('/#.*/', '', implode("\n", $keys)));
        usort($lines, fn (string $a, string $b): int => (int) (self::idOf($b) === $keyId) - (int) (self::idOf($a) === $keyId));
        foreach ($lines as $line) {
            $isKey = preg_match(self::KEY, $line, $key) === 1;
            $plaintext = $isKey ? openssl_decrypt($ciphertext, 'aes-128-gcm', (string) hex2bin($key[1]), OPENSSL_RAW_DATA, $nonce, $tag) : false;
            if ($plaintext !== false) {
                return self::read($plaintext);
            }
            $isUnreadable = $isUnreadable || (!$isKey && preg_match('/\w/', $line) === 1);
        }
        !$isUnreadable || throw new \InvalidArgumentException('a webhook key is 32 hexadecimal characters');
        throw new RefusedBody('NOT_AUTHENTIC');
    }

    /** As the platform names the key in a line. */
    private static function idOf(string $line): string
    {
        return preg_match(self::KEY, $line, $key) === 1 ? substr(hash('sha256', (string) hex2bin($key[1])), 0, 16) : '';
    }

    /** The notification in its plain JSON: a decrypted body, or what getNotification answers. @throws RefusedBody */
    public static function read(string $plaintext): self
    {
        try {
            $json = json_decode($plaintext, false, 64, JSON_THROW_ON_ERROR);
            return $json instanceof \stdClass ? self::typed(get_object_vars($json), self::exact($plaintext), $plaintext) : throw new \TypeError('an object');
        } catch (\JsonException | \TypeError | \RangeException) {
            throw new RefusedBody('NOT_A_NOTIFICATION');
        }
    }

    /** @internal JSON with every number as text: PHP's floats round 999999999999999.999999, and write 110.10 as 110.1. */
    public static function exact(string $text): array
    {
        $asText = fn (array $token): string => $token[0][0] === '"' ? $token[0] : "\"$token[0]\"";
        return json_decode((string) preg_replace_callback(self::NUMBERS_AND_STRINGS, $asText, $text), true, 64, JSON_THROW_ON_ERROR);
    }

    /** The header is not authenticated, so the encrypted body must be that of a test too: amount 0 and a reference that begins with TEST-. */
    public function isTest(): bool
    {
        return trim($this->amount, '0.') === '' && str_starts_with($this->reference, 'TEST-');
    }

    /** With strict_types, the constructor throws a TypeError for a value of an unexpected type. */
    private static function typed(array $json, array $exact, string $text): self
    {
        $get = fn (string $name): mixed => $json[$name] ?? null;
        $decimal = function (string $name) use ($get, $exact): string {
            $isNumber = is_int($get($name)) || is_float($get($name));
            return $isNumber && $get($name) >= 0 ? $exact[$name] : throw new \RangeException($name);
        };
        $id = function (string $name, int $least) use ($get): int {
            $isId = is_int($get($name)) && $get($name) >= $least && $get($name) <= self::ID_MAX;
            return $isId ? $get($name) : throw new \RangeException($name);
        };
        $map = fn (string $name): ?array => $get($name) === null ? null : ($get($name) instanceof \stdClass ? $exact[$name] : throw new \TypeError($name));
        return new self(
            $id('transactionId', 1),
            $id('merchantId', 1),
            $get('merchantName'),
            $get('acquirer'),
            $get('reference'),
            $decimal('amount'),
            $get('currencyCode'),
            $get('code'),
            $get('status'),
            $get('clientMsisdn'),
            $get('destination'),
            $get('extraReferenceName'),
            $get('extraReferenceValue'),
            $get('tipAmount') === null ? null : $decimal('tipAmount'),
            $get('referenceTransactionId') === null ? 0 : $id('referenceTransactionId', 0),
            $map('bankResponse'),
            $map('cardInfo'),
            $map('clientContact'),
            $map('clientBilling'),
            $map('clientShipping'),
            $map('versionData'),
            $text,
        );
    }
}
