package readback

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"anond/equivclass"
	"anond/snapshot"
)

// schemaOf makes the schema that a manifest describes, with the copies of the
// hierarchies in the releases directory.
func schemaOf(m *snapshot.Manifest, top string) (*equivclass.Schema, error) {
	attributes, missing := make([]equivclass.Attribute, len(m.Schema)), equivclass.RefuseMissing
	for i, e := range m.Schema {
		attributes[i] = equivclass.Attribute{Name: e.Name, Role: e.Role, Type: e.Type, Digits: e.Digits, Text: readable(e.Rule()),
			Exact: e.Values == "exact", Precision: e.Precision}
		missing = cmp.Or(equivclass.Missing(e.Missing), missing)
		if e.Hierarchy == nil {
			continue
		}
		var steps, buckets int
		attributes[i].Steps, steps = attributes[i].AllUnits(e.Hierarchy.Steps)
		attributes[i].Buckets, buckets = attributes[i].AllUnits(e.Hierarchy.Buckets)
		if steps < len(e.Hierarchy.Steps) || buckets < len(e.Hierarchy.Buckets) {
			return nil, fmt.Errorf("%w: the manifest has a step or bucket that is no number of its attribute", snapshot.ErrDamaged)
		}
		if e.Hierarchy.File == "" {
			continue
		}
		data, err := readChecked(filepath.Join(top, filepath.FromSlash(e.Hierarchy.File)), e.Hierarchy.SHA256)
		if err != nil {
			return nil, err
		}
		if attributes[i].Hierarchy, err = written.ParseHierarchy(e.Hierarchy.File, bytes.NewReader(data)); err != nil {
			return nil, err
		}
	}
	return equivclass.NewSchema(attributes, missing)
}

// written is how a release is read: what it shows is what it says, also where it
// was made before texts were normalized.
var written = readable(equivclass.Text{Exact: true})

// readable is a rule without a bound of its own: the manifest names none, and
// values that were published were within it.
func readable(t equivclass.Text) equivclass.Text {
	t.MaxLength = math.MaxInt32 / 4
	return t
}

// readChecked reads a file that must have a hash.
func readChecked(path, want string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want {
		return nil, fmt.Errorf("%w: %s is not the file that the manifest describes", snapshot.ErrDamaged, path)
	}
	return data, nil
}
