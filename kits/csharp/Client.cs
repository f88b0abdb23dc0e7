using System.Globalization;
using System.Net;
using System.Net.Http.Headers;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Paycode.Receiver;

/// <summary>Paycode's answer was no success. Decide by Code (docs/reference/errors.md), and tell support the RequestId; both may be empty. Holds no
/// secrets.</summary>
public sealed class ApiException(string message, HttpStatusCode status, string code = "", string requestId = "", TimeSpan? retryAfter = null) : Exception(message)
{
    public HttpStatusCode Status { get; } = status;
    public string Code { get; } = code;
    public string RequestId { get; } = requestId;

    /// <summary>The wait that a 429 or 503 asks for.</summary>
    public TimeSpan? RetryAfter { get; } = retryAfter;
}

public sealed record Session(string HeaderName, string HeaderValue, string SessionId, DateTimeOffset Expires)
{
    /// <summary>Without the token, for logs.</summary>
    public override string ToString() => $"Session {SessionId}";
}

public sealed class PaycodeClientOptions
{
    public string Url { get; set; } = "";
    public string Identity { get; set; } = "";
    public string Password { get; set; } = "";

    /// <summary>The account logs in for a token of 15 minutes. Else the password goes with each request (Basic).</summary>
    public bool IsBearer { get; set; }

    /// <summary>Your RSA-4096 key, PEM (PKCS#8): the log-in proves both sides' keys.</summary>
    public string? PrivateKey { get; set; }

    /// <summary>The service's public key, base64 X.509. Needed with a private key.</summary>
    public string? ServiceKey { get; set; }

    /// <summary>PEM of the authority to trust (default: the system's authorities).</summary>
    public string? Ca { get; set; }

    /// <summary>For a request with its answer.</summary>
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>Without password and key, for logs.</summary>
    public override string ToString() => $"PaycodeClientOptions {Url} {Identity}";
}

/// <summary>The body of createCode. Amount goes out with its digits: 25.50m is 25.50.</summary>
public sealed record NewCode(string MerchantReference, decimal Amount, string CurrencyCode)
{
    public long? MerchantId { get; init; }
    public long? ExpiryDate { get; init; }
    public string? ShortDescription { get; init; }
    public bool? UseOnce { get; init; }
    public bool? RequestTip { get; init; }
    public bool? RequestContact { get; init; }
    public string? ExtraReferenceName { get; init; }
    public string? ExtraReferenceValue { get; init; }
}

public sealed record PaymentCode(string Code, long ExpiryDate, string CodeUrl);

/// <summary>How the payment of a code stands. TransactionId is null before there is a payment.</summary>
public sealed record PaymentReference(long? TransactionId, string Reference, decimal Amount, string CurrencyCode, string Status);

/// <summary>Which notifications to list; each may stay null.</summary>
public sealed record NotificationQuery(
    DateTimeOffset? Since = null, string? Reference = null, string? Code = null, long? MerchantId = null, string? Cursor = null, int? Limit = null);

public sealed record ListedNotification(
    long TransactionId, long MerchantId, string Status, string Reference, string? Code, string Delivery, DateTimeOffset CompletedAt, DateTimeOffset? AcknowledgedAt);

/// <summary>Next is the cursor of the next page, or null.</summary>
public sealed record NotificationPage(IReadOnlyList<ListedNotification> Notifications, string? Next);

/// <summary>EncryptKey is secret: 32 hexadecimal characters for your key file.</summary>
public sealed record HttpNotification(long MerchantId, string Url, string Version, string EncryptKey)
{
    /// <summary>Without the key, for logs.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"HttpNotification {MerchantId} {Url}");
}

public sealed record NotificationEntry(string Type, string Value, string? Version);

/// <summary>Calls Paycode for an account: by Basic, or with a session that it keeps fresh (docs/how-to/log-in.md). Threads may share it.</summary>
public sealed class PaycodeClient : IDisposable
{
    private const string NotificationPath = "/portal/restful/merchant/notification";
    private static readonly TimeSpan RenewBefore = TimeSpan.FromMinutes(1);
    /// <summary>A longer wait is the caller's to decide.</summary>
    private static readonly TimeSpan RepeatWaitMax = TimeSpan.FromSeconds(5);
    private static readonly JsonSerializerOptions Web = new(JsonSerializerDefaults.Web) { DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull };
    private readonly PaycodeClientOptions _options;
    private readonly bool _isBearer;
    private readonly HttpClient _http;
    private readonly ILogger _logger;
    private readonly SemaphoreSlim _lock = new(1);
    private Session? _session;

    /// <summary>http: one of your IHttpClientFactory, in place of the client's own, whose proxy comes from HTTPS_PROXY and NO_PROXY.</summary>
    public PaycodeClient(PaycodeClientOptions options, HttpClient? http = null, ILogger<PaycodeClient>? logger = null)
    {
        if ((options.PrivateKey is null) != (options.ServiceKey is null)) throw new ArgumentException("PrivateKey and ServiceKey go together", nameof(options));
        _options = options;
        _isBearer = options.IsBearer || options.PrivateKey is not null;
        _http = http ?? OwnHttp(options);
        _logger = logger ?? NullLogger<PaycodeClient>.Instance;
    }

    /// <summary>A repeat with the same reference and content gives the same code, so a lost answer is asked for again.</summary>
    public Task<PaymentCode> CreateCodeAsync(NewCode code, CancellationToken cancellationToken = default) =>
        PostAsync<PaymentCode>("/pluto/code/create", code, cancellationToken);

    public Task<PaymentReference> QueryRefAsync(string code, string merchantReference, CancellationToken cancellationToken = default) =>
        PostAsync<PaymentReference>("/pluto/code/queryRef", new { code, merchantReference }, cancellationToken);

    /// <summary>Reads a notification that was missed. If nobody has acknowledged the payment yet, this call acknowledges it.</summary>
    public async Task<Notification> GetNotificationAsync(long transactionId, CancellationToken cancellationToken = default)
    {
        var path = string.Create(CultureInfo.InvariantCulture, $"/pluto/purchase/notification/{transactionId}");
        return Notification.Read(await SendAsync(HttpMethod.Get, path, null, cancellationToken).ConfigureAwait(false));
    }

    /// <summary>One page of what became final since an instant; it acknowledges nothing.</summary>
    public async Task<NotificationPage> GetNotificationsAsync(NotificationQuery query, CancellationToken cancellationToken = default)
    {
        var words = new (string Name, string? Value)[]
        {
            ("since", query.Since?.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture)),
            ("reference", query.Reference),
            ("code", query.Code),
            ("merchantId", query.MerchantId?.ToString(CultureInfo.InvariantCulture)),
            ("cursor", query.Cursor),
            ("limit", query.Limit?.ToString(CultureInfo.InvariantCulture)),
        };
        var given = string.Join('&', words.Where(word => word.Value is not null).Select(word => $"{word.Name}={Uri.EscapeDataString(word.Value!)}"));
        return Parsed<NotificationPage>(await SendAsync(HttpMethod.Get, $"/pluto/purchase/notifications?{given}", null, cancellationToken).ConfigureAwait(false));
    }

    /// <summary>Sets the URL of a merchant's notifications and gives the key that opens them. The URL must answer the probe.</summary>
    public Task<HttpNotification> AddHttpAsync(long merchantId, string url, CancellationToken cancellationToken = default) =>
        PostAsync<HttpNotification>($"{NotificationPath}/addHttp", new { merchantId, url, version = "V3" }, cancellationToken);

    /// <summary>A new key each time: after a lost answer look at what arrives before you call again.</summary>
    public async Task<HttpNotification> RenewKeyAsync(long merchantId, CancellationToken cancellationToken = default) =>
        Parsed<HttpNotification>(await SendAsync(HttpMethod.Post, $"{NotificationPath}/renewKey", new { merchantId }, cancellationToken).ConfigureAwait(false));

    /// <summary>Also tells an e-mail address or phone number of payments; gives all entries.</summary>
    public Task<IReadOnlyList<NotificationEntry>> AddExtraAsync(long merchantId, string type, string value, CancellationToken cancellationToken = default) =>
        PostAsync<IReadOnlyList<NotificationEntry>>($"{NotificationPath}/extra", new { merchantId, type, value }, cancellationToken);

    public Task<IReadOnlyList<NotificationEntry>> ListAsync(long merchantId, CancellationToken cancellationToken = default) =>
        PostAsync<IReadOnlyList<NotificationEntry>>($"{NotificationPath}/list", new { merchantId }, cancellationToken);

    /// <summary>Any other operation, body as JSON; gives the text of its answer. Only a GET is sent again. Throws ApiException for a status beside
    /// 200.</summary>
    public Task<byte[]> SendAsync(HttpMethod method, string path, object? body = null, CancellationToken cancellationToken = default) =>
        SentAsync(new Call(method, path, body, method == HttpMethod.Get), cancellationToken);

    /// <summary>For Bearer accounts; other methods do it by themselves. Throws ApiException before it sends the password, if the service does not prove
    /// that it holds its key.</summary>
    public Task<Session> LogInAsync(CancellationToken cancellationToken = default) => LockedAsync(() => NewSessionAsync(cancellationToken), cancellationToken);

    /// <summary>Gets a new token for the same session; the old one stops working.</summary>
    public Task<Session> RenewAsync(CancellationToken cancellationToken = default) => LockedAsync(() => RenewedAsync(cancellationToken), cancellationToken);

    public Task LogOutAsync(CancellationToken cancellationToken = default) => LockedAsync(
        async () =>
        {
            if (_session is not null) await AttemptAsync(new Call(HttpMethod.Post, "/authentication/logout", Jwt(_session), false), null, cancellationToken).ConfigureAwait(false);
            _session = null;
            return true;
        },
        cancellationToken);

    public void Dispose()
    {
        _http.Dispose();
        _lock.Dispose();
    }

    private static HttpClient OwnHttp(PaycodeClientOptions options)
    {
        var handler = new SocketsHttpHandler { AllowAutoRedirect = false, PooledConnectionLifetime = TimeSpan.FromMinutes(5) };
        if (options.Ca is not null)
        {
            // The name is checked as always; the chain must end at this authority.
            var policy = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
            policy.CustomTrustStore.Add(X509Certificate2.CreateFromPem(options.Ca));
            handler.SslOptions = new SslClientAuthenticationOptions { CertificateChainPolicy = policy };
        }
        return new HttpClient(handler) { Timeout = options.Timeout, MaxResponseContentBufferSize = 1 << 20 };
    }

    private async Task<T> PostAsync<T>(string path, object body, CancellationToken cancellationToken) =>
        Parsed<T>(await SentAsync(new Call(HttpMethod.Post, path, body, true), cancellationToken).ConfigureAwait(false));

    private async Task<byte[]> SentAsync(Call call, CancellationToken cancellationToken)
    {
        var session = await FreshAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            return await RepeatedAsync(call, session, cancellationToken).ConfigureAwait(false);
        }
        catch (ApiException refused) when (session is not null && refused.Status == HttpStatusCode.Unauthorized)
        {
            // It has ended elsewhere; another thread may have logged in since.
            await LockedAsync(() => Task.FromResult(_session = ReferenceEquals(_session, session) ? null : _session), cancellationToken).ConfigureAwait(false);
            return await RepeatedAsync(call, await FreshAsync(cancellationToken).ConfigureAwait(false), cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>null for a Basic account.</summary>
    private async Task<Session?> FreshAsync(CancellationToken cancellationToken)
    {
        if (!_isBearer) return null;
        return await LockedAsync(
            async () => _session is { } current && current.Expires - DateTimeOffset.UtcNow > RenewBefore ? current : await RenewedAsync(cancellationToken).ConfigureAwait(false),
            cancellationToken).ConfigureAwait(false);
    }

    private async Task<Session> RenewedAsync(CancellationToken cancellationToken)
    {
        if (_session is null) return await NewSessionAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            var text = await AttemptAsync(new Call(HttpMethod.Post, "/authentication/renew", Jwt(_session), false), null, cancellationToken).ConfigureAwait(false);
            return _session = Parsed<Session>(text);
        }
        catch (ApiException refused) when (refused.Status == HttpStatusCode.Unauthorized)
        {
            return await NewSessionAsync(cancellationToken).ConfigureAwait(false); // the token has expired
        }
    }

    private async Task<Session> NewSessionAsync(CancellationToken cancellationToken)
    {
        var body = new Dictionary<string, string> { ["identity"] = _options.Identity, ["password"] = _options.Password };
        if (_options.PrivateKey is not null) await ProveAsync(body, cancellationToken).ConfigureAwait(false);
        var text = await AttemptAsync(new Call(HttpMethod.Post, "/authentication/login", body, false), null, cancellationToken).ConfigureAwait(false);
        return _session = Parsed<Session>(text);
    }

    /// <summary>Adds both challenge fields of the log-in.</summary>
    private async Task ProveAsync(Dictionary<string, string> body, CancellationToken cancellationToken)
    {
        using var privateKey = RSA.Create();
        privateKey.ImportFromPem(_options.PrivateKey);
        using var serviceKey = RSA.Create();
        serviceKey.ImportSubjectPublicKeyInfo(Convert.FromBase64String(_options.ServiceKey!.Trim()), out _);
        var secret = RandomNumberGenerator.GetBytes(64);
        // OaepSHA1 is OAEP with SHA-1 and MGF1 with SHA-1.
        var clientChallenge = Convert.ToBase64String(serviceKey.Encrypt(secret, RSAEncryptionPadding.OaepSHA1));
        var query = $"identity={Uri.EscapeDataString(_options.Identity)}&clientChallenge={Uri.EscapeDataString(clientChallenge)}";
        var call = new Call(HttpMethod.Get, $"/authentication/login-challenges?{query}", null, true);
        var challenge = Parsed<Challenge>(await RepeatedAsync(call, null, cancellationToken).ConfigureAwait(false));
        var proof = Convert.FromBase64String(challenge.Base64EncodedClientChallengeResponse);
        if (!CryptographicOperations.FixedTimeEquals(proof, SHA256.HashData(secret)))
            throw new ApiException("the service did not prove that it holds its key", HttpStatusCode.OK, "SERVICE_NOT_PROVEN");
        var encrypted = Convert.FromBase64String(challenge.Base64EncodedChallenge);
        body["base64EncodedChallengeHash"] = Convert.ToBase64String(SHA256.HashData(encrypted));
        body["base64EncodedChallengeResponse"] = Convert.ToBase64String(SHA256.HashData(privateKey.Decrypt(encrypted, RSAEncryptionPadding.OaepSHA1)));
    }

    /// <summary>The body of renew and logout, which take the token without the word Bearer.</summary>
    private static Dictionary<string, string> Jwt(Session session) => new() { ["jwt"] = session.HeaderValue["Bearer ".Length..] };

    private static T Parsed<T>(byte[] text) => JsonSerializer.Deserialize<T>(text, Web) ?? throw new JsonException("the answer is null");

    /// <summary>A lost answer, 429, 502, 503 and 504 are tried once more.</summary>
    private async Task<byte[]> RepeatedAsync(Call call, Session? session, CancellationToken cancellationToken)
    {
        TimeSpan wait;
        try
        {
            return await AttemptAsync(call, session, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception error) when (call.IsRepeatable && !cancellationToken.IsCancellationRequested && IsPassing(error))
        {
            wait = (error as ApiException)?.RetryAfter ?? TimeSpan.FromSeconds(1);
            _logger.LogInformation("{Method} {Path} is sent again: {Reason}", call.Method, call.PathOnly, error.Message);
        }
        await Task.Delay(wait, cancellationToken).ConfigureAwait(false);
        return await AttemptAsync(call, session, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>HttpClient throws TaskCanceledException when its own time is over.</summary>
    private static bool IsPassing(Exception error) => error is HttpRequestException or TaskCanceledException
        || (error is ApiException { Status: HttpStatusCode.TooManyRequests or HttpStatusCode.BadGateway or HttpStatusCode.ServiceUnavailable or HttpStatusCode.GatewayTimeout } refused
            && (refused.RetryAfter ?? TimeSpan.Zero) <= RepeatWaitMax);

    private async Task<byte[]> AttemptAsync(Call call, Session? session, CancellationToken cancellationToken)
    {
        using var request = new HttpRequestMessage(call.Method, new Uri(_options.Url.TrimEnd('/') + call.Path));
        if (call.Body is not null)
        {
            // As bytes: their length is known, so no body is sent in chunks.
            request.Content = new ByteArrayContent(JsonSerializer.SerializeToUtf8Bytes(call.Body, call.Body.GetType(), Web));
            request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
        }
        if (session is not null) request.Headers.TryAddWithoutValidation(session.HeaderName, session.HeaderValue);
        else if (!_isBearer) request.Headers.Authorization = new AuthenticationHeaderValue("Basic", Convert.ToBase64String(Encoding.UTF8.GetBytes($"{_options.Identity}:{_options.Password}")));
        using var response = await _http.SendAsync(request, cancellationToken).ConfigureAwait(false);
        var text = await response.Content.ReadAsByteArrayAsync(cancellationToken).ConfigureAwait(false);
        return response.StatusCode == HttpStatusCode.OK ? text : throw Refused(call, response, text);
    }

    private static ApiException Refused(Call call, HttpResponseMessage response, byte[] text)
    {
        ErrorBody? body = null;
        try
        {
            body = JsonSerializer.Deserialize<ErrorBody>(text, Web);
        }
        catch (JsonException)
        {
            // Something between here and Paycode has answered.
        }
        var requestId = body?.RequestId ?? (response.Headers.TryGetValues("X-Request-Id", out var values) ? string.Join(',', values) : "");
        var message = string.Create(CultureInfo.InvariantCulture, $"{call.Method} {call.PathOnly} answered {(int)response.StatusCode} {body?.Code}: {body?.Message} (requestId {requestId})");
        return new ApiException(message, response.StatusCode, body?.Code ?? "", requestId, response.Headers.RetryAfter?.Delta);
    }

    private async Task<T> LockedAsync<T>(Func<Task<T>> work, CancellationToken cancellationToken)
    {
        await _lock.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            return await work().ConfigureAwait(false);
        }
        finally
        {
            _lock.Release();
        }
    }

    /// <summary>IsRepeatable: a second call does what one does, so a lost answer is asked for again.</summary>
    private sealed record Call(HttpMethod Method, string Path, object? Body, bool IsRepeatable)
    {
        public string PathOnly => Path.Split('?')[0];
    }

    private sealed record Challenge(string Base64EncodedChallenge, string Base64EncodedClientChallengeResponse);

    private sealed record ErrorBody(string? Code, string? Message, string? RequestId);
}
