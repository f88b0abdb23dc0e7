// The program that the kit's tests run, with the packed kit on the class path: `vectors <file>`, `serve jdk`, `serve spring` or `client`.

import com.paycode.receiver.Adapters;
import com.paycode.receiver.ApiException;
import com.paycode.receiver.Client;
import com.paycode.receiver.FileStore;
import com.paycode.receiver.Notification;
import com.paycode.receiver.Receiver;
import com.paycode.receiver.RefusedBody;
import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

public class Conform {
  private static final Path FOLDER = Path.of(env("KIT_FOLDER", "."));

  public static void main(String[] words) throws Exception {
    switch (words[0]) {
      case "vectors" -> vectors(Path.of(words[1]));
      case "serve" -> serve(words[1]);
      case "client" -> calls();
      default -> throw new IllegalArgumentException(words[0]);
    }
  }

  /** Reads the file by its lines, of which each holds a vector as JSON.stringify printed it. */
  private static void vectors(Path file) throws Exception {
    Matcher vector = Pattern.compile("\\{\"name\":(\".*\"),\"keys\":\\[([^]]*)],\"body\":\"(.*)\",\"expect\":\\{([^}]*)}}")
        .matcher(Files.readString(file));
    while (vector.find()) {
      List<String> keys = Pattern.compile("[0-9a-f]{32}").matcher(vector.group(2)).results().map(key -> key.group()).toList();
      StringJoiner printed = new StringJoiner(",", "{", "}").add("\"name\":" + vector.group(1));
      try {
        String body = vector.group(3).replace("\\r", "\r").replace("\\n", "\n").replace("\\\"", "\"");
        Notification notification = Notification.open(body.getBytes("UTF-8"), keys);
        Matcher path = Pattern.compile("(?:^|,)\"([\\w.]+)\":").matcher(vector.group(4));
        while (path.find()) if (!path.group(1).equals("result")) printed.add("\"" + path.group(1) + "\":" + quoted(at(notification, path.group(1))));
        printed.add("\"result\":\"OK\"");
      } catch (RefusedBody refused) {
        printed.add("\"result\":\"" + refused.code + "\"");
      }
      System.out.println(printed);
    }
  }

  /** The value of a field, named as in the JSON. */
  private static Object at(Notification notification, String path) throws Exception {
    String[] names = path.split("\\.");
    Object value = Notification.class.getMethod(names[0]).invoke(notification);
    return value instanceof Map<?, ?> map ? map.get(names[1]) : value;
  }

  private static String quoted(Object value) {
    if (value == null) return "null";
    String text = value instanceof BigDecimal number ? number.toPlainString() : value.toString();
    StringBuilder quoted = new StringBuilder();
    text.chars().forEach(letter -> quoted.append(String.format("\\u%04x", letter)));
    return "\"" + quoted + "\"";
  }

  private static Receiver receiver() throws Exception {
    Duration within = Duration.ofMillis(Long.parseLong(env("KIT_ANSWER_WITHIN_MS", "40000")));
    FileStore store = new FileStore(FOLDER.resolve("store"));
    Receiver.When when = Receiver.When.valueOf(env("KIT_WHEN", "BEFORE"));
    Receiver.Options own = new Receiver.Options(Conform::keys, store, Conform::handle, when, within, Conform::onError);
    return new Receiver(env("KIT_ON_ERROR", "").equals("DEFAULT") ? new Receiver.Options(Conform::keys, store, Conform::handle) : own);
  }

  private static void onError(Throwable error) {
    System.out.println("error " + error.getMessage());
    if (Files.exists(FOLDER.resolve("fail-on-error"))) throw new IllegalStateException("told to fail, too");
  }

  /** Read at each notification, because the receiver starts before its key exists. */
  private static List<String> keys() throws Exception {
    Path file = Path.of(env("KIT_KEYS_FILE", ""));
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }

  private static boolean isTold(String what, Notification notification) {
    return notification.reference().startsWith(what) && Files.exists(FOLDER.resolve(what));
  }

  private static void handle(Notification notification) throws Exception {
    System.out.println("handling " + notification.transactionId());
    System.out.println("printed " + notification);
    if (isTold("fail", notification)) throw new IllegalStateException("told to fail");
    while (isTold("hold", notification)) Thread.sleep(20);
    System.out.println("handled " + notification.transactionId() + " " + notification.status() + " " + notification.amount() + " " + notification.reference());
  }

  private static void serve(String adapter) throws Exception {
    if (adapter.equals("spring")) {
      Class.forName("SpringConform").getMethod("serve", Receiver.class).invoke(null, receiver());
      return;
    }
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.setExecutor(Executors.newCachedThreadPool());
    var context = server.createContext("/paycode", Adapters.forJdk(receiver()));
    // A filter that reads the body.
    if (adapter.equals("jdk, parser first")) context.getFilters().add(Filter.beforeHandler("reads", Conform::read));
    server.start();
    System.out.println("listening " + server.getAddress().getPort());
  }

  private static void read(HttpExchange exchange) {
    try {
      exchange.getRequestBody().readAllBytes();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /** Calls by lines of words (describe-client.ts); prints a line for each. */
  private static void calls() throws Exception {
    String url = env("PAYCODE_URL", ""), identity = env("PAYCODE_IDENTITY", ""), password = env("PAYCODE_PASSWORD", "");
    Client.Options options = switch (env("PAYCODE_LOGIN", "")) {
      case "BASIC" -> Client.Options.basic(url, identity, password);
      case "BEARER" -> Client.Options.bearer(url, identity, password);
      default -> Client.Options.bearer(url, identity, password).withKeys(text("PAYCODE_PRIVATE_KEY_FILE"), text("PAYCODE_SERVICE_KEY_FILE"));
    };
    options = options.withCa(text("PAYCODE_CA_FILE")).withTimeout(Duration.ofMillis(Long.parseLong(env("PAYCODE_TIMEOUT_MS", ""))));
    Client client = new Client(options);
    for (String line : Files.readAllLines(Path.of(env("KIT_CALLS_FILE", "")))) {
      try {
        System.out.println(result(client, line.split(" ")));
      } catch (ApiException refused) { // decide by the code, and give support the request id
        System.out.println("error " + refused.status + " " + refused.code + " " + refused.requestId);
      } catch (IOException failed) {
        System.out.println("failed " + failed);
      }
    }
  }

  private static String code;

  private static String result(Client client, String[] words) throws Exception {
    switch (words[0]) {
      case "createCode" -> code = client.createCode(words[1], new BigDecimal(words[2]), words[3]).code();
      case "logOut" -> client.logOut();
      case "resume" -> receiver().resume(client::getNotification); // a server calls it every minute
    }
    return switch (words[0]) {
      case "createCode" -> "code " + code;
      case "queryRef" -> {
        Client.PaymentReference found = client.queryRef(code, words[1]);
        yield "reference " + found.amount() + " " + found.status();
      }
      case "getNotification" -> {
        Notification notification = client.getNotification(Long.parseLong(words[1]));
        yield "notification " + notification.transactionId() + " " + notification.status() + " " + notification.amount();
      }
      case "notifications" -> {
        Client.NotificationPage page = client.notifications(Instant.parse(words[1]), Map.of());
        yield "notifications " + page.notifications().stream().map(each -> String.valueOf(each.transactionId())).collect(Collectors.joining(","));
      }
      case "addHttp" -> "key " + client.addHttp(Long.parseLong(words[1]), words[2]).encryptKey();
      case "renewKey" -> "key " + client.renewKey(Long.parseLong(words[1])).encryptKey();
      case "extra" -> entries(client.extra(Long.parseLong(words[1]), words[2], words[3]));
      case "list" -> entries(client.list(Long.parseLong(words[1])));
      case "send" -> "text " + client.send(words[1], words[2], null);
      case "logIn" -> "session " + client.logIn().sessionId();
      case "renew" -> "session " + client.renew().sessionId();
      case "logOut" -> "logged out";
      case "resume" -> "resumed";
      default -> "printed " + client + client.renew() + Client.Options.basic("", "", env("PAYCODE_PASSWORD", ""));
    };
  }

  private static String entries(List<Client.NotificationEntry> list) {
    return "entries " + list.stream().map(each -> each.type() + "=" + each.value()).collect(Collectors.joining(","));
  }

  private static String text(String name) throws Exception {
    return Files.readString(Path.of(env(name, "")));
  }

  private static String env(String name, String otherwise) {
    return System.getenv().getOrDefault(name, otherwise);
  }
}
