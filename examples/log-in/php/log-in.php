<?php
// Logs in to Paycode with the full challenge-response of the specification (5.3), uses the session, renews it, logs out.
// PHP 8.1 or newer with the openssl and curl extensions. Settings come from the environment, see ../README.md.
declare(strict_types=1);

function setting(string $name): string
{
    $value = getenv($name);
    if ($value === false || $value === '') {
        throw new RuntimeException("$name is not set");
    }
    return $value;
}

function sha256(string $bytes): string
{
    return base64_encode(hash('sha256', $bytes, true));
}

/** One HTTPS request with a JSON body; gives the status and the parsed answer. */
function send(string $method, string $path, ?array $body = null, array $headers = []): array
{
    $call = curl_init(setting('PAYCODE_URL') . $path);
    $options = [CURLOPT_CUSTOMREQUEST => $method, CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 30];
    if ($body !== null) {
        $headers[] = 'Content-Type: application/json';
        $options[CURLOPT_POSTFIELDS] = json_encode($body, JSON_THROW_ON_ERROR);
    }
    if (getenv('PAYCODE_CA_FILE')) {
        $options[CURLOPT_CAINFO] = getenv('PAYCODE_CA_FILE');
    }
    curl_setopt_array($call, $options + [CURLOPT_HTTPHEADER => $headers]);
    $text = curl_exec($call);
    if ($text === false) {
        throw new RuntimeException(curl_error($call));
    }
    return [curl_getinfo($call, CURLINFO_RESPONSE_CODE), json_decode($text ?: '{}', true, 16, JSON_THROW_ON_ERROR)];
}

/** Sends and insists on 200; never prints what was sent: it holds secrets. */
function expectOk(string $method, string $path, ?array $body = null): array
{
    [$status, $answer] = send($method, $path, $body);
    if ($status !== 200) {
        throw new RuntimeException(sprintf('%s %s answered %d: %s', $method, strtok($path, '?'), $status, $answer['message'] ?? ''));
    }
    return $answer;
}

function logIn(): array
{
    $privateKey = openssl_pkey_get_private(file_get_contents(setting('PAYCODE_PRIVATE_KEY_FILE')));
    $serviceKeyText = trim(file_get_contents(setting('PAYCODE_SERVICE_KEY_FILE')));
    $serviceKey = openssl_pkey_get_public(
        "-----BEGIN PUBLIC KEY-----\n" . chunk_split($serviceKeyText, 64, "\n") . "-----END PUBLIC KEY-----\n"
    );
    // 1. 64 random bytes, encrypted to the service. OPENSSL_PKCS1_OAEP_PADDING is OAEP with SHA-1 and MGF1 with SHA-1.
    $secret = random_bytes(64);
    openssl_public_encrypt($secret, $clientChallenge, $serviceKey, OPENSSL_PKCS1_OAEP_PADDING)
        || throw new RuntimeException('could not encrypt to the service key');
    $query = http_build_query(['identity' => setting('PAYCODE_IDENTITY'), 'clientChallenge' => base64_encode($clientChallenge)]);
    // 2. The service answers with its proof and a challenge of its own.
    $challenge = expectOk('GET', "/authentication/login-challenges?$query");
    // 3. Only who holds the service's private key knows the hash of our bytes. If it is wrong, stop before the password leaves.
    if (!hash_equals(sha256($secret), $challenge['base64EncodedClientChallengeResponse'])) {
        throw new RuntimeException('the service did not prove itself');
    }
    echo "service proved itself\n";
    $encrypted = base64_decode($challenge['base64EncodedChallenge'], true);
    openssl_private_decrypt($encrypted, $decrypted, $privateKey, OPENSSL_PKCS1_OAEP_PADDING)
        || throw new RuntimeException('could not decrypt the challenge');
    // 4. Both hashes prove that we hold our private key.
    return expectOk('POST', '/authentication/login', [
        'identity' => setting('PAYCODE_IDENTITY'),
        'password' => setting('PAYCODE_PASSWORD'),
        'base64EncodedChallengeHash' => sha256($encrypted),
        'base64EncodedChallengeResponse' => sha256($decrypted),
    ]);
}

function tokenOf(array $session): string
{
    return substr($session['headerValue'], strlen('Bearer '));
}

$session = logIn();
echo "logged in, session {$session['sessionId']} until {$session['expires']}\n";

// 5. Every request carries the header the session names.
$header = "{$session['headerName']}: {$session['headerValue']}";
[$status] = send('POST', '/pluto/remote/v4/lookup', ['value' => '1234567890', 'msisdn' => '+27820000001'], [$header]);
echo in_array($status, [401, 403], true) ? "refused with $status\n" : "request authenticated\n";

// A token lives 15 minutes: renew it before `expires`. The old token stops working.
$session = expectOk('POST', '/authentication/renew', ['jwt' => tokenOf($session)]);
echo "renewed until {$session['expires']}\n";

expectOk('POST', '/authentication/logout', ['jwt' => tokenOf($session)]);
echo "logged out\n";
