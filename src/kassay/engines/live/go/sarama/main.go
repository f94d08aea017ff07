// A member with sarama, which does not tell a lost session from an ended one: both are reported as revoked.
package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"kassay/live/lines"

	"github.com/IBM/sarama"
)

type member struct {
	output *lines.Output
	work   *lines.Work
	client sarama.Client
	group  sarama.ConsumerGroup
	id     string
	wait   atomic.Int64
}

func strategies(names []string) ([]sarama.BalanceStrategy, error) {
	known := map[string]func() sarama.BalanceStrategy{"range": sarama.NewBalanceStrategyRange,
		"roundrobin": sarama.NewBalanceStrategyRoundRobin, "sticky": sarama.NewBalanceStrategySticky,
		"cooperative-sticky": sarama.NewBalanceStrategyCooperativeSticky}
	var all []sarama.BalanceStrategy
	for _, name := range names {
		if known[name] == nil {
			return nil, fmt.Errorf("no strategy %s", name)
		}
		all = append(all, known[name]())
	}
	return all, nil
}

func (m *member) open(start lines.Start) (err error) {
	config := sarama.NewConfig()
	config.Version = sarama.V2_8_0_0
	config.ClientID = start.Client
	config.Metadata.RefreshFrequency = lines.Ms(start.MetadataMs)
	config.Consumer.Group.Session.Timeout = lines.Ms(start.SessionMs)
	config.Consumer.Group.Heartbeat.Interval = lines.Ms(start.HeartbeatMs)
	config.Consumer.Group.Rebalance.Timeout = lines.Ms(start.MaxPollMs)
	config.Consumer.Return.Errors = true
	config.Consumer.MaxWaitTime = lines.Poll
	config.Consumer.Offsets.AutoCommit.Enable = false
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	if start.OffsetReset == "latest" {
		config.Consumer.Offsets.Initial = sarama.OffsetNewest
	}
	if start.Instance != nil {
		config.Consumer.Group.InstanceId = *start.Instance
	}
	if config.Consumer.Group.Rebalance.GroupStrategies, err = strategies(start.Strategies); err != nil {
		return err
	}
	if m.client, err = sarama.NewClient([]string{start.Bootstrap}, config); err != nil {
		return err
	}
	m.id = start.Group
	m.group, err = sarama.NewConsumerGroupFromClient(start.Group, m.client)
	return err
}

// commit marks and commits; what the coordinator then has is what it accepted, as Commit returns nothing.
func (m *member) commit(session sarama.ConsumerGroupSession, offsets lines.Offsets) {
	began := lines.Now()
	request := &sarama.OffsetFetchRequest{ConsumerGroup: m.id, Version: 5}
	for each, offset := range offsets {
		session.MarkOffset(each.Topic, each.Number, offset, "")
		request.AddPartition(each.Topic, each.Number)
	}
	session.Commit()
	coordinator, err := m.client.Coordinator(m.id)
	if err != nil {
		m.output.Error("commit", err)
		return
	}
	answer, err := coordinator.FetchOffset(request)
	if err != nil {
		m.output.Error("commit", err)
		return
	}
	for each, offset := range offsets {
		if block := answer.GetBlock(each.Topic, each.Number); block == nil || block.Offset != offset {
			m.output.Error("commit", fmt.Errorf("%s-%d: not accepted", each.Topic, each.Number))
			delete(offsets, each)
		}
	}
	m.work.Committed(began, offsets)
}

// Setup begins a session, with all claims.
func (m *member) Setup(session sarama.ConsumerGroupSession) error {
	m.work.Assigned(lines.Each(session.Claims()))
	return nil
}

// Cleanup ends a session, after all claims.
func (m *member) Cleanup(session sarama.ConsumerGroupSession) error {
	m.work.GiveUp("revoked", m.work.Owned(), func(due lines.Offsets) { m.commit(session, due) })
	return nil
}

// ConsumeClaim reads one partition; a cooperative session adds and ends claims while it lasts.
func (m *member) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	partition := lines.Partition{Topic: claim.Topic(), Number: claim.Partition()}
	if !m.work.Owns(partition) {
		m.work.Assigned([]lines.Partition{partition})
	}
	for began := time.Now(); ; {
		select {
		case <-session.Context().Done():
			return nil
		case record, ok := <-claim.Messages():
			if !ok {
				if session.Context().Err() == nil {
					m.work.GiveUp("revoked", []lines.Partition{partition},
						func(due lines.Offsets) { m.commit(session, due) })
				}
				return nil
			}
			m.work.Read(partition, record.Offset)
		}
		if wait := time.Duration(m.wait.Load()); wait > 0 && time.Since(began) > lines.Poll {
			select {
			case <-session.Context().Done():
			case <-time.After(wait):
			}
			began = time.Now()
		}
	}
}

// handler commits beside the claims while a session lasts.
type handler struct{ *member }

func (h handler) Setup(session sarama.ConsumerGroupSession) error {
	if err := h.member.Setup(session); err != nil {
		return err
	}
	go func() {
		for {
			select {
			case <-session.Context().Done():
				return
			case <-time.After(lines.Poll):
			}
			h.work.Flush()
			if due := h.work.Due(); len(due) > 0 && session.Context().Err() == nil {
				h.commit(session, due)
			}
		}
	}()
	return nil
}

// consume serves until the context ends, a session after another; the channel is closed at its end.
func (m *member) consume(topics []string) (context.CancelFunc, <-chan struct{}) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			err := m.group.Consume(ctx, topics, handler{m})
			if errors.Is(err, sarama.ErrClosedConsumerGroup) {
				return
			}
			if err != nil && ctx.Err() == nil {
				m.output.Error("consume", err)
				time.Sleep(lines.Poll)
			}
		}
	}()
	return cancel, done
}

func main() {
	output, start, commands := lines.Open()
	m := &member{output: output, work: lines.NewWork(output)}
	if err := m.open(start); err != nil {
		output.Fatal(err)
	}
	output.Ready("sarama", "github.com/IBM/sarama",
		"assigned", "revoked", "lost", "revoked-on-close", "records", "committed")
	go func() {
		for err := range m.group.Errors() {
			output.Error("group", err)
		}
	}()
	cancel, done := m.consume(start.Topics)
	for command := range commands {
		switch command.Do {
		case "subscribe":
			cancel()
			<-done
			cancel, done = m.consume(command.Topics)
		case "pace":
			m.wait.Store(lines.Ms(command.WaitMs).Nanoseconds())
		default:
			output.Emit("closing", nil)
			cancel()
			<-done
			m.group.Close()
			m.client.Close()
			output.Emit("closed", nil)
			return
		}
	}
}
