package org.apache.kafka.metadata.placement;

import java.util.*;
import org.apache.kafka.common.Uuid;

public interface DefaultDirProvider {
    Uuid defaultDir(int broker);
}

public interface ClusterDescriber extends DefaultDirProvider {
    Iterator<UsableBroker> usableBrokers();
}

public class UsableBroker {
    private final int id;
    private final Optional<String> rack;
    private final boolean fenced;

    public UsableBroker(int id, Optional<String> rack, boolean fenced) {
        this.id = id;
        this.rack = rack;
        this.fenced = fenced;
    }

    public int id() {
        return id;
    }

    public Optional<String> rack() {
        return rack;
    }

    public boolean fenced() {
        return fenced;
    }
}

public class PlacementSpec {
    private final int startPartition;
    private final int numPartitions;
    private final short numReplicas;

    public PlacementSpec(int startPartition, int numPartitions, short numReplicas) {
        this.startPartition = startPartition;
        this.numPartitions = numPartitions;
        this.numReplicas = numReplicas;
    }

    public int startPartition() {
        return startPartition;
    }

    public int numPartitions() {
        return numPartitions;
    }

    public short numReplicas() {
        return numReplicas;
    }
}

public class PartitionAssignment {
    private final List<Integer> replicas;
    private final List<Uuid> directories = new ArrayList<>();

    public PartitionAssignment(List<Integer> replicas, DefaultDirProvider directoryOf) {
        this.replicas = replicas;
        replicas.forEach(broker -> directories.add(directoryOf.defaultDir(broker)));
    }

    public List<Integer> replicas() {
        return replicas;
    }

    public List<Uuid> directories() {
        return directories;
    }
}

public class TopicAssignment {
    private final List<PartitionAssignment> assignments;

    public TopicAssignment(List<PartitionAssignment> assignments) {
        this.assignments = assignments;
    }

    public List<PartitionAssignment> assignments() {
        return assignments;
    }
}

public interface ReplicaPlacer {
    TopicAssignment place(PlacementSpec spec, ClusterDescriber cluster);
}
