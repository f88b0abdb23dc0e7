// Serves the packed kit with Spring Boot, as the page does. Compiled only when Spring's jars are there: `npm run test:kits -- java --frameworks`.

import com.paycode.receiver.Adapters;
import com.paycode.receiver.Answer;
import com.paycode.receiver.Receiver;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@EnableAutoConfiguration
@RestController
public class SpringConform {
  private static Receiver receiver;

  public static void serve(Receiver theReceiver) {
    receiver = theReceiver;
    SpringApplication application = new SpringApplication(SpringConform.class);
    application.setDefaultProperties(Map.of(
        "server.address", "127.0.0.1", "server.port", "0", "spring.main.banner-mode", "off", "logging.level.root", "warn"));
    var context = (ServletWebServerApplicationContext) application.run();
    System.out.println("listening " + context.getWebServer().getPort());
  }

  @PostMapping("/paycode")
  ResponseEntity<String> paycode(HttpServletRequest request) throws IOException {
    Answer answer = Adapters.receive(receiver, request.getInputStream(), request::getHeader); // no converter reads the body
    Adapters.work(answer); // with When.AFTER: starts a thread
    return ResponseEntity.status(answer.status()).body(answer.reason());
  }
}
