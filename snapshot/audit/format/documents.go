package format

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
)

// Document is a file next to the manifest that describes the release to others.
type Document struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// documentNames are the documents that a release of a dataset has, in this order.
var documentNames = []string{"datapackage.json", "receiver.md"}

// CheckDocuments tests that the documents of a release are there with their bytes, and that datapackage.json names the files of the
// manifest and no others, with their hashes. dir is the directory of the release; the names of what is there are returned.
func CheckDocuments(dir string, man *Manifest, f *Faults) (names []string, err error) {
	for i, d := range man.Documents {
		if i >= len(documentNames) || d.Name != documentNames[i] {
			f.Add("files", KindClaimFalse, man.Release, 0, "documents", "the manifest names a document that releases do not have")
			continue
		}
		names = append(names, d.Name)
		data, err := ReadFile(filepath.Join(dir, d.Name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			f.Add("files", KindHashMismatch, man.Release, 0, d.Name, "a document that the manifest names is not there")
		case err != nil:
			return nil, err
		case HexSHA(data) != d.SHA256 || int64(len(data)) != d.Bytes:
			f.Add("files", KindHashMismatch, man.Release, 0, d.Name, "the file is not the one the manifest names")
		case i == 0 && !man.describedBy(data):
			f.Add("claim", KindClaimFalse, man.Release, 0, d.Name, "it names other files than the manifest, or with other hashes")
		}
	}
	if len(man.Documents) < len(documentNames) {
		f.Add("files", KindClaimFalse, man.Release, 0, "documents", "a document is missing")
	}
	return names, nil
}

// describedBy reports whether datapackage.json names the files of all parts, in order, and is of this release.
func (m *Manifest) describedBy(data []byte) bool {
	var p struct {
		Version   string `json:"version"`
		Resources []struct {
			Path, Hash string
			Bytes      int64
		} `json:"resources"`
	}
	if json.Unmarshal(data, &p) != nil {
		return false
	}
	for i := range m.Parts {
		for _, f := range m.Parts[i].Files {
			if len(p.Resources) == 0 || p.Resources[0].Path != m.Parts[i].Name+"/"+f.Name || p.Resources[0].Bytes != f.Bytes ||
				strings.TrimPrefix(p.Resources[0].Hash, "sha256:") != f.SHA256 {
				return false
			}
			p.Resources = p.Resources[1:]
		}
	}
	return len(p.Resources) == 0
}
