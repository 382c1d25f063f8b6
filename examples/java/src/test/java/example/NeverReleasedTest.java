package example;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Broken on purpose: nobody releases what is withheld. {@code broken.txt} shows how that fails. */
@Tag("broken")
@TestMethodOrder(MethodOrderer.MethodName.class)
class NeverReleasedTest {
  @RegisterExtension final Lab lab = new Lab("ready");

  @Test
  void proxyAcceptsAChange() {
    startEnvoyWithoutClusters();
    var version = lab.istiod().set(Map.of("clusters", List.of(Map.of("name", "new", "connect_timeout", "1s"))));
    lab.istiod().awaitAck(version, "2s");
  }

  @Test
  void proxyBecomesReady() throws Exception {
    startEnvoyWithoutClusters().awaitState("LIVE", Duration.ofSeconds(2));
  }

  private EnvoyContainer startEnvoyWithoutClusters() {
    lab.istiod().withhold("CDS");
    var envoy = lab.startEnvoy();
    lab.istiod().awaitEvent("response.withheld", Map.of("type", "CDS"), "10s");
    return envoy;
  }
}
