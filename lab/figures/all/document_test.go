package all

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/lab/figures"
)

var rewrite = flag.Bool("rewrite", false, "count the claims in lab/docs/FIGURES.md and lab/docs/figures anew")

// The page that counts the claims, and the pages of the papers in the order of its
// table.
var (
	document = filepath.Join("..", "..", "docs", "FIGURES.md")
	papers   = []string{"WANG", "ZHU", "SUN", "LGB", "PA"}
)

func paperPage(name string) string { return filepath.Join("..", "..", "docs", "figures", name+".md") }

// claims returns the pages of all papers as one text.
func claims(t *testing.T) (text string) {
	t.Helper()
	for _, name := range papers {
		page, err := os.ReadFile(paperPage(name))
		require.NoError(t, err)
		text += string(page) + "\n\n"
	}
	return text
}

// The parts of the document's claims: the table of all papers, the sentence of
// a paper, and the row of a claim.
var (
	countedTable = regexp.MustCompile(`(?m)^\| paper \| claims \|.*\n(\|.*\n)+`)
	countedPaper = regexp.MustCompile(`(?m)^(\d+ of \d+ claims hold, .*)\.$`)
	claimRow     = regexp.MustCompile(`(?m)^\| (?:wang|zhu|sun|lgb|pa)-\d \| .*? \| (?:\*\*)?(` + verdictWords() + `)(?:\*\*)? \| `)
)

func verdictWords() string {
	var words []string
	for _, v := range figures.Verdicts() {
		words = append(words, string(v))
	}
	return strings.Join(words, "|")
}

// counts is the number of claims with each verdict.
type counts map[figures.Verdict]int

func countRows(text string) counts {
	c := counts{}
	for _, m := range claimRow.FindAllStringSubmatch(text, -1) {
		c[figures.Verdict(m[1])]++
	}
	return c
}

func (c counts) claims() (n int) {
	for _, of := range c {
		n += of
	}
	return n
}

// row is the paper's row of the table.
func (c counts) row(paper string) string {
	text := fmt.Sprintf("| %s | %d |", paper, c.claims())
	for _, v := range figures.Verdicts() {
		text += fmt.Sprintf(" %d |", c[v])
	}
	return text + "\n"
}

// sentence is what stands below a paper's heading.
func (c counts) sentence() string {
	text := fmt.Sprintf("%d of %d claims hold, %d do not", c[figures.Holds], c.claims(), c[figures.HoldsNot])
	if n := c[figures.Depends]; n > 0 {
		text += fmt.Sprintf(", %d depend on the reading", n)
	}
	if n := c[figures.Undecided]; n > 0 {
		text += fmt.Sprintf(", %d are not decided", n)
	}
	return text
}

// counted returns the page with its table, and the page of each paper with its
// sentence, counted anew from the rows of the papers.
func counted(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	table := "| paper | claims | hold | do not hold | depend on the reading | not decided |\n|---|---|---|---|---|---|\n"
	for _, name := range papers {
		text, err := os.ReadFile(paperPage(name))
		require.NoError(t, err)
		authors, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), `, "`)
		of := countRows(string(text))
		table += of.row(authors)
		pages[paperPage(name)] = countedPaper.ReplaceAllString(string(text), of.sentence()+".")
	}
	table += countRows(claims(t)).row("all")
	doc, err := os.ReadFile(document)
	require.NoError(t, err)
	require.Regexp(t, countedTable, string(doc))
	pages[document] = countedTable.ReplaceAllString(string(doc), table)
	return pages
}

// The numbers of claims that hold, do not hold, depend on the reading or are not
// decided follow from the rows; -rewrite counts them.
func TestDocumentCountsItsClaims(t *testing.T) {
	for path, want := range counted(t) {
		if *rewrite {
			require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
			continue
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, want, string(text), "run with -rewrite")
	}
}

// failing is the row of a claim that does not hold.
var failing = regexp.MustCompile(`(?m)^\| ((?:wang|zhu|sun|lgb|pa)-\d) \| (.*?) \| \*\*does not hold\*\* \| `)

// Each claim that fails says what would have to be different for it to hold.
func TestDocumentSaysWhatFailingClaimsNeed(t *testing.T) {
	text := claims(t)
	said := map[string]string{}
	for _, item := range strings.Split(text, "\n- **")[1:] {
		item, _, _ = strings.Cut(item, "\n\n")
		item = strings.Join(strings.Fields(item), " ")
		if before, after, found := strings.Cut(item, " **To hold:** "); found {
			head, _, _ := strings.Cut(before, `": `)
			said[head] = after
		}
	}
	rows := failing.FindAllStringSubmatch(text, -1)
	require.NotEmpty(t, rows)
	for _, row := range rows {
		require.NotEmpty(t, said[row[1]+`**, "`+row[2]], "%s: %s", row[1], row[2])
	}
}
