<?php
// The program that the kit's tests run, from a folder where the packed kit is installed: `vectors <file>`, `serve php`, `serve laravel` or `login`.
// Called by a web server, it is the receiver.
declare(strict_types=1);

require __DIR__ . '/vendor/autoload.php';
if (getenv('KIT_ADAPTER') === 'laravel') {
    require 'Illuminate/autoload.php';
    require __DIR__ . '/laravel.php';
}

use Paycode\Receiver\Adapters;
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

function login(): void
{
    [$url, $identity, $password, $caFile] = array_map(getenv(...), ['PAYCODE_URL', 'PAYCODE_IDENTITY', 'PAYCODE_PASSWORD', 'PAYCODE_CA_FILE']);
    $files = array_map(getenv(...), ['PAYCODE_PRIVATE_KEY_FILE', 'PAYCODE_SERVICE_KEY_FILE']);
    [$privateKey, $serviceKey] = array_map(file_get_contents(...), $files);
    $client = new Client($url, $identity, $password, $privateKey, $serviceKey, $caFile); // docs/how-to/log-in.md says where the keys come from
    $session = $client->logIn();
    echo "logged in {$session['sessionId']}\n";
    echo 'printed ', strtr(print_r($client, true), "\n", ' '), "\n";
    $order = ['merchantReference' => 'order-17', 'amount' => 25.5, 'currencyCode' => 'ZAR'];
    [$status, $text] = $client->send('POST', '/pluto/code/create', $order);
    echo $status === 200 ? 'created ' . json_decode($text)->code : "refused with $status", "\n";
    $renewed = $client->renew();
    echo "renewed {$renewed['sessionId']} ", json_encode($renewed['headerValue'] !== $session['headerValue']), "\n";
    $notification = $client->notification((int) getenv('KIT_TRANSACTION'));
    echo "read $notification->transactionId $notification->status $notification->amount\n";
    $receiver = receiver();
    $receiver->resume($client->notification(...)); // a server calls it every minute
    $client->logOut();
    echo "logged out\n";
}

if (PHP_SAPI === 'cli-server') {
    getenv('KIT_ADAPTER') === 'laravel' ? throughLaravel(receiver()) : Adapters::forPhp(receiver());
} else {
    ['vectors' => vectors(...), 'serve' => serve(...), 'login' => login(...)][$argv[1]]($argv[2] ?? '');
}
