package com.paycode.receiver;

import java.io.ByteArrayInputStream;
import java.io.IOException;
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
import java.util.Map;
import java.util.stream.Collectors;
import javax.crypto.Cipher;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Logs in with the mutual challenge (docs/how-to/log-in.md), keeps the session fresh, and sends requests with it. Threads may share it. */
public final class Client {
  private static final String OAEP = "RSA/ECB/OAEPWithSHA-1AndMGF1Padding";
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Duration RENEW_BEFORE = Duration.ofMinutes(1);

  /**
   * {@code privateKey}: your RSA-4096 key, PEM (PKCS#8). {@code serviceKey}: the service's public key, base64 X.509. {@code ca}: PEM of the authority
   * to trust (null: the system's authorities).
   */
  public record Options(String url, String identity, String password, String privateKey, String serviceKey, String ca) {
    /** Without password and key, for logs. */
    @Override public String toString() { return "Options " + url + " " + identity; }
  }

  public record Session(String headerName, String headerValue, String sessionId, String expires) {
    /** Without the token, for logs. */
    @Override public String toString() { return "Session " + sessionId; }
  }

  /** The service gave an unexpected answer. The message holds neither the request nor secrets. */
  public static final class UnexpectedAnswer extends IOException {
    private static final long serialVersionUID = 1;

    UnexpectedAnswer(String text) {
      super(text);
    }
  }

  private final Options options;
  private final HttpClient http;
  private final PrivateKey privateKey;
  private final PublicKey serviceKey;
  private Session session;

  public Client(Options options) throws GeneralSecurityException, IOException {
    this.options = options;
    http = HttpClient.newBuilder().sslContext(trusting(options.ca())).connectTimeout(TIMEOUT).build();
    KeyFactory rsa = KeyFactory.getInstance("RSA");
    privateKey = rsa.generatePrivate(new PKCS8EncodedKeySpec(pem(options.privateKey())));
    serviceKey = rsa.generatePublic(new X509EncodedKeySpec(pem(options.serviceKey())));
  }

  /** Fails with UnexpectedAnswer before it sends the password, if the service does not prove that it holds its key. */
  public synchronized Session logIn() throws IOException, InterruptedException, GeneralSecurityException {
    byte[] secret = new byte[64];
    new SecureRandom().nextBytes(secret);
    Cipher cipher = Cipher.getInstance(OAEP);
    cipher.init(Cipher.ENCRYPT_MODE, serviceKey);
    String query = "identity=" + encoded(options.identity()) + "&clientChallenge=" + encoded(base64(cipher.doFinal(secret)));
    Map<?, ?> challenge = expect("GET", "/authentication/login-challenges?" + query, null);
    byte[] proof = Base64.getDecoder().decode((String) challenge.get("base64EncodedClientChallengeResponse"));
    if (!MessageDigest.isEqual(proof, sha256(secret))) throw new UnexpectedAnswer("the service did not prove that it holds its key");
    byte[] encrypted = Base64.getDecoder().decode((String) challenge.get("base64EncodedChallenge"));
    cipher.init(Cipher.DECRYPT_MODE, privateKey);
    String body = object(Map.of(
        "identity", options.identity(), "password", options.password(),
        "base64EncodedChallengeHash", base64(sha256(encrypted)),
        "base64EncodedChallengeResponse", base64(sha256(cipher.doFinal(encrypted)))));
    return session = session(expect("POST", "/authentication/login", body));
  }

  /** Gets a new token for the same session; the old one stops working. */
  public synchronized Session renew() throws IOException, InterruptedException, GeneralSecurityException {
    if (session == null) return logIn();
    HttpResponse<String> answer = call("POST", "/authentication/renew", jwt(), null);
    if (answer.statusCode() == 401) return logIn(); // the token has expired, so log in again
    return session = session(parsed("/authentication/renew", answer));
  }

  public synchronized void logOut() throws IOException, InterruptedException {
    if (session != null) expect("POST", "/authentication/logout", jwt());
    session = null;
  }

  /** A request in the session, {@code body} as JSON or null: logs in first, and renews a token that ends within a minute. */
  public HttpResponse<String> send(String method, String path, String body) throws IOException, InterruptedException, GeneralSecurityException {
    return call(method, path, body, fresh());
  }

  /** Reads a notification that was missed. If nobody has acknowledged the payment yet, this call acknowledges it. */
  public Notification notification(long transactionId) throws Exception {
    HttpResponse<String> answer = send("GET", "/pluto/purchase/notification/" + transactionId, null);
    if (answer.statusCode() != 200) throw new UnexpectedAnswer("getNotification answered " + answer.statusCode());
    return Notification.read(answer.body().getBytes(StandardCharsets.UTF_8));
  }

  private synchronized Session fresh() throws IOException, InterruptedException, GeneralSecurityException {
    Session current = session == null ? logIn() : session;
    return Instant.parse(current.expires()).minus(RENEW_BEFORE).isAfter(Instant.now()) ? current : renew();
  }

  /** The body of renew and logout, which take the token without the word Bearer. */
  private String jwt() {
    return object(Map.of("jwt", session.headerValue().replaceFirst("^Bearer ", "")));
  }

  private Map<?, ?> expect(String method, String path, String body) throws IOException, InterruptedException {
    return parsed(path, call(method, path, body, null));
  }

  private static Map<?, ?> parsed(String path, HttpResponse<String> answer) throws UnexpectedAnswer {
    if (answer.statusCode() != 200) throw new UnexpectedAnswer(path.split("\\?")[0] + " answered " + answer.statusCode());
    return (Map<?, ?>) Json.parse(answer.body());
  }

  private HttpResponse<String> call(String method, String path, String body, Session as) throws IOException, InterruptedException {
    var publisher = body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(options.url() + path)).timeout(TIMEOUT).method(method, publisher);
    if (body != null) request.header("Content-Type", "application/json");
    if (as != null) request.header(as.headerName(), as.headerValue());
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static Session session(Map<?, ?> answer) {
    return new Session((String) answer.get("headerName"), (String) answer.get("headerValue"), (String) answer.get("sessionId"), (String) answer.get("expires"));
  }

  private static String object(Map<String, String> members) {
    return members.entrySet().stream()
        .map(member -> quoted(member.getKey()) + ":" + quoted(member.getValue()))
        .collect(Collectors.joining(",", "{", "}"));
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
