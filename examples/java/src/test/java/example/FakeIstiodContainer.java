package example;

import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;

/** A fake istiod in a container, which serves a packaged scenario. */
public final class FakeIstiodContainer extends GenericContainer<FakeIstiodContainer> {
  /** By which Envoys on the same network reach it. */
  static final String ALIAS = "istiod.istio-system.svc";

  private static final int CONTROL_PORT = 15080;
  private final String token = UUID.randomUUID().toString();

  public FakeIstiodContainer(Network network, String scenario) {
    super(System.getenv().getOrDefault("FAKE_ISTIOD_IMAGE", "fake-istiod:local"));
    withNetwork(network);
    withNetworkAliases(ALIAS);
    withCommand("serve", scenario);
    withEnv("FAKE_ISTIOD_CONTROL_TOKEN", token);
    withExposedPorts(CONTROL_PORT);
    waitingFor(Wait.forHttp("/health").forPort(CONTROL_PORT).withStartupTimeout(Duration.ofSeconds(30)));
  }

  public Control control() {
    return new Control("http://" + getHost() + ":" + getMappedPort(CONTROL_PORT), token);
  }

  /** The last ten events, one a line. */
  public String lastEvents() {
    try {
      return execInContainer("fake-istiod", "ctl", "events", "--limit", "10").getStdout();
    } catch (IOException error) {
      return error.toString();
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      return error.toString();
    }
  }
}
