<?php
// The program that the kit's tests run, from a folder where the packed kit is installed: `vectors <file>`, `serve php`, `serve laravel` or `client`.
// Called by a web server, it is the receiver.
declare(strict_types=1);

require __DIR__ . '/vendor/autoload.php';
if (getenv('KIT_ADAPTER') === 'laravel') {
    require 'Illuminate/autoload.php';
    require __DIR__ . '/laravel.php';
}

use Paycode\Receiver\Adapters;
use Paycode\Receiver\ApiError;
use Paycode\Receiver\Client;
use Paycode\Receiver\FileStore;
use Paycode\Receiver\Notification;
use Paycode\Receiver\Receiver;
use Paycode\Receiver\RefusedBody;

function say(string $line): void
{
    // A worker of the built-in server writes to its client, not to standard output.
    file_put_contents(PHP_SAPI === 'cli' ? 'php://stdout' : 'php://stderr', "$line\n");
}

function vectors(string $file): void
{
    foreach (json_decode(file_get_contents($file), true)['vectors'] as $vector) {
        $printed = ['name' => $vector['name']];
        try {
            $notification = Notification::open($vector['body'], $vector['keys']);
            foreach (array_keys($vector['expect']) as $path) {
                $printed[$path] = at($notification, $path);
            }
            $printed['result'] = 'OK';
        } catch (RefusedBody $refused) {
            $printed['result'] = $refused->reason;
        }
        echo json_encode($printed, JSON_THROW_ON_ERROR), "\n";
    }
}

function at(Notification $notification, string $path): ?string
{
    $names = explode('.', $path);
    $value = $path === 'paymentId' ? $notification->paymentId() : ($notification->{$names[0]} ?? null);
    $value = count($names) > 1 ? ($value[$names[1]] ?? null) : $value;
    return $value === null ? null : (string) $value;
}

function isTold(string $what, Notification $notification): bool
{
    clearstatcache();
    return str_starts_with($notification->reference, $what) && file_exists(getenv('KIT_FOLDER') . "/$what");
}

function receiver(): Receiver
{
    $handler = function (Notification $notification, float $dueAt): void {
        say("handling $notification->transactionId");
        say('printed ' . strtr(print_r([$notification], true), "\n", ' '));
        if (isTold('fail', $notification)) {
            throw new RuntimeException('told to fail');
        }
        while (isTold('hold', $notification)) {
            if (getenv('KIT_WHEN') === 'BEFORE' && hrtime(true) / 1e9 > $dueAt) {
                return;
            }
            usleep(20_000);
        }
        say("handled $notification->transactionId $notification->status $notification->amount $notification->reference");
    };
    // Read at each notification, because the receiver starts before its key exists.
    $keys = fn (): array => is_file((string) getenv('KIT_KEYS_FILE')) ? file(getenv('KIT_KEYS_FILE')) : [];
    $store = new FileStore(getenv('KIT_FOLDER') . '/store');
    $within = (float) (getenv('KIT_ANSWER_WITHIN_MS') ?: 40000) / 1000;
    $onError = function (Throwable $error): void {
        say("error {$error->getMessage()}");
        !file_exists(getenv('KIT_FOLDER') . '/fail-on-error') || throw new RuntimeException('told to fail, too');
    };
    return new Receiver($keys, $store, $handler, getenv('KIT_WHEN') ?: 'BEFORE', $within, getenv('KIT_ON_ERROR') === 'DEFAULT' ? null : $onError);
}

/** The built-in web server with several workers, on a free port. */
function serve(string $adapter): void
{
    $free = stream_socket_server('tcp://127.0.0.1:0');
    $address = stream_socket_get_name($free, false);
    fclose($free);
    $server = proc_open([PHP_BINARY, '-S', $address, __FILE__], [1 => STDERR, 2 => STDERR], $pipes, null, ['PHP_CLI_SERVER_WORKERS' => '6', 'KIT_ADAPTER' => $adapter] + getenv());
    while (!($connection = @stream_socket_client("tcp://$address"))) {
        usleep(20_000);
    }
    fclose($connection);
    say('listening ' . explode(':', $address)[1]);
    while (proc_get_status($server)['running']) {
        usleep(200_000);
    }
}

/** Calls by lines of words (describe-client.ts), and prints a line for each. */
function client(): void
{
    [$url, $identity, $password, $caFile, $login] = array_map(getenv(...), ['PAYCODE_URL', 'PAYCODE_IDENTITY', 'PAYCODE_PASSWORD', 'PAYCODE_CA_FILE', 'PAYCODE_LOGIN']);
    $how = match ($login) {
        'BASIC' => [],
        'BEARER' => ['isBearer' => true],
        'CHALLENGE' => [
            'privateKey' => file_get_contents(getenv('PAYCODE_PRIVATE_KEY_FILE')),
            'serviceKey' => file_get_contents(getenv('PAYCODE_SERVICE_KEY_FILE')),
        ],
    };
    $timeout = getenv('PAYCODE_TIMEOUT_MS') / 1000;
    if (getenv('KIT_HTTP') === 'GUZZLE') {
        require __DIR__ . '/guzzle.php';
        $how += guzzle($caFile, $timeout);
    }
    $client = new Client($url, $identity, $password, ...$how, caFile: $caFile, timeout: $timeout);
    $receiver = receiver();
    $code = '';
    $entries = fn (array $list): string => 'entries ' . implode(',', array_map(fn (array $each): string => "$each[type]=$each[value]", $list));
    $calls = [
        'createCode' => function (string $reference, string $amount, string $currency) use ($client, &$code): string {
            $code = $client->createCode($reference, $amount, $currency)['code'];
            return "code $code";
        },
        'queryRef' => function (string $reference) use ($client, &$code): string {
            ['amount' => $amount, 'status' => $status] = $client->queryRef($code, $reference);
            return "reference $amount $status";
        },
        'getNotification' => function (string $id) use ($client): string {
            $notification = $client->getNotification((int) $id);
            return "notification $notification->transactionId $notification->status $notification->amount";
        },
        'notifications' => function (string $since) use ($client): string {
            return 'notifications ' . implode(',', array_column($client->notifications(new DateTimeImmutable($since))['notifications'], 'transactionId'));
        },
        'addHttp' => fn (string $id, string $to): string => 'key ' . $client->addHttp((int) $id, $to)['encryptKey'],
        'renewKey' => fn (string $id): string => 'key ' . $client->renewKey((int) $id)['encryptKey'],
        'extra' => fn (string $id, string $type, string $value): string => $entries($client->extra((int) $id, $type, $value)),
        'list' => function (string $id) use ($url, $identity, $password, $caFile, $entries): string {
            $client = new Client($url, $identity, $password, caFile: $caFile);
            return $entries($client->list((int) $id));
        },
        'send' => fn (string $method, string $path): string => 'text ' . $client->send($method, $path),
        'logIn' => fn (): string => 'session ' . $client->logIn()['sessionId'],
        'renew' => fn (): string => 'session ' . $client->renew()['sessionId'],
        'logOut' => function () use ($client): string {
            $client->logOut();
            return 'logged out';
        },
        'resume' => function () use ($client, $receiver): string {
            $receiver->resume($client->getNotification(...)); // a server calls it every minute
            return 'resumed';
        },
        'print' => fn (): string => 'printed ' . strtr(print_r($client, true), "\n", ' '),
    ];
    foreach (file(getenv('KIT_CALLS_FILE'), FILE_IGNORE_NEW_LINES) as $line) {
        [$call, $words] = [strtok($line, ' '), array_slice(explode(' ', $line), 1)];
        try {
            say($calls[$call](...$words));
        } catch (ApiError $error) { // decide by the code, and give support the request id
            say($error->status === 0 ? "failed {$error->getMessage()}" : "error $error->status $error->apiCode $error->requestId");
        }
    }
}

if (PHP_SAPI === 'cli-server') {
    getenv('KIT_ADAPTER') === 'laravel' ? throughLaravel(receiver()) : Adapters::forPhp(receiver());
} else {
    ['vectors' => vectors(...), 'serve' => serve(...), 'client' => client(...)][$argv[1]]($argv[2] ?? '');
}
