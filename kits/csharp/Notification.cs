using System.Globalization;
using System.Numerics;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Paycode.Receiver;

/// <summary>None of the keys opens the body as a notification. The message holds neither body nor key.</summary>
public sealed class RefusedBodyException(string code) : Exception($"the body was refused: {code}")
{
    /// <summary>BAD_ENCODING, TOO_SHORT, NOT_AUTHENTIC or NOT_A_NOTIFICATION.</summary>
    public string Code { get; } = code;
}

/// <summary>
/// A notification, version V3. A field that the JSON leaves out is null. Amounts are decimals with their digits as sent; TransactionId is the same in
/// repeats, ReferenceTransactionId the original of a refund or reversal, else 0. The kit passes an unknown status on unchanged. Text is the JSON as it was
/// sent, with personal data; ToString shows id and status only. </summary>
public sealed record Notification(
    long TransactionId, long MerchantId, string MerchantName, string Acquirer, string Reference, decimal Amount, string CurrencyCode,
    string? Code, string Status, string? ClientMsisdn, string? Destination, string? ExtraReferenceName, string? ExtraReferenceValue,
    decimal? TipAmount, long ReferenceTransactionId, JsonElement? BankResponse, JsonElement? CardInfo, JsonElement? ClientContact,
    JsonElement? ClientBilling, JsonElement? ClientShipping, JsonElement? VersionData, string Text)
{
    private const int NonceBytes = 12;
    private const int TagBytes = 16;
    private const long IdMax = (1L << 53) - 1;
    private static readonly Regex Base64 = new(@"\A(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\z");
    private static readonly Regex Key = new(@"\A\W*([0-9A-Fa-f]{32})\W*\z");
    private static readonly UTF8Encoding Utf8 = new(false, true);

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"Notification {TransactionId} {Status}");

    /// <summary>The id of the payment that this notification is about; for a reversal, of the original payment.</summary>
    public long PaymentId => Status == "REVERSED" && ReferenceTransactionId > 0 ? ReferenceTransactionId : TransactionId;

    /// <summary>
    /// The notification in a raw body: base64 of nonce (12 bytes), ciphertext and tag (16 bytes), AES-128-GCM under one of the keys (32 hexadecimal characters
    /// each). Give the lines of your key file: blanks, quotes, empty lines and what follows a # do not matter, and every key is tried, the new and the old
    /// one during a renewal. The one that keyId, the header X-Webhook-Key-Id, names is the first; nobody vouches for a header, so the others follow.
    /// An ArgumentException says that no key fits and a line is none.
    /// </summary>
    public static Notification Open(byte[] rawBody, IReadOnlyList<string> keys, string? keyId = null)
    {
        var body = Encoding.Latin1.GetString(rawBody);
        if (!Base64.IsMatch(body)) throw new RefusedBodyException("BAD_ENCODING");
        var bytes = Convert.FromBase64String(body);
        if (bytes.Length < NonceBytes + TagBytes) throw new RefusedBodyException("TOO_SHORT");
        var isUnreadable = false;
        var lines = keys.SelectMany(key => Regex.Replace(key, "#.*", "").Split('\n')).Where(line => Regex.IsMatch(line, @"\w"));
        foreach (var line in lines.OrderBy(line => IdOf(line) != keyId)) // a stable order
        {
            var key = Key.Match(line);
            if (!key.Success)
            {
                isUnreadable = true; // another line may hold the key of this body
                continue;
            }
            var secret = Convert.FromHexString(key.Groups[1].Value);
            var plaintext = new byte[bytes.Length - NonceBytes - TagBytes];
            using var gcm = new AesGcm(secret, TagBytes);
            try
            {
                gcm.Decrypt(bytes.AsSpan(0, NonceBytes), bytes.AsSpan(NonceBytes, plaintext.Length), bytes.AsSpan(bytes.Length - TagBytes), plaintext);
            }
            catch (AuthenticationTagMismatchException)
            {
                continue; // the body has another key or was changed on the way
            }
            return Read(plaintext);
        }
        if (isUnreadable) throw new ArgumentException("a webhook key is 32 hexadecimal characters");
        throw new RefusedBodyException("NOT_AUTHENTIC");
    }

    /// <summary>As the platform names the key in a line; null when there is none.</summary>
    private static string? IdOf(string line)
    {
        var key = Key.Match(line);
        return key.Success ? Convert.ToHexString(SHA256.HashData(Convert.FromHexString(key.Groups[1].Value)), 0, 8).ToLowerInvariant() : null;
    }

    /// <summary>The notification in its plain JSON: a decrypted body, or what getNotification answers.</summary>
    public static Notification Read(byte[] plaintext)
    {
        try
        {
            var text = Utf8.GetString(plaintext);
            using var document = JsonDocument.Parse(text);
            return Typed(document.RootElement, text);
        }
        catch (Exception error) when (error is JsonException or ArgumentException or InvalidOperationException or KeyNotFoundException or FormatException)
        {
            throw new RefusedBodyException("NOT_A_NOTIFICATION");
        }
    }

    /// <summary>The header is not authenticated, so the encrypted body must be that of a test too: amount 0 and a reference that begins with TEST-.</summary>
    internal bool IsTest => Amount == 0 && Reference.StartsWith("TEST-", StringComparison.Ordinal);

    /// <summary>JsonElement throws InvalidOperationException for a value of another type, and KeyNotFoundException for a missing one.</summary>
    private static Notification Typed(JsonElement json, string text)
    {
        JsonElement? Optional(string name) => json.TryGetProperty(name, out var value) && value.ValueKind != JsonValueKind.Null ? value : null;
        string Required(string name) => json.GetProperty(name).GetString() ?? throw new FormatException(name);
        string? OptionalText(string name) => Optional(name)?.GetString();
        JsonElement? Map(string name) => Optional(name) is not { } value ? null : value.ValueKind == JsonValueKind.Object ? value.Clone() : throw new FormatException(name);
        decimal Decimal(string name) => json.GetProperty(name).GetDecimal() is var value and >= 0 ? value : throw new FormatException(name);
        long Id(string name, long least) => BigInteger.Parse(json.GetProperty(name).GetRawText(), CultureInfo.InvariantCulture) is var value && value >= least && value <= IdMax ? (long)value : throw new FormatException(name);
        return new Notification(
            Id("transactionId", 1), Id("merchantId", 1), Required("merchantName"), Required("acquirer"), Required("reference"), Decimal("amount"),
            Required("currencyCode"), OptionalText("code"), Required("status"), OptionalText("clientMsisdn"), OptionalText("destination"),
            OptionalText("extraReferenceName"), OptionalText("extraReferenceValue"), Optional("tipAmount") is null ? null : Decimal("tipAmount"),
            Optional("referenceTransactionId") is null ? 0 : Id("referenceTransactionId", 0), Map("bankResponse"), Map("cardInfo"),
            Map("clientContact"), Map("clientBilling"), Map("clientShipping"), Map("versionData"), text);
    }
}
