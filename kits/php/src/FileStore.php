<?php
declare(strict_types=1);

namespace Paycode\Receiver;

/** A store in a folder, for all processes of one machine: a file per notification (empty until it is done), and one per reversed payment. */
final class FileStore implements Store
{
    public function __construct(private readonly string $folder, private readonly int $claimSeconds = 60)
    {
        if (!is_dir($folder) && !@mkdir($folder, 0700, true) && !is_dir($folder)) {
            throw new \RuntimeException("cannot create the folder $folder");
        }
    }

    public function claim(Notification $notification): string
    {
        $mark = "$this->folder/reversed-{$notification->paymentId()}";
        if ($notification->status === 'REVERSED') {
            $this->created($mark);
        }
        $claim = $this->take($this->file($notification->transactionId));
        clearstatcache();
        // Checked after the claim, so that a reversal that this check misses comes later than our claim.
        if ($notification->status !== 'SUCCESS' || !file_exists($mark)) {
            return $claim;
        }
        if ($claim === 'NEW') {
            $this->release($notification->transactionId);
        }
        return 'REVERSED';
    }

    public function done(int $transactionId): void
    {
        $file = fopen($this->file($transactionId), 'w');
        if ($file === false || fwrite($file, 'DONE') !== 4 || !fsync($file) || !fclose($file)) {
            throw new \RuntimeException('cannot write to the store');
        }
    }

    public function release(int $transactionId): void
    {
        $file = $this->file($transactionId);
        if (!@unlink($file) && file_exists($file)) {
            throw new \RuntimeException('cannot write to the store');
        }
    }

    public function pending(): array
    {
        clearstatcache();
        $names = array_filter(scandir($this->folder) ?: [], ctype_digit(...));
        $isPending = fn (string $name): bool => $this->isStale("$this->folder/$name") && !$this->isDone("$this->folder/$name");
        return array_map(intval(...), array_values(array_filter($names, $isPending)));
    }

    private function take(string $file): string
    {
        if ($this->created($file)) {
            return 'NEW';
        }
        clearstatcache();
        if ($this->isDone($file)) {
            return 'DONE';
        }
        // Of several callers that find the same old claim, the one that creates this file takes it over.
        if (!$this->isStale($file) || !$this->created("$file-taken-over-" . @filemtime($file))) {
            return 'BUSY';
        }
        touch($file);
        return 'NEW';
    }

    /** False when the file exists already: the file system lets one of several callers create it. */
    private function created(string $file): bool
    {
        $opened = @fopen($file, 'x');
        if ($opened !== false) {
            return fclose($opened);
        }
        return file_exists($file) ? false : throw new \RuntimeException('cannot write to the store');
    }

    private function isDone(string $file): bool
    {
        return @file_get_contents($file) === 'DONE';
    }

    private function isStale(string $file): bool
    {
        $claimedAt = @filemtime($file);
        return $claimedAt !== false && time() - $claimedAt > $this->claimSeconds;
    }

    private function file(int $transactionId): string
    {
        return "$this->folder/$transactionId";
    }
}
