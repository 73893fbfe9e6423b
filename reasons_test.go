package anond_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/ingest/decode"
)

// isReason recognizes the type equivclass.Reason in the syntax of a file.
func isReason(f *file, x ast.Expr) bool {
	switch t := x.(type) {
	case *ast.Ident:
		return t.Name == "Reason" && f.dir() == "equivclass"
	case *ast.SelectorExpr:
		of, ok := t.X.(*ast.Ident)
		return ok && of.Name == "equivclass" && t.Sel.Name == "Reason"
	}
	return false
}

// reasonsInCode returns the reasons for which the code refuses records: the value
// of every constant of the type, by its name. A reason that is no constant has no
// place in a list, so there is none.
func reasonsInCode(t *testing.T, files []*file) map[string]string {
	out := map[string]string{}
	for _, f := range files {
		if f.test() || f.dir() == "incremental/storetest" { // a test suite
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.GenDecl:
				for _, s := range x.Specs {
					if v, ok := s.(*ast.ValueSpec); ok && x.Tok == token.CONST && isReason(f, v.Type) {
						for i, name := range v.Names {
							text, err := strconv.Unquote(v.Values[i].(*ast.BasicLit).Value)
							require.NoError(t, err, f.path)
							out[name.Name] = text
						}
					}
				}
			case *ast.CallExpr:
				if isReason(f, x.Fun) {
					_, literal := x.Args[0].(*ast.BasicLit)
					assert.False(t, literal, "%s has a reason that is no constant", f.path)
				}
			}
			return true
		})
	}
	require.Equal(t, "", out["Accepted"])
	delete(out, "Accepted")
	require.Greater(t, len(out), 20, "the constants were not found")
	return out
}

func inByteOrder(m map[string]string) (out []string) {
	for _, text := range m {
		out = append(out, text)
	}
	slices.Sort(out)
	return out
}

// reasonsOfLines are why a line or an offset is counted that is no record of its
// own, or was given up.
var reasonsOfLines = []string{"ReasonGrown", "ReasonBlank", "ReasonHeaderLine", "ReasonContinued", "ReasonGap", "ReasonCorruptBatch",
	"ReasonRewritten"}

// TestEveryReasonIsExplained: the table of docs/DEAD_LETTERS.md lists the reasons of the
// code, all of them and no other, each with what it means and a way out;
// dead_letter.ignore knows the same; and anond-lab anonymize says of each line that it
// refuses what would make a record of it.
func TestEveryReasonIsExplained(t *testing.T) {
	files := tree(t)
	reasons := reasonsInCode(t, files)
	assert.Equal(t, inByteOrder(reasons), reasonsInDocs(t), "docs/DEAD_LETTERS.md")
	unexplained, ignorable := maps.Clone(reasons), maps.Clone(reasons)
	for _, name := range reasonsOfLines { // no messages, so there is nothing to ignore
		delete(ignorable, name)
	}
	delete(ignorable, "ReasonNoPerson") // somebody would not be forgotten, and nobody would know
	for _, f := range files {
		switch f.path {
		case "config/deadletter.go":
			assert.Equal(t, inByteOrder(ignorable), reasonsIgnored(t, f), f.path)
		case "internal/profile/refused.go":
			for _, name := range reasonsHinted(f) {
				delete(unexplained, name)
			}
		}
	}
	// It reads no change feed, and refuses a header, and a file that is not in its encoding, as a whole.
	assert.ElementsMatch(t, append(reasonsOfLines, "ReasonHeader", "ReasonEncoding", "ReasonEncoded", "ReasonEnvelope", "ReasonUnsupported",
		"ReasonTombstone", "ReasonNoPerson"),
		slices.Collect(maps.Keys(unexplained)), "internal/profile/refused.go")
}

func reasonsInDocs(t *testing.T) (out []string) {
	doc, err := os.ReadFile("docs/DEAD_LETTERS.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(doc), "\n### Reasons\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n#")
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)` \\| (.+) \\| (.+) \\|$").FindAllStringSubmatch(table, -1) {
		out = append(out, row[1])
	}
	assert.Equal(t, strings.Count(table, "\n|")-2, len(out), "a row without a meaning or a way out")
	slices.Sort(out)
	return out
}

// reasonsIgnored returns the list of package config, which knows no other package's.
func reasonsIgnored(t *testing.T, f *file) (out []string) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || v.Names[0].Name != "reasons" {
			return true
		}
		for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
			text, err := strconv.Unquote(e.(*ast.BasicLit).Value)
			require.NoError(t, err)
			out = append(out, text)
		}
		return false
	})
	slices.Sort(out)
	return out
}

// reasonsHinted returns the names of the constants that are keys of a map.
func reasonsHinted(f *file) (out []string) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if kv, ok := n.(*ast.KeyValueExpr); ok {
			if s, ok := kv.Key.(*ast.SelectorExpr); ok {
				out = append(out, s.Sel.Name)
			}
		}
		return true
	})
	return out
}

// TestEveryReasonIsClassifiedForReplay: the code says of each reason whether its dead
// letters may be judged again and why, and docs/DEAD_LETTERS.md says the same.
func TestEveryReasonIsClassifiedForReplay(t *testing.T) {
	reasons := reasonsInCode(t, tree(t))
	var classified []string
	for why := range decode.ReplayRules {
		classified = append(classified, string(why))
	}
	slices.Sort(classified)
	require.Equal(t, inByteOrder(reasons), classified, "ingest.ReplayRules")

	words := map[decode.Replay]string{decode.ReplayKnown: "yes, at a quasi-identifier or the subject", decode.ReplaySame: "no",
		decode.ReplayValue: "never", decode.ReplayNone: "no record"}
	var want strings.Builder
	for _, class := range []decode.Replay{decode.ReplayKnown, decode.ReplaySame, decode.ReplayValue, decode.ReplayNone} {
		for _, why := range classified {
			if rule := decode.ReplayRules[equivclass.Reason(why)]; rule.Replay == class {
				fmt.Fprintf(&want, "| `%s` | %s | %s |\n", why, words[class], rule.Why)
			}
		}
	}
	doc, err := os.ReadFile("docs/DEAD_LETTERS.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(doc), "| reason | replayed | why |\n|---|---|---|\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	require.Equal(t, want.String(), table+"\n", "docs/DEAD_LETTERS.md")
}
