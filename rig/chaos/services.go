package chaos

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"anond/internal/testkit/programtest"
)

// strikeServices lets a fault happen to what serves operators and readers.
func (w *outside) strikeServices(f *fault, mark int) error {
	switch f.Do {
	case "forget-asked":
		return w.askToForget(f, mark)
	case "flood-paused":
		return w.flood(f, mark)
	case "secret-replaced":
		return w.replaceSecret(f, mark)
	}
	return w.killDelivery(f)
}

// command runs another command of the program to its end. What it says holds no value.
func (w *outside) command(stdin io.Reader, args ...string) (code int, out string, err error) {
	return w.commandOf(w.program, stdin, args...)
}

// deliver runs a command of anond-deliver, which lies next to the program, to its end.
func (w *outside) deliver(args ...string) (code int, out string, err error) {
	return w.commandOf(w.program+"-deliver", nil, args...)
}

func (w *outside) commandOf(program string, stdin io.Reader, args ...string) (code int, out string, err error) {
	p, err := programtest.Start(program, w.dir, nil, stdin, append(args, "-c", "anond.yaml")...)
	if err != nil {
		return 0, "", err
	}
	if code, err = p.Wait(patience); err != nil {
		return code, "", err
	}
	fmt.Fprint(w.log, p.Log.String())
	out = p.Out.String()
	if strings.Contains(out+p.Log.String(), canary) {
		return code, out, fmt.Errorf("anond %s shows a person's value", args[0])
	}
	return code, out, nil
}

// askToForget asks the running daemon to forget somebody. If that has ended, or ends, the
// command works on the state itself.
func (w *outside) askToForget(f *fault, mark int) error {
	if err := w.holds(); err != nil || !w.process.Running() {
		return err
	}
	time.Sleep(time.Duration(f.N) * time.Millisecond) // any moment will do
	person := int(f.Draw) % w.feed.persons
	for range 20 { // while a release is decided, nobody can be forgotten
		before := w.listed()
		code, _, err := w.command(strings.NewReader(subjectOf(person)+"\n"), "forget", "--from", "-")
		if err != nil {
			return err
		}
		if code == 0 || w.listed() > before {
			w.feed.gone[person] = true
			if w.process.Running() && contains(w.since(mark), f.named) {
				f.take(mark)
			}
			return nil
		}
		if !w.process.Running() {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("nobody can be forgotten")
}

// listed is how long the list of who was forgotten is.
func (w *outside) listed() int64 {
	info, err := os.Stat(w.config.Release.Ledger + ".forgotten")
	if err != nil {
		return 0
	}
	return info.Size()
}

// flood sends what a producer sends whose format has changed. The daemon pauses, until an
// operator has it go on.
func (w *outside) flood(f *fault, mark int) error {
	if err := w.write(w.feed.flood(flooded)); err != nil {
		return err
	}
	w.says(mark, f.named)
	if contains(w.since(mark), f.named) {
		f.take(mark)
		_ = w.process.Until("", patience, func() bool { return w.paused() || !w.process.Running() })
	}
	return w.unpause()
}

// paused reports whether the daemon, or the next one, is paused.
func (s *site) paused() bool {
	_, err := os.Stat(s.pauseFile())
	return err == nil
}

// unpause has a daemon go on that has paused, also before a restart.
func (w *outside) unpause() error {
	for range 100 {
		if !w.paused() || !w.process.Running() {
			return nil
		}
		code, _, err := w.command(nil, "resume")
		if code == 0 || err != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond) // it is starting
	}
	return fmt.Errorf("anond does not resume")
}

// acceptRefused raises dead_letter.max_share, for a run that has to end.
func (w *outside) acceptRefused() error {
	text, err := os.ReadFile(w.path("anond.yaml"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(w.path("anond.yaml"), []byte(strings.ReplaceAll(string(text), mostRefused, "max_share: 1")), 0o600); err != nil {
		return err
	}
	return w.removePause()
}

// replaceSecret has the broker ask for another password. Connections that are made before
// the file has it are refused; then the daemon takes it in.
func (w *outside) replaceSecret(f *fault, mark int) error {
	secret := fmt.Sprintf("secret %d", f.Draw)
	if err := w.broker.replaceSecret(secret); err != nil {
		return fmt.Errorf("the harness cannot change a password: %w", err)
	}
	w.broker.proxy.drop()
	w.says(mark, []string{disconnected})
	if err := w.writeSecret(secret); err != nil {
		return err
	}
	w.says(mark, f.named)
	if contains(w.since(mark), f.named) {
		f.take(mark)
	}
	return w.send(5)
}

// killDelivery kills anond-deliver, next to the daemon.
func (w *outside) killDelivery(f *fault) error {
	delivery, err := programtest.Start(w.program+"-deliver", w.dir, nil, nil, "kafka", "--follow", "-c", "anond.yaml")
	if err != nil {
		return err
	}
	defer delivery.Kill()
	if err := w.send(30); err != nil {
		return err
	}
	if err := delivery.Until("it delivers", patience, logged(delivery, 0, deliveryStarted)); err != nil {
		return err
	}
	time.Sleep(time.Duration(f.N) * time.Millisecond) // any moment will do
	if delivery.Running() {
		f.take(w.log.Len())
	}
	delivery.Kill()
	fmt.Fprint(w.log, delivery.Log.String())
	return nil
}

// delivered delivers the rest, and makes each release again from the topic.
func (w *outside) delivered() error {
	newest := w.archive.newest()
	if !w.plan.World.Delivered || newest == "" {
		return nil
	}
	if code, _, err := w.deliver("kafka"); err != nil || code != 0 {
		return fmt.Errorf("anond-deliver ended with %d: %w\n%s", code, err, w.log)
	}
	var has struct {
		First, Newest, Foreign int
		Compared               string
	}
	for n := 1; n == 1 || n <= has.Newest; n++ {
		out, mark := w.path(fmt.Sprintf("consumed-%d", n)), w.log.Len()
		code, text, err := w.deliver("consume", "--json", "--release", fmt.Sprint(n), "--out", out)
		if w.plan.World.Window != "" && code == 1 && w.log.Has(mark, "has left with a later release") {
			has.Newest = max(has.Newest, n+1) // the newest one has all its parts
			continue
		}
		if err != nil || code != 0 || json.Unmarshal([]byte(text), &has) != nil {
			return fmt.Errorf("anond-deliver consume of release %d ended with %d: %w\n%s", n, code, err, w.log)
		}
		if has.First != 1 || fmt.Sprintf("%06d", has.Newest) != newest || has.Foreign != 0 {
			return fmt.Errorf("the topic has %s; the newest release is %s", text, newest)
		}
		if err := w.archive.equals(out, fmt.Sprintf("%06d", n)); err != nil {
			return err
		}
	}
	return nil
}

// equals compares a release below another directory with what was published.
func (a *archive) equals(dir, release string) error {
	made, err := releaseFiles(dir)
	if err != nil {
		return err
	}
	for path, content := range a.files {
		if strings.HasPrefix(path, release+"/") && made[path] != content {
			return fmt.Errorf("%s was published with other bytes than the topic has", path)
		}
	}
	return nil
}

// proxy stands between anond and its broker, and harms their connections.
type proxy struct {
	net.Listener
	to   atomic.Pointer[string] // the broker
	mu   sync.Mutex
	open map[net.Conn]bool

	refuse atomic.Bool  // new connections are closed at once
	halve  atomic.Bool  // what the broker answers is swallowed
	delay  atomic.Int64 // of each piece, in nanoseconds
	harmed atomic.Int64 // pieces delayed or swallowed
}

func newProxy() (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{Listener: l, open: map[net.Conn]bool{}}
	go p.serve()
	return p, nil
}

func (p *proxy) serve() {
	for {
		c, err := p.Accept()
		if err != nil {
			return // closed
		}
		if p.refuse.Load() {
			_ = c.Close()
			continue
		}
		go p.join(c)
	}
}

// join connects a connection with the broker until one of the two ends.
func (p *proxy) join(c net.Conn) {
	defer c.Close()
	b, err := net.Dial("tcp", *p.to.Load())
	if err != nil {
		return
	}
	defer b.Close()
	p.note(c, true)
	defer p.note(c, false)
	done := make(chan struct{}, 2)
	go func() { _, _ = io.Copy(b, c); done <- struct{}{} }()
	go func() { _, _ = io.Copy(harmful{c, p}, b); done <- struct{}{} }()
	<-done
}

func (p *proxy) note(c net.Conn, open bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if open {
		p.open[c] = true
	} else {
		delete(p.open, c)
	}
}

// harmful is the way of the answers.
type harmful struct {
	net.Conn
	p *proxy
}

func (h harmful) Write(b []byte) (int, error) {
	if d := h.p.delay.Load(); d > 0 {
		h.p.harmed.Add(1)
		time.Sleep(time.Duration(d))
	}
	if h.p.halve.Load() {
		h.p.harmed.Add(1)
		return len(b), nil
	}
	return h.Conn.Write(b)
}

// drop cuts all connections, in the middle of what they do, and says how many.
func (p *proxy) drop() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		if t, ok := c.(*net.TCPConn); ok {
			_ = t.SetLinger(0) // a reset, not an end
		}
		_ = c.Close()
		n++
	}
	return n
}

// advertised is the broker's own listener, which names the proxy as its address.
type advertised struct {
	net.Listener
	addr net.Addr
}

func (a advertised) Addr() net.Addr { return a.addr }

// stop ends the proxy.
func (p *proxy) stop() error {
	err := p.Close()
	p.drop()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
