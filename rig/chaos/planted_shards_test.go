package chaos

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"anond/shards/journal"
	"anond/shards/journal/journaltest"
	"anond/snapshot"
)

// backwards writes the release before into the intent of a union, for its first shard.
type backwards struct{ snapshot.FS }

func (f backwards) Create(path string) (io.WriteCloser, error) {
	w, err := f.FS.Create(path)
	if err == nil && filepath.Base(path) == "intent.json" {
		return &olderVector{w}, nil
	}
	return w, err
}

func (f backwards) CreateSealed(path string) (io.WriteCloser, error) {
	w, err := f.FS.CreateSealed(path)
	if err == nil && filepath.Base(path) == "intent.json" {
		return &olderVector{w}, nil
	}
	return w, err
}

type olderVector struct{ io.WriteCloser }

func (w *olderVector) Write(p []byte) (int, error) {
	head, shards, _ := bytes.Cut(p, []byte(`"shards"`))
	before, after, there := bytes.Cut(shards, []byte(`"release": `))
	number, rest, _ := bytes.Cut(after, []byte(","))
	if n, err := strconv.Atoi(string(number)); there && err == nil && n > 1 {
		text := fmt.Sprintf(`%s"shards"%s"release": %d,%s`, head, before, n-1, rest)
		if _, err := w.WriteCloser.Write([]byte(text)); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	return w.WriteCloser.Write(p)
}

// lagging leaves CURRENT of a union as it is, once there is one.
type lagging struct{ snapshot.FS }

func (f lagging) ReadFile(path string) ([]byte, error) {
	text, err := f.FS.ReadFile(path)
	if err == nil && filepath.Base(path) == "CURRENT" && !strings.Contains(path, "/shards/") {
		return []byte("000099\n"), nil // as if it named a newer one
	}
	return text, err
}

// replacing gives a name also if it is taken.
type replacing struct{ snapshot.FS }

func (f replacing) Rename(from, to string) error {
	if strings.Contains(to, "/intents/") {
		if err := f.RemoveAll(to); err != nil {
			return err
		}
	}
	return f.FS.Rename(from, to)
}

// losing is a log whose newest message is gone whenever it is opened again.
func losing(log *journaltest.Log) journal.Log {
	if _, end, _ := log.Extent(context.Background()); end > 1 {
		log.Cut(int(end) - 1)
	}
	return log
}
