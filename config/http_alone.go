package config

import (
	"cmp"
	"fmt"
	"path/filepath"
)

// commandLine is where a warning says that a setting comes from, if it is in no file.
const commandLine = "command line"

// listenFlag is http.listen on a command line.
const listenFlag = "--listen"

// LoadHTTP reads the block `http` for a process that has no configuration, and must not have what
// one names: anond union and deliver. It is in a file of its own, or path is empty. listen is the address if it is not
// empty, and fallback if the file names none either.
//
// Guarantee: as Load. Asked says that the file has the block, or that listen was given.
func LoadHTTP(path, listen, fallback string, lookup Lookup, read ReadFile) (*HTTP, []Warning, error) {
	content := []byte("http:\n")
	if path != "" {
		var err error
		if content, err = read.small(path); err != nil {
			return nil, nil, &Faults{[]Fault{{File: path, Reason: "cannot be read: " + plain(err), Suggestion: "name a file with a block http"}}}
		}
	}
	c := &Config{}
	r := newReader(cmp.Or(path, commandLine), filepath.Dir(path), lookup, read)
	r.document(content, c.HTTP.keys())
	switch {
	case listen != "":
		address, err := ListenAddress(listen)
		if err != nil {
			r.failed["http.listen"] = true
			r.fault(listenFlag, fmt.Sprintf("%q %v", listen, err), "write host:port, such as 127.0.0.1:9465, or off")
		}
		c.HTTP.Listen = address
	case !r.set("http.listen"):
		c.HTTP.Listen = fallback
	}
	c.checkHTTP(r)
	if listen != "" {
		for i := range r.warnings {
			if w := &r.warnings[i]; w.Key == "http.listen" {
				*w = Warning{File: commandLine, Key: listenFlag, Reason: w.Reason, Suggestion: w.Suggestion}
			}
		}
	}
	if len(r.faults) > 0 {
		inOrder(r.faults, path)
		return nil, r.sortedWarnings(), &Faults{r.faults}
	}
	c.HTTP.Asked = path != "" || listen != ""
	return &c.HTTP, r.sortedWarnings(), nil
}
