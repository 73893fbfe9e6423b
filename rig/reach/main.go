// Command reach measures the shape of the tree: how much code the daemon links, how large its rooms, packages and types are.
// It prints a Markdown table. CONTRIBUTING.md says what is to be reached; make reach runs it.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// source is a production file of the tree.
type source struct {
	path, dir string
	lines     int // of code: neither blank nor comment alone
	ast       *ast.File
}

func main() {
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, "reach:", err)
		os.Exit(1)
	}
}

func measure() error {
	files, err := production()
	if err != nil {
		return err
	}
	linked, err := exec.Command("go", "list", "-deps", "-f", "{{if .Module}}{{if .Module.Main}}{{.Dir}}{{end}}{{end}}", "./cmd/anond").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	daemon := map[string]bool{}
	for line := range strings.Lines(string(linked)) {
		if rel, err := filepath.Rel(root, strings.TrimSpace(line)); err == nil {
			daemon[filepath.ToSlash(rel)] = true
		}
	}
	all, inDaemon, exported := 0, 0, 0
	rooms, packages := map[string]int{}, map[string]int{}
	for _, f := range files {
		room, _, _ := strings.Cut(f.path, "/")
		all += f.lines
		rooms[room] += f.lines
		packages[f.dir]++
		exported += exportedNames(f.ast)
		if daemon[f.dir] {
			inDaemon += f.lines
		}
	}
	largest := slices.MaxFunc(slices.Collect(keys(rooms)), func(a, b string) int { return cmp.Compare(rooms[a], rooms[b]) })
	leaves, err := leafCommands()
	if err != nil {
		return err
	}
	fmt.Println("| | now | reach |\n|---|---|---|")
	fmt.Printf("| code lines linked into cmd/anond | %d | <= 62000 |\n", inDaemon)
	fmt.Printf("| the whole tree | %d | <= 95000 |\n", all)
	fmt.Printf("| largest room of the tree (%s) | %d %% | <= 20 %% |\n", largest, 100*rooms[largest]/all)
	fmt.Printf("| exported names | %d | <= 1400 |\n", exported)
	fmt.Printf("| leaf commands of anond | %d | <= 46 |\n", leaves)
	fmt.Println("\nPackages of more than 25 files (cmd/anond apart):")
	for _, dir := range slices.Sorted(keys(packages)) {
		if packages[dir] > 25 && dir != "cmd/anond" {
			fmt.Printf("- %s: %d\n", dir, packages[dir])
		}
	}
	fmt.Println("\nTypes with more than 45 methods on a pointer, or with such methods and more than 20 fields:")
	for _, line := range largeTypes(files) {
		fmt.Println("- " + line)
	}
	fmt.Println("\nRooms:")
	for _, room := range slices.SortedFunc(keys(rooms), func(a, b string) int { return rooms[b] - rooms[a] }) {
		fmt.Printf("- %s: %d\n", room, rooms[room])
	}
	return nil
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// production parses the files of the tree that are not tests.
func production() (out []source, err error) {
	set := token.NewFileSet()
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(set, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		out = append(out, source{path, filepath.ToSlash(filepath.Dir(path)), codeLines(set, parsed, text), parsed})
		return nil
	})
	return out, err
}

// codeLines counts lines that hold more than a comment.
func codeLines(set *token.FileSet, file *ast.File, text []byte) int {
	bare := slices.Clone(text)
	for _, group := range file.Comments {
		for _, c := range group.List {
			from, to := set.Position(c.Pos()).Offset, set.Position(c.End()).Offset
			for i := from; i < to; i++ {
				if bare[i] != '\n' {
					bare[i] = ' '
				}
			}
		}
	}
	n := 0
	for s := bufio.NewScanner(bytes.NewReader(bare)); s.Scan(); {
		if len(bytes.TrimSpace(s.Bytes())) > 0 {
			n++
		}
	}
	return n
}

// exportedNames counts exported declarations: functions, methods of exported types, types, variables and constants.
func exportedNames(file *ast.File) (n int) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
				n++
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						n++
					}
				case *ast.ValueSpec:
					for _, name := range s.Names {
						if name.IsExported() {
							n++
						}
					}
				}
			}
		}
	}
	return n
}

// receiver is the name of a method's type.
func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// largeTypes lists types that can be changed by their methods and have too many methods or fields.
func largeTypes(files []source) (out []string) {
	methods, fields, changed := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, f := range files {
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					if _, pointer := d.Recv.List[0].Type.(*ast.StarExpr); pointer {
						methods[f.dir+"."+receiver(d)]++
						changed[f.dir+"."+receiver(d)] = changed[f.dir+"."+receiver(d)] || changes(d)
					}
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if t, ok := s.(*ast.TypeSpec); ok {
						if body, ok := t.Type.(*ast.StructType); ok {
							for _, field := range body.Fields.List {
								fields[f.dir+"."+t.Name.Name] += max(1, len(field.Names))
							}
						}
					}
				}
			}
		}
	}
	for _, name := range slices.Sorted(keys(methods)) {
		if changed[name] && (methods[name] > 45 || fields[name] > 20) {
			out = append(out, fmt.Sprintf("%s: %d methods, %d fields", name, methods[name], fields[name]))
		}
	}
	return out
}

// changes reports whether a method assigns to a field of its receiver.
func changes(method *ast.FuncDecl) (found bool) {
	if len(method.Recv.List[0].Names) == 0 || method.Body == nil {
		return false
	}
	self := method.Recv.List[0].Names[0].Name
	ofSelf := func(e ast.Expr) bool {
		for {
			switch x := e.(type) {
			case *ast.SelectorExpr:
				e = x.X
			case *ast.IndexExpr:
				e = x.X
			case *ast.StarExpr:
				e = x.X
			case *ast.Ident:
				return x.Name == self
			default:
				return false
			}
		}
	}
	ast.Inspect(method.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				found = found || slices.ContainsFunc(n.Lhs, ofSelf)
			}
		case *ast.IncDecStmt:
			found = found || ofSelf(n.X)
		}
		return !found
	})
	return found
}

// leafCommands counts the commands of anond that have none below them, by their manual pages.
func leafCommands() (int, error) {
	dir, err := os.MkdirTemp("", "reach")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if out, err := exec.Command("go", "run", "./cmd/anond", "man", "--out", dir).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("anond man: %w: %s", err, out)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil {
		return 0, err
	}
	leaves := 0
	for _, page := range pages {
		above := strings.TrimSuffix(page, ".1") + "-"
		if !slices.ContainsFunc(pages, func(p string) bool { return strings.HasPrefix(p, above) }) {
			leaves++
		}
	}
	return leaves, nil
}
