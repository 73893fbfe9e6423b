// Package dashboard is the page that anond serves for people.
//
// Guarantee: one answer is the whole page: no script, style, font or picture comes from
// elsewhere, and the Content-Security-Policy allows none. The main figures and charts are
// there without JavaScript; with it the page follows what happens. Everything shown is
// of one monitor.View, so it has no person's value.
//
// Method: a model of the view, a template, charts by package chart. The script asks for
// the page again and takes over its main part.
//
// Cost of a page: by the releases and samples that the monitor keeps, not by records.
package dashboard

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"

	"anond/internal/ops/monitor"
	"anond/internal/ops/present"
)

//go:embed page.html.tmpl
var pageSource string

//go:embed style.css
var ownStyle string

var style = present.Page + ownStyle + present.ChartStyle

//go:embed live.js
var script string

var page = template.Must(template.New("page").Parse(pageSource))

// policy allows what the page itself has: its style, its script, and asking for itself.
var policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; img-src data:; connect-src 'self'; " +
	"style-src '" + hash(style) + "'; script-src '" + hash(script) + "'"

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Handler serves the page.
func Handler(m *monitor.Monitor) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		content, err := render(m.Now())
		if err != nil {
			http.Error(w, "the page cannot be drawn", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", policy)
		_, _ = w.Write(content) // the client has gone
	})
}

// render draws the page of a view.
func render(v *monitor.View) ([]byte, error) {
	m, err := modelOf(v)
	if err != nil {
		return nil, err
	}
	m.Style, m.Script = template.CSS(style), template.JS(script)
	var out bytes.Buffer
	if err := page.Execute(&out, m); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
