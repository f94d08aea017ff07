package kassay.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;

/** JSON lines: commands on standard input, events on standard output, and a canary. */
final class Lines {
    static final ObjectMapper JSON = new ObjectMapper();
    private static final long TICK_MS = 50;
    private static final long STALLED_MS = 200;

    private final PrintStream out = System.out;
    private final LinkedBlockingQueue<ObjectNode> commands = new LinkedBlockingQueue<>();
    final ObjectNode start;

    /** Reads the first command; the others follow in a thread. The end of the input is the command to close. */
    Lines() throws IOException {
        System.setOut(System.err);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        start = (ObjectNode) JSON.readTree(in.readLine());
        daemon(() -> read(in));
    }

    private void read(BufferedReader in) {
        try {
            for (String line = in.readLine(); line != null; line = in.readLine())
                commands.add((ObjectNode) JSON.readTree(line));
        } catch (IOException ignored) {
            // as at the end of the input
        }
        commands.add(JSON.createObjectNode().put("do", "close"));
    }

    static void daemon(Runnable run) {
        Thread thread = new Thread(run);
        thread.setDaemon(true);
        thread.start();
    }

    /** The next command, awaited for so long; null if there is none. */
    ObjectNode next(long waitMs) throws InterruptedException {
        return commands.poll(waitMs, TimeUnit.MILLISECONDS);
    }

    ObjectNode event(String kind) {
        return JSON.createObjectNode().put("event", kind).put("t", System.nanoTime());
    }

    synchronized void send(ObjectNode document) {
        out.print(document + "\n");
        out.flush();
    }

    /** Starts the canary: a thread that should tick every 50 ms. */
    void watch() {
        daemon(() -> {
            long last = System.nanoTime();
            while (true) {
                try {
                    Thread.sleep(TICK_MS);
                } catch (InterruptedException e) {
                    return;
                }
                long now = System.nanoTime(), ms = (now - last) / 1_000_000;
                if (ms > STALLED_MS) send(event("stall").put("ms", ms));
                last = now;
            }
        });
    }

    /** Says that the client exists, its release, and what it reports; all that there is if nothing is named. */
    void ready(String library, String... reports) throws IOException {
        Properties properties = new Properties();
        try (InputStream in = TopicPartition.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            if (in != null) properties.load(in);
        }
        String version = properties.getProperty("version", "unknown"); // a resource in the jar of Kafka's client
        ObjectNode ready = event("ready").put("library", library).put("version", version);
        if (reports.length > 0) ready.set("reports", JSON.valueToTree(reports));
        send(ready);
    }

    /** Says why there is no client, and ends the program. */
    void fatal(RuntimeException problem) {
        Throwable cause = problem.getCause() == null ? problem : problem.getCause();
        send(event("fatal").put("text", cause.toString()));
        System.exit(1);
    }

    static ArrayNode pairs(Collection<TopicPartition> partitions) {
        ArrayNode all = JSON.createArrayNode();
        for (TopicPartition each : partitions) all.addArray().add(each.topic()).add(each.partition());
        return all;
    }

    static List<String> texts(JsonNode array) {
        List<String> all = new ArrayList<>();
        array.forEach(each -> all.add(each.asText()));
        return all;
    }
}
