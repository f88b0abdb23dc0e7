<?php
declare(strict_types=1);

namespace Paycode\Receiver;

/** Logs in with the mutual challenge (docs/how-to/log-in.md), keeps the session fresh, and sends requests with it. */
final class Client
{
    private const TIMEOUT_SECONDS = 30;
    private const ANSWER_BYTES_MAX = 1048576;
    private const RENEW_BEFORE_SECONDS = 60;

    /** @var ?array{headerName: string, headerValue: string, sessionId: string, expires: string} */
    private ?array $session = null;

    /**
     * @param string $privateKey your RSA-4096 key, PEM (PKCS#8)
     * @param string $serviceKey the service's public key, base64 X.509
     * @param ?string $caFile PEM of the authority to trust (default: the system's authorities)
     */
    public function __construct(
        private readonly string $url,
        private readonly string $identity,
        #[\SensitiveParameter] private readonly string $password,
        #[\SensitiveParameter] private readonly string $privateKey,
        private readonly string $serviceKey,
        private readonly ?string $caFile = null,
    ) {
    }

    /** For var_dump and print_r, without password, key and token. */
    public function __debugInfo(): array
    {
        return ['url' => $this->url, 'identity' => $this->identity];
    }

    /** @throws UnexpectedAnswer before it sends the password, if the service does not prove that it holds its key */
    public function logIn(): array
    {
        $pem = "-----BEGIN PUBLIC KEY-----\n" . chunk_split(trim($this->serviceKey), 64, "\n") . "-----END PUBLIC KEY-----\n";
        $secret = random_bytes(64);
        // OPENSSL_PKCS1_OAEP_PADDING is OAEP with SHA-1 and MGF1 with SHA-1.
        openssl_public_encrypt($secret, $clientChallenge, $pem, OPENSSL_PKCS1_OAEP_PADDING)
            || throw new \InvalidArgumentException('the service key is not base64 X.509');
        $query = http_build_query(['identity' => $this->identity, 'clientChallenge' => base64_encode($clientChallenge)]);
        $challenge = $this->expect('GET', "/authentication/login-challenges?$query");
        if (!hash_equals(self::sha256($secret), $challenge['base64EncodedClientChallengeResponse'])) {
            throw new UnexpectedAnswer('the service did not prove that it holds its key');
        }
        $encrypted = (string) base64_decode($challenge['base64EncodedChallenge'], true);
        openssl_private_decrypt($encrypted, $decrypted, $this->privateKey, OPENSSL_PKCS1_OAEP_PADDING)
            || throw new UnexpectedAnswer('the challenge is not for this private key');
        return $this->session = $this->expect('POST', '/authentication/login', [
            'identity' => $this->identity,
            'password' => $this->password,
            'base64EncodedChallengeHash' => self::sha256($encrypted),
            'base64EncodedChallengeResponse' => self::sha256($decrypted),
        ]);
    }

    /** Gets a new token for the same session; the old one stops working. */
    public function renew(): array
    {
        if ($this->session === null) {
            return $this->logIn();
        }
        [$status, $text] = $this->call('POST', '/authentication/renew', $this->jwt());
        // 401: the token has expired, so log in again.
        return $status === 401 ? $this->logIn() : $this->session = self::parsed('/authentication/renew', $status, $text);
    }

    public function logOut(): void
    {
        if ($this->session !== null) {
            $this->expect('POST', '/authentication/logout', $this->jwt());
        }
        $this->session = null;
    }

    /**
     * A request in the session: logs in first, and renews a token that ends within a minute.
     *
     * @return array{int, string} status and text
     */
    public function send(string $method, string $path, ?array $body = null): array
    {
        $session = $this->session ?? $this->logIn();
        if (strtotime($session['expires']) - time() < self::RENEW_BEFORE_SECONDS) {
            $session = $this->renew();
        }
        return $this->call($method, $path, $body, ["{$session['headerName']}: {$session['headerValue']}"]);
    }

    /** Reads a notification that was missed. If nobody has acknowledged the payment yet, this call acknowledges it. */
    public function notification(int $transactionId): Notification
    {
        [$status, $text] = $this->send('GET', "/pluto/purchase/notification/$transactionId");
        return $status === 200 ? Notification::read($text) : throw new UnexpectedAnswer("getNotification answered $status");
    }

    /** The body of renew and logout, which take the token without the word Bearer. */
    private function jwt(): array
    {
        return ['jwt' => preg_replace('/^Bearer /', '', $this->session['headerValue'])];
    }

    private function expect(string $method, string $path, ?array $body = null): array
    {
        return self::parsed($path, ...$this->call($method, $path, $body));
    }

    private static function parsed(string $path, int $status, string $text): array
    {
        if ($status !== 200) {
            throw new UnexpectedAnswer(sprintf('%s answered %d', strtok($path, '?'), $status));
        }
        return json_decode($text, true, 16, JSON_THROW_ON_ERROR);
    }

    /** @return array{int, string} */
    private function call(string $method, string $path, ?array $body = null, array $headers = []): array
    {
        $http = ['method' => $method, 'timeout' => self::TIMEOUT_SECONDS, 'ignore_errors' => true, 'follow_location' => 0, 'protocol_version' => 1.1];
        $http['header'] = [...$headers, 'Connection: close'];
        if ($body !== null) {
            $http['header'][] = 'Content-Type: application/json';
            $http['content'] = json_encode($body, JSON_THROW_ON_ERROR);
        }
        $tls = $this->caFile === null ? [] : ['cafile' => $this->caFile];
        $stream = @fopen($this->url . $path, 'r', false, stream_context_create(['http' => $http, 'ssl' => $tls]));
        if ($stream === false) {
            throw new UnexpectedAnswer(sprintf('%s cannot be reached', strtok($path, '?')));
        }
        $text = (string) stream_get_contents($stream, self::ANSWER_BYTES_MAX);
        $lines = stream_get_meta_data($stream)['wrapper_data'];
        fclose($stream);
        return [(int) explode(' ', $lines[0])[1], $text];
    }

    private static function sha256(string $bytes): string
    {
        return base64_encode(hash('sha256', $bytes, true));
    }
}
