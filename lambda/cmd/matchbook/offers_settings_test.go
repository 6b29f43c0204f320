package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres/postgrestest"
)

func TestOffersSettings(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	postgrestest.Exec(t, postgrestest.Conn(t, url), "INSERT INTO tenant VALUES ($1, 'one')", oneTenant)
	for _, step := range []struct {
		args []string
		code int
		want string // a part of the output
	}{
		{[]string{"show"}, cli.ExitOK, "minimum-age    0\nexposure       30\nset-size       10\nrest-days      90\nstale-days     0\ndelivery-hour  9\n" +
			"skip-weekends  false\nholidays\n"},
		{[]string{"set", "--minimum-age", "18", "--holidays", "2026-12-26, 2026-12-25,2026-12-26"}, cli.ExitOK, "holidays       2026-12-25, 2026-12-26\n"},
		{[]string{"set", "--skip-weekends", "true"}, cli.ExitOK, "minimum-age    18\n"},
		{[]string{"show", "--json"}, cli.ExitOK, `"skip_weekends": true`},
		{[]string{"set", "--holidays", ""}, cli.ExitOK, "skip-weekends  true\nholidays\n"},
		{[]string{"set"}, cli.ExitError, "missing change"},
		{[]string{"set", "--set-size", "0"}, cli.ExitError, "set_size must be from 1 to 100"},
		{[]string{"set", "--delivery-hour", "24"}, cli.ExitError, "delivery_hour must be from 0 to 23"},
		{[]string{"set", "--rest-days", "a year"}, cli.ExitError, "--rest-days: expected a whole number"},
		{[]string{"set", "--skip-weekends", "yes"}, cli.ExitError, "--skip-weekends: expected true or false"},
		{[]string{"set", "--holidays", "Christmas"}, cli.ExitError, "--holidays: invalid date"},
	} {
		code, out, errOut := matchbook(t, url, append([]string{"offers", "settings", "--tenant", oneTenant}, step.args...)...)
		if code != step.code || !strings.Contains(out+errOut, step.want) {
			t.Errorf("%v: exit status %d, %s%s; want %q", step.args, code, out, errOut, step.want)
		}
	}
}

func TestOffersFeedback(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	insertOfferJobs(t, conn, "succeeded", "succeeded", "succeeded")
	const one, two, three = "50000000-0000-4000-8000-000000000001", "50000000-0000-4000-8000-000000000002", "50000000-0000-4000-8000-000000000003"
	for _, tc := range []struct {
		text string
		code int
		want string // the output
	}{
		{"user_id,candidate_id,answer,at\n" + one + "," + two + ",declined,2026-03-01T08:00:00+01:00\n" + two + "," + one + ",Met,2026-03-02\n",
			cli.ExitOK, "2 answers stored\n"},
		{"\ufeffAnswer; Candidate_ID; user_id; note\nblocked;" + three + ";" + one + "; \"rude; and late\"\n",
			cli.ExitFindings, "line 2: invalid quotes\n0 answers stored, 1 line left out\n"},
		{"\ufeffAnswer; Candidate_ID; user_id; note\r\nblocked;" + three + ";" + one + ";rude\r\n", cli.ExitOK, "1 answer stored\n"},
		{"user_id,candidate_id,answer,at\n" + one + "," + three + ",liked,\n" + one + ",Ada,met,\n" + three + "," + one + ",met,tomorrow\n" +
			one + "," + one + ",met,\n" + one + "\n\n50000000-0000-4000-8000-000000000009," + one + ",met,\n" + three + "," + two + ",reported,\n",
			cli.ExitFindings, "line 2: answer: expected accepted, declined, met, blocked or reported\n" +
				"line 3: candidate_id: not a UUID of 36 characters\n" +
				"line 4: at: expected a time such as 2026-03-29T07:00:00Z, or a date\n" +
				"line 5: unknown user or candidate\n" +
				"line 6: candidate_id: not a UUID of 36 characters\n" +
				"line 8: unknown user or candidate\n" +
				"1 answer stored, 6 lines left out\n"},
		{"user_id,candidate_id\n", cli.ExitError, ""},
		{"user_id,user_id,answer,candidate_id\n", cli.ExitError, ""},
		{"", cli.ExitError, ""},
	} {
		file := filepath.Join(t.TempDir(), "answers.csv")
		must.OK(t, os.WriteFile(file, []byte(tc.text), 0o600))
		code, out, errOut := matchbook(t, url, "offers", "feedback", "--tenant", oneTenant, file)
		if code != tc.code || tc.want != "" && out != tc.want {
			t.Errorf("exit status %d, %s%s; want %d, %q", code, out, errOut, tc.code, tc.want)
		}
	}
	var got string
	must.OK(t, conn.QueryRow(t.Context(), `SELECT string_agg(concat_ws(' ', right(user_id::text, 1), answer, right(candidate_id::text, 1),
		CASE WHEN at < '2026-03-05' THEN to_char(at AT TIME ZONE 'UTC', 'DD HH24:MI') END), ', ') FROM
		(SELECT * FROM offer_feedback ORDER BY user_id, candidate_id) AS f`).Scan(&got))
	if want := "1 declined 2 01 07:00, 1 blocked 3, 2 met 1 02 00:00, 3 reported 2"; got != want {
		t.Errorf("stored %s, want %s", got, want)
	}
}
