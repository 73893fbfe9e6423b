package render

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"anond/snapshot"
)

// HierarchyFile is the file that an attribute's hierarchy was read from. A copy
// lies in the releases directory, so that a reader can tell what a label covers.
type HierarchyFile struct {
	Attribute string
	File      string // path or name; the copy has its last element
	Content   []byte
	// Grown: the file is not the one that release 1 was made with. Its copy has a
	// name of its own, since earlier manifests name the copies before it.
	Grown bool
}

func (h *HierarchyFile) CopyName() string {
	base := filepath.Base(h.File)
	if h.Grown {
		ext := filepath.Ext(base)
		base = strings.TrimSuffix(base, ext) + "-" + h.sha256()[:16] + ext
	}
	return snapshot.HierarchyDir + "/" + base
}

func (h *HierarchyFile) sha256() string {
	sum := sha256.Sum256(h.Content)
	return hex.EncodeToString(sum[:])
}
