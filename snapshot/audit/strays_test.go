package audit

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
)

// TestStraysAmongCopies: while a release is rendered, after a publisher was killed in it, and where an old release is gone, a copy of a
// hierarchy that gained leaves may be there that no manifest names. Its name has the hash of its content; whatever else lies among
// the copies is found as ever.
func TestStraysAmongCopies(t *testing.T) {
	text := []byte("a;*\nb;*\n")
	sum := fmt.Sprintf("%x", sha256.Sum256(text))[:16]
	for name, stray := range map[string]bool{"people.csv": true, "town.csv": true, "city-" + sum + ".csv": false,
		"city-0123456789abcdef.csv": true, sum + ".csv": true} {
		for _, gone := range []bool{false, true} {
			o := standardL2("buckets").write(t)
			dir := filepath.Join(o.Releases, "hierarchies")
			require.NoError(t, os.MkdirAll(dir, 0o755))
			if gone {
				removed(1)(t, &o)
			} else {
				require.NoError(t, os.Mkdir(filepath.Join(o.Releases, ".tmp-000005"), 0o700))
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
			r, err := Dir(o)
			require.NoError(t, err)
			require.Equal(t, stray, len(r.Violations) > 0, name)
			if stray {
				require.Equal(t, []string{format.KindUnexpectedFile}, kinds(r.Violations), name)
			}
		}
	}
}
