package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"anond/incremental/settle"
	"anond/internal/testkit/programtest"
)

// starts is how often the daemon of -month is started in all.
const starts = 8

// settling is for how many releases people of -month are observed.
const settling = 10

// settle is how long that is, as a configuration has it.
func (o *options) settle() settle.Rule {
	return settle.Rule{For: (settling * o.release).Milliseconds()}
}

// month is what -month does next to the daemon. A nil one does nothing.
type month struct {
	o        options
	f        *feed
	d        *process
	delivery *programtest.Process
	waiting  []string // patients who ask to be forgotten once their records are published
	asked    uint32   // the newest release at which somebody was forgotten
	begun    int      // starts of the daemon
}

// startMonth starts the delivery.
func startMonth(ctx context.Context, o options, f *feed, d *process) (*month, error) {
	if err := os.MkdirAll(filepath.Join(d.dir, "elsewhere"), 0o700); err != nil {
		return nil, err
	}
	p, err := programtest.Start(filepath.Join(filepath.Dir(o.program), "anond-deliver"), d.dir, os.Environ(), nil,
		"kafka", "--follow", "-c", "anond.yaml", "--listen", "off")
	return &month{o: o, f: f, d: d, delivery: p, begun: 1}, err
}

// due does what is due at a sample: with each release somebody asks to be forgotten whose window ended three releases ago, and at even
// times the daemon ends and another build goes on.
func (m *month) due(ctx context.Context, r row) error {
	if m == nil {
		return nil
	}
	if !m.delivery.Running() {
		return fmt.Errorf("the delivery has ended: %s", m.delivery.Log)
	}
	if r.Release > m.asked && r.Releasing == 0 {
		if m.asked = r.Release; m.f.someone() != "" {
			m.waiting = append(m.waiting, m.f.someone())
		}
		if len(m.waiting) > settling+3 {
			switch err := m.command(ctx, m.waiting[0]+"\n", "forget", "--from", "-"); {
			case err == nil:
				m.waiting = m.waiting[1:]
			case strings.Contains(err.Error(), "is in progress"): // the next release has begun meanwhile: with the next sample
				m.asked--
				m.waiting = m.waiting[:len(m.waiting)-1]
			default:
				return err
			}
		}
	}
	if r.Seconds > m.o.over.Seconds()*float64(m.begun)/starts && m.begun < starts {
		m.begun++
		if m.begun%2 == 0 && m.o.other != "" {
			return m.d.restart(m.o.other)
		}
		return m.d.restart(m.o.program)
	}
	return nil
}

// command runs a command of the program on the dataset.
func (m *month) command(ctx context.Context, in string, args ...string) error {
	cmd := exec.CommandContext(ctx, m.o.program, append(args, "-c", "anond.yaml")...)
	cmd.Dir, cmd.Stdin = m.d.dir, strings.NewReader(in)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("anond %s: %w: %s", args[0], err, out)
	}
	return nil
}

// end ends the delivery, and audits all releases.
func (m *month) end(ctx context.Context) error {
	if m == nil {
		return nil
	}
	err := m.delivery.Signal(syscall.SIGTERM)
	<-m.delivery.Ended()
	if len(m.waiting) == 0 || m.begun < starts {
		err = errors.Join(err, errors.New("nobody was forgotten, or builds did not change: the run was too short"))
	}
	return errors.Join(err, m.command(ctx, "", "audit"))
}
