package rules;

import java.util.*;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.metadata.placement.*;

/** Goes round the brokers, those that are fenced last. */
public class RoundTheBrokers implements ReplicaPlacer {
    /** At which broker the first partition begins. */
    int start() {
        return 0;
    }

    /** How far apart the replicas of a partition are. */
    int step() {
        return 1;
    }

    @Override
    public TopicAssignment place(PlacementSpec spec, ClusterDescriber cluster) {
        List<Integer> live = new ArrayList<>();
        List<Integer> fenced = new ArrayList<>();
        cluster.usableBrokers().forEachRemaining(each -> (each.fenced() ? fenced : live).add(each.id()));
        Collections.sort(live);
        Collections.sort(fenced);
        int count = spec.numReplicas();
        if (live.isEmpty() || count > live.size() + fenced.size() || count < 1) {
            throw new InvalidReplicationFactorException(count + " replicas on " + live.size() + " brokers");
        }
        List<PartitionAssignment> partitions = new ArrayList<>();
        int start = start();
        for (int p = spec.startPartition(); p < spec.startPartition() + spec.numPartitions(); p++) {
            List<Integer> replicas = new ArrayList<>();
            for (int r = 0; r < Math.min(count, live.size()); r++) {
                replicas.add(live.get((start + p + r * step()) % live.size()));
            }
            replicas.addAll(fenced.subList(0, count - replicas.size()));
            partitions.add(new PartitionAssignment(replicas, cluster));
        }
        return new TopicAssignment(partitions);
    }
}

/** Puts all replicas of a partition on one broker. */
public class OnOneBroker extends RoundTheBrokers {
    @Override
    int step() {
        return 0;
    }
}

/** Begins anywhere: constructed as Kafka's own is. */
public class Anywhere extends RoundTheBrokers {
    private final Random random;

    public Anywhere(Random random) {
        this.random = Objects.requireNonNull(random);
    }

    @Override
    int start() {
        return random.nextInt(1 << 20);
    }
}
