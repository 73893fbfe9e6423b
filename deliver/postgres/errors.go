package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"anond/deliver"
)

// lasting are the classes of SQLSTATE that trying again does not help: data, constraints,
// names and rights, limits, a database or schema that is not there, a refused log-in.
var lasting = map[string]bool{"22": true, "23": true, "42": true, "54": true, "3D": true, "3F": true, "28": true}

// explained says what a server answered, without what it quotes of data (rule V, values):
// its messages about data and constraints may.
func explained(err error) error {
	var answer *pgconn.PgError
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, deliver.ErrFinal) || !errors.As(err, &answer) {
		return err
	}
	class := ""
	if len(answer.Code) == 5 {
		class = answer.Code[:2]
	}
	text := fmt.Errorf("PostgreSQL: %s (SQLSTATE %s)", answer.Message, answer.Code)
	if class == "22" || class == "23" {
		text = fmt.Errorf("PostgreSQL refuses the rows (SQLSTATE %s)", answer.Code)
	}
	switch answer.Code {
	case "42501":
		text = fmt.Errorf("%w; the user needs CREATE and USAGE on the schema, and TEMPORARY on the database", text)
	case "3F000":
		text = fmt.Errorf("%w; create the schema", text)
	}
	if lasting[class] {
		return deliver.Final(text)
	}
	return text
}
