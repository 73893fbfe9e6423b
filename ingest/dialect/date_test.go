package dialect_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/ingest/dialect"
)

func TestDatesAreReadAsTheirFormSays(t *testing.T) {
	const none = ""
	for _, x := range []struct {
		form     dialect.DateForm
		in, want string
	}{
		{dialect.DateForm{Format: "%d.%m.%Y"}, "02.04.1961", "1961-04-02"},
		{dialect.DateForm{Format: "%d.%m.%Y"}, "2.4.1961", "1961-04-02"},
		{dialect.DateForm{Format: "%d.%m.%Y"}, "2.4.61", none},
		{dialect.DateForm{Format: "%d.%m.%Y"}, "31.02.1961", none},
		{dialect.DateForm{Format: "%d.%m.%Y"}, "02.04.1961 10:00", none},
		{dialect.DateForm{Format: "%m/%d/%Y %I:%M %p"}, "4/2/1961 11:59 PM", "1961-04-02"},
		{dialect.DateForm{Format: "%d-%b-%Y"}, "02-APR-1961", "1961-04-02"},
		{dialect.DateForm{Format: "%B %d, %Y"}, "april 2, 1961", "1961-04-02"},
		{dialect.DateForm{Format: "%Y%m%d"}, "19610402", "1961-04-02"},
		{dialect.DateForm{Format: "%F %T"}, "1961-04-02 24:00:00", "1961-04-02"},
		{dialect.DateForm{Format: "%F %T"}, "1961-04-02 25:00:00", none},
		{dialect.DateForm{Format: "%F %T.%f%z"}, "1961-04-02 23:59:59.123456+02:00", "1961-04-02"},
		{dialect.DateForm{Format: "100%% %Y-%m-%d"}, "100% 1961-04-02", "1961-04-02"},
		{dialect.DateForm{Format: "datetime"}, "1961-04-02", "1961-04-02"},
		{dialect.DateForm{Format: "datetime"}, "1961-04-02T23:30:00Z", "1961-04-02"},
		{dialect.DateForm{Format: "datetime"}, "1961-04-02T23:30-05:00", "1961-04-02"},
		{dialect.DateForm{Format: "datetime"}, "1961-04-02 23:30:00.123 +0200", "1961-04-02"},
		{dialect.DateForm{Format: "datetime"}, "1961-04-02T23:30:00.", none},
		{dialect.DateForm{Format: "datetime"}, "1961-04", none},
		{dialect.DateForm{Format: "epoch_seconds"}, "-1", "1969-12-31"},
		{dialect.DateForm{Format: "epoch_millis"}, "86400000", "1970-01-02"},
		{dialect.DateForm{Format: "epoch_micros"}, "86399999999", "1970-01-01"},
		{dialect.DateForm{Format: "epoch_seconds"}, "999999999999999", none},
		{dialect.DateForm{Format: "epoch_seconds"}, "1.5", none},
		{dialect.DateForm{Precision: equivclass.Year}, "1987", "1987-01-01"},
		{dialect.DateForm{Precision: equivclass.Year}, "1987-05", "1987-01-01"},
		{dialect.DateForm{Precision: equivclass.Year}, "1987-05-17", "1987-01-01"},
		{dialect.DateForm{Precision: equivclass.Year}, "1987-02-31", none},
		{dialect.DateForm{Precision: equivclass.Year}, "1987-13", none},
		{dialect.DateForm{Precision: equivclass.Year}, "87", none},
		{dialect.DateForm{Precision: equivclass.Month}, "1987-05", "1987-05-01"},
		{dialect.DateForm{Precision: equivclass.Month}, "1987", none},
		{dialect.DateForm{Precision: equivclass.Month}, "1987-00", none},
		{dialect.DateForm{Format: "%m/%Y", Precision: equivclass.Month}, "05/1987", "1987-05-01"},
		{dialect.DateForm{Format: "datetime", Precision: equivclass.Year}, "1987-05-17T00:00:00Z", "1987-01-01"},
		{dialect.DateForm{}, "1961-04-02", "1961-04-02"},
	} {
		d, err := x.form.Reader()
		require.NoError(t, err, x.form)
		got, ok := d.Append(nil, []byte(x.in))
		assert.Equal(t, x.want, string(got), "%v of %q", x.form, x.in)
		assert.Equal(t, x.want != none, ok, "%v of %q", x.form, x.in)
	}
}

func TestAFormatThatCannotTellADateIsRefused(t *testing.T) {
	for format, want := range map[string]string{"%d.%m.%y": "century", "%d.%m": "no year", "%Y-%d": "no month", "%Y-%m": "no day",
		"%Q": "only", "%Y-%m-%d %": "only", "%Y-%m-%d-%d": "twice", "DD.MM.YYYY": "no year"} {
		_, err := dialect.DateForm{Format: format}.Reader()
		assert.ErrorContains(t, err, want, format)
	}
}

// FuzzDates: whatever is read is a date of the schema, and reading it again as a plain date gives it again.
func FuzzDates(f *testing.F) {
	f.Add("%d.%m.%Y %T", "2.4.1961 10:00:00")
	f.Add("datetime", "1961-04-02T10:00:00.5+01:00")
	f.Add("%b %Y", "apr 1961")
	f.Fuzz(func(t *testing.T, format, text string) {
		for _, p := range []equivclass.Precision{equivclass.Day, equivclass.Month, equivclass.Year} {
			d, err := dialect.DateForm{Format: format, Precision: p}.Reader()
			if err != nil {
				continue
			}
			out, ok := d.Append(nil, []byte(text))
			if !ok {
				require.Empty(t, out)
				continue
			}
			_, err = time.Parse(time.DateOnly, string(out))
			require.NoError(t, err)
			plain, err := dialect.DateForm{Precision: p}.Reader()
			require.NoError(t, err)
			again, ok := plain.Append(nil, out)
			require.True(t, ok)
			require.Equal(t, string(out), string(again))
		}
	})
}
