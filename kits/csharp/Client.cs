using System.Net;
using System.Net.Http.Json;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;

namespace Paycode.Receiver;

/// <summary>The service gave an unexpected answer. The message holds neither the request nor secrets.</summary>
public sealed class UnexpectedAnswer(string text) : Exception(text);

public sealed record Session(string HeaderName, string HeaderValue, string SessionId, DateTimeOffset Expires)
{
    /// <summary>Without the token, for logs.</summary>
    public override string ToString() => $"Session {SessionId}";
}

/// <summary>PrivateKey: your RSA-4096 key, PEM (PKCS#8). ServiceKey: the service's public key, base64 X.509. Ca: PEM of the authority to trust (default:
/// the system's authorities).</summary>
public sealed record ClientOptions(string Url, string Identity, string Password, string PrivateKey, string ServiceKey, string? Ca = null)
{
    /// <summary>Without password and key, for logs.</summary>
    public override string ToString() => $"ClientOptions {Url} {Identity}";
}

/// <summary>Logs in with the mutual challenge (docs/how-to/log-in.md), keeps the session fresh, and sends requests with it. Threads may share it.</summary>
public sealed class Client : IDisposable
{
    private static readonly TimeSpan RenewBefore = TimeSpan.FromMinutes(1);
    private static readonly JsonSerializerOptions Web = new(JsonSerializerDefaults.Web);
    private readonly ClientOptions _options;
    private readonly HttpClient _http;
    private readonly SemaphoreSlim _lock = new(1);
    private Session? _session;

    public Client(ClientOptions options)
    {
        _options = options;
        var handler = new SocketsHttpHandler { AllowAutoRedirect = false };
        if (options.Ca is not null)
        {
            // The name is checked as always; the chain must end at this authority.
            var policy = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
            policy.CustomTrustStore.Add(X509Certificate2.CreateFromPem(options.Ca));
            handler.SslOptions = new SslClientAuthenticationOptions { CertificateChainPolicy = policy };
        }
        _http = new HttpClient(handler) { BaseAddress = new Uri(options.Url), Timeout = TimeSpan.FromSeconds(30), MaxResponseContentBufferSize = 1 << 20 };
    }

    /// <summary>Fails with UnexpectedAnswer before it sends the password, if the service does not prove that it holds its key.</summary>
    public Task<Session> LogIn() => Locked(NewSession);

    /// <summary>Gets a new token for the same session; the old one stops working.</summary>
    public Task<Session> Renew() => Locked(Renewed);

    public Task<Session?> LogOut() => Locked<Session?>(async () =>
    {
        if (_session is not null) await Expect<JsonElement>(HttpMethod.Post, "/authentication/logout", Jwt());
        return _session = null;
    });

    /// <summary>A request in the session: logs in first, and renews a token that ends within a minute.</summary>
    public async Task<(HttpStatusCode Status, byte[] Text)> Send(HttpMethod method, string path, object? body = null)
    {
        var session = await Locked(async () =>
        {
            var current = _session ?? await NewSession();
            return current.Expires - DateTimeOffset.UtcNow > RenewBefore ? current : await Renewed();
        });
        return await Call(method, path, body, session);
    }

    /// <summary>Reads a notification that was missed. If nobody has acknowledged the payment yet, this call acknowledges it.</summary>
    public async Task<Notification> Notification(long transactionId)
    {
        var (status, text) = await Send(HttpMethod.Get, $"/pluto/purchase/notification/{transactionId}");
        return status == HttpStatusCode.OK ? Receiver.Notification.Read(text) : throw new UnexpectedAnswer($"getNotification answered {(int)status}");
    }

    public void Dispose()
    {
        _http.Dispose();
        _lock.Dispose();
    }

    private async Task<Session> NewSession()
    {
        using var privateKey = RSA.Create();
        privateKey.ImportFromPem(_options.PrivateKey);
        using var serviceKey = RSA.Create();
        serviceKey.ImportSubjectPublicKeyInfo(Convert.FromBase64String(_options.ServiceKey.Trim()), out _);
        var secret = RandomNumberGenerator.GetBytes(64);
        // OaepSHA1 is OAEP with SHA-1 and MGF1 with SHA-1.
        var clientChallenge = Convert.ToBase64String(serviceKey.Encrypt(secret, RSAEncryptionPadding.OaepSHA1));
        var query = $"identity={Uri.EscapeDataString(_options.Identity)}&clientChallenge={Uri.EscapeDataString(clientChallenge)}";
        var challenge = await Expect<Challenge>(HttpMethod.Get, $"/authentication/login-challenges?{query}");
        var proof = Convert.FromBase64String(challenge.Base64EncodedClientChallengeResponse);
        if (!CryptographicOperations.FixedTimeEquals(proof, SHA256.HashData(secret))) throw new UnexpectedAnswer("the service did not prove that it holds its key");
        var encrypted = Convert.FromBase64String(challenge.Base64EncodedChallenge);
        return _session = await Expect<Session>(HttpMethod.Post, "/authentication/login", new
        {
            identity = _options.Identity,
            password = _options.Password,
            base64EncodedChallengeHash = Convert.ToBase64String(SHA256.HashData(encrypted)),
            base64EncodedChallengeResponse = Convert.ToBase64String(SHA256.HashData(privateKey.Decrypt(encrypted, RSAEncryptionPadding.OaepSHA1))),
        });
    }

    private async Task<Session> Renewed()
    {
        if (_session is null) return await NewSession();
        var (status, text) = await Call(HttpMethod.Post, "/authentication/renew", Jwt());
        // 401: the token has expired, so log in again.
        return status == HttpStatusCode.Unauthorized ? await NewSession() : _session = Parsed<Session>("/authentication/renew", status, text);
    }

    /// <summary>The body of renew and logout, which take the token without the word Bearer.</summary>
    private object Jwt() => new { jwt = _session!.HeaderValue["Bearer ".Length..] };

    private async Task<T> Expect<T>(HttpMethod method, string path, object? body = null)
    {
        var (status, text) = await Call(method, path, body);
        return Parsed<T>(path, status, text);
    }

    private static T Parsed<T>(string path, HttpStatusCode status, byte[] text) =>
        status == HttpStatusCode.OK ? JsonSerializer.Deserialize<T>(text, Web)! : throw new UnexpectedAnswer($"{path.Split('?')[0]} answered {(int)status}");

    private async Task<(HttpStatusCode, byte[])> Call(HttpMethod method, string path, object? body, Session? session = null)
    {
        using var request = new HttpRequestMessage(method, path);
        if (body is not null) request.Content = JsonContent.Create(body);
        if (session is not null) request.Headers.TryAddWithoutValidation(session.HeaderName, session.HeaderValue);
        using var response = await _http.SendAsync(request);
        return (response.StatusCode, await response.Content.ReadAsByteArrayAsync());
    }

    private async Task<T> Locked<T>(Func<Task<T>> work)
    {
        await _lock.WaitAsync();
        try
        {
            return await work();
        }
        finally
        {
            _lock.Release();
        }
    }

    private sealed record Challenge(string Base64EncodedChallenge, string Base64EncodedClientChallengeResponse);
}
