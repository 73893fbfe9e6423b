package figures

import (
	"encoding/csv"
	"io"
	"path/filepath"

	"anond/internal/disk"
)

// The names of the files of a run, in addition to those of the panels.
const (
	ReportFile = "report.html"
	ClaimsFile = "claims.md"
	ListFile   = "claims.csv"
)

// fileName is the name of a panel's files without their endings.
func fileName(id string, p Panel) string {
	if p.Name == "" {
		return id
	}
	return id + "-" + p.Name
}

// WritePanels writes the numbers and the picture of every panel into a directory.
func (o Outcome) WritePanels(dir string) error {
	if o.Result == nil {
		return nil
	}
	for _, p := range o.Result.Panels {
		path := filepath.Join(dir, fileName(o.Figure.ID, p))
		if err := writeFile(path+".csv", func(w io.Writer) error { return writeCSV(w, p.Header, p.Rows) }); err != nil {
			return err
		}
		if p.Chart == nil {
			continue
		}
		if err := writeFile(path+".svg", p.Chart.WriteSVG); err != nil {
			return err
		}
	}
	return nil
}

// Write writes the report, and the claims as tables, into a directory.
func (r *Report) Write(dir string) error {
	for name, write := range map[string]func(io.Writer) error{ReportFile: r.writeHTML, ClaimsFile: r.writeMarkdown, ListFile: r.writeList} {
		if err := writeFile(filepath.Join(dir, name), write); err != nil {
			return err
		}
	}
	return nil
}

func (r *Report) writeList(w io.Writer) error {
	var rows [][]string
	for _, o := range r.Outcomes {
		if o.Result == nil {
			continue
		}
		for _, c := range o.Result.Claims {
			rows = append(rows, []string{o.Figure.ID, c.Text, string(c.Verdict()), c.Numbers(), c.Why, c.ToHold})
		}
	}
	return writeCSV(w, []string{"figure", "claim", "verdict", "numbers", "why", "to hold"}, rows)
}

func writeCSV(w io.Writer, header []string, rows [][]string) error {
	out := csv.NewWriter(w)
	if err := out.Write(header); err != nil {
		return err
	}
	return out.WriteAll(rows)
}

func writeFile(path string, write func(io.Writer) error) error {
	return disk.Replace(path, 0o644, write)
}
