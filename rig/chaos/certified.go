package chaos

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"anond/snapshot/audit"
)

// certified has the auditor look at releases. The verdict must be that all is certified, or, where that is not required
// since there are no exports, that it is consistent; so it is also where only a replay can certify (values in rows by draw).
func certified(what string, o audit.Options) error {
	report, err := audit.Dir(o)
	if err != nil {
		return fmt.Errorf("audit of %s: %w", what, err)
	}
	want := audit.VerdictConsistent
	drawn := func(what string) bool { return strings.Contains(what, "which row of a bucket shows which value") }
	if o.RequireCertified && !slices.ContainsFunc(report.NotChecked, drawn) {
		want = audit.VerdictCertified
	}
	if report.Verdict != want {
		var b strings.Builder
		_ = report.Text(&b)
		return fmt.Errorf("the auditor's verdict on %s is %s: %s", what, report.Verdict, b.String())
	}
	return nil
}

// writeExports writes private exports where the auditor reads them.
func writeExports(dir string, e audit.Exports) error {
	return errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "members.csv"), e.Members, 0o600),
		os.WriteFile(filepath.Join(dir, "records.csv"), e.Records, 0o600))
}
