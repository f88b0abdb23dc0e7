using System.Diagnostics;
using System.Text;
using System.Text.RegularExpressions;

namespace Paycode.Receiver;

/// <summary>
/// 200 keeps the payment, anything else reverses it. Reason, for your log: HANDLED, ACCEPTED, REPEAT, PROBE, TEST, REVERSED, BUSY, TOO_SLOW, HANDLER_FAILED,
/// TOO_LONG or the code of a RefusedBodyException. After: the handler's work when the receiver answers first, else null; call it once the answer is sent. It starts
/// a thread and never fails; do not wait for its task, because the platform sends the next notification on the same connection.
/// </summary>
public sealed record Answer(int Status, string Reason, Func<Task>? After = null);

/// <summary>Before: the answer waits for the handler, and a payment that you could not store is reversed. After: the handler runs after the answer
/// 200.</summary>
public enum HandleWhen { Before, After }

/// <summary>Decides what to answer to a notification.</summary>
public sealed class PaymentReceiver
{
    /// <summary>The receiver refuses longer bodies (413); a notification is far smaller.</summary>
    public const int BodyBytesMax = 131_072;

    private static readonly TimeSpan BusyPause = TimeSpan.FromMilliseconds(50);
    private static readonly Regex Probe = new(@"\A\s*\{\s*""result""\s*:\s*""TEST""\s*\}\s*\z");

    /// <summary>The current keys, asked for at each notification: one, and during a renewal the new and the old one.</summary>
    public required Func<IReadOnlyList<string>> Keys { get; init; }
    public required IStore Store { get; init; }
    /// <summary>Your work. It must be idempotent: a process may die after the work and before the store records it. The token is cancelled when the
    /// time of the answer is over, after which the payment is reversed.</summary>
    public required Func<Notification, CancellationToken, Task> Handler { get; init; }
    public HandleWhen When { get; init; } = HandleWhen.Before;
    /// <summary>The answer is given within this time from the arrival of the request, whatever the handler does, and is not 200 later; the platform
    /// waits 45 seconds.</summary>
    public TimeSpan AnswerWithin { get; init; } = TimeSpan.FromSeconds(40);
    /// <summary>Called when the handler, the keys or the store fails, or something has read the body before. Default: standard error.</summary>
    public Action<Exception> OnError { get; init; } = error => Console.Error.WriteLine($"Paycode receiver: {error}");

    private static readonly Answer TooSlow = new(503, "TOO_SLOW");

    /// <summary>The answer to a raw body; header gives a header's value by its name, or null. arrivedAt: when the request came, by
    /// Stopwatch.GetTimestamp.</summary>
    public async Task<Answer> ReceiveAsync(byte[] rawBody, Func<string, string?> header, long? arrivedAt = null)
    {
        var arrived = arrivedAt ?? Stopwatch.GetTimestamp();
        TimeSpan Left() => AnswerWithin - Stopwatch.GetElapsedTime(arrived);
        var answer = await AnsweredAsync(rawBody, header, Left);
        return answer.Status == 200 && Left() < TimeSpan.Zero ? TooSlow : answer;
    }

    private async Task<Answer> AnsweredAsync(byte[] rawBody, Func<string, string?> header, Func<TimeSpan> left)
    {
        if (rawBody.Length > BodyBytesMax) return new Answer(413, "TOO_LONG");
        if (rawBody.Length == 0 && (header("Content-Length") ?? "0") != "0")
            return Failed(new InvalidOperationException("something has read the notification before the receiver: mount the receiver before it"));
        if (Probe.IsMatch(Encoding.Latin1.GetString(rawBody))) return new Answer(200, "PROBE");
        try
        {
            var notification = Notification.Open(rawBody, Keys(), header("X-Webhook-Key-Id"));
            var isTest = header("X-Webhook-Test") == "1" && notification.IsTest;
            return isTest ? new Answer(200, "TEST") : await ClaimedAsync(notification, left);
        }
        catch (RefusedBodyException refused)
        {
            return new Answer(400, refused.Code);
        }
        catch (Exception error)
        {
            return Failed(error);
        }
    }

    /// <summary>Handles notifications that a dead process left or whose handler failed after the answer. Call it every minute; read is
    /// PaycodeClient.GetNotificationAsync. One that cannot be read stays for the next call, and OnError is told; the others are handled.</summary>
    public async Task ResumeAsync(Func<long, CancellationToken, Task<Notification>> read, CancellationToken cancellationToken = default)
    {
        foreach (var transactionId in await Store.PendingAsync(cancellationToken))
        {
            try
            {
                var notification = await read(transactionId, cancellationToken);
                var claim = await Store.ClaimAsync(notification, cancellationToken);
                if (claim == ClaimResult.New) await HandleAsync(notification, mayRetry: false, CancellationToken.None);
                if (claim == ClaimResult.Reversed) await Store.DoneAsync(transactionId, cancellationToken);
            }
            catch (Exception error) when (!cancellationToken.IsCancellationRequested)
            {
                Failed(error);
            }
        }
    }

    private async Task<Answer> ClaimedAsync(Notification notification, Func<TimeSpan> left)
    {
        ClaimResult claim;
        while ((claim = await Store.ClaimAsync(notification)) == ClaimResult.Busy && When == HandleWhen.Before)
        {
            if (left() < BusyPause) return new Answer(503, "BUSY");
            await Task.Delay(BusyPause);
        }
        if (claim == ClaimResult.Reversed) return new Answer(409, "REVERSED");
        if (claim != ClaimResult.New) return new Answer(200, "REPEAT");
        var time = left();
        if (time < TimeSpan.Zero)
        {
            await Store.ReleaseAsync(notification.TransactionId);
            return TooSlow;
        }
        if (When == HandleWhen.After) return new Answer(200, "ACCEPTED", () => OnItsThread(() => HandleAsync(notification, mayRetry: false, CancellationToken.None)));
        // Not disposed: a handler that ignores it runs on after the answer.
        var over = new CancellationTokenSource();
        var handled = OnItsThread(() => HandleAsync(notification, mayRetry: true, over.Token));
        if (await Task.WhenAny(handled, Task.Delay(time)) == handled) return await handled;
        _ = over.CancelAsync(); // not awaited: what the handler does then must not hold the answer
        return TooSlow;
    }

    /// <summary>A handler that blocks must not take the threads of the pool, on which answers and their time run.</summary>
    private static Task<Answer> OnItsThread(Func<Task<Answer>> work) =>
        Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();

    private async Task<Answer> HandleAsync(Notification notification, bool mayRetry, CancellationToken cancellationToken)
    {
        try
        {
            await Handler(notification, cancellationToken);
            await Store.DoneAsync(notification.TransactionId, CancellationToken.None);
            return new Answer(200, "HANDLED");
        }
        catch (Exception error)
        {
            var answer = Failed(error);
            try
            {
                // The platform does not repeat after a 200, so the claim stays and Resume finds it.
                if (mayRetry) await Store.ReleaseAsync(notification.TransactionId, CancellationToken.None);
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
