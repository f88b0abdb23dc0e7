<?php
// Guzzle and a logger for the packed kit's client, as the page does: `npm run test:kits -- php --frameworks`.
declare(strict_types=1);

require 'GuzzleHttp/autoload.php';

/** @return array<string, object> arguments of the client */
function guzzle(string $caFile, float $timeout): array
{
    $logger = new class extends Psr\Log\AbstractLogger {
        public function log($level, $message, array $context = []): void
        {
            fwrite(STDERR, "$level " . strtr($message, ['{error}' => $context['error']]) . "\n");
        }
    };
    $http = new GuzzleHttp\Client(['verify' => $caFile, 'timeout' => $timeout]);
    return ['http' => $http, 'factory' => new GuzzleHttp\Psr7\HttpFactory(), 'logger' => $logger];
}
