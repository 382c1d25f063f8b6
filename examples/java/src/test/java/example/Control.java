package example;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** A client of the control API: the few operations that these tests need. GET /openapi.json has all. */
public final class Control {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  /** What the control API says when something is wrong, or is not as awaited. */
  public static final class Problem extends RuntimeException {
    private final String code;

    Problem(JsonNode problem) {
      super(problem.path("code").asText() + ": " + problem.path("detail").asText());
      code = problem.path("code").asText();
    }

    /** One of the error codes of fake-istiod, such as {@code push.nacked}. */
    public String code() {
      return code;
    }
  }

  private final String url;
  private final String token;

  public Control(String url, String token) {
    this.url = url;
    this.token = token;
  }

  /** Lets a type, such as CDS, be unanswered until it is released. */
  public void withhold(String type) {
    call("POST", "/withhold", type);
  }

  /** Answers what was withheld, with what is served now. */
  public void release(String type) {
    call("POST", "/release", type);
  }

  /** Serves resources, in Envoy's JSON form, beside all others. Returns the version of the push. */
  public String set(Map<String, ?> resources) {
    return call("PATCH", "/snapshot", Map.of("set", resources)).get("version").asText();
  }

  /**
   * Waits until every connected Envoy has accepted a push.
   *
   * @throws Problem {@code push.nacked} with Envoy's own words, or {@code wait.timed-out} with what is missing
   */
  public void awaitAck(String version, String timeout) {
    call("GET", "/wait/acked?version=" + encoded(version) + "&timeout=" + timeout, null);
  }

  /** Waits until something happens, or has happened: {@code awaitEvent("response.withheld", Map.of("type", "CDS"), "5s")}. */
  public JsonNode awaitEvent(String name, Map<String, ?> pattern, String timeout) {
    return call("POST", "/wait", Map.of(name, pattern, "timeout", timeout)).get("event");
  }

  /** A bootstrap for an Envoy that reaches the istiod as {@code host}. */
  public JsonNode bootstrap(String host, int adminPort) {
    return call("GET", "/bootstrap?host=" + encoded(host) + "&port=15012&admin_host=0.0.0.0&admin_port=" + adminPort, null);
  }

  private JsonNode call(String method, String path, Object body) {
    try {
      var request = HttpRequest.newBuilder(URI.create(url + path)).header("Authorization", "Bearer " + token);
      if (body == null) {
        request.method(method, BodyPublishers.noBody());
      } else {
        request.header("Content-Type", "application/json").method(method, BodyPublishers.ofString(JSON.writeValueAsString(body)));
      }
      var response = HTTP.send(request.build(), BodyHandlers.ofString());
      if (response.statusCode() >= 300) throw new Problem(JSON.readTree(response.body()));
      return JSON.readTree(response.body());
    } catch (JsonProcessingException error) {
      throw new IllegalStateException(method + " " + path + " was not answered with JSON", error);
    } catch (IOException error) {
      throw new UncheckedIOException(method + " " + url + path, error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", error);
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
