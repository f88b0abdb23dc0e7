package com.paycode.receiver;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.crypto.Cipher;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Calls Paycode for an account: by Basic, or with a session that it keeps fresh (docs/how-to/log-in.md). Threads may share it. */
public final class Client {
  private static final String OAEP = "RSA/ECB/OAEPWithSHA-1AndMGF1Padding";
  private static final Duration RENEW_BEFORE = Duration.ofMinutes(1);
  /** A longer wait is the caller's to decide. */
  private static final Duration REPEAT_WAIT_MAX = Duration.ofSeconds(5);
  private static final Set<Integer> PASSING = Set.of(429, 502, 503, 504);
  private static final String NOTIFICATION = "/portal/restful/merchant/notification";

  /**
   * Begin with {@link #basic} (the password goes with each request) or {@link #bearer} (the account logs in for a token of 15 minutes).
   * {@code timeout}: for a request with its answer.
   */
  public record Options(String url, String identity, String password, boolean isBearer, String privateKey, String serviceKey, String ca, Duration timeout) {
    public static Options basic(String url, String identity, String password) {
      return new Options(url, identity, password, false, null, null, null, Duration.ofSeconds(30));
    }

    public static Options bearer(String url, String identity, String password) {
      return new Options(url, identity, password, true, null, null, null, Duration.ofSeconds(30));
    }

    /** The log-in proves both sides' keys: your RSA-4096 key, PEM (PKCS#8), and the service's public key, base64 X.509. */
    public Options withKeys(String privateKey, String serviceKey) {
      return new Options(url, identity, password, true, privateKey, serviceKey, ca, timeout);
    }

    /** PEM of the authority to trust, in place of the system's authorities. */
    public Options withCa(String pem) {
      return new Options(url, identity, password, isBearer, privateKey, serviceKey, pem, timeout);
    }

    public Options withTimeout(Duration timeout) {
      return new Options(url, identity, password, isBearer, privateKey, serviceKey, ca, timeout);
    }

    /** Without password and key, for logs. */
    @Override public String toString() { return "Options " + url + " " + identity; }
  }

  public record Session(String headerName, String headerValue, String sessionId, String expires) {
    /** Without the token, for logs. */
    @Override public String toString() { return "Session " + sessionId; }
  }

  public record PaymentCode(String code, long expiryDate, String codeUrl) {}

  /** {@code transactionId}: null before there is a payment. */
  public record PaymentReference(Long transactionId, String reference, BigDecimal amount, String currencyCode, String status) {}

  public record ListedNotification(long transactionId, long merchantId, String status, String reference, String code, String completedAt, String delivery, String acknowledgedAt) {}

  /** {@code next}: the cursor of the next page, or null. */
  public record NotificationPage(List<ListedNotification> notifications, String next) {}

  /** {@code encryptKey} opens the notifications: 32 hexadecimal characters for your key file, secret. */
  public record HttpNotification(long merchantId, String url, String version, String encryptKey) {
    /** Without the key, for logs. */
    @Override public String toString() { return "HttpNotification " + merchantId + " " + url; }
  }

  public record NotificationEntry(String type, String value, String version) {}

  private record Call(String method, String path, String body, boolean isRepeatable) {}

  private final Options options;
  private final HttpClient http;
  private final PrivateKey privateKey;
  private final PublicKey serviceKey;
  private Session session;

  public Client(Options options) throws GeneralSecurityException, IOException {
    if ((options.privateKey() == null) != (options.serviceKey() == null)) throw new IllegalArgumentException("privateKey and serviceKey go together");
    this.options = options;
    http = HttpClient.newBuilder().sslContext(trusting(options.ca())).connectTimeout(options.timeout()).build();
    KeyFactory rsa = KeyFactory.getInstance("RSA");
    privateKey = options.privateKey() == null ? null : rsa.generatePrivate(new PKCS8EncodedKeySpec(pem(options.privateKey())));
    serviceKey = options.serviceKey() == null ? null : rsa.generatePublic(new X509EncodedKeySpec(pem(options.serviceKey())));
  }

  /** A repeat with the same reference and content gives the same code, so a lost answer is asked for again. */
  public PaymentCode createCode(String merchantReference, BigDecimal amount, String currencyCode) throws IOException, InterruptedException {
    return createCode(merchantReference, amount, currencyCode, Map.of());
  }

  /** {@code others}: further members, as the API names them, e.g. shortDescription. */
  public PaymentCode createCode(String merchantReference, BigDecimal amount, String currencyCode, Map<String, ?> others) throws IOException, InterruptedException {
    Map<String, Object> body = new LinkedHashMap<>(others);
    body.putAll(Map.of("merchantReference", merchantReference, "amount", amount, "currencyCode", currencyCode));
    Map<?, ?> answer = post("/pluto/code/create", body, true);
    return new PaymentCode((String) answer.get("code"), number(answer, "expiryDate"), (String) answer.get("codeUrl"));
  }

  /** How the payment of a code stands. */
  public PaymentReference queryRef(String code, String merchantReference) throws IOException, InterruptedException {
    Map<?, ?> answer = post("/pluto/code/queryRef", Map.of("code", code, "merchantReference", merchantReference), true);
    return new PaymentReference(number(answer, "transactionId"), (String) answer.get("reference"), (BigDecimal) answer.get("amount"), (String) answer.get("currencyCode"), (String) answer.get("status"));
  }

  /** Reads a notification that was missed. If nobody has acknowledged the payment yet, this call acknowledges it. */
  public Notification getNotification(long transactionId) throws IOException, InterruptedException, RefusedBody {
    return Notification.read(send(new Call("GET", "/pluto/purchase/notification/" + transactionId, null, true)).getBytes(StandardCharsets.UTF_8));
  }

  /** One page of what became final since an instant. {@code query}: reference, code, merchantId, cursor, limit. Reading the list acknowledges nothing. */
  public NotificationPage notifications(Instant since, Map<String, ?> query) throws IOException, InterruptedException {
    Map<String, Object> words = new LinkedHashMap<>(query);
    words.put("since", since);
    String path = "/pluto/purchase/notifications?" + words.entrySet().stream().map(word -> word.getKey() + "=" + encoded(word.getValue().toString())).collect(Collectors.joining("&"));
    Map<?, ?> answer = (Map<?, ?>) Json.parse(send(new Call("GET", path, null, true)));
    List<ListedNotification> listed = ((List<?>) answer.get("notifications")).stream().map(each -> listed((Map<?, ?>) each)).toList();
    return new NotificationPage(listed, (String) answer.get("next"));
  }

  /** Sets the URL of a merchant's notifications and gives the key that opens them. The URL must answer the probe. */
  public HttpNotification addHttp(long merchantId, String url) throws IOException, InterruptedException {
    return http(post(NOTIFICATION + "/addHttp", Map.of("merchantId", merchantId, "url", url, "version", "V3"), true));
  }

  /** A new key each time: after a lost answer look at what arrives before you call again. */
  public HttpNotification renewKey(long merchantId) throws IOException, InterruptedException {
    return http(post(NOTIFICATION + "/renewKey", Map.of("merchantId", merchantId), false));
  }

  /** Also tells an e-mail address or phone number of payments; gives all entries. */
  public List<NotificationEntry> extra(long merchantId, String type, String value) throws IOException, InterruptedException {
    return entries(post(NOTIFICATION + "/extra", Map.of("merchantId", merchantId, "type", type, "value", value), true));
  }

  public List<NotificationEntry> list(long merchantId) throws IOException, InterruptedException {
    return entries(post(NOTIFICATION + "/list", Map.of("merchantId", merchantId), true));
  }

  /** Any other operation, {@code body} as JSON or null; the text of its answer. Only a GET is sent again. Throws ApiException for a status beside 200. */
  public String send(String method, String path, String body) throws IOException, InterruptedException {
    return send(new Call(method, path, body, method.equals("GET")));
  }

  /** For Bearer accounts; other methods do it by themselves. Throws ApiException before it sends the password, if the service does not prove that it holds its key. */
  public synchronized Session logIn() throws IOException, InterruptedException {
    Map<String, Object> body = new LinkedHashMap<>(Map.of("identity", options.identity(), "password", options.password()));
    if (privateKey != null) body.putAll(proof());
    return session = session("/authentication/login", object(body));
  }

  /** Gets a new token for the same session; the old one stops working. */
  public synchronized Session renew() throws IOException, InterruptedException {
    if (session == null) return logIn();
    try {
      return session = session("/authentication/renew", jwt());
    } catch (ApiException refused) {
      if (refused.status == 401) return logIn(); // the token has expired
      throw refused;
    }
  }

  public synchronized void logOut() throws IOException, InterruptedException {
    if (session != null) attempt(new Call("POST", "/authentication/logout", jwt(), false), null);
    session = null;
  }

  private <T> T post(String path, Map<String, ?> body, boolean isRepeatable) throws IOException, InterruptedException {
    @SuppressWarnings("unchecked") T answer = (T) Json.parse(send(new Call("POST", path, object(body), isRepeatable)));
    return answer;
  }

  private String send(Call call) throws IOException, InterruptedException {
    Session used = options.isBearer() ? fresh() : null;
    try {
      return repeated(call, used);
    } catch (ApiException refused) {
      if (used == null || refused.status != 401) throw refused;
      endIfSame(used);
      return repeated(call, fresh());
    }
  }

  /** It has ended elsewhere; another thread may have logged in since. */
  private synchronized void endIfSame(Session ended) {
    if (session == ended) session = null;
  }

  private synchronized Session fresh() throws IOException, InterruptedException {
    Session current = session == null ? logIn() : session;
    return Instant.parse(current.expires()).minus(RENEW_BEFORE).isAfter(Instant.now()) ? current : renew();
  }

  private Session session(String path, String body) throws IOException, InterruptedException {
    Map<?, ?> answer = (Map<?, ?>) Json.parse(attempt(new Call("POST", path, body, false), null));
    return new Session((String) answer.get("headerName"), (String) answer.get("headerValue"), (String) answer.get("sessionId"), (String) answer.get("expires"));
  }

  /** Both challenge fields of the log-in. */
  private Map<String, Object> proof() throws IOException, InterruptedException {
    try {
      byte[] secret = new byte[64];
      new SecureRandom().nextBytes(secret);
      Cipher cipher = Cipher.getInstance(OAEP);
      cipher.init(Cipher.ENCRYPT_MODE, serviceKey);
      String query = "identity=" + encoded(options.identity()) + "&clientChallenge=" + encoded(base64(cipher.doFinal(secret)));
      Map<?, ?> challenge = (Map<?, ?>) Json.parse(repeated(new Call("GET", "/authentication/login-challenges?" + query, null, true), null));
      byte[] proof = Base64.getDecoder().decode((String) challenge.get("base64EncodedClientChallengeResponse"));
      if (!MessageDigest.isEqual(proof, sha256(secret))) throw new ApiException("the service did not prove that it holds its key", 200, "SERVICE_NOT_PROVEN", "", null);
      byte[] encrypted = Base64.getDecoder().decode((String) challenge.get("base64EncodedChallenge"));
      cipher.init(Cipher.DECRYPT_MODE, privateKey);
      return Map.of("base64EncodedChallengeHash", base64(sha256(encrypted)), "base64EncodedChallengeResponse", base64(sha256(cipher.doFinal(encrypted))));
    } catch (GeneralSecurityException failed) {
      throw new IOException("the challenge and the keys do not fit", failed);
    }
  }

  /** The body of renew and logout, which take the token without the word Bearer. */
  private String jwt() {
    return object(Map.of("jwt", session.headerValue().replaceFirst("^Bearer ", "")));
  }

  /** A lost answer, 429, 502, 503 and 504 are tried once more. */
  private String repeated(Call call, Session as) throws IOException, InterruptedException {
    try {
      return attempt(call, as);
    } catch (IOException failed) {
      ApiException refused = failed instanceof ApiException answered ? answered : null;
      Duration wait = refused == null || refused.retryAfter == null ? Duration.ofSeconds(1) : refused.retryAfter;
      boolean isPassing = refused == null || PASSING.contains(refused.status);
      if (!call.isRepeatable() || !isPassing || wait.compareTo(REPEAT_WAIT_MAX) > 0) throw failed;
      Thread.sleep(wait.toMillis());
      return attempt(call, as);
    }
  }

  private String attempt(Call call, Session as) throws IOException, InterruptedException {
    var publisher = call.body() == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(call.body());
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(options.url() + call.path())).timeout(options.timeout()).method(call.method(), publisher);
    if (call.body() != null) request.header("Content-Type", "application/json");
    if (as != null) request.header(as.headerName(), as.headerValue());
    else if (!options.isBearer()) request.header("Authorization", "Basic " + base64((options.identity() + ":" + options.password()).getBytes(StandardCharsets.UTF_8)));
    HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) throw ApiException.of(call.method() + " " + call.path().split("\\?")[0], answer);
    return answer.body();
  }

  private static ListedNotification listed(Map<?, ?> each) {
    return new ListedNotification(
        number(each, "transactionId"), number(each, "merchantId"), (String) each.get("status"), (String) each.get("reference"),
        (String) each.get("code"), (String) each.get("completedAt"), (String) each.get("delivery"), (String) each.get("acknowledgedAt"));
  }

  private static HttpNotification http(Map<?, ?> answer) {
    return new HttpNotification(number(answer, "merchantId"), (String) answer.get("url"), (String) answer.get("version"), (String) answer.get("encryptKey"));
  }

  private static List<NotificationEntry> entries(List<Map<?, ?>> answer) {
    return answer.stream().map(each -> new NotificationEntry((String) each.get("type"), (String) each.get("value"), (String) each.get("version"))).toList();
  }

  private static Long number(Map<?, ?> answer, String name) {
    return answer.get(name) instanceof BigDecimal number ? Long.valueOf(number.longValueExact()) : null;
  }

  private static String object(Map<String, ?> members) {
    return members.entrySet().stream().map(member -> quoted(member.getKey()) + ":" + written(member.getValue())).collect(Collectors.joining(",", "{", "}"));
  }

  private static String written(Object value) {
    if (value instanceof BigDecimal number) return number.toPlainString();
    return value == null || value instanceof Number || value instanceof Boolean ? String.valueOf(value) : quoted(value.toString());
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char letter : text.toCharArray()) {
      if (letter == '"' || letter == '\\') quoted.append('\\').append(letter);
      else if (letter < ' ') quoted.append(String.format("\\u%04x", (int) letter));
      else quoted.append(letter);
    }
    return quoted.append('"').toString();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  private static byte[] sha256(byte[] bytes) throws GeneralSecurityException {
    return MessageDigest.getInstance("SHA-256").digest(bytes);
  }

  /** The bytes in PEM, or in bare base64. */
  private static byte[] pem(String text) {
    return Base64.getDecoder().decode(text.replaceAll("-----[^-]+-----", "").replaceAll("\\s", ""));
  }

  private static SSLContext trusting(String ca) throws GeneralSecurityException, IOException {
    if (ca == null) return SSLContext.getDefault();
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    var certificate = CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(ca.getBytes(StandardCharsets.US_ASCII)));
    store.setCertificateEntry("ca", certificate);
    TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }
}
