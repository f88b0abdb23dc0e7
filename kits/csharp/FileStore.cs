using System.Globalization;

namespace Paycode.Receiver;

/// <summary>The result of a claim. New: you handle it. Busy: another caller handles it now. Reversed: a SUCCESS whose payment was announced as
/// reversed.</summary>
public enum Claim { New, Busy, Done, Reversed }

/// <summary>Remembers which notifications were handled. Implement it on your database to share it between machines: kits/README.md has the statements.</summary>
public interface Store
{
    /// <summary>Claims a notification atomically: of two concurrent calls one gets New. A claim that is older than a minute is taken over.</summary>
    Claim Claim(Notification notification);

    /// <summary>The handler has succeeded.</summary>
    void Done(long transactionId);

    /// <summary>The handler has failed: a repeat may try again.</summary>
    void Release(long transactionId);

    /// <summary>The ids claimed more than a minute ago and not done, because a process died or a handler failed after the answer.</summary>
    IReadOnlyList<long> Pending();
}

/// <summary>A store in a folder, for all processes of one machine: a file per notification (one byte until it is done), and one per reversed payment.</summary>
public sealed class FileStore(string folder, TimeSpan? claimFor = null) : Store
{
    private readonly string _folder = Directory.CreateDirectory(folder).FullName;
    private readonly TimeSpan _claimFor = claimFor ?? TimeSpan.FromMinutes(1);

    public Claim Claim(Notification notification)
    {
        var mark = Path.Combine(_folder, $"reversed-{notification.PaymentId}");
        if (notification.Status == "REVERSED") IsCreated(mark);
        var claim = Take(FileOf(notification.TransactionId));
        // Checked after the claim, so that a reversal that this check misses comes later than our claim.
        if (notification.Status != "SUCCESS" || !File.Exists(mark)) return claim;
        if (claim == global::Paycode.Receiver.Claim.New) Release(notification.TransactionId);
        return global::Paycode.Receiver.Claim.Reversed;
    }

    public void Done(long transactionId)
    {
        // Not truncated: the file keeps its room on the disk.
        using var file = new FileStream(FileOf(transactionId), FileMode.OpenOrCreate, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete);
        file.Write("DONE"u8);
        file.Flush(true);
    }

    public void Release(long transactionId) => File.Delete(FileOf(transactionId));

    public IReadOnlyList<long> Pending() =>
        Directory.EnumerateFiles(_folder)
            .Where(file => Path.GetFileName(file).All(char.IsAsciiDigit) && IsAbandoned(new FileInfo(file)))
            .Select(file => long.Parse(Path.GetFileName(file), CultureInfo.InvariantCulture))
            .ToList();

    private Claim Take(string file)
    {
        if (IsCreated(file)) return global::Paycode.Receiver.Claim.New;
        var found = new FileInfo(file); // it looks once, at the first property that is read
        if (found.Exists && found.Length > 1) return global::Paycode.Receiver.Claim.Done;
        if (!IsAbandoned(found)) return global::Paycode.Receiver.Claim.Busy;
        // Of several callers that find the same old claim, the one that creates this file takes it over.
        var claimedAt = new DateTimeOffset(found.LastWriteTimeUtc).ToUnixTimeMilliseconds();
        if (!IsCreated($"{file}-taken-over-{claimedAt}")) return global::Paycode.Receiver.Claim.Busy;
        File.SetLastWriteTimeUtc(file, DateTime.UtcNow);
        return global::Paycode.Receiver.Claim.New;
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
