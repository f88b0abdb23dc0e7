<?php
declare(strict_types=1);

namespace Paycode\Receiver;

use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;
use Psr\Log\LoggerInterface;

/** Calls Paycode for an account: by Basic, or with a session that it keeps fresh (docs/how-to/log-in.md). */
final class Client
{
    private const ANSWER_BYTES_MAX = 1048576;
    private const RENEW_BEFORE_SECONDS = 60;
    /** A longer wait is the caller's to decide. */
    private const REPEAT_WAIT_SECONDS_MAX = 5;
    private const PASSING = [0, 429, 502, 503, 504];
    private const NOTIFICATION = '/portal/restful/merchant/notification';

    /** @var ?array{headerName: string, headerValue: string, sessionId: string, expires: string} */
    private ?array $session = null;
    private readonly bool $isBearer;

    /**
     * @param bool $isBearer the account logs in for a token of 15 minutes; by default the password goes with each request (Basic)
     * @param ?string $privateKey your RSA-4096 key, PEM (PKCS#8): the log-in proves both sides' keys
     * @param ?string $serviceKey the service's public key, base64 X.509; needed with a private key
     * @param ?string $caFile PEM of the authority to trust (default: the system's authorities)
     * @param float $timeout seconds that a connection or an answer may stay silent
     * @param ?LoggerInterface $logger PSR-3: hears of requests that are sent again
     * @param ?ClientInterface $http PSR-18, in place of PHP's own streams; one factory of requests and streams (PSR-17) goes with it
     */
    public function __construct(
        private readonly string $url,
        private readonly string $identity,
        #[\SensitiveParameter] private readonly string $password,
        bool $isBearer = false,
        #[\SensitiveParameter] private readonly ?string $privateKey = null,
        private readonly ?string $serviceKey = null,
        private readonly ?string $caFile = null,
        private readonly float $timeout = 30,
        private readonly ?LoggerInterface $logger = null,
        private readonly ?ClientInterface $http = null,
        private readonly RequestFactoryInterface|StreamFactoryInterface|null $factory = null,
    ) {
        ($privateKey === null) === ($serviceKey === null) || throw new \InvalidArgumentException('privateKey and serviceKey go together');
        $this->isBearer = $isBearer || $privateKey !== null;
    }

    /** For var_dump and print_r, without password, key and token. */
    public function __debugInfo(): array
    {
        return ['url' => $this->url, 'identity' => $this->identity];
    }

    /**
     * A repeat with the same merchantReference and content gives the same code, so a lost answer is asked for again.
     *
     * @param string $amount the exact decimal, e.g. '25.50'
     * @param array<string, mixed> $others as the API names them, e.g. shortDescription
     * @return array{code: string, expiryDate: int, codeUrl: string}
     */
    public function createCode(string $merchantReference, string $amount, string $currencyCode, array $others = []): array
    {
        preg_match('/\A\d+(?:\.\d+)?\z/', $amount) === 1 || throw new \InvalidArgumentException("amount must be a decimal as text, e.g. '25.50'");
        $body = json_encode(['merchantReference' => $merchantReference, 'currencyCode' => $currencyCode] + $others, JSON_THROW_ON_ERROR);
        // json_encode would round the amount.
        return self::json($this->send('POST', '/pluto/code/create', substr($body, 0, -1) . ",\"amount\":$amount}", true));
    }

    /** How the payment of a code stands; the amount is text with its digits. */
    public function queryRef(string $code, string $merchantReference): array
    {
        $text = $this->send('POST', '/pluto/code/queryRef', ['code' => $code, 'merchantReference' => $merchantReference], true);
        return ['amount' => Notification::exact($text)['amount']] + self::json($text);
    }

    /** Reads a notification that was missed. If nobody has acknowledged the payment yet, this call acknowledges it. */
    public function getNotification(int $transactionId): Notification
    {
        return Notification::read($this->send('GET', "/pluto/purchase/notification/$transactionId"));
    }

    /**
     * One page of what became final since an instant; `next` is the cursor of the next page, or null. Reading the list acknowledges nothing.
     *
     * @param array<string, string|int> $query reference, code, merchantId, cursor, limit
     * @return array{notifications: list<array<string, mixed>>, next: ?string}
     */
    public function notifications(?\DateTimeInterface $since = null, array $query = []): array
    {
        $instant = $since === null ? [] : ['since' => \DateTimeImmutable::createFromInterface($since)->setTimezone(new \DateTimeZone('UTC'))->format('Y-m-d\TH:i:s.v\Z')];
        return self::json($this->send('GET', '/pluto/purchase/notifications?' . http_build_query($instant + $query)));
    }

    /**
     * Sets the URL of a merchant's notifications; encryptKey in the answer opens them. The URL must answer the probe.
     *
     * @return array{merchantId: int, url: string, version: string, encryptKey: string}
     */
    public function addHttp(int $merchantId, string $url, string $version = 'V3'): array
    {
        return self::json($this->send('POST', self::NOTIFICATION . '/addHttp', ['merchantId' => $merchantId, 'url' => $url, 'version' => $version], true));
    }

    /**
     * A new key each time: after a lost answer look at what arrives before you call again.
     *
     * @return array{merchantId: int, url: string, version: string, encryptKey: string}
     */
    public function renewKey(int $merchantId): array
    {
        return self::json($this->send('POST', self::NOTIFICATION . '/renewKey', ['merchantId' => $merchantId]));
    }

    /**
     * Also tells an e-mail address or phone number of payments; gives all entries.
     *
     * @return list<array{type: string, value: string}>
     */
    public function extra(int $merchantId, string $type, string $value): array
    {
        return self::json($this->send('POST', self::NOTIFICATION . '/extra', ['merchantId' => $merchantId, 'type' => $type, 'value' => $value], true));
    }

    /** @return list<array{type: string, value: string}> */
    public function list(int $merchantId): array
    {
        return self::json($this->send('POST', self::NOTIFICATION . '/list', ['merchantId' => $merchantId], true));
    }

    /**
     * Any other operation, $body as JSON text or what json_encode takes; gives the text of its answer.
     *
     * @param ?bool $isRepeatable a lost answer is asked for again (default: for GET)
     * @throws ApiError for a status beside 200
     */
    public function send(string $method, string $path, array|string|null $body = null, ?bool $isRepeatable = null): string
    {
        $call = [$method, $path, is_array($body) ? json_encode($body, JSON_THROW_ON_ERROR) : $body];
        $isRepeatable ??= $method === 'GET';
        try {
            return $this->repeated($call, $isRepeatable, $this->authorization());
        } catch (ApiError $error) {
            if (!$this->isBearer || $error->status !== 401) {
                throw $error;
            }
            $this->session = null; // it has ended elsewhere
            return $this->repeated($call, $isRepeatable, $this->authorization());
        }
    }

    /** For Bearer accounts; other methods do it by themselves. @throws ApiError before it sends the password, if the service does not prove that it holds its key */
    public function logIn(): array
    {
        $body = ['identity' => $this->identity, 'password' => $this->password] + ($this->privateKey === null ? [] : $this->proof());
        return $this->session = self::json($this->attempt('POST', '/authentication/login', json_encode($body, JSON_THROW_ON_ERROR)));
    }

    /** Gets a new token for the same session; the old one stops working. */
    public function renew(): array
    {
        if ($this->session === null) {
            return $this->logIn();
        }
        try {
            return $this->session = self::json($this->attempt('POST', '/authentication/renew', $this->jwt()));
        } catch (ApiError $error) {
            return $error->status === 401 ? $this->logIn() : throw $error; // 401: the token has expired
        }
    }

    public function logOut(): void
    {
        if ($this->session !== null) {
            $this->attempt('POST', '/authentication/logout', $this->jwt());
        }
        $this->session = null;
    }

    /** Both challenge fields of the log-in. */
    private function proof(): array
    {
        $pem = "-----BEGIN PUBLIC KEY-----\n" . chunk_split(trim((string) $this->serviceKey), 64, "\n") . "-----END PUBLIC KEY-----\n";
        $secret = random_bytes(64);
        // OPENSSL_PKCS1_OAEP_PADDING is OAEP with SHA-1 and MGF1 with SHA-1.
        openssl_public_encrypt($secret, $clientChallenge, $pem, OPENSSL_PKCS1_OAEP_PADDING)
            || throw new \InvalidArgumentException('the service key is not base64 X.509');
        $query = http_build_query(['identity' => $this->identity, 'clientChallenge' => base64_encode($clientChallenge)]);
        $challenge = self::json($this->repeated(['GET', "/authentication/login-challenges?$query", null], true, []));
        if (!hash_equals(self::sha256($secret), $challenge['base64EncodedClientChallengeResponse'])) {
            throw new ApiError('the service did not prove that it holds its key', 200, 'SERVICE_NOT_PROVEN');
        }
        $encrypted = (string) base64_decode($challenge['base64EncodedChallenge'], true);
        openssl_private_decrypt($encrypted, $decrypted, (string) $this->privateKey, OPENSSL_PKCS1_OAEP_PADDING)
            || throw new ApiError('the challenge is not for this private key', 200, 'NOT_THIS_KEY');
        return ['base64EncodedChallengeHash' => self::sha256($encrypted), 'base64EncodedChallengeResponse' => self::sha256($decrypted)];
    }

    /** @return array<string, string> */
    private function authorization(): array
    {
        if (!$this->isBearer) {
            return ['Authorization' => 'Basic ' . base64_encode("$this->identity:$this->password")];
        }
        $session = $this->session ?? $this->logIn();
        if (strtotime($session['expires']) - time() < self::RENEW_BEFORE_SECONDS) {
            $session = $this->renew();
        }
        return [$session['headerName'] => $session['headerValue']];
    }

    /** The body of renew and logout, which take the token without the word Bearer. */
    private function jwt(): string
    {
        return json_encode(['jwt' => preg_replace('/^Bearer /', '', $this->session['headerValue'])], JSON_THROW_ON_ERROR);
    }

    /** A lost answer, 429, 502, 503 and 504 are tried once more. */
    private function repeated(array $call, bool $isRepeatable, array $headers): string
    {
        try {
            return $this->attempt(...$call, headers: $headers);
        } catch (ApiError $error) {
            $wait = $error->retryAfter ?? 1;
            if (!$isRepeatable || !in_array($error->status, self::PASSING, true) || $wait > self::REPEAT_WAIT_SECONDS_MAX) {
                throw $error;
            }
            $this->logger?->info('{error}; it is sent again', ['error' => $error->getMessage()]);
            sleep($wait);
            return $this->attempt(...$call, headers: $headers);
        }
    }

    private function attempt(string $method, string $path, ?string $body = null, array $headers = []): string
    {
        $what = $method . ' ' . strtok($path, '?');
        $headers += $body === null ? [] : ['Content-Type' => 'application/json'];
        [$status, $text, $answered] = $this->http === null ? $this->streamed($what, $method, $path, $body, $headers) : $this->throughPsr($what, $method, $path, $body, $headers);
        return $status === 200 ? $text : throw ApiError::of($what, $status, $text, $answered);
    }

    /** @return array{int, string, array<string, string>} status, text and header fields by their names in lower case */
    private function streamed(string $what, string $method, string $path, ?string $body, array $headers): array
    {
        $lines = array_map(fn (string $name, string $value): string => "$name: $value", array_keys($headers), $headers);
        $http = ['method' => $method, 'timeout' => $this->timeout, 'ignore_errors' => true, 'follow_location' => 0, 'protocol_version' => 1.1];
        $http += ['header' => [...$lines, 'Connection: close'], 'content' => (string) $body];
        $tls = $this->caFile === null ? [] : ['cafile' => $this->caFile];
        $stream = @fopen($this->url . $path, 'r', false, stream_context_create(['http' => $http, 'ssl' => $tls]));
        if ($stream === false) {
            throw new ApiError("$what: no answer", 0);
        }
        $text = (string) stream_get_contents($stream, self::ANSWER_BYTES_MAX);
        $meta = stream_get_meta_data($stream);
        fclose($stream);
        !$meta['timed_out'] || throw new ApiError("$what: the answer did not end in time", 0);
        $answered = [];
        foreach (array_slice($meta['wrapper_data'], 1) as $line) {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $answered[strtolower($name)] = trim($value);
        }
        return [(int) explode(' ', $meta['wrapper_data'][0])[1], $text, $answered];
    }

    /** @return array{int, string, array<string, string>} */
    private function throughPsr(string $what, string $method, string $path, ?string $body, array $headers): array
    {
        $request = $this->factory->createRequest($method, $this->url . $path);
        foreach ($headers as $name => $value) {
            $request = $request->withHeader($name, $value);
        }
        try {
            $response = $this->http->sendRequest($body === null ? $request : $request->withBody($this->factory->createStream($body)));
        } catch (\Psr\Http\Client\ClientExceptionInterface $error) {
            // Its words alone: the error itself holds the request with your password.
            throw new ApiError("$what: no answer: {$error->getMessage()}", 0);
        }
        $answered = ['x-request-id' => $response->getHeaderLine('X-Request-Id'), 'retry-after' => $response->getHeaderLine('Retry-After')];
        return [$response->getStatusCode(), (string) $response->getBody(), $answered];
    }

    private static function json(string $text): array
    {
        return json_decode($text, true, 16, JSON_THROW_ON_ERROR);
    }

    private static function sha256(string $bytes): string
    {
        return base64_encode(hash('sha256', $bytes, true));
    }
}
