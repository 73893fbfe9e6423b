package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"anond/internal/cli"
	"anond/internal/testkit/programtest"
)

// TestInitAsksFiveQuestions: what nobody has said is asked for, a wrong answer is asked for again, and what the data allow is said before k
// and l. The answers are those in the file.
func TestInitAsksFiveQuestions(t *testing.T) {
	x := tables(t, func(i int) string { return ills[i*29%101%len(ills)] })[0]
	s := &site{t: t, dir: programtest.TempDir(t)}
	s.config = s.path("anond.yaml")
	s.write(x.file, string(x.text))
	said, code := onTerminal(t, []string{"nonsense", "", "-", "age, sex", "ten", "6", "7", "2"}, "init", "-c", s.config, s.path(x.file))
	require.Equal(t, exitOK, code, said)
	assert.Equal(t, 5+3, strings.Count(said, "?"), said)
	allowed, asked := strings.Index(said, "Pools of up to"), strings.Index(said, "k: how many")
	assert.True(t, 0 < allowed && allowed < asked, said)
	assert.Contains(t, said, "Settings chosen by people who will be published tell their values")
	assert.NotContains(t, said, "zq")
	text := s.read("anond.yaml")
	assert.Contains(t, text, "\n  k: 6 ")
	assert.Contains(t, text, "\n  l: 2 ")
	for _, c := range []string{"{name: age, role: quasi", "{name: sex, role: quasi", "{name: diagnosis, role: sensitive"} {
		assert.Contains(t, text, c)
	}
	assert.NotContains(t, text, "role: subject")
	assert.NotContains(t, text, "postcode, role: quasi")

	said, code = onTerminal(t, nil, "init", "-c", s.path("all.yaml"), "--k", "5", "--l", "9", "--sensitive", "diagnosis", "--person",
		"patient",
		"--quasi", "age,sex", s.path(x.file))
	require.Equal(t, exitUsage, code, said)
	said, code = onTerminal(t, nil, "init", "-c", s.path("all.yaml"), "--k", "9", "--l", "9", "--sensitive", "diagnosis", "--person",
		"patient",
		"--quasi", "age,sex", s.path(x.file))
	require.Equal(t, exitOK, code, said)
	assert.Contains(t, said, "warning: what is promised cannot be kept")
	assert.Contains(t, said, "instead: l: ", "what can be kept")
}

// onTerminal runs the program on a terminal, and types the answers.
func onTerminal(t *testing.T, answers []string, args ...string) (said string, code int) {
	t.Helper()
	outside, inside := terminal(t)
	done := make(chan int, 1)
	go func() {
		done <- run(t.Context(), args, cli.Env{Stdin: inside, Stdout: inside, Stderr: inside, Lookup: os.LookupEnv})
		_ = inside.Close()
	}()
	for _, a := range answers {
		_, err := io.WriteString(outside, a+"\n")
		require.NoError(t, err)
	}
	var b bytes.Buffer
	_, _ = io.Copy(&b, outside) // it ends with an error when the other side is closed
	return b.String(), <-done
}

// terminal opens a pseudo terminal: what a person types goes into outside, and comes out of inside.
func terminal(t *testing.T) (outside, inside *os.File) {
	t.Helper()
	outside, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = outside.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(outside.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(outside.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	inside, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	return outside, inside
}
