package web

import (
	"encoding/json"
	"net/http"

	"anond/internal/ops/duty"
)

// Liveness answers whether a process makes progress: 200 or 503.
func Liveness(live func() (ok bool, why string), phase func() duty.Phase) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		ok, why := live()
		answer(w, ok, map[string]any{"ok": ok, "phase": phase(), "why": why})
	})
}

// Readiness lists the parts of a process: 200 if each is ready, otherwise 503.
func Readiness(look func() (duty.Phase, []duty.Part)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		phase, parts := look()
		ready := true
		for _, p := range parts {
			ready = ready && p.Ready
		}
		answer(w, ready, map[string]any{"ready": ready, "phase": phase, "parts": parts})
	})
}

// Status serves what is shown of a process as JSON.
func Status(look func() any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answer(w, true, look()) })
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
