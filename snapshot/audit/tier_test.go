package audit

import "os"

// full reports whether all is to be run. It is what equivclass/equivtest/tier says;
// the auditor's tests import nothing of this module.
func full() bool { return os.Getenv("ANOND_TESTS") == "full" }
