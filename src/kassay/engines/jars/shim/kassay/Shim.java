package kassay;

import java.io.ByteArrayInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Speaks exec protocol 2 for one class of the class path; by reflection, so that any release of Kafka will do. */
public final class Shim {
    private static final Kind[] KINDS = {
        new ClientAssignors(), new ServerAssignors(), new Partitioners(), new Placers(), new ProcessTasks(), new MemberTasks(),
        new ConnectAssignors(),
    };
    private static final String CONFIGURABLE = "org.apache.kafka.common.Configurable";

    private static final int OUT_OF_MEMORY = 3;

    private final OutputStream replies;
    private final StringBuilder out = new StringBuilder();
    private final Map<Long, Object> objects = new HashMap<>();
    private Class<?> type;
    private Kind kind;
    private Throwable unusable;

    private Shim(OutputStream replies) {
        this.replies = replies;
    }

    /** Answers requests until they end. The argument is the full name of the class. */
    public static void main(String[] arguments) throws IOException {
        Requests requests = new Requests(new FileInputStream(FileDescriptor.in));
        // what the user's code prints is no answer, and what it reads is no request
        System.setOut(System.err);
        System.setIn(new ByteArrayInputStream(new byte[0]));
        Shim shim = new Shim(new FileOutputStream(FileDescriptor.out));
        shim.begin(arguments[0]);
        for (String line = requests.line(); line != null; line = requests.line()) {
            Map<String, Object> request = map(Json.read(line));
            shim.answer(request, request.get("id"));
        }
        // neither hooks nor threads of the user's code outlive the last request
        Runtime.getRuntime().halt(0);
    }

    /** Load the class; what keeps it from being asked is the answer to every request. */
    private void begin(String name) {
        try {
            type = Class.forName(name);
            for (Kind each : KINDS) {
                if (kind == null && each.has(type)) {
                    kind = each;
                }
            }
            if (kind == null) {
                throw new IllegalArgumentException(name + " implements no interface of Kafka that kassay asks");
            }
        } catch (Throwable wrong) {
            unusable = wrong;
        }
    }

    /** Answer a request: with one line, or a line each for the calls of which it consists. */
    private void answer(Map<String, Object> request, Object id) throws IOException {
        String call = String.valueOf(request.get("call"));
        if (call.equals("batch")) {
            for (Object one : list(request.get("requests"))) {
                answer(map(one), id);
            }
        } else if (call.equals("round")) {
            round(request, id);
        } else {
            line(request, call, id);
        }
    }

    /** The user data of every member, what the leader's object assigns, and the second looks at that. */
    private void round(Map<String, Object> request, Object id) throws IOException {
        Map<Object, Object> given = new HashMap<>();
        for (Object each : list(request.get("members"))) {
            Map<String, Object> member = map(each);
            Map<String, Object> reply = line(member, "user_data", id);
            if (reply.containsKey("error")) {
                return;
            }
            given.put(member.get("id"), reply.get("answer"));
        }
        if (line(with(given, request), "assign", id).containsKey("error")) {
            return;
        }
        for (Object each : list(request.get("looks"))) {
            Map<String, Object> look = new LinkedHashMap<>(request);
            look.putAll(map(each));
            line(with(given, look), "assign", id);
        }
    }

    /** The request, whose members have the user data that they gave. */
    private static Map<String, Object> with(Map<Object, Object> given, Map<String, Object> request) {
        for (Object each : list(request.get("members"))) {
            Map<String, Object> member = map(each);
            member.put("user_data", given.get(member.get("id")));
        }
        return request;
    }

    /** Answer one call with one line, and return what that says. */
    private Map<String, Object> line(Map<String, Object> request, String call, Object id) throws IOException {
        Map<String, Object> reply = new LinkedHashMap<>();
        reply.put("id", id);
        try {
            reply.put("answer", answered(call, request, reply));
        } catch (OutOfMemoryError none) {
            // what Java ends for it of itself, where it knows the flag and threw the error itself
            System.err.println("Terminating due to " + none);
            Runtime.getRuntime().halt(OUT_OF_MEMORY);
        } catch (Throwable thrown) {
            reply.put("error", Thrown.shown(thrown));
        }
        out.setLength(0);
        Json.write(reply, out);
        replies.write(out.append('\n').toString().getBytes(StandardCharsets.US_ASCII));
        return reply;
    }

    private Object answered(String call, Map<String, Object> request, Map<String, Object> reply) throws Throwable {
        if (unusable != null) {
            throw unusable;
        }
        switch (call) {
            case "hello":
                return hello();
            case "new":
                Object asked = created(map(request.get("config")));
                objects.put((Long) request.get("object"), asked);
                return kind.introduction(asked);
            case "drop":
                objects.keySet().removeAll(list(request.get("objects")));
                return null;
            default:
                if (!kind.calls().contains(call)) {
                    throw new IllegalArgumentException("a " + kind.hello(type).get("kind") + " has no call " + call);
                }
                return kind.call(call, object(request), request, reply);
        }
    }

    private Map<String, Object> hello() {
        Map<String, Object> hello = new LinkedHashMap<>();
        Map<String, Object> versions = new LinkedHashMap<>();
        hello.put("kassay", 2);
        hello.put("name", type.getSimpleName());
        hello.put("supports", List.of("new", "drop", "batch"));
        versions.put("java", System.getProperty("java.version"));
        versions.putAll(Reflected.versions());
        hello.put("versions", versions);
        hello.putAll(kind.hello(type));
        return hello;
    }

    /** The object that the request is about. */
    private Object object(Map<String, Object> request) {
        Object asked = objects.get(request.get("object"));
        if (asked == null) {
            throw new IllegalStateException("there is no object " + request.get("object"));
        }
        return asked;
    }

    /** A new object, constructed and configured as Kafka does it. */
    private Object created(Map<String, Object> config) throws Throwable {
        Object fresh;
        try {
            fresh = kind.create(type);
        } catch (NoSuchMethodException | IllegalAccessException | InstantiationException unusable) {
            throw new IllegalArgumentException(
                type.getName() + ": expected a public class with a public constructor without arguments");
        }
        Class<?> configurable = Reflected.find(CONFIGURABLE);
        if (configurable != null && configurable.isInstance(fresh)) {
            Reflected.call(configurable.getMethod("configure", Map.class), fresh, config);
        }
        return fresh;
    }

    /** The object of JSON as a map; one that is not there is empty. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> map(Object value) {
        return value == null ? new LinkedHashMap<>() : (Map<String, Object>) value;
    }

    /** The list of JSON; one that is not there is empty. */
    @SuppressWarnings("unchecked")
    static List<Object> list(Object value) {
        return value == null ? List.of() : (List<Object>) value;
    }
}
