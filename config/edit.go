package config

import (
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Edit sets a key of a configuration to a YAML text, or removes it if the text is empty. The path has a name for each
// level; in a list it is that of an element's key `name`.
type Edit struct {
	Path []string
	YAML string
}

// edit changes the document.
func (r *reader) edit(n *yaml.Node, e *Edit) {
	set := yaml.Node{Kind: yaml.DocumentNode}
	if err := yaml.Unmarshal([]byte(e.YAML), &set); err != nil || e.YAML != "" && len(set.Content) != 1 {
		r.faultAt(n, strings.Join(e.Path, "."), "is set to what is no YAML", "write for instance {l: 2}")
		return
	}
	for i, name := range e.Path {
		if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
			*n = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column}
		}
		at := child(n, name)
		switch {
		case at < 0 && e.YAML == "":
			return
		case at < 0 && n.Kind != yaml.MappingNode:
			r.faultAt(n, strings.Join(e.Path[:i], "."), "has no "+name, "name one that it has")
			return
		case at < 0:
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name, Line: n.Line, Column: n.Column},
				&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: n.Line, Column: n.Column})
			at = len(n.Content) - 1
		}
		if i < len(e.Path)-1 {
			n = n.Content[at]
			continue
		}
		if e.YAML == "" {
			n.Content = slices.Delete(n.Content, at-1, at+1)
			return
		}
		placed(set.Content[0], n)
		n.Content[at] = set.Content[0]
	}
}

// child is where in a node the value of a key is, or the element with a name; -1: nowhere.
func child(n *yaml.Node, name string) int {
	for i := range n.Content {
		switch {
		case n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Value == name:
			return i
		case n.Kind == yaml.SequenceNode && n.Content[i].Kind == yaml.MappingNode:
			if at := child(n.Content[i], "name"); at >= 0 && n.Content[i].Content[at].Value == name {
				return i
			}
		}
	}
	return -1
}

// placed gives what was set the place of the block around it.
func placed(n, around *yaml.Node) {
	n.Line, n.Column = around.Line, around.Column
	for _, c := range n.Content {
		placed(c, around)
	}
}

// Mapping takes a YAML mapping apart: an edit for each of its keys.
func Mapping(text string) (out []Edit, err error) {
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil || len(n.Content) != 1 || n.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("what is set is no YAML mapping of one line")
	}
	pairs := n.Content[0].Content
	for i := 0; i < len(pairs); i += 2 {
		value, err := yaml.Marshal(pairs[i+1])
		if err != nil {
			return nil, err
		}
		out = append(out, Edit{Path: []string{pairs[i].Value}, YAML: string(value)})
	}
	return out, nil
}
