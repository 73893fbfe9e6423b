package chaos

import (
	"fmt"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"anond/internal/testkit/programtest"
	"syscall"
)

// striking lets faults happen to the processes of a plan while they work.
type striking struct{ *outside }

// strike lets a fault happen to the running process, and takes its cause away again
// once the log names it.
func (w striking) strike(f *fault) error {
	mark := w.mark()
	moment := time.Duration(f.N) * time.Millisecond
	switch f.Do {
	case "sigkill":
		time.Sleep(moment) // any moment will do
		if w.process.Running() {
			f.take(w.mark())
			w.process.Kill()
		}
	case "sigstop":
		return w.suspend(f, moment)
	case "broker-stop":
		w.broker.stop()
		f.take(mark)
		w.says(mark, f.named)
		return w.broker.start()
	case "holder-killed", "holder-suspended", "lease-lost":
		return w.takeOver(f)
	case "second-process":
		return w.second(f)
	case "forget-asked", "flood-paused", "secret-replaced", "deliver-killed":
		return w.strikeServices(f, mark)
	case "kafka-error", "sink-refuses":
		return w.answerWrong(f, mark)
	case "disk-full", "state-full", "read-only":
		return w.spoilDisk(f, mark)
	default:
		return w.spoilConnections(f, mark)
	}
	return nil
}

// suspend stops the process for a while in which records arrive.
func (w striking) suspend(f *fault, moment time.Duration) error {
	if err := w.process.Signal(syscall.SIGSTOP); err != nil {
		return nil // it has ended
	}
	_ = w.process.Until("it is suspended", time.Second, w.suspended)
	if w.suspended() {
		f.take(w.mark())
	}
	err := w.send(5)
	time.Sleep(moment)
	_ = w.process.Signal(syscall.SIGCONT)
	return err
}

// second starts another process on the same state: it must end with 4, and the first
// one must not notice.
func (w striking) second(f *fault) error {
	if err := w.holds(); err != nil || !w.process.Running() {
		return err
	}
	mark := w.log.Len()
	other, err := programtest.Start(w.program, w.dir, nil, nil, "run", "-c", "anond.yaml")
	if err != nil {
		return err
	}
	defer other.Kill()
	refused := func() bool { return !other.Running() || !w.process.Running() }
	if err := w.process.Until("", patience, refused); err != nil && w.process.Running() {
		return fmt.Errorf("a second process does not end:\n%s", other.Log)
	}
	if other.Running() { // an earlier fault has ended the first one meanwhile, so the state is free
		_, err := endInOrder(other)
		fmt.Fprint(w.log, other.Log.String())
		return err
	}
	code, err := other.Wait(patience)
	fmt.Fprint(w.log, other.Log.String())
	switch {
	case err == nil && code == 4:
		f.take(mark)
	case err == nil && w.process.Running():
		return fmt.Errorf("a second process ended with %d:\n%s", code, other.Log)
	}
	return err
}

// holds waits until the process holds its state.
func (w *outside) holds() error {
	return w.process.Until("it has started", patience, func() bool { return w.says(w.log.Len(), []string{started}) })
}

// answerWrong has the broker answer with an error.
func (w striking) answerWrong(f *fault, mark int) error {
	errs := []*kerr.Error{kerr.NotLeaderForPartition, kerr.UnknownServerError, kerr.KafkaStorageError, kerr.RequestTimedOut,
		kerr.TopicAuthorizationFailed, kerr.LeaderNotAvailable}
	wrong := kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch, kmsg.ListOffsets}, Topic: topicName, Err: errs[f.Draw%6], Count: -1}
	if f.Do == "sink-refuses" {
		if !w.toTopic {
			return nil
		}
		wrong = kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: letterTopic, Err: errs[f.Draw%6], Count: -1}
	}
	fault := w.broker.cluster.Fault(wrong)
	defer fault.Remove()
	if err := w.send(40); err != nil { // some of them are refused
		return err
	}
	if w.says(mark, f.named) && fault.Hits() > 0 {
		f.take(mark)
	}
	return nil
}

// spoilConnections harms what goes between process and broker.
func (w striking) spoilConnections(f *fault, mark int) error {
	p := w.broker.proxy
	before := p.harmed.Load()
	switch f.Do {
	case "proxy-drop":
		p.refuse.Store(true)
		if p.drop() > 0 {
			f.take(mark)
			w.says(mark, f.named)
		}
		p.refuse.Store(false)
		return w.send(5)
	case "proxy-delay":
		p.delay.Store(int64(f.N) * int64(20*time.Millisecond))
		defer p.delay.Store(0)
	case "proxy-halve":
		p.halve.Store(true)
		defer func() { p.halve.Store(false); p.drop() }() // what was swallowed is missing
	}
	if err := w.send(20); err != nil {
		return err
	}
	_ = w.process.Until("", patience, func() bool { return p.harmed.Load() > before })
	if p.harmed.Load() > before {
		f.take(mark)
	}
	if f.Do == "proxy-halve" {
		w.says(mark, f.named)
	}
	return nil
}

// spoilDisk fills a disk or makes it read-only. Where none can be mounted, the fault has
// no effect and does not count.
func (w striking) spoilDisk(f *fault, mark int) error {
	if !w.mounted {
		return nil
	}
	if err := w.holds(); err != nil {
		return err
	}
	dir := w.path("disk")
	var repair func() error
	switch f.Do {
	case "read-only":
		if err := readOnly(dir, true); err != nil {
			return nil // a file is being written
		}
		repair = func() error { return readOnly(dir, false) }
	case "state-full":
		dir = w.path("state")
		fallthrough
	default:
		if err := fill(dir); err != nil {
			return err
		}
		repair = func() error { return os.Remove(dir + "/" + ballast) }
	}
	for range 6 { // until a release, or a larger state, is due
		if err := w.send(40); err != nil {
			return err
		}
		if w.says1(mark, f.named) {
			f.take(mark)
			break
		}
	}
	return repair()
}

// says1 is says with little patience.
func (w *outside) says1(mark int, texts []string) bool {
	said := func() bool { return contains(w.since(mark), texts) }
	_ = w.process.Until("", 2*time.Second, func() bool { return said() || !w.process.Running() })
	return said()
}
