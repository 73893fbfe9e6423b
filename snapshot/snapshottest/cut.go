package snapshottest

import (
	"bytes"
	"maps"
	"slices"
)

// Cut leaves of the disk what a power cut does. keep says, file by file and
// directory by directory, how much of what was not synced survives, from 0
// (nothing) to 1.
func (m *Disk) Cut(keep func() float64) { m.root = m.root.cut(keep, map[*node]*node{}) }

// cut makes one file of one file, whatever names it has.
func (n *node) cut(keep func() float64, done map[*node]*node) *node {
	if out := done[n]; out != nil {
		return out
	}
	if n.entries == nil {
		data := slices.Clone(n.durable)
		if share := keep(); share > 0 && !bytes.Equal(n.data, n.durable) {
			kept := 0
			if bytes.HasPrefix(n.data, n.durable) { // an append cannot harm what was durable
				kept = len(n.durable)
			}
			data = slices.Clone(n.data[:kept+int(share*float64(len(n.data)-kept))])
		}
		done[n] = &node{data: data, durable: slices.Clone(data), sealed: n.sealed}
		return done[n]
	}
	names := n.durableDir
	if keep() > 0.5 {
		names = n.entries
	}
	out := newDir()
	done[n] = out
	for _, name := range slices.Sorted(maps.Keys(names)) {
		out.entries[name] = names[name].cut(keep, done)
	}
	out.durableDir = maps.Clone(out.entries)
	out.private = n.private
	if n.durablePrivate && keep() <= 0.5 { // a change of mode is durable with the directory
		out.private = true
	}
	out.durablePrivate = out.private
	return out
}

// Files lists all files with their content, and private directories.
func (m *Disk) Files() map[string]string { return m.root.files("", map[string]string{}) }

func (n *node) files(prefix string, out map[string]string) map[string]string {
	for name, child := range n.entries {
		if child.entries == nil {
			out[prefix+name] = string(child.data)
		} else {
			if child.private {
				out[prefix+name+"/ is private"] = ""
			}
			child.files(prefix+name+"/", out)
		}
	}
	return out
}
