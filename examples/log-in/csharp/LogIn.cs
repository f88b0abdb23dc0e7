// Logs in to Paycode with the full challenge-response of the specification (5.3), uses the session, renews it, logs out.
// .NET 8 or newer, nothing to install: put this file into a console project. Settings come from the environment, see ../README.md.

using System.Net.Http.Json;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json.Serialization;

static string Setting(string name) =>
    Environment.GetEnvironmentVariable(name) is { Length: > 0 } value ? value : throw new InvalidOperationException($"{name} is not set");

static string Sha256(byte[] bytes) => Convert.ToBase64String(SHA256.HashData(bytes));

static string TokenOf(Session session) => session.HeaderValue["Bearer ".Length..];

using var handler = new HttpClientHandler();
if (Environment.GetEnvironmentVariable("PAYCODE_CA_FILE") is { Length: > 0 } caFile)
{
    var authority = X509Certificate2.CreateFromPem(File.ReadAllText(caFile));
    handler.ServerCertificateCustomValidationCallback = (_, certificate, chain, errors) =>
    {
        // The name is checked as always; the chain must end at our authority.
        if (certificate is null || chain is null || errors.HasFlag(System.Net.Security.SslPolicyErrors.RemoteCertificateNameMismatch)) return false;
        chain.ChainPolicy.TrustMode = X509ChainTrustMode.CustomRootTrust;
        chain.ChainPolicy.CustomTrustStore.Add(authority);
        chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
        return chain.Build(certificate);
    };
}
using var http = new HttpClient(handler) { BaseAddress = new Uri(Setting("PAYCODE_URL")), Timeout = TimeSpan.FromSeconds(30) };

// Insists on 200; never prints what was sent: it holds secrets.
async Task<T> ExpectOk<T>(HttpResponseMessage response)
{
    if (response.IsSuccessStatusCode) return (await response.Content.ReadFromJsonAsync<T>())!;
    var error = await response.Content.ReadFromJsonAsync<Error>();
    throw new InvalidOperationException($"{response.RequestMessage!.RequestUri!.AbsolutePath} answered {(int)response.StatusCode}: {error?.Message}");
}

async Task<Session> LogIn()
{
    using var privateKey = RSA.Create();
    privateKey.ImportFromPem(File.ReadAllText(Setting("PAYCODE_PRIVATE_KEY_FILE")));
    using var serviceKey = RSA.Create();
    serviceKey.ImportSubjectPublicKeyInfo(Convert.FromBase64String(File.ReadAllText(Setting("PAYCODE_SERVICE_KEY_FILE")).Trim()), out _);

    // 1. 64 random bytes, encrypted to the service. OaepSHA1 is OAEP with SHA-1 and MGF1 with SHA-1.
    var secret = RandomNumberGenerator.GetBytes(64);
    var clientChallenge = Convert.ToBase64String(serviceKey.Encrypt(secret, RSAEncryptionPadding.OaepSHA1));
    var query = $"identity={Uri.EscapeDataString(Setting("PAYCODE_IDENTITY"))}&clientChallenge={Uri.EscapeDataString(clientChallenge)}";
    // 2. The service answers with its proof and a challenge of its own.
    var challenge = await ExpectOk<Challenge>(await http.GetAsync($"/authentication/login-challenges?{query}"));
    // 3. Only who holds the service's private key knows the hash of our bytes. If it is wrong, stop before the password leaves.
    var proof = Convert.FromBase64String(challenge.Proof);
    if (!CryptographicOperations.FixedTimeEquals(proof, SHA256.HashData(secret))) throw new InvalidOperationException("the service did not prove itself");
    Console.WriteLine("service proved itself");
    var encrypted = Convert.FromBase64String(challenge.Encrypted);
    var decrypted = privateKey.Decrypt(encrypted, RSAEncryptionPadding.OaepSHA1);
    // 4. Both hashes prove that we hold our private key.
    return await ExpectOk<Session>(await http.PostAsJsonAsync("/authentication/login", new
    {
        identity = Setting("PAYCODE_IDENTITY"),
        password = Setting("PAYCODE_PASSWORD"),
        base64EncodedChallengeHash = Sha256(encrypted),
        base64EncodedChallengeResponse = Sha256(decrypted),
    }));
}

var session = await LogIn();
Console.WriteLine($"logged in, session {session.SessionId} until {session.Expires}");

// 5. Every request carries the header the session names.
using var lookup = new HttpRequestMessage(HttpMethod.Post, "/pluto/remote/v4/lookup")
{
    Content = JsonContent.Create(new { value = "1234567890", msisdn = "+27820000001" }),
};
lookup.Headers.Add(session.HeaderName, session.HeaderValue);
var status = (int)(await http.SendAsync(lookup)).StatusCode;
Console.WriteLine(status is 401 or 403 ? $"refused with {status}" : "request authenticated");

// A token lives 15 minutes: renew it before `expires`. The old token stops working.
session = await ExpectOk<Session>(await http.PostAsJsonAsync("/authentication/renew", new { jwt = TokenOf(session) }));
Console.WriteLine($"renewed until {session.Expires}");

(await http.PostAsJsonAsync("/authentication/logout", new { jwt = TokenOf(session) })).EnsureSuccessStatusCode();
Console.WriteLine("logged out");

record Challenge(
    [property: JsonPropertyName("base64EncodedChallenge")] string Encrypted,
    [property: JsonPropertyName("base64EncodedClientChallengeResponse")] string Proof);
record Session(string HeaderName, string HeaderValue, string SessionId, string Expires);
record Error(string? Message);
