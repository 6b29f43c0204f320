package console_test

import (
	"strings"
	"testing"

	"matchbook/lambda/console/login"
)

// Beyond a bound the page counts no further, orders the newest only, and says so.
func TestOnlyTheNewestAreCountedAndOrdered(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.exec("INSERT INTO tenant VALUES ($1, 'Testers')", tenantA)
	s.exec(`INSERT INTO document (id, tenant_id, type, structured_data, matching_status, matching_failed_at)
		SELECT gen_random_uuid(), $1, 'invoice', jsonb_build_object('number', 'N' || i, 'total', i || '.00'), 'failed', now() - i * interval '1 minute'
		FROM generate_series(1, 1001) AS i`, tenantA)
	s.exec(`INSERT INTO model_answer (tenant_id, model, question, document_id, answer, prompt_tokens, completion_tokens)
		SELECT $1, 'm', sha256(i::text::bytea), $1, '', 1, 1 FROM generate_series(1, 10001) AS i`, tenantA)
	c := s.as(everything(login.Viewer))
	c.page("/").want(t, "1,000 or more failed", "By the latest 10,000 calls", "10,000 20,000 no price")
	a := c.page("/open?kind=failed")
	a.want(t, "failed 1,000 or more", "Only the newest 1,000 of a kind", "1000.00 failed")
	if strings.Contains(a.text(), "1001.00") {
		t.Errorf("one that is older than the newest 1,000 is listed: %s", a.text())
	}
	s.exec("DELETE FROM document WHERE structured_data ->> 'number' IN ('N1', 'N1001')")
	if a := c.page("/open"); strings.Contains(a.text(), "or more") || strings.Contains(a.text(), "Only the newest") {
		t.Errorf("a bound is named that was not met: %s", a.text())
	}
}
