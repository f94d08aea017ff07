// A member with segmentio/kafka-go, by its ConsumerGroup. It cannot replace a subscription, so a new group
// client is made for that; a lost generation is reported as revoked.
package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"kassay/live/lines"

	"github.com/segmentio/kafka-go"
)

type member struct {
	output *lines.Output
	work   *lines.Work
	start  lines.Start
	wait   atomic.Int64
}

func balancers(names []string) ([]kafka.GroupBalancer, error) {
	known := map[string]kafka.GroupBalancer{"range": kafka.RangeGroupBalancer{},
		"roundrobin": kafka.RoundRobinGroupBalancer{}}
	var all []kafka.GroupBalancer
	for _, name := range names {
		if known[name] == nil {
			return nil, fmt.Errorf("no strategy %s", name)
		}
		all = append(all, known[name])
	}
	return all, nil
}

func (m *member) open(topics []string) (*kafka.ConsumerGroup, error) {
	all, err := balancers(m.start.Strategies)
	if err != nil {
		return nil, err
	}
	first := int64(kafka.FirstOffset)
	if m.start.OffsetReset == "latest" {
		first = kafka.LastOffset
	}
	return kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID: m.start.Group, Brokers: []string{m.start.Bootstrap}, Topics: topics, GroupBalancers: all,
		Dialer:                 &kafka.Dialer{ClientID: m.start.Client, Timeout: 5 * time.Second},
		HeartbeatInterval:      lines.Ms(m.start.HeartbeatMs),
		SessionTimeout:         lines.Ms(m.start.SessionMs),
		RebalanceTimeout:       lines.Ms(m.start.MaxPollMs),
		JoinGroupBackoff:       lines.Commit,
		WatchPartitionChanges:  true,
		PartitionWatchInterval: lines.Ms(m.start.MetadataMs),
		StartOffset:            first,
		ErrorLogger: kafka.LoggerFunc(func(text string, all ...any) {
			m.output.Error("group", fmt.Errorf(text, all...))
		}),
	})
}

// commit commits in a generation, whose answer has an error if any partition was refused.
func (m *member) commit(generation *kafka.Generation, offsets lines.Offsets) {
	all := map[string]map[int]int64{}
	for each, offset := range offsets {
		if all[each.Topic] == nil {
			all[each.Topic] = map[int]int64{}
		}
		all[each.Topic][int(each.Number)] = offset
	}
	began := lines.Now()
	if err := generation.CommitOffsets(all); err != nil {
		m.output.Error("commit", err)
		return
	}
	m.work.Committed(began, offsets)
}

// read reads one partition until the generation ends.
func (m *member) read(ctx context.Context, partition lines.Partition, offset int64) {
	reader := kafka.NewReader(kafka.ReaderConfig{
		Brokers: []string{m.start.Bootstrap}, Topic: partition.Topic, Partition: int(partition.Number),
		Dialer:  &kafka.Dialer{ClientID: m.start.Client, Timeout: 5 * time.Second},
		MaxWait: lines.Poll, MinBytes: 1, MaxBytes: 1 << 20,
	})
	defer reader.Close()
	if err := reader.SetOffset(offset); err != nil {
		m.output.Error("read", err)
	}
	for began := time.Now(); ctx.Err() == nil; {
		record, err := reader.ReadMessage(ctx)
		if err == nil {
			m.work.Read(partition, record.Offset)
		} else if ctx.Err() == nil {
			m.output.Error("read", err)
		}
		if wait := time.Duration(m.wait.Load()); wait > 0 && time.Since(began) > lines.Poll {
			select {
			case <-ctx.Done():
			case <-time.After(wait):
			}
			began = time.Now()
		}
	}
}

// serve owns what a generation assigns until it ends.
func (m *member) serve(generation *kafka.Generation) {
	var all []lines.Partition
	var readers sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	for topic, each := range generation.Assignments {
		for _, one := range each {
			all = append(all, lines.Partition{Topic: topic, Number: int32(one.ID)})
		}
	}
	m.work.Assigned(all)
	for topic, each := range generation.Assignments {
		for _, one := range each {
			readers.Go(func() { m.read(ctx, lines.Partition{Topic: topic, Number: int32(one.ID)}, one.Offset) })
		}
	}
	generation.Start(func(end context.Context) {
		for end.Err() == nil {
			m.work.Flush()
			if due := m.work.Due(); len(due) > 0 {
				m.commit(generation, due)
			}
			select {
			case <-end.Done():
			case <-time.After(lines.Poll):
			}
		}
		cancel()
		readers.Wait()
		m.work.GiveUp("revoked", all, func(due lines.Offsets) { m.commit(generation, due) })
	})
}

// consume serves a generation after another, until the function that it returns closes the client.
func (m *member) consume(topics []string) (func(), error) {
	group, err := m.open(topics)
	if err != nil {
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			generation, err := group.Next(context.Background())
			if errors.Is(err, kafka.ErrGroupClosed) {
				return
			}
			if err != nil {
				m.output.Error("group", err)
				continue
			}
			m.serve(generation)
		}
	}()
	return func() { group.Close(); <-done }, nil
}

func main() {
	output, start, commands := lines.Open()
	m := &member{output: output, work: lines.NewWork(output), start: start}
	end, err := m.consume(start.Topics)
	if err != nil {
		output.Fatal(err)
	}
	output.Ready("segmentio", "github.com/segmentio/kafka-go",
		"assigned", "revoked", "lost", "revoked-on-close", "records", "committed")
	for command := range commands {
		switch command.Do {
		case "subscribe":
			end()
			if end, err = m.consume(command.Topics); err != nil {
				output.Fatal(err)
			}
		case "pace":
			m.wait.Store(lines.Ms(command.WaitMs).Nanoseconds())
		default:
			output.Emit("closing", nil)
			end()
			output.Emit("closed", nil)
			return
		}
	}
}
