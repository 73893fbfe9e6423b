package web

import (
	"encoding/json"
	"net/http"

	"anond/cmd/anond/internal/monitor"
)

// Health answers whether the loop makes progress: 200 or 503.
func Health(m *monitor.Monitor) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		ok, why := m.Live()
		answer(w, ok, map[string]any{"ok": ok, "phase": m.Now().Phase, "why": why})
	})
}

// Ready lists the parts of the daemon: 200 if each is ready, otherwise 503.
func Ready(m *monitor.Monitor) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		view := m.Now()
		parts, ready := view.Parts(), true
		for _, p := range parts {
			ready = ready && p.Ready
		}
		answer(w, ready, map[string]any{"ready": ready, "phase": view.Phase, "parts": parts})
	})
}

func answer(w http.ResponseWriter, ok bool, content any) {
	w.Header().Set("Content-Type", "application/json")
	if !ok {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	_ = e.Encode(content) // the client has gone
}
