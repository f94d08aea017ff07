package org.apache.kafka.streams.processor;

public class TaskId implements Comparable<TaskId> {
    private final int subtopology;
    private final int partition;

    public TaskId(int subtopology, int partition) {
        this.subtopology = subtopology;
        this.partition = partition;
    }

    public static TaskId parse(String text) {
        String[] parts = text.split("_");
        return new TaskId(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
    }

    public int subtopology() {
        return subtopology;
    }

    public int partition() {
        return partition;
    }

    @Override
    public int compareTo(TaskId other) {
        int first = Integer.compare(subtopology, other.subtopology);
        return first != 0 ? first : Integer.compare(partition, other.partition);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TaskId && compareTo((TaskId) other) == 0;
    }

    @Override
    public int hashCode() {
        return subtopology * 31 + partition;
    }

    @Override
    public String toString() {
        return subtopology + "_" + partition;
    }
}
