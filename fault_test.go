package anond_test

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestHintsAreMadeWithTheirError: who makes an error gives it kind and hint (internal/fault). Nobody else carries a hint in a
// field, a function or a constant of its own, and no list outside of the makers tells errors apart to find one.
func TestHintsAreMadeWithTheirError(t *testing.T) {
	hint := regexp.MustCompile(`(^h|H)int($|[A-Z]|s$|ed$)|^way$`)
	may := map[string]string{ // file: why
		"internal/control/messages.go":     "what a socket carries of an error",
		"internal/trial/report.go":         "what a report carries of an error",
		"lake/internal/warehouse/hint.go":  "a file of Iceberg has this name",
		"lake/internal/warehouse/table.go": "a file of Iceberg has this name",
	}
	for _, f := range tree(t) {
		if f.test() || f.dir() == "internal/fault" || may[f.path] != "" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				private := n.Recv != nil && n.Name.Name == "hint" && n.Type.Params.NumFields() == 0 // the half of Fault that is a switch
				assert.True(t, private || !hint.MatchString(n.Name.Name), "%s declares the function %s", f.path, n.Name.Name)
			case *ast.StructType:
				for _, field := range n.Fields.List {
					for _, name := range field.Names {
						assert.False(t, hint.MatchString(name.Name), "%s declares the field %s", f.path, name.Name)
					}
				}
			case *ast.GenDecl:
				for _, s := range n.Specs {
					if v, ok := s.(*ast.ValueSpec); ok && slices.Contains(f.ast.Decls, ast.Decl(n)) {
						for _, name := range v.Names {
							assert.False(t, hint.MatchString(name.Name), "%s declares %s", f.path, name.Name)
						}
					}
				}
			case *ast.CaseClause:
				asks := 0
				for _, e := range n.List {
					if c, ok := e.(*ast.CallExpr); ok && strings.HasPrefix(called(c), "errors.") {
						asks++
					}
				}
				if len(n.Body) == 1 && asks > 0 {
					if r, ok := n.Body[0].(*ast.ReturnStmt); ok && slices.ContainsFunc(r.Results, isSentence) {
						t.Errorf("%s tells errors apart to say something about them: their makers do", f.path)
					}
				}
			}
			return true
		})
	}
}

// called is the name of what a call calls, with its package.
func called(c *ast.CallExpr) string {
	if s, ok := c.Fun.(*ast.SelectorExpr); ok {
		if x, ok := s.X.(*ast.Ident); ok {
			return x.Name + "." + s.Sel.Name
		}
	}
	return ""
}

// isSentence reports whether an expression is a text of several words.
func isSentence(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	return ok && strings.Count(l.Value, " ") > 4
}
