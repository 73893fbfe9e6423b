package dashboard

import (
	"bytes"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"anond/internal/ops/monitor"
)

var shardsPage = template.Must(template.New("shards").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{.Dataset}} - anond</title>
<link rel="icon" href="data:,">
<style>{{.Style}}</style>
</head>
<body>
<header><h1>{{.Dataset}}</h1></header>
<main>
<ul class="parts">
{{range .Parts}}<li class="{{if .Ready}}good{{else}}bad{{end}}"><b>{{.Name}}</b> {{.State}}</li>
{{end}}</ul>
<ul>
{{range .Shards}}<li><a href="/shards/{{.}}">shard {{.}}</a></li>
{{end}}</ul>
</main>
</body>
</html>
`))

// OfShards are the pages of a process that runs several shards: one that lists them, and one of each.
func OfShards(dataset string, s *monitor.Shards) map[string]http.Handler {
	list := func(w http.ResponseWriter, _ *http.Request) {
		_, parts := s.Ready()
		var out bytes.Buffer
		err := shardsPage.Execute(&out, map[string]any{"Dataset": dataset, "Style": template.CSS(style), "Parts": parts,
			"Shards": slices.Sorted(maps.Keys(s.Monitors()))})
		if err != nil {
			http.Error(w, "the page cannot be drawn", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", policy)
		_, _ = w.Write(out.Bytes()) // the client has gone
	}
	one := func(w http.ResponseWriter, r *http.Request) {
		shard, err := strconv.Atoi(r.PathValue("shard"))
		m := s.Monitors()[shard]
		if err != nil || m == nil {
			http.Error(w, "this process does not run that shard", http.StatusNotFound)
			return
		}
		Handler(m).ServeHTTP(w, r)
	}
	return map[string]http.Handler{"/{$}": http.HandlerFunc(list), "/shards/{shard}": http.HandlerFunc(one)}
}
