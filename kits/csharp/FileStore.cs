using System.Globalization;

namespace Paycode.Receiver;

/// <summary>What a claim found. New: yours. Busy: somebody handles it now. Reversed: a SUCCESS whose payment was announced as reversed.</summary>
public enum Claim { New, Busy, Done, Reversed }

/// <summary>Remembers which notifications were handled. Implement it on your database to share it between machines: kits/README.md has the statements.</summary>
public interface Store
{
    /// <summary>Takes a notification to handle it, atomically: of two at once one gets New. A claim that is older than a minute is taken over.</summary>
    Claim Claim(Notification notification);

    /// <summary>The handler has succeeded.</summary>
    void Done(long transactionId);

    /// <summary>The handler has failed: a repeat may try again.</summary>
    void Release(long transactionId);

    /// <summary>Claimed more than a minute ago and not done: a process died, or a handler failed after the answer.</summary>
    IReadOnlyList<long> Pending();
}

/// <summary>A store in a folder, for all processes of one machine: a file per notification (empty until it is done), and one per reversed payment.</summary>
public sealed class FileStore(string folder, TimeSpan? claimFor = null) : Store
{
    private readonly string _folder = Directory.CreateDirectory(folder).FullName;
    private readonly TimeSpan _claimFor = claimFor ?? TimeSpan.FromMinutes(1);

    public Claim Claim(Notification notification)
    {
        var mark = Path.Combine(_folder, $"reversed-{notification.PaymentId}");
        if (notification.Status == "REVERSED") IsCreated(mark);
        var claim = Take(FileOf(notification.TransactionId));
        // Only now: a reversal that comes after this look finds our claim older than itself.
        if (notification.Status != "SUCCESS" || !File.Exists(mark)) return claim;
        if (claim == global::Paycode.Receiver.Claim.New) Release(notification.TransactionId);
        return global::Paycode.Receiver.Claim.Reversed;
    }

    public void Done(long transactionId)
    {
        using var file = new FileStream(FileOf(transactionId), FileMode.Create);
        file.Write("DONE"u8);
        file.Flush(true);
    }

    public void Release(long transactionId) => File.Delete(FileOf(transactionId));

    public IReadOnlyList<long> Pending() =>
        Directory.EnumerateFiles(_folder)
            .Where(file => Path.GetFileName(file).All(char.IsAsciiDigit) && IsStale(file) && !IsDone(file))
            .Select(file => long.Parse(Path.GetFileName(file), CultureInfo.InvariantCulture))
            .ToList();

    private Claim Take(string file)
    {
        if (IsCreated(file)) return global::Paycode.Receiver.Claim.New;
        if (IsDone(file)) return global::Paycode.Receiver.Claim.Done;
        if (!IsStale(file)) return global::Paycode.Receiver.Claim.Busy;
        // Of several that find the same old claim, the one that makes this file takes it over.
        var claimedAt = new DateTimeOffset(File.GetLastWriteTimeUtc(file)).ToUnixTimeMilliseconds();
        if (!IsCreated($"{file}-taken-over-{claimedAt}")) return global::Paycode.Receiver.Claim.Busy;
        File.SetLastWriteTimeUtc(file, DateTime.UtcNow);
        return global::Paycode.Receiver.Claim.New;
    }

    /// <summary>False when it was there already: the file system lets one of several win.</summary>
    private static bool IsCreated(string file)
    {
        try
        {
            new FileStream(file, FileMode.CreateNew).Dispose();
            return true;
        }
        catch (IOException) when (File.Exists(file))
        {
            return false;
        }
    }

    private static bool IsDone(string file)
    {
        try
        {
            return File.ReadAllText(file) == "DONE";
        }
        catch (FileNotFoundException)
        {
            return false;
        }
    }

    private bool IsStale(string file) => File.Exists(file) && DateTime.UtcNow - File.GetLastWriteTimeUtc(file) > _claimFor;

    private string FileOf(long transactionId) => Path.Combine(_folder, transactionId.ToString(CultureInfo.InvariantCulture));
}
