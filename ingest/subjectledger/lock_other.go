//go:build !linux && !darwin

package subjectledger

import (
	"os"

	"anond/internal/fault"
)

// try: there are no locks here that several processes could rely on.
func try(*os.File, bool) (bool, error) {
	return false, fault.Errorf(fault.Config, "remove subject.ledger", "subject.ledger: this system has no locks of files")
}

func unlock(*os.File) {}
