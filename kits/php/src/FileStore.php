<?php
declare(strict_types=1);

namespace Paycode\Receiver;

/** A store in a folder, for all processes of one machine: a file per notification (one byte until it is done), and one per reversed payment. */
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
        $claim = $this->take("$this->folder/$notification->transactionId");
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
        $file = fopen("$this->folder/$transactionId", 'c'); // not truncated: the file keeps its room on the disk
        if ($file === false || fwrite($file, 'DONE') !== 4 || !fsync($file) || !fclose($file)) {
            throw new \RuntimeException('cannot write to the store');
        }
    }

    public function release(int $transactionId): void
    {
        $file = "$this->folder/$transactionId";
        if (!@unlink($file) && file_exists($file)) {
            throw new \RuntimeException('cannot write to the store');
        }
    }

    public function pending(): array
    {
        $names = array_filter(scandir($this->folder) ?: [], ctype_digit(...));
        $isPending = fn (string $name): bool => $this->isAbandoned($this->claimedAt("$this->folder/$name"));
        return array_map(intval(...), array_values(array_filter($names, $isPending)));
    }

    private function take(string $file): string
    {
        if ($this->created($file)) {
            return 'NEW';
        }
        $claimedAt = $this->claimedAt($file);
        if (@filesize($file) > 1) {
            return 'DONE';
        }
        // Of several callers that find the same old claim, the one that creates this file takes it over.
        if (!$this->isAbandoned($claimedAt) || !$this->created("$file-taken-over-$claimedAt")) {
            return 'BUSY';
        }
        touch($file);
        return 'NEW';
    }

    /** False when the file exists already: the file system lets one of several callers create it. Its byte needs room: a full disk fails before the work. */
    private function created(string $file): bool
    {
        $opened = @fopen($file, 'x');
        if ($opened !== false && @fwrite($opened, '-') === 1 && fclose($opened)) {
            return true;
        }
        $opened === false || unlink($file);
        return file_exists($file) ? false : throw new \RuntimeException('cannot write to the store');
    }

    private function isAbandoned(int|false $claimedAt): bool
    {
        return $claimedAt !== false && time() - $claimedAt > $this->claimSeconds;
    }

    /** False when the notification is done, or was just released. */
    private function claimedAt(string $file): int|false
    {
        clearstatcache();
        $bytes = @filesize($file);
        return $bytes === false || $bytes > 1 ? false : @filemtime($file);
    }
}
