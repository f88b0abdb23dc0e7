// Logs in to Paycode with the full challenge-response of the specification (5.3), uses the session, renews it, logs out.
// Java 17 or newer, nothing to install: java LogIn.java. Settings come from the environment, see ../README.md.

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

public class LogIn {
  private static final String OAEP = "RSA/ECB/OAEPWithSHA-1AndMGF1Padding";
  private static final String URL = setting("PAYCODE_URL");
  private static final String IDENTITY = setting("PAYCODE_IDENTITY");

  private final HttpClient http;
  private final PrivateKey privateKey;
  private final PublicKey serviceKey;

  private LogIn() throws Exception {
    http = HttpClient.newBuilder().sslContext(trusting(System.getenv("PAYCODE_CA_FILE"))).build();
    KeyFactory rsa = KeyFactory.getInstance("RSA");
    privateKey = rsa.generatePrivate(new PKCS8EncodedKeySpec(pem(setting("PAYCODE_PRIVATE_KEY_FILE"))));
    serviceKey = rsa.generatePublic(new X509EncodedKeySpec(pem(setting("PAYCODE_SERVICE_KEY_FILE"))));
  }

  public static void main(String[] args) throws Exception {
    LogIn client = new LogIn();
    String session = client.logIn();
    System.out.printf("logged in, session %s until %s%n", field(session, "sessionId"), field(session, "expires"));

    // 5. Every request carries the header the session names.
    String lookup = "{\"value\":\"1234567890\",\"msisdn\":\"+27820000001\"}";
    HttpRequest.Builder request = client.request("/pluto/remote/v4/lookup", lookup);
    request.header(field(session, "headerName"), field(session, "headerValue"));
    int status = client.http.send(request.build(), HttpResponse.BodyHandlers.ofString()).statusCode();
    System.out.println(status == 401 || status == 403 ? "refused with " + status : "request authenticated");

    // A token lives 15 minutes: renew it before `expires`. The old token stops working.
    session = client.expectOk("/authentication/renew", jwt(session));
    System.out.printf("renewed until %s%n", field(session, "expires"));
    client.expectOk("/authentication/logout", jwt(session));
    System.out.println("logged out");
  }

  private String logIn() throws Exception {
    // 1. 64 random bytes, encrypted to the service.
    byte[] secret = new byte[64];
    new SecureRandom().nextBytes(secret);
    Cipher cipher = Cipher.getInstance(OAEP);
    cipher.init(Cipher.ENCRYPT_MODE, serviceKey);
    String clientChallenge = base64(cipher.doFinal(secret));
    // 2. The service answers with its proof and a challenge of its own.
    String challenge =
        expectOk("/authentication/login-challenges?identity=" + encoded(IDENTITY) + "&clientChallenge=" + encoded(clientChallenge), null);
    // 3. Only who holds the service's private key knows the hash of our bytes. If it is wrong, stop before the password leaves.
    byte[] proof = Base64.getDecoder().decode(field(challenge, "base64EncodedClientChallengeResponse"));
    if (!MessageDigest.isEqual(proof, sha256(secret))) throw new IllegalStateException("the service did not prove itself");
    System.out.println("service proved itself");
    byte[] encrypted = Base64.getDecoder().decode(field(challenge, "base64EncodedChallenge"));
    cipher.init(Cipher.DECRYPT_MODE, privateKey);
    byte[] decrypted = cipher.doFinal(encrypted);
    // 4. Both hashes prove that we hold our private key.
    return expectOk(
        "/authentication/login",
        "{\"identity\":" + quoted(IDENTITY)
            + ",\"password\":" + quoted(setting("PAYCODE_PASSWORD"))
            + ",\"base64EncodedChallengeHash\":" + quoted(base64(sha256(encrypted)))
            + ",\"base64EncodedChallengeResponse\":" + quoted(base64(sha256(decrypted))) + "}");
  }

  /** Sends and insists on 200; never prints what was sent: it holds secrets. */
  private String expectOk(String path, String body) throws Exception {
    HttpResponse<String> response = http.send(request(path, body).build(), HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() == 200) return response.body();
    throw new IllegalStateException(path.split("\\?")[0] + " answered " + response.statusCode() + ": " + field(response.body(), "message"));
  }

  private HttpRequest.Builder request(String path, String body) {
    HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(URL + path)).timeout(Duration.ofSeconds(30));
    if (body == null) return builder.GET();
    return builder.header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body));
  }

  private static String jwt(String session) {
    return "{\"jwt\":" + quoted(field(session, "headerValue").substring("Bearer ".length())) + "}";
  }

  /** A text member of a flat JSON object. Use the JSON library you have in real code; the JDK has none. */
  private static String field(String json, String name) {
    Matcher matcher = Pattern.compile("\"" + name + "\"\\s*:\\s*\"([^\"\\\\]*)\"").matcher(json);
    if (!matcher.find()) throw new IllegalStateException("the answer has no " + name);
    return matcher.group(1);
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  private static byte[] sha256(byte[] bytes) throws Exception {
    return MessageDigest.getInstance("SHA-256").digest(bytes);
  }

  /** The bytes in a PEM file, or in a file of bare base64. */
  private static byte[] pem(String file) throws Exception {
    String text = Files.readString(Path.of(file)).replaceAll("-----[^-]+-----", "").replaceAll("\\s", "");
    return Base64.getDecoder().decode(text);
  }

  /** TLS that trusts one certificate authority; the system's own when no file is named. */
  private static SSLContext trusting(String caFile) throws Exception {
    if (caFile == null) return SSLContext.getDefault();
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    byte[] certificate = Files.readAllBytes(Path.of(caFile));
    store.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(certificate)));
    TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  private static String setting(String name) {
    String value = System.getenv(name);
    if (value == null || value.isEmpty()) throw new IllegalStateException(name + " is not set");
    return value;
  }
}
