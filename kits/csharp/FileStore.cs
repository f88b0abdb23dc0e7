using System.Globalization;

namespace Paycode.Receiver;

/// <summary>The result of a claim. New: you handle it. Busy: another caller handles it now. Reversed: a SUCCESS whose payment was announced as
/// reversed.</summary>
public enum ClaimResult { New, Busy, Done, Reversed }

/// <summary>Remembers which notifications were handled. Implement it on your database to share it between machines: kits/README.md has the statements.</summary>
public interface IStore
{
    /// <summary>Claims a notification atomically: of two concurrent calls one gets New. A claim that is older than a minute is taken over.</summary>
    Task<ClaimResult> ClaimAsync(Notification notification, CancellationToken cancellationToken = default);

    /// <summary>The handler has succeeded.</summary>
    Task DoneAsync(long transactionId, CancellationToken cancellationToken = default);

    /// <summary>The handler has failed: a repeat may try again.</summary>
    Task ReleaseAsync(long transactionId, CancellationToken cancellationToken = default);

    /// <summary>The ids claimed more than a minute ago and not done, because a process died or a handler failed after the answer.</summary>
    Task<IReadOnlyList<long>> PendingAsync(CancellationToken cancellationToken = default);
}

/// <summary>A store in a folder, for all processes of one machine: a file per notification (one byte until it is done), and one per reversed payment.</summary>
public sealed class FileStore(string folder, TimeSpan? claimFor = null) : IStore
{
    private readonly string _folder = Directory.CreateDirectory(folder).FullName;
    private readonly TimeSpan _claimFor = claimFor ?? TimeSpan.FromMinutes(1);

    public Task<ClaimResult> ClaimAsync(Notification notification, CancellationToken cancellationToken = default) => Task.FromResult(Claim(notification));

    public Task DoneAsync(long transactionId, CancellationToken cancellationToken = default)
    {
        Done(transactionId);
        return Task.CompletedTask;
    }

    public Task ReleaseAsync(long transactionId, CancellationToken cancellationToken = default)
    {
        Release(transactionId);
        return Task.CompletedTask;
    }

    public Task<IReadOnlyList<long>> PendingAsync(CancellationToken cancellationToken = default) => Task.FromResult(Pending());

    private ClaimResult Claim(Notification notification)
    {
        var mark = Path.Combine(_folder, string.Create(CultureInfo.InvariantCulture, $"reversed-{notification.PaymentId}"));
        if (notification.Status == "REVERSED") IsCreated(mark);
        var claim = Take(FileOf(notification.TransactionId));
        // Checked after the claim, so that a reversal that this check misses comes later than our claim.
        if (notification.Status != "SUCCESS" || !File.Exists(mark)) return claim;
        if (claim == ClaimResult.New) Release(notification.TransactionId);
        return ClaimResult.Reversed;
    }

    private void Done(long transactionId)
    {
        // Not truncated: the file keeps its room on the disk.
        using var file = new FileStream(FileOf(transactionId), FileMode.OpenOrCreate, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete);
        file.Write("DONE"u8);
        file.Flush(true);
    }

    private void Release(long transactionId) => File.Delete(FileOf(transactionId));

    private IReadOnlyList<long> Pending() =>
        Directory.EnumerateFiles(_folder)
            .Where(file => Path.GetFileName(file).All(char.IsAsciiDigit) && IsAbandoned(new FileInfo(file)))
            .Select(file => long.Parse(Path.GetFileName(file), CultureInfo.InvariantCulture))
            .ToList();

    private ClaimResult Take(string file)
    {
        if (IsCreated(file)) return ClaimResult.New;
        var found = new FileInfo(file); // it looks once, at the first property that is read
        if (found.Exists && found.Length > 1) return ClaimResult.Done;
        if (!IsAbandoned(found)) return ClaimResult.Busy;
        // Of several callers that find the same old claim, the one that creates this file takes it over.
        var claimedAt = new DateTimeOffset(found.LastWriteTimeUtc).ToUnixTimeMilliseconds();
        if (!IsCreated($"{file}-taken-over-{claimedAt}")) return ClaimResult.Busy;
        File.SetLastWriteTimeUtc(file, DateTime.UtcNow);
        return ClaimResult.New;
    }

    /// <summary>False when the file exists already: the file system lets one of several callers create it. Its byte needs room: a full disk fails
    /// before the work.</summary>
    private static bool IsCreated(string file)
    {
        FileStream created;
        try
        {
            // Without a buffer, so that the write itself fails.
            created = new FileStream(file, FileMode.CreateNew, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
        }
        catch (IOException) when (File.Exists(file))
        {
            return false;
        }
        try
        {
            using (created) created.Write("-"u8);
            return true;
        }
        catch (IOException)
        {
            File.Delete(file);
            throw;
        }
    }

    /// <summary>A claim that does not exist was just released.</summary>
    private bool IsAbandoned(FileInfo found) => found.Exists && found.Length <= 1 && DateTime.UtcNow - found.LastWriteTimeUtc > _claimFor;

    private string FileOf(long transactionId) => Path.Combine(_folder, transactionId.ToString(CultureInfo.InvariantCulture));
}
