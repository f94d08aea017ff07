import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.TopicPartition;

/** Misbehaves as its configuration says, in the call of that name or in assign. */
public class Hostile implements ConsumerPartitionAssignor, Configurable {
    private static final List<long[]> KEPT = new ArrayList<>();

    private String does = "behave";
    private String in = "assign";

    @Override
    public void configure(Map<String, ?> configs) {
        does = configs.containsKey("do") ? (String) configs.get("do") : does;
        in = configs.containsKey("in") ? (String) configs.get("in") : in;
        misbehave("configure");
    }

    @Override
    public String name() {
        return "hostile";
    }

    @Override
    public ByteBuffer subscriptionUserData(Set<String> topics) {
        misbehave("user_data");
        return null;
    }

    @Override
    public void onAssignment(Assignment assignment, ConsumerGroupMetadata metadata) {
        misbehave("on_assignment");
    }

    @Override
    public GroupAssignment assign(Cluster metadata, GroupSubscription groupSubscription) {
        misbehave("assign");
        Map<String, Assignment> given = new HashMap<>();
        for (String member : groupSubscription.groupSubscription().keySet()) {
            given.put(member, new Assignment(Collections.emptyList()));
        }
        String first = Collections.min(given.keySet());
        List<TopicPartition> all = new ArrayList<>();
        for (String topic : metadata.topics()) {
            all.addAll(IntStream.range(0, metadata.partitionCountForTopic(topic))
                .mapToObj(p -> new TopicPartition(topic, p)).collect(Collectors.toList()));
        }
        given.put(first, new Assignment(all));
        switch (does) {
            case "null":
                return null;
            case "null_map":
                return new GroupAssignment(null);
            case "null_assignment":
                given.put(first, null);
                break;
            case "null_partition":
                given.put(first, new Assignment(Collections.singletonList(null)));
                break;
            case "null_topic":
                given.put(first, new Assignment(List.of(new TopicPartition(null, 0))));
                break;
            case "endless_list":
                given.put(first, new Assignment(new java.util.AbstractList<TopicPartition>() {
                    @Override
                    public TopicPartition get(int index) {
                        return new TopicPartition("t", index);
                    }

                    @Override
                    public int size() {
                        return Integer.MAX_VALUE;
                    }
                }));
                break;
            default:
                break;
        }
        return new GroupAssignment(given);
    }

    private void misbehave(String call) {
        if (!call.equals(in)) {
            return;
        }
        switch (does) {
            case "throw":
                throw new IllegalStateException("on purpose,\nover two lines");
            case "throw_no_memory":
                throw new OutOfMemoryError("by hand");
            case "throw_what_throws":
                throw new RuntimeException() {
                    @Override
                    public String toString() {
                        throw new IllegalStateException("even this");
                    }
                };
            case "overflow":
                overflow(1);
                break;
            case "loop":
                while (true) {
                    Thread.onSpinWait();
                }
            case "exit":
                System.exit(7);
                break;
            case "halt":
                Runtime.getRuntime().halt(9);
                break;
            case "exit_late":
                Runtime.getRuntime().addShutdownHook(new Thread(Hostile::sleep));
                System.exit(0);
                break;
            case "eat":
                while (true) {
                    KEPT.add(new long[1 << 20]);
                }
            case "print":
                System.out.println("{\"id\": 1, \"answer\": {}}");
                break;
            case "scribble":
                scribble();
                break;
            case "read":
                read();
                break;
            case "start_thread":
                new Thread(Hostile::sleep).start();
                break;
            case "start_process":
                start();
                break;
            case "hook":
                Runtime.getRuntime().addShutdownHook(new Thread(Hostile::sleep));
                break;
            default:
                break;
        }
    }

    private static int overflow(int depth) {
        return overflow(depth + 1) + 1;
    }

    private static void sleep() {
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException woken) {
            sleep();
        }
    }

    private static void scribble() {
        try {
            new FileOutputStream(FileDescriptor.out).write("scribbled\n".getBytes());
        } catch (java.io.IOException closed) {
            throw new IllegalStateException(closed);
        }
    }

    private static void read() {
        try {
            if (System.in.read() >= 0) {
                throw new IllegalStateException("read a request");
            }
        } catch (java.io.IOException closed) {
            throw new IllegalStateException(closed);
        }
    }

    private static void start() {
        try {
            new ProcessBuilder("sleep", "600").start();
        } catch (java.io.IOException missing) {
            throw new IllegalStateException(missing);
        }
    }
}
