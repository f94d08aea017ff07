package lines

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// Offsets are the next offset of each partition.
type Offsets map[Partition]int64

// Work is what was read and not committed yet, of partitions that the member owns.
type Work struct {
	output  *Output
	lock    sync.Mutex
	owned   map[Partition]bool
	pending Offsets
	spans   map[Partition]*[3]int64
	last    time.Time
}

// NewWork has nothing yet.
func NewWork(output *Output) *Work {
	return &Work{output: output, owned: map[Partition]bool{}, pending: Offsets{},
		spans: map[Partition]*[3]int64{}, last: time.Now()}
}

// Assigned reports the callback, after which the member owns these as well.
func (w *Work) Assigned(partitions []Partition) {
	w.output.Callback("assigned", "begin", partitions)
	w.lock.Lock()
	for _, each := range partitions {
		w.owned[each] = true
	}
	w.lock.Unlock()
	w.output.Callback("assigned", "end", partitions)
}

// GiveUp reports the callback (revoked, or lost), in which `commit` gets what is pending.
func (w *Work) GiveUp(kind string, partitions []Partition, commit func(Offsets)) {
	w.Flush()
	w.output.Callback(kind, "begin", partitions)
	w.lock.Lock()
	for _, each := range partitions {
		delete(w.owned, each)
	}
	w.lock.Unlock()
	if due := w.Take(partitions); len(due) > 0 && commit != nil {
		commit(due)
	}
	w.output.Callback(kind, "end", partitions)
}

// Owned are the partitions that the member owns.
func (w *Work) Owned() []Partition {
	w.lock.Lock()
	defer w.lock.Unlock()
	return sorted(slices.Collect(maps.Keys(w.owned)))
}

// Owns tells whether the member owns the partition.
func (w *Work) Owns(partition Partition) bool {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.owned[partition]
}

// Read notes a record, which the next Flush reports.
func (w *Work) Read(partition Partition, offset int64) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if span := w.spans[partition]; span != nil {
		span[1] = offset
		span[2]++
	} else {
		w.spans[partition] = &[3]int64{offset, offset, 1}
	}
}

// Flush reports what was read.
func (w *Work) Flush() {
	w.lock.Lock()
	read := [][]any{}
	for partition, span := range w.spans {
		read = append(read, []any{partition.Topic, partition.Number, span[0], span[1], span[2]})
		if w.owned[partition] {
			w.pending[partition] = span[1] + 1
		}
	}
	clear(w.spans)
	w.lock.Unlock()
	if len(read) > 0 {
		w.output.Emit("records", Fields{"records": read})
	}
}

// Due is everything, if it is time for a commit.
func (w *Work) Due() Offsets {
	w.lock.Lock()
	early := time.Since(w.last) < Commit
	w.lock.Unlock()
	if early {
		return nil
	}
	return w.Take(w.Owned())
}

// Take is what is pending of these partitions, and is no longer.
func (w *Work) Take(partitions []Partition) Offsets {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.last = time.Now()
	taken := Offsets{}
	for _, each := range partitions {
		if offset, ok := w.pending[each]; ok {
			taken[each] = offset
			delete(w.pending, each)
		}
	}
	return taken
}

// Committed reports offsets that the coordinator accepted.
func (w *Work) Committed(began int64, offsets Offsets) {
	all := [][]any{}
	for each, offset := range offsets {
		all = append(all, []any{each.Topic, each.Number, offset})
	}
	if len(all) > 0 {
		w.output.Emit("committed", Fields{"began": began, "offsets": all})
	}
}
