package example;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.testcontainers.containers.Network;

/**
 * A fake istiod for each test, and Envoys at it: {@code @RegisterExtension final Lab lab = new Lab("ready");}. All are
 * stopped after the test; one that fails, for whatever reason, shows the last events.
 */
public final class Lab implements BeforeEachCallback, AfterEachCallback {
  private final String scenario;
  private final List<AutoCloseable> started = new ArrayList<>();
  private FakeIstiodContainer istiod;

  public Lab(String scenario) {
    this.scenario = scenario;
  }

  public Control istiod() {
    return istiod.control();
  }

  public EnvoyContainer startEnvoy() {
    var envoy = new EnvoyContainer(istiod);
    started.add(envoy);
    envoy.start();
    return envoy;
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    var network = Network.newNetwork();
    started.add(network);
    istiod = new FakeIstiodContainer(network, scenario);
    started.add(istiod);
    istiod.start();
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    context.getExecutionException().ifPresent(failure -> {
      // What was awaited in vain has them already.
      if (istiod.isRunning() && !String.valueOf(failure.getMessage()).contains("last events:")) {
        System.out.println(context.getDisplayName() + ": last events of the fake istiod:\n" + istiod.lastEvents());
      }
    });
    for (var index = started.size() - 1; index >= 0; index--) started.get(index).close();
    started.clear();
  }
}
