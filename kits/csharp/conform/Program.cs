// The program that the kit's tests run, which takes the packed kit from a folder: `vectors <file>`, `serve <adapter>` or `client`.
using System.Globalization;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Paycode.Receiver;

await (args[0] switch
{
    "vectors" => Conform.Vectors(args[1]),
    "serve" => Conform.Serve(args[1]),
    _ => Conform.Calls(),
});

internal static class Conform
{
    private static readonly string Folder = Env("KIT_FOLDER");

    private static string Env(string name) => Environment.GetEnvironmentVariable(name) ?? "";

    private static string? Text(string name) => Env(name) is "" ? null : File.ReadAllText(Env(name));

    private static void Say(FormattableString line) => Console.WriteLine(FormattableString.Invariant(line));

    public static Task Vectors(string file)
    {
        using var list = JsonDocument.Parse(File.ReadAllText(file));
        foreach (var vector in list.RootElement.GetProperty("vectors").EnumerateArray())
        {
            var printed = new Dictionary<string, string?> { ["name"] = vector.GetProperty("name").GetString() };
            try
            {
                var keys = vector.GetProperty("keys").EnumerateArray().Select(key => key.GetString()!).ToList();
                var notification = Notification.Open(Encoding.UTF8.GetBytes(vector.GetProperty("body").GetString()!), keys);
                foreach (var path in vector.GetProperty("expect").EnumerateObject().Where(each => each.Name != "result")) printed[path.Name] = At(notification, path.Name);
                printed["result"] = "OK";
            }
            catch (RefusedBodyException refused)
            {
                printed["result"] = refused.Code;
            }
            Console.WriteLine(JsonSerializer.Serialize(printed));
        }
        return Task.CompletedTask;
    }

    /// <summary>The value of a field, named as in the JSON.</summary>
    private static string? At(Notification notification, string path)
    {
        var names = path.Split('.');
        var value = typeof(Notification).GetProperty(char.ToUpperInvariant(names[0][0]) + names[0][1..])?.GetValue(notification);
        if (names.Length > 1) value = value is JsonElement map && map.TryGetProperty(names[1], out var inner) && inner.ValueKind != JsonValueKind.Null ? inner : null;
        return value is JsonElement { ValueKind: JsonValueKind.Number } number ? number.GetRawText() : Convert.ToString(value, CultureInfo.InvariantCulture) is { Length: > 0 } text ? text : value?.ToString();
    }

    private static bool IsTold(string what, Notification notification) =>
        notification.Reference.StartsWith(what, StringComparison.Ordinal) && File.Exists(Path.Combine(Folder, what));

    private static async Task Handle(Notification notification, CancellationToken cancellationToken)
    {
        Say($"handling {notification.TransactionId}");
        Say($"printed {notification}");
        if (IsTold("fail", notification)) throw new InvalidOperationException("told to fail");
        while (IsTold("hold", notification)) await Task.Delay(20, CancellationToken.None);
        Say($"handled {notification.TransactionId} {notification.Status} {notification.Amount} {notification.Reference}");
    }

    private static void OnError(Exception error)
    {
        Say($"error {error.Message}");
        if (File.Exists(Path.Combine(Folder, "fail-on-error"))) throw new InvalidOperationException("told to fail, too");
    }

    /// <summary>Read at each notification, because the receiver starts before its key exists.</summary>
    private static string[] Keys() => File.Exists(Env("KIT_KEYS_FILE")) ? File.ReadAllLines(Env("KIT_KEYS_FILE")) : [];

    private static PaymentReceiver Receiver()
    {
        var store = new FileStore(Path.Combine(Folder, "store"));
        var when = Env("KIT_WHEN") == "AFTER" ? HandleWhen.After : HandleWhen.Before;
        var within = TimeSpan.FromMilliseconds(double.Parse(Env("KIT_ANSWER_WITHIN_MS") is "" ? "40000" : Env("KIT_ANSWER_WITHIN_MS"), CultureInfo.InvariantCulture));
        return Env("KIT_ON_ERROR") == "DEFAULT"
            ? new PaymentReceiver { Keys = Keys, Store = store, Handler = Handle, When = when, AnswerWithin = within }
            : new PaymentReceiver { Keys = Keys, Store = store, Handler = Handle, When = when, AnswerWithin = within, OnError = OnError };
    }

    public static async Task Serve(string adapter)
    {
        var builder = WebApplication.CreateBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddSingleton(Receiver());
        await using var app = builder.Build();
        if (adapter == "asp.net, parser first")
            app.Use(async (context, next) =>
            {
                await context.Request.Body.CopyToAsync(Stream.Null); // a middleware that reads the body
                await next(context);
            });
        app.MapPaycode("/paycode");
        await app.StartAsync();
        var address = app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First();
        Say($"listening {new Uri(address).Port}");
        await app.WaitForShutdownAsync();
    }

    /// <summary>Calls by lines of words (describe-client.ts); prints a line for each.</summary>
    public static async Task Calls()
    {
        var options = new PaycodeClientOptions
        {
            Url = Env("PAYCODE_URL"), Identity = Env("PAYCODE_IDENTITY"), Password = Env("PAYCODE_PASSWORD"), Ca = Text("PAYCODE_CA_FILE"),
            IsBearer = Env("PAYCODE_LOGIN") == "BEARER", Timeout = TimeSpan.FromMilliseconds(double.Parse(Env("PAYCODE_TIMEOUT_MS"), CultureInfo.InvariantCulture)),
            PrivateKey = Env("PAYCODE_LOGIN") == "CHALLENGE" ? Text("PAYCODE_PRIVATE_KEY_FILE") : null,
            ServiceKey = Env("PAYCODE_LOGIN") == "CHALLENGE" ? Text("PAYCODE_SERVICE_KEY_FILE") : null,
        };
        using var client = new PaycodeClient(options);
        foreach (var line in File.ReadAllLines(Env("KIT_CALLS_FILE")))
        {
            try
            {
                Console.WriteLine(await Result(client, line.Split(' ')));
            }
            catch (ApiException refused) // decide by the code, and give support the request id
            {
                Say($"error {(int)refused.Status} {refused.Code} {refused.RequestId}");
            }
            catch (Exception error) when (error is HttpRequestException or TaskCanceledException)
            {
                Say($"failed {error.Message}");
            }
        }
    }

    private static string _code = "";

    private static async Task<string> Result(PaycodeClient client, string[] words)
    {
        long Id() => long.Parse(words[1], CultureInfo.InvariantCulture);
        switch (words[0])
        {
            case "createCode":
                _code = (await client.CreateCodeAsync(new NewCode(words[1], decimal.Parse(words[2], CultureInfo.InvariantCulture), words[3]))).Code;
                return $"code {_code}";
            case "queryRef":
                var found = await client.QueryRefAsync(_code, words[1]);
                return FormattableString.Invariant($"reference {found.Amount} {found.Status}");
            case "getNotification":
                var read = await client.GetNotificationAsync(Id());
                return FormattableString.Invariant($"notification {read.TransactionId} {read.Status} {read.Amount}");
            case "notifications":
                var page = await client.GetNotificationsAsync(new NotificationQuery(DateTimeOffset.Parse(words[1], CultureInfo.InvariantCulture)));
                return $"notifications {string.Join(',', page.Notifications.Select(each => each.TransactionId))}";
            case "addHttp":
                return $"key {(await client.AddHttpAsync(Id(), words[2])).EncryptKey}";
            case "renewKey":
                return $"key {(await client.RenewKeyAsync(Id())).EncryptKey}";
            case "extra":
                return Entries(await client.AddExtraAsync(Id(), words[2], words[3]));
            case "list":
                return Entries(await client.ListAsync(Id()));
            case "send":
                return $"text {Encoding.UTF8.GetString(await client.SendAsync(new HttpMethod(words[1]), words[2]))}";
            case "logIn":
                return $"session {(await client.LogInAsync()).SessionId}";
            case "renew":
                return $"session {(await client.RenewAsync()).SessionId}";
            case "logOut":
                await client.LogOutAsync();
                return "logged out";
            case "resume":
                await Receiver().ResumeAsync(client.GetNotificationAsync);
                return "resumed";
            default:
                return $"printed {client} {await client.RenewAsync()} {new PaycodeClientOptions { Password = Env("PAYCODE_PASSWORD") }}";
        }
    }

    private static string Entries(IReadOnlyList<NotificationEntry> list) => $"entries {string.Join(',', list.Select(each => $"{each.Type}={each.Value}"))}";
}
