package config_test

import (
	"io/fs"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"anond/config"
)

// oneFile is a disk that holds a single file.
func oneFile(name, content string) config.ReadFile {
	return func(asked string) ([]byte, error) {
		if asked == name {
			return []byte(content), nil
		}
		return nil, &fs.PathError{Op: "open", Path: asked, Err: fs.ErrNotExist}
	}
}

func TestStartingFileIsValid(t *testing.T) {
	c, warnings, err := config.Load("anond.yaml", lookup(nil), oneFile("anond.yaml", config.Starting))
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Equal(t, 10, c.Requirement().K)
	assert.Equal(t, 2, c.Schema().D())
}

// TestStartingFileNamesEveryKey takes the comment signs off the commented
// settings: what is then there is exactly what the reference lists.
func TestStartingFileNamesEveryKey(t *testing.T) {
	commented := regexp.MustCompile(`(?m)^(\s*)#([a-z_]+:|- )`)
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(commented.ReplaceAllString(config.Starting, "$1$2")), &document))
	found := map[string]bool{}
	collect("", document.Content[0], found)
	var want []string
	for _, k := range config.Reference() {
		want = append(want, k.Key)
	}
	var got []string
	for k := range found {
		got = append(got, k)
	}
	sort.Strings(want)
	sort.Strings(got)
	assert.Equal(t, want, got)
}

// collect gathers the keys of all settings, sections left out.
func collect(at string, n *yaml.Node, found map[string]bool) {
	switch {
	case strings.HasSuffix(at, ".reference") || strings.HasSuffix(at, ".caps") ||
		strings.HasSuffix(at, "views[].cells") || strings.HasSuffix(at, "views[].values"): // its keys are values, or attributes
		found[at] = true
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			name := n.Content[i].Value
			if at != "" {
				name = at + "." + name
			}
			collect(name, n.Content[i+1], found)
		}
	case n.Kind == yaml.SequenceNode:
		found[at] = true
		for _, child := range n.Content {
			if child.Kind == yaml.MappingNode {
				collect(at+"[]", child, found)
			}
		}
	default:
		found[at] = true
	}
}

// TestReferenceIsCurrent keeps docs/CONFIGURATION.md equal to the key table.
func TestReferenceIsCurrent(t *testing.T) {
	for _, k := range config.Reference() {
		assert.NotEmpty(t, k.Doc, k.Key)
		assert.NotEmpty(t, k.Change, "%s: changes.go says when a changed value takes effect", k.Key)
		assert.NotEqual(t, "``", k.Default, "%s has neither a default nor words for one", k.Key)
	}
	golden(t, "../docs/CONFIGURATION.md", config.ReferenceMarkdown())
}
