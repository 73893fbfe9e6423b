package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// node is one Apache Kafka server in KRaft mode: a Java process on loopback, with
// a directory of its own.
type node struct {
	jars, dir string
	heap      string // the most that the JVM may use
	open      string // address of the listener without encryption and passwords
	process   *exec.Cmd
	exited    chan struct{}
}

// startFor bounds how long a broker may take until it answers.
const startFor = 5 * time.Minute

// version is the version of the server's jars.
func (n *node) version() (string, error) {
	found, err := filepath.Glob(filepath.Join(n.jars, "kafka_2.13-*.jar"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("KAFKA_JARS=%s: no kafka_2.13-VERSION.jar (%w)", n.jars, errors.Join(err))
	}
	return regexp.MustCompile(`kafka_2\.13-(.*)\.jar$`).FindStringSubmatch(found[0])[1], nil
}

// format writes the configuration and formats the log directory for a cluster.
func (n *node) format(cluster, properties string, args ...string) error {
	if err := os.WriteFile(n.config(), []byte(properties), 0o600); err != nil {
		return err
	}
	args = append([]string{"format", "-t", cluster, "-c", n.config()}, args...)
	if out, err := n.java("kafka.tools.StorageTool", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("format: %w: %s", err, out)
	}
	return nil
}

func (n *node) config() string { return filepath.Join(n.dir, "server.properties") }

// java is a Java process with Kafka's classes. It compiles lightly: it starts more
// often than it serves.
func (n *node) java(class string, args ...string) *exec.Cmd {
	options := []string{"-Xmx" + n.heap, "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(n.jars, "*"), class}
	c := exec.Command("java", append(options, args...)...)
	dieWithUs(c)
	return c
}

// Start starts the process and waits until it answers.
func (n *node) Start() error {
	log, err := os.OpenFile(filepath.Join(n.dir, "kafka.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	n.process, n.exited = n.java("kafka.Kafka", n.config()), make(chan struct{})
	n.process.Stdout, n.process.Stderr = log, log
	if err := n.process.Start(); err != nil {
		return err
	}
	exited := n.exited
	go func() { _ = n.process.Wait(); close(exited) }()
	ctx, cancel := context.WithTimeout(context.Background(), startFor)
	defer cancel()
	for {
		err := answers(ctx, n.open)
		if err == nil {
			return nil
		}
		select {
		case <-n.exited:
			return fmt.Errorf("the broker ended: %s", n.complaints())
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("the broker does not answer: %w: %s", err, n.complaints()), n.Kill())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// complaints are the lines of the broker's log that say why it ended.
func (n *node) complaints() string {
	text, _ := os.ReadFile(filepath.Join(n.dir, "kafka.log"))
	return strings.Join(regexp.MustCompile(`(?m)^.*(ERROR|FATAL|Caused by|Exception: ).*$`).FindAllString(string(text), 20), "\n")
}

// Kill sends SIGKILL and waits for the end.
func (n *node) Kill() error {
	err := n.process.Process.Kill()
	<-n.exited
	return err
}

// suspend stops the process as a network would that lets nothing through: its
// connections stay, and nobody answers. resume lets it go on.
func (n *node) suspend() error { return n.process.Process.Signal(syscall.SIGSTOP) }
func (n *node) resume() error  { return n.process.Process.Signal(syscall.SIGCONT) }

// runs reports whether the process was started and has not ended.
func (n *node) runs() bool {
	if n.exited == nil {
		return false
	}
	select {
	case <-n.exited:
		return false
	default:
		return true
	}
}

// runAgain has a node run that was suspended or killed.
func (n *node) runAgain() error {
	if n.runs() {
		return n.resume()
	}
	return n.Start()
}

func (n *node) Close() error {
	if n.runs() {
		return n.Kill()
	}
	return nil
}

// freePorts returns addresses on loopback that were free a moment ago. The system gives none of
// them to a client, or to a listener that takes any port: other tests cannot get one before its
// broker has it, or while that is away.
func freePorts(n int) ([]string, error) {
	var addrs []string
	for tries := 0; len(addrs) < n; tries++ {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(10_000))) // below Linux's 32768 and IANA's 49152
		if err == nil {
			defer l.Close()
			addrs = append(addrs, l.Addr().String())
		} else if tries > 1000 {
			return nil, err
		}
	}
	return addrs, nil
}
