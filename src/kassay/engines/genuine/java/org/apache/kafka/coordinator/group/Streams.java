package org.apache.kafka.coordinator.group;

import org.apache.kafka.common.protocol.ApiMessage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Streams groups. Only releases with `StreamsGroup.refinedAssignment` (from 4.4) are driven: no other loads the class. */
interface Streams {
    void heartbeat(GenuineCoordinator c, JsonNode event, String fails);

    void groupConfig(GenuineCoordinator c, JsonNode event);

    String initialKey();

    void state(GenuineCoordinator c, ObjectNode node, Group group, ObjectNode more);

    void record(GenuineCoordinator c, ObjectNode node, ApiMessage key, ApiMessage value);

    /** The streams groups of this release. */
    static Streams ofRelease() {
        Class<?> group = Release.type("org.apache.kafka.coordinator.group.streams.StreamsGroup");
        if (group == null || !Release.has(group, "refinedAssignment", 1)) return new Undriven();
        return (Streams) Release.make(Release.type("org.apache.kafka.coordinator.group.StreamsGroups"));
    }

    /** Streams groups of a release before 4.4: their records are named and nothing else. */
    final class Undriven implements Streams {
        @Override
        public void heartbeat(GenuineCoordinator c, JsonNode event, String fails) {
            throw new UnsupportedOperationException("streams groups are driven from 4.4 on");
        }

        @Override
        public void groupConfig(GenuineCoordinator c, JsonNode event) {
            throw new UnsupportedOperationException("streams groups are driven from 4.4 on");
        }

        @Override
        public String initialKey() {
            return "";
        }

        @Override
        public void state(GenuineCoordinator c, ObjectNode node, Group group, ObjectNode more) {
            node.put("type", group.type().toString());
        }

        @Override
        public void record(GenuineCoordinator c, ObjectNode node, ApiMessage key, ApiMessage value) {
            node.put("type", key.getClass().getSimpleName());
        }
    }
}
