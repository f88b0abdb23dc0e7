using System.Diagnostics;
using System.Text;
using System.Text.RegularExpressions;

namespace Paycode.Receiver;

/// <summary>
/// 200 keeps the payment, anything else reverses it. Reason, for your log: HANDLED, ACCEPTED, REPEAT, PROBE, TEST, REVERSED, BUSY, TOO_SLOW, HANDLER_FAILED,
/// TOO_LONG or the code of a RefusedBody. After: the handler's work when the receiver answers first, else null; call it once the answer is sent. It starts
/// a thread and never fails; do not wait for its task, because the platform sends the next notification on the same connection.
/// </summary>
public sealed record Answer(int Status, string Reason, Func<Task>? After = null);

/// <summary>Before: the answer waits for the handler, and a payment that you could not store is reversed. After: the handler runs after the answer
/// 200.</summary>
public enum When { Before, After }

/// <summary>Decides what to answer to a notification.</summary>
public sealed class PaymentReceiver
{
    /// <summary>The receiver refuses longer bodies (413); a notification is far smaller.</summary>
    public const int BodyBytesMax = 131_072;

    private static readonly TimeSpan BusyPause = TimeSpan.FromMilliseconds(50);
    private static readonly Regex Probe = new(@"\A\s*\{\s*""result""\s*:\s*""TEST""\s*\}\s*\z");

    /// <summary>The current keys, asked for at each notification: one, and during a renewal the new and the old one.</summary>
    public required Func<IReadOnlyList<string>> Keys { get; init; }
    public required Store Store { get; init; }
    /// <summary>Your work. It must be idempotent: a process may die after the work and before the store records it.</summary>
    public required Func<Notification, Task> Handler { get; init; }
    public When When { get; init; } = When.Before;
    /// <summary>The answer is given within this time from the arrival of the request, whatever the handler does, and is not 200 later; the platform
    /// waits 45 seconds.</summary>
    public TimeSpan AnswerWithin { get; init; } = TimeSpan.FromSeconds(40);
    /// <summary>Called when the handler, the keys or the store fails, or something has read the body before. Default: standard error.</summary>
    public Action<Exception> OnError { get; init; } = error => Console.Error.WriteLine($"Paycode receiver: {error}");

    private static readonly Answer TooSlow = new(503, "TOO_SLOW");

    /// <summary>The answer to a raw body; header gives a header's value by its name, or null. arrivedAt: when the request came, by
    /// Stopwatch.GetTimestamp.</summary>
    public async Task<Answer> Receive(byte[] rawBody, Func<string, string?> header, long? arrivedAt = null)
    {
        var arrived = arrivedAt ?? Stopwatch.GetTimestamp();
        TimeSpan Left() => AnswerWithin - Stopwatch.GetElapsedTime(arrived);
        var answer = await Answered(rawBody, header, Left);
        return answer.Status == 200 && Left() < TimeSpan.Zero ? TooSlow : answer;
    }

    private async Task<Answer> Answered(byte[] rawBody, Func<string, string?> header, Func<TimeSpan> left)
    {
        if (rawBody.Length > BodyBytesMax) return new Answer(413, "TOO_LONG");
        if (rawBody.Length == 0 && (header("Content-Length") ?? "0") != "0")
            return Failed(new InvalidOperationException("something has read the notification before the receiver: mount the receiver before it"));
        if (Probe.IsMatch(Encoding.Latin1.GetString(rawBody))) return new Answer(200, "PROBE");
        try
        {
            var notification = Notification.Open(rawBody, Keys(), header("X-Webhook-Key-Id"));
            var isTest = header("X-Webhook-Test") == "1" && notification.IsTest;
            return isTest ? new Answer(200, "TEST") : await Claimed(notification, left);
        }
        catch (RefusedBody refused)
        {
            return new Answer(400, refused.Code);
        }
        catch (Exception error)
        {
            return Failed(error);
        }
    }

    /// <summary>Handles notifications that a dead process left or whose handler failed after the answer. Call it every minute; read is
    /// Client.Notification. One that cannot be read stays for the next call, and OnError is told; the others are handled.</summary>
    public async Task Resume(Func<long, Task<Notification>> read)
    {
        foreach (var transactionId in Store.Pending())
        {
            try
            {
                var notification = await read(transactionId);
                var claim = Store.Claim(notification);
                if (claim == Claim.New) await Handle(notification, mayRetry: false);
                if (claim == Claim.Reversed) Store.Done(transactionId);
            }
            catch (Exception error)
            {
                Failed(error);
            }
        }
    }

    private async Task<Answer> Claimed(Notification notification, Func<TimeSpan> left)
    {
        Claim claim;
        while ((claim = Store.Claim(notification)) == Claim.Busy && When == When.Before)
        {
            if (left() < BusyPause) return new Answer(503, "BUSY");
            await Task.Delay(BusyPause);
        }
        if (claim == Claim.Reversed) return new Answer(409, "REVERSED");
        if (claim != Claim.New) return new Answer(200, "REPEAT");
        var time = left();
        if (time < TimeSpan.Zero)
        {
            Store.Release(notification.TransactionId);
            return TooSlow;
        }
        if (When == When.After) return new Answer(200, "ACCEPTED", () => OnItsThread(() => Handle(notification, mayRetry: false)));
        // A handler that runs on after the answer ends by itself.
        var handled = OnItsThread(() => Handle(notification, mayRetry: true));
        return await Task.WhenAny(handled, Task.Delay(time)) == handled ? await handled : TooSlow;
    }

    /// <summary>A handler that blocks must not take the threads of the pool, on which answers and their time run.</summary>
    private static Task<Answer> OnItsThread(Func<Task<Answer>> work) =>
        Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();

    private async Task<Answer> Handle(Notification notification, bool mayRetry)
    {
        try
        {
            await Handler(notification);
            Store.Done(notification.TransactionId);
            return new Answer(200, "HANDLED");
        }
        catch (Exception error)
        {
            var answer = Failed(error);
            try
            {
                // The platform does not repeat after a 200, so the claim stays and Resume finds it.
                if (mayRetry) Store.Release(notification.TransactionId);
            }
            catch (Exception unreleased)
            {
                Failed(unreleased); // the claim ends by itself, after a minute
            }
            return answer;
        }
    }

    private Answer Failed(Exception error)
    {
        try
        {
            OnError(error);
        }
        catch (Exception failing)
        {
            Console.Error.WriteLine($"Paycode receiver: OnError failed: {failing}"); // it must not cost the answer
        }
        return new Answer(500, "HANDLER_FAILED");
    }
}
