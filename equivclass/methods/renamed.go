package methods

import "fmt"

// renamed are the names that methods had in earlier versions. They are accepted
// nowhere: the error says the name of today.
var renamed = map[string]string{
	"lgb-mended":       "lgb-fixed",
	"ncp-split-mended": "ncp-split-fixed",
}

// RenamedError says that a method has another name than in an earlier version.
type RenamedError struct{ Old, New string }

// Error implements error.
func (e *RenamedError) Error() string {
	return fmt.Sprintf("method %s was renamed: its name is %s", e.Old, e.New)
}
