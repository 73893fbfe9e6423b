package control

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"anond/internal/fault"
)

// daemonInfo is what a server asks. An error may be a *Fault, which says what kind it is.
type daemonInfo interface {
	// Status is the status as JSON.
	Status() ([]byte, error)
	Release(ctx context.Context) (*Released, error)
	Plan(ctx context.Context) (*Plan, error)
	Pause(ctx context.Context) (*Changed, error)
	Resume(ctx context.Context) (*Changed, error)
	Reload(ctx context.Context) (*Changed, error)
	// Forget removes a person, and returns the receipt as JSON.
	Forget(ctx context.Context, subject []byte) (json.RawMessage, error)
	// Replay judges dead letters again, chosen as JSON says, and returns what became of them as JSON.
	Replay(ctx context.Context, which json.RawMessage) (json.RawMessage, error)
	// Backup copies the state to a file of an absolute path, and describes the copy as JSON.
	Backup(ctx context.Context, to string) (json.RawMessage, error)
	// Copy makes a copy of the state that a command may read, until remove is called.
	Copy(ctx context.Context) (path string, remove func(), err error)
}

// Server answers requests until it is closed.
type Server struct {
	http   http.Server
	daemon daemonInfo
	log    *slog.Logger
	lines  *Journal
	ctx    context.Context // of those who listen to events
	stop   context.CancelFunc
	may    func(uid int) bool
	user   func(net.Conn) (uid int, known bool)
}

// Serve answers what comes in at a listener, in the background. lines may be nil.
func Serve(l net.Listener, d daemonInfo, lines *Journal, log *slog.Logger) *Server {
	s := newServer(d, lines, log)
	go func() { _ = s.http.Serve(l) }() // ends with Close
	return s
}

func newServer(d daemonInfo, lines *Journal, log *slog.Logger) *Server {
	s := &Server{daemon: d, log: log, lines: lines, may: mayConnect, user: userOf}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.http = http.Server{Handler: s.guarded(s.routes()), ReadHeaderTimeout: 10 * time.Second, ConnContext: s.connContext,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)}
	return s
}

// mayConnect: the daemon's user, and root.
func mayConnect(uid int) bool { return uid == 0 || uid == os.Geteuid() }

// closesWithin is how long Close waits for answers that are on their way.
const closesWithin = time.Second

// Close ends the answers in progress and removes the socket. What the daemon has answered
// still reaches who asked.
func (s *Server) Close() error {
	s.stop()
	ctx, cancel := context.WithTimeout(context.Background(), closesWithin)
	defer cancel()
	if s.http.Shutdown(ctx) == nil {
		return nil
	}
	return s.http.Close()
}

type peerKey struct{}

type peer struct {
	uid   int
	known bool
}

func (s *Server) connContext(ctx context.Context, c net.Conn) context.Context {
	uid, known := s.user(c)
	return context.WithValue(ctx, peerKey{}, peer{uid, known})
}

// guarded answers nobody but those who may connect.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, _ := r.Context().Value(peerKey{}).(peer)
		if checksPeers && !p.known || p.known && !s.may(p.uid) {
			s.log.Warn("a process of another user was refused at the control socket", "event", "control_refused", "uid", p.uid)
			write(w, http.StatusForbidden, refusal{Error: "only the user of anond and root may use its control socket", Kind: fault.Failed})
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) routes() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /status", func(w http.ResponseWriter, r *http.Request) {
		text, err := s.daemon.Status()
		answer(w, status(text), err)
	})
	m.HandleFunc("GET /plan", asked(s.daemon.Plan))
	m.HandleFunc("GET /events", s.events)
	for path, do := range map[string]http.HandlerFunc{"/release": asked(s.daemon.Release), "/pause": asked(s.daemon.Pause),
		"/resume": asked(s.daemon.Resume), "/reload": asked(s.daemon.Reload),
		"/replay": told(1<<14, s.daemon.Replay),
		"/backup": told(1<<14, func(ctx context.Context, to socketPlace) (json.RawMessage, error) {
			return s.daemon.Backup(ctx, to.Path)
		}),
		"/forget": told(2<<20, func(ctx context.Context, p person) (json.RawMessage, error) { return s.daemon.Forget(ctx, p.Subject) }),
		"/copy":   s.copied} {
		m.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			s.log.Info("an order came over the control socket", "event", "control_order", "order", path[1:])
			do(w, r)
		})
	}
	return m
}

// asked answers a request without a body.
func asked[T any](do func(context.Context) (T, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		out, err := do(r.Context())
		answer(w, out, err)
	}
}

// told answers a request with a body of at most so many bytes. No error has what was sent.
func told[B, T any](most int64, do func(context.Context, B) (T, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body B
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, most)).Decode(&body); err != nil {
			answer(w, nil, errors.New("the request is no JSON"))
			return
		}
		out, err := do(r.Context(), body)
		answer(w, out, err)
	}
}

// copied names a copy of the state, and removes it when who asked has gone: also one that
// was killed.
func (s *Server) copied(w http.ResponseWriter, r *http.Request) {
	path, remove, err := s.daemon.Copy(r.Context())
	if err != nil {
		answer(w, nil, err)
		return
	}
	defer remove()
	answer(w, socketPlace{path}, nil)
	if http.NewResponseController(w).Flush() != nil {
		return
	}
	select {
	case <-r.Context().Done():
	case <-s.ctx.Done():
	}
}

// earlierHeader says how many of the lines were logged before.
const earlierHeader = "Anond-Earlier-Lines"

// events sends the newest lines of the log, and then those that follow.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	if s.lines == nil {
		answer(w, nil, errors.New("this process keeps no events"))
		return
	}
	before, err := strconv.Atoi(r.FormValue("before"))
	if err != nil || before < 0 {
		before = 0
	}
	lines, following, stop := s.lines.listen(before)
	defer stop()
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set(earlierHeader, strconv.Itoa(len(lines)))
	flush := http.NewResponseController(w).Flush
	for _, l := range lines {
		if _, err := w.Write(l); err != nil {
			return
		}
	}
	for flush() == nil {
		select {
		case l := <-following:
			if _, err := w.Write(l); err != nil {
				return
			}
		case <-r.Context().Done():
			return
		case <-s.ctx.Done():
			return
		}
	}
}

func answer(w http.ResponseWriter, out any, err error) {
	if err == nil {
		write(w, http.StatusOK, out)
		return
	}
	kind, hint := fault.Of(err)
	write(w, http.StatusConflict, refusal{err.Error(), kind, hint})
}

func write(w http.ResponseWriter, code int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(value) // a client that went away needs no answer
}
