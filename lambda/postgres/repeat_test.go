package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func sqlState(code string) error { return fmt.Errorf("query: %w", &pgconn.PgError{Code: code}) }

func TestRepeatLostRaces(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		err   error
		tries int
	}{
		{"serialization", sqlState("40001"), maxTries},
		{"deadlock", sqlState("40P01"), maxTries},
		{"foreign key", sqlState("23503"), maxTries},
		{"unique key", sqlState("23505"), maxTries},
		{"a check", sqlState("23514"), 1},
		{"statement timeout", sqlState("57014"), 1},
		{"shutdown", sqlState("57P01"), 1},
		{"a lost connection, which may have committed", io.ErrUnexpectedEOF, 1},
		{"nothing", nil, 1},
	} {
		tries := 0
		err := repeat(context.Background(), func() error { tries++; return tc.err })
		if tries != tc.tries || err != tc.err {
			t.Errorf("%s: %d tries, error %v; want %d", tc.name, tries, err, tc.tries)
		}
	}
}

func TestRepeatEnds(t *testing.T) {
	t.Parallel()
	tries := 0
	err := repeat(context.Background(), func() error {
		if tries++; tries < maxTries {
			return sqlState("40P01")
		}
		return nil
	})
	if err != nil || tries != maxTries {
		t.Errorf("%d tries, error %v", tries, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	tries = 0
	err = repeat(ctx, func() error { tries++; cancel(); return sqlState("40P01") })
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || tries != 1 {
		t.Errorf("out of time: %d tries, error %v", tries, err)
	}
}

// A read runs again as its Querier allows.
func TestReadRunsAgain(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		from       Querier
		race, away int // tries until one succeeds, or the last
	}{
		"a database": {&DB{}, 2, 1}, "work": {Steady{}, 2, 2}, "a transaction": {struct{ pgx.Tx }{}, 1, 1},
	} {
		for code, want := range map[string]int{"40P01": tc.race, "57P01": tc.away} {
			tries := 0
			_ = again(t.Context(), tc.from, func() error {
				if tries++; tries == 1 {
					return sqlState(code)
				}
				return nil
			})
			if tries != want {
				t.Errorf("%s after %s: %d tries, want %d", name, code, tries, want)
			}
		}
	}
}
