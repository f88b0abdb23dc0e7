package com.paycode.receiver;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * A notification, version V3. A field that the JSON leaves out is null. {@code transactionId} is the same in repeats; amounts have their
 * digits as sent, and so have the BigDecimals in the maps; {@code referenceTransactionId} is the original of a refund or reversal, else 0; the kit
 * passes an unknown status on unchanged; {@code text} is the JSON as it was sent, with personal data. Printed it is its id and status, so that no log
 * holds a card or a phone.
 */
public record Notification(
    long transactionId, long merchantId, String merchantName, String acquirer, String reference, BigDecimal amount, String currencyCode,
    String code, String status, String clientMsisdn, String destination, String extraReferenceName, String extraReferenceValue,
    BigDecimal tipAmount, long referenceTransactionId, Map<String, Object> bankResponse, Map<String, Object> cardInfo,
    Map<String, Object> clientContact, Map<String, Object> clientBilling, Map<String, Object> clientShipping,
    Map<String, Object> versionData, String text) {

  private static final int NONCE_BYTES = 12;
  private static final int TAG_BYTES = 16;
  private static final BigDecimal ID_MAX = BigDecimal.valueOf((1L << 53) - 1);
  private static final Pattern KEY = Pattern.compile("\\W*([0-9A-Fa-f]{32})\\W*");
  private static final Pattern BASE64 = Pattern.compile("(?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?");

  @Override public String toString() { return "Notification " + transactionId + " " + status; }

  /** The id of the payment that this notification is about; for a reversal, of the original payment. */
  public long paymentId() {
    return status.equals("REVERSED") && referenceTransactionId > 0 ? referenceTransactionId : transactionId;
  }

  /**
   * The notification in a raw body: base64 of nonce (12 bytes), ciphertext and tag (16 bytes), AES-128-GCM under one of the keys (32 hexadecimal
   * characters each). Give the lines of your key file: blanks, quotes, empty lines and what follows a # do not matter, and every key is tried, the new and
   * the old one during a renewal. An IllegalArgumentException says that no key fits and a line is none.
   */
  public static Notification open(byte[] rawBody, List<String> keys) throws RefusedBody {
    return open(rawBody, keys, null);
  }

  /** As above. The key that {@code keyId}, the header X-Webhook-Key-Id, names is the first; nobody vouches for a header, so the others follow. */
  public static Notification open(byte[] rawBody, List<String> keys, String keyId) throws RefusedBody {
    String body = new String(rawBody, StandardCharsets.ISO_8859_1);
    if (!BASE64.matcher(body).matches()) throw new RefusedBody("BAD_ENCODING");
    byte[] sealed = Base64.getDecoder().decode(body);
    if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new RefusedBody("TOO_SHORT");
    boolean isUnreadable = false;
    String[] lines = String.join("\n", keys).replaceAll("#.*", "").split("\n");
    if (keyId != null) Arrays.sort(lines, Comparator.comparing(line -> !keyId.equals(idOf(line))));
    for (String line : lines) {
      Matcher key = KEY.matcher(line);
      byte[] plaintext = key.matches() ? decrypted(sealed, key.group(1)) : null;
      if (plaintext != null) return read(plaintext);
      isUnreadable |= !key.matches() && line.matches(".*\\w.*");
    }
    if (isUnreadable) throw new IllegalArgumentException("a webhook key is 32 hexadecimal characters");
    throw new RefusedBody("NOT_AUTHENTIC");
  }

  /** As the platform names the key in a line; null when there is none. */
  private static String idOf(String line) {
    Matcher key = KEY.matcher(line);
    if (!key.matches()) return null;
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(HexFormat.of().parseHex(key.group(1)));
      return HexFormat.of().formatHex(digest, 0, 8);
    } catch (GeneralSecurityException error) {
      throw new IllegalStateException("this JDK has no SHA-256", error);
    }
  }

  /** Null when the body has another key or was changed on the way. */
  private static byte[] decrypted(byte[] sealed, String key) {
    byte[] secret = HexFormat.of().parseHex(key);
    try {
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
      cipher.init(Cipher.DECRYPT_MODE, new SecretKeySpec(secret, "AES"), new GCMParameterSpec(TAG_BYTES * 8, sealed, 0, NONCE_BYTES));
      return cipher.doFinal(sealed, NONCE_BYTES, sealed.length - NONCE_BYTES);
    } catch (AEADBadTagException changed) {
      return null;
    } catch (GeneralSecurityException error) {
      throw new IllegalStateException("this JDK has no AES-GCM", error);
    }
  }

  /** The notification in its plain JSON: a decrypted body, or what getNotification answers. */
  public static Notification read(byte[] plaintext) throws RefusedBody {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(plaintext)).toString();
      return new Fields(map(Json.parse(text))).notification(text);
    } catch (CharacterCodingException | IllegalArgumentException | ArithmeticException | ClassCastException | NullPointerException wrong) {
      throw new RefusedBody("NOT_A_NOTIFICATION");
    }
  }

  /** The header is not authenticated, so the encrypted body must be that of a test too: amount 0 and a reference that begins with TEST-. */
  boolean isTest() {
    return amount.signum() == 0 && reference.startsWith("TEST-");
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(Object value) {
    return (Map<String, Object>) value;
  }

  /** A value of an unexpected type throws a ClassCastException, a missing one a NullPointerException. */
  private record Fields(Map<String, Object> json) {
    Notification notification(String text) {
      return new Notification(
          id("transactionId", 1), id("merchantId", 1), required("merchantName"), required("acquirer"), required("reference"),
          decimal("amount"), required("currencyCode"), optional("code"), required("status"), optional("clientMsisdn"),
          optional("destination"), optional("extraReferenceName"), optional("extraReferenceValue"),
          json.get("tipAmount") == null ? null : decimal("tipAmount"),
          json.get("referenceTransactionId") == null ? 0 : id("referenceTransactionId", 0), map(json.get("bankResponse")), map(json.get("cardInfo")),
          map(json.get("clientContact")), map(json.get("clientBilling")), map(json.get("clientShipping")), map(json.get("versionData")), text);
    }

    private String optional(String name) {
      return (String) json.get(name);
    }

    private String required(String name) {
      return Objects.requireNonNull(optional(name), name);
    }

    private BigDecimal decimal(String name) {
      BigDecimal value = (BigDecimal) json.get(name);
      if (value.signum() < 0) throw new IllegalArgumentException(name);
      return value;
    }

    private long id(String name, long least) {
      BigDecimal value = (BigDecimal) json.get(name);
      if (value.scale() != 0 || value.compareTo(ID_MAX) > 0 || value.longValueExact() < least) throw new IllegalArgumentException(name);
      return value.longValueExact();
    }
  }
}
