// A member with franz-go.
package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kassay/live/lines"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

type member struct {
	output *lines.Output
	work   *lines.Work
	client *kgo.Client
}

func balancers(start lines.Start) ([]kgo.GroupOpt, error) {
	if start.Protocol == "consumer" {
		// The balancer names the assignor of the broker: sticky is uniform.
		balancer := kgo.StickyBalancer()
		if slices.Contains(start.Strategies, "range") {
			balancer = kgo.RangeBalancer()
		}
		return []kgo.GroupOpt{kgo.ServerSideBalancer(), kgo.Balancers(balancer)}, nil
	}
	known := map[string]func() kgo.GroupBalancer{"range": kgo.RangeBalancer, "roundrobin": kgo.RoundRobinBalancer,
		"sticky": kgo.StickyBalancer, "cooperative-sticky": kgo.CooperativeStickyBalancer}
	var all []kgo.GroupBalancer
	for _, name := range start.Strategies {
		if known[name] == nil {
			return nil, fmt.Errorf("no strategy %s", name)
		}
		all = append(all, known[name]())
	}
	return []kgo.GroupOpt{kgo.Balancers(all...), kgo.SessionTimeout(lines.Ms(start.SessionMs)),
		kgo.HeartbeatInterval(lines.Ms(start.HeartbeatMs))}, nil
}

func (m *member) open(start lines.Start) error {
	group, err := balancers(start)
	if err != nil {
		return err
	}
	opts := []kgo.Opt{
		kgo.SeedBrokers(start.Bootstrap), kgo.ClientID(start.Client), kgo.ConsumerGroup(start.Group),
		kgo.ConsumeTopics(start.Topics...), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll(),
		kgo.RebalanceTimeout(lines.Ms(start.MaxPollMs)),
		kgo.MetadataMaxAge(lines.Ms(start.MetadataMs)), kgo.MetadataMinAge(lines.Poll),
		kgo.FetchMaxWait(lines.Commit),
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, all map[string][]int32) {
			m.work.Assigned(lines.Each(all))
		}),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, all map[string][]int32) {
			m.work.GiveUp("revoked", lines.Each(all), m.commit)
		}),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, all map[string][]int32) {
			m.work.GiveUp("lost", lines.Each(all), nil)
		}),
	}
	if start.OffsetReset == "latest" {
		opts = append(opts, kgo.ConsumeResetOffset(kgo.NewOffset().AtEnd()))
	}
	if start.Instance != nil {
		opts = append(opts, kgo.InstanceID(*start.Instance))
	}
	for _, each := range group {
		opts = append(opts, each)
	}
	m.client, err = kgo.NewClient(opts...)
	return err
}

func (m *member) commit(offsets lines.Offsets) {
	all := map[string]map[int32]kgo.EpochOffset{}
	for each, offset := range offsets {
		if all[each.Topic] == nil {
			all[each.Topic] = map[int32]kgo.EpochOffset{}
		}
		all[each.Topic][each.Number] = kgo.EpochOffset{Epoch: -1, Offset: offset}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	began := lines.Now()
	m.client.CommitOffsetsSync(ctx, all,
		func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, answer *kmsg.OffsetCommitResponse, err error) {
			if err != nil {
				m.output.Error("commit", err)
				return
			}
			// An answer may name no topic, so what was accepted counts, not what was refused.
			accepted := lines.Offsets{}
			for _, topic := range answer.Topics {
				for _, each := range topic.Partitions {
					partition := lines.Partition{Topic: topic.Topic, Number: each.Partition}
					if err := kerr.ErrorForCode(each.ErrorCode); err != nil {
						m.output.Error("commit", err)
					} else if offset, asked := offsets[partition]; asked {
						accepted[partition] = offset
					}
				}
			}
			m.work.Committed(began, accepted)
		})
}

func (m *member) poll() {
	ctx, cancel := context.WithTimeout(context.Background(), lines.Poll)
	defer cancel()
	fetches := m.client.PollFetches(ctx)
	fetches.EachError(func(topic string, number int32, err error) {
		if ctx.Err() == nil {
			m.output.Error(fmt.Sprintf("poll: %s-%d", topic, number), err)
			time.Sleep(lines.Poll / 2)
		}
	})
	fetches.EachRecord(func(record *kgo.Record) {
		m.work.Read(lines.Partition{Topic: record.Topic, Number: record.Partition}, record.Offset)
	})
	m.work.Flush()
	if due := m.work.Due(); len(due) > 0 {
		m.commit(due)
	}
	m.client.AllowRebalance()
}

func (m *member) subscribe(topics []string) {
	var gone, added []string
	known := m.client.GetConsumeTopics()
	for _, topic := range known {
		if !slices.Contains(topics, topic) {
			gone = append(gone, topic)
		}
	}
	for _, topic := range topics {
		if !slices.Contains(known, topic) {
			added = append(added, topic)
		}
	}
	if len(gone) > 0 {
		m.client.PurgeTopicsFromConsuming(gone...)
	}
	if len(added) > 0 {
		m.client.AddConsumeTopics(added...)
	}
}

func main() {
	output, start, commands := lines.Open()
	m := &member{output: output, work: lines.NewWork(output)}
	if err := m.open(start); err != nil {
		output.Fatal(err)
	}
	output.Ready("franz-go", "github.com/twmb/franz-go",
		"assigned", "revoked", "lost", "revoked-on-close", "records", "committed")
	wait := time.Duration(0)
	for {
		var next *lines.Command
		select {
		case command := <-commands:
			next = &command
		case <-time.After(wait):
		}
		if next == nil {
			m.poll()
			continue
		}
		switch next.Do {
		case "subscribe":
			m.subscribe(next.Topics)
		case "pace":
			wait = lines.Ms(next.WaitMs)
		default:
			output.Emit("closing", nil)
			if rest := m.work.Take(m.work.Owned()); len(rest) > 0 {
				m.commit(rest)
			}
			m.client.CloseAllowingRebalance()
			output.Emit("closed", nil)
			return
		}
	}
}
