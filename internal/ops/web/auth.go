package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// authenticated lets a request pass that shows the token, or name and password. Without
// any configured, all pass.
func (s *Server) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o := s.now.Load()
		if o.Token == "" && o.Password == "" || o.admits(r) {
			next.ServeHTTP(w, r)
			return
		}
		if o.Password != "" {
			w.Header().Add("WWW-Authenticate", `Basic realm="anond", charset="UTF-8"`)
		}
		if o.Token != "" {
			w.Header().Add("WWW-Authenticate", `Bearer realm="anond"`)
		}
		http.Error(w, "not authenticated", http.StatusUnauthorized)
	})
}

func (o Options) admits(r *http.Request) bool {
	kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if o.Token != "" && strings.EqualFold(kind, "bearer") && same(strings.TrimSpace(token), o.Token) {
		return true
	}
	name, password, ok := r.BasicAuth()
	return ok && o.Password != "" && same(name+"\x00"+password, o.Username+"\x00"+o.Password)
}

// same compares secrets in a time that does not depend on either.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
