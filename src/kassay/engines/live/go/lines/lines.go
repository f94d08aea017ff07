// Package lines is the protocol between kassay and a client program: JSON lines, commands in, events out.
package lines

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"sort"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	tick    = 50 * time.Millisecond
	stalled = 200 * time.Millisecond
	// Poll is how long a poll lasts, and how often records that arrived one by one are reported.
	Poll = 100 * time.Millisecond
	// Commit is how long to wait between two commits.
	Commit = 500 * time.Millisecond
)

// Partition is a partition of a topic; as JSON ["orders", 0].
type Partition struct {
	Topic  string
	Number int32
}

// MarshalJSON writes a list of topic and number.
func (p Partition) MarshalJSON() ([]byte, error) { return json.Marshal([]any{p.Topic, p.Number}) }

// Start is the first command.
type Start struct {
	Bootstrap   string   `json:"bootstrap"`
	Group       string   `json:"group"`
	Client      string   `json:"client"`
	Topics      []string `json:"topics"`
	Strategies  []string `json:"strategies"`
	Protocol    string   `json:"protocol"`
	Instance    *string  `json:"instance"`
	OffsetReset string   `json:"offset_reset"`
	SessionMs   int      `json:"session_ms"`
	HeartbeatMs int      `json:"heartbeat_ms"`
	MaxPollMs   int      `json:"max_poll_ms"`
	MetadataMs  int      `json:"metadata_ms"`
}

// Command is a later one; the end of standard input is the command to close.
type Command struct {
	Do     string   `json:"do"`
	Topics []string `json:"topics"`
	WaitMs int      `json:"wait_ms"`
}

// Ms are milliseconds as a duration.
func Ms(count int) time.Duration { return time.Duration(count) * time.Millisecond }

// Now is CLOCK_MONOTONIC in nanoseconds, which all processes of a machine share.
func Now() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err)
	}
	return ts.Nano()
}

// Fields are the fields of an event beside its name and time.
type Fields map[string]any

// Output writes events as lines of standard output.
type Output struct{ lock sync.Mutex }

// Emit writes an event of the present time.
func (o *Output) Emit(event string, fields Fields) { o.emitAt(event, Now(), fields) }

func (o *Output) emitAt(event string, t int64, fields Fields) {
	all := Fields{"event": event, "t": t}
	for key, value := range fields {
		all[key] = value
	}
	line, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	o.lock.Lock()
	defer o.lock.Unlock()
	fmt.Fprintf(os.Stdout, "%s\n", line)
}

// Callback reports the begin or the end of a callback.
func (o *Output) Callback(kind, phase string, partitions []Partition) {
	o.Emit(kind, Fields{"phase": phase, "partitions": sorted(partitions)})
}

// Error reports an error after which the program goes on.
func (o *Output) Error(what string, err error) {
	o.Emit("error", Fields{"text": what + ": " + err.Error()})
}

// Fatal reports that the client cannot exist, and ends the program.
func (o *Output) Fatal(err error) {
	o.Emit("fatal", Fields{"text": err.Error()})
	os.Exit(1)
}

// Ready reports that the client exists, with the version of its module that is built in.
func (o *Output) Ready(library, module string, reports ...string) {
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, each := range info.Deps {
			if each.Path == module {
				version = each.Version[1:]
			}
		}
	}
	o.Emit("ready", Fields{"library": library, "version": version, "reports": reports})
}

// watch is the canary: it should tick every 50 ms.
func (o *Output) watch() {
	last := Now()
	for {
		time.Sleep(tick)
		now := Now()
		if late := now - last; late > stalled.Nanoseconds() {
			o.emitAt("stall", now, Fields{"ms": late / 1_000_000})
		}
		last = now
	}
}

// Open reads the first command, and starts the canary and the reader of the others.
func Open() (*Output, Start, <-chan Command) {
	output := &Output{}
	go output.watch()
	in := bufio.NewReader(os.Stdin)
	var start Start
	line, err := in.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &start)
	}
	if err != nil {
		output.Fatal(fmt.Errorf("the first command: %w", err))
	}
	commands := make(chan Command, 16)
	go func() {
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				commands <- Command{Do: "close"}
				return
			}
			var command Command
			if err := json.Unmarshal(line, &command); err != nil {
				output.Error("a command", err)
				continue
			}
			commands <- command
		}
	}()
	return output, start, commands
}

// Each are the partitions of a library's map.
func Each(byTopic map[string][]int32) []Partition {
	all := []Partition{}
	for topic, numbers := range byTopic {
		for _, number := range numbers {
			all = append(all, Partition{topic, number})
		}
	}
	return sorted(all)
}

func sorted(all []Partition) []Partition {
	copied := append([]Partition{}, all...)
	sort.Slice(copied, func(i, j int) bool {
		a, b := copied[i], copied[j]
		return a.Topic < b.Topic || a.Topic == b.Topic && a.Number < b.Number
	})
	return copied
}
