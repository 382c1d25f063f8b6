package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ReadinessTest {
  @RegisterExtension final Lab lab = new Lab("ready");

  @Test
  void proxyIsNotReadyBeforeItHasItsClusters() throws Exception {
    lab.istiod().withhold("CDS");
    var envoy = lab.startEnvoy();
    lab.istiod().awaitEvent("response.withheld", Map.of("type", "CDS"), "10s");
    assertEquals("PRE_INITIALIZING", envoy.state());

    lab.istiod().release("CDS");
    envoy.awaitState("LIVE", Duration.ofSeconds(10));
  }

  @Test
  void proxyAcceptsAChange() throws Exception {
    lab.startEnvoy().awaitState("LIVE", Duration.ofSeconds(10));

    var version = lab.istiod().set(Map.of("clusters", List.of(Map.of("name", "new", "connect_timeout", "1s"))));
    lab.istiod().awaitAck(version, "10s");
  }

  @Test
  void proxySaysWhyItRejectsAChange() throws Exception {
    var envoy = lab.startEnvoy();
    envoy.awaitState("LIVE", Duration.ofSeconds(10));

    var address = Map.of("socket_address", Map.of("address", "0.0.0.0", "port_value", 10001));
    var version = lab.istiod().set(Map.of("listeners", List.of(Map.of("name", "bad", "address", address))));
    var nack = assertThrows(Control.Problem.class, () -> lab.istiod().awaitAck(version, "10s"));
    assertEquals("push.nacked", nack.code());
    assertTrue(nack.getMessage().contains("no filter chains"), nack::getMessage);
    // What it had before, it keeps.
    assertEquals("LIVE", envoy.state());
  }
}
