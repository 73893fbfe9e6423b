// The command rpm makes a package of a tree of files, always the same bytes of the same
// tree: go run -C deploy/rpm . ROOT ARCH VERSION FILE. The time of files and package is
// SOURCE_DATE_EPOCH.
package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "rpm:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 4 {
		return fmt.Errorf("give ROOT ARCH VERSION FILE")
	}
	seconds, err := strconv.ParseUint(os.Getenv("SOURCE_DATE_EPOCH"), 10, 32)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	p, err := pack(os.DirFS(args[0]), args[1], args[2], time.Unix(int64(seconds), 0).UTC())
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		return err
	}
	return os.WriteFile(args[3], out.Bytes(), 0o644)
}
