import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.FileInputStream;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.paycode.client.ApiClient;
import org.paycode.client.ApiException;
import org.paycode.client.api.CodesApi;
import org.paycode.client.api.MerchantNotificationsApi;
import org.paycode.client.api.PublicPagesApi;
import org.paycode.client.api.RecoveryApi;
import org.paycode.client.model.AddHttpRequest;
import org.paycode.client.model.CreateCodeBody;
import org.paycode.client.model.MerchantRequest;
import org.paycode.client.model.PaymentBody;
import org.paycode.client.model.PaymentCode;
import org.paycode.client.model.TransactionNotificationV3;

/** Creates a code, pays it and reads the notification with the generated Java client; prints each number as it was read. */
public final class Pay {
  private static final long PATIENCE_MS = 120_000;

  public static void main(String[] arguments) throws Exception {
    JsonObject given = JsonParser.parseString(arguments[0]).getAsJsonObject();
    long merchantId = given.get("merchantId").getAsLong();
    ApiClient client = new ApiClient();
    client.setBasePath(given.get("baseUrl").getAsString());
    client.setUsername(given.get("username").getAsString());
    client.setPassword(given.get("password").getAsString());
    try (FileInputStream authority = new FileInputStream(given.get("caFile").getAsString())) {
      client.setSslCaCert(authority);
    }
    MerchantNotificationsApi notifications = new MerchantNotificationsApi(client);
    var url = notifications.addHttp(
        new AddHttpRequest().merchantId(merchantId).url(java.net.URI.create(given.get("url").getAsString()))
            .version(AddHttpRequest.VersionEnum.V3));
    var entries = notifications.listNotifications(new MerchantRequest().merchantId(merchantId));
    CodesApi codes = new CodesApi(client);
    List<Map<String, String>> kept = new ArrayList<>();
    for (var wish : given.getAsJsonArray("amounts")) {
      String amount = wish.getAsJsonObject().get("amount").getAsString();
      var made = create(codes, given, amount, wish.getAsJsonObject().get("currencyCode").getAsString());
      kept.add(Map.of("code", made.getCode(), "amount", plain(made.getAmount())));
    }
    var code = create(codes, given, given.get("amount").getAsString(), "ZAR");
    var payment = new PublicPagesApi(client).payCode(code.getCode(), new PaymentBody()
        .outcome(PaymentBody.OutcomeEnum.SUCCESS)
        .clientMsisdn("+27820000001")
        .tipAmount(0.5));
    TransactionNotificationV3 told = notificationOf(new RecoveryApi(client), payment.getTransactionId());
    Map<String, Object> read = new LinkedHashMap<>();
    read.put("encryptKey", url.getEncryptKey());
    read.put("entries", entries.stream().map(entry -> entry.getValue()).collect(Collectors.toList()));
    read.put("kept", kept);
    read.put("code", code.getCode());
    read.put("state", code.getState());
    read.put("expiryDate", code.getExpiryDate().toString());
    read.put("merchantId", told.getMerchantId().toString());
    read.put("transactionId", told.getTransactionId().toString());
    read.put("referenceTransactionId", told.getReferenceTransactionId().toString());
    read.put("retrievalReferenceNumber", told.getBankResponse().getRetrievalReferenceNumber().toString());
    read.put("amount", plain(told.getAmount()));
    read.put("tipAmount", plain(told.getTipAmount()));
    System.out.println(new Gson().toJson(read));
    // OkHttp keeps its threads for a minute.
    System.exit(0);
  }

  private static PaymentCode create(CodesApi codes, JsonObject given, String amount, String currency) throws Exception {
    var created = codes.createCode(new CreateCodeBody()
        .merchantId(given.get("merchantId").getAsLong())
        .merchantReference(given.get("reference").getAsString() + "-" + amount)
        .amount(Double.valueOf(amount))
        .currencyCode(currency)
        .expiryDate(given.get("expiryDate").getAsLong())
        .requestTip(true));
    return codes.getCode(created.getCode());
  }

  private static String plain(Double amount) {
    return new BigDecimal(amount.toString()).toPlainString();
  }

  /** A moment after the payment there may be nothing to read yet. */
  private static TransactionNotificationV3 notificationOf(RecoveryApi api, Long transactionId) throws Exception {
    long giveUpAt = System.nanoTime() + PATIENCE_MS * 1_000_000;
    while (true) {
      try {
        return api.getNotification(transactionId);
      } catch (ApiException error) {
        if (error.getCode() != 404 || System.nanoTime() > giveUpAt) throw error;
        Thread.sleep(200);
      }
    }
  }
}
