package example;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;

/** A real Envoy in a container. It is up when its admin API answers, whatever its state. */
public final class EnvoyContainer extends GenericContainer<EnvoyContainer> {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final int ADMIN_PORT = 9901;
  private static final String CONFIG_FILE = "/etc/envoy/bootstrap.json";

  public EnvoyContainer(FakeIstiodContainer istiod) {
    super(System.getenv().getOrDefault("ENVOY_IMAGE", "envoyproxy/envoy:v1.40.0"));
    var bootstrap = istiod.control().bootstrap(FakeIstiodContainer.ALIAS, ADMIN_PORT).toString();
    withNetwork(istiod.getNetwork());
    withCopyToContainer(Transferable.of(bootstrap, 0644), CONFIG_FILE);
    withCommand("-c", CONFIG_FILE, "--log-level", "warning");
    withExposedPorts(ADMIN_PORT);
    waitingFor(Wait.forHttp("/server_info").forPort(ADMIN_PORT).withStartupTimeout(Duration.ofSeconds(30)));
  }

  /** PRE_INITIALIZING, INITIALIZING, LIVE or DRAINING. */
  public String state() throws IOException, InterruptedException {
    var ready = URI.create("http://" + getHost() + ":" + getMappedPort(ADMIN_PORT) + "/ready");
    return HTTP.send(HttpRequest.newBuilder(ready).build(), BodyHandlers.ofString()).body().strip();
  }

  public void awaitState(String wanted, Duration timeout) throws IOException, InterruptedException {
    var deadline = System.nanoTime() + timeout.toNanos();
    for (var state = state(); !state.equals(wanted); state = state()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("Envoy is not " + wanted + " within " + timeout.toSeconds() + " s: it is " + state);
      }
      Thread.sleep(50);
    }
  }
}
