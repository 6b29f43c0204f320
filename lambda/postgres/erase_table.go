package postgres

// Tables of the schema, for erasing. Each table of the catalogue must be in one of them (see
// TestEveryTableErased), so that none can be forgotten.

// erasable is a table with data of tenants.
type erasable struct {
	table string
	// tenant is the condition of the rows of the tenant. It is empty if rows go with their
	// document, because the table has no index by tenant.
	tenant string
	// document is the condition of the rows about the documents of the tenant. It is empty
	// if no row is about a document.
	document string
}

const (
	ofTenant   = `tenant_id = @tenant`
	ofDocument = `document_id = ANY (@documents)`
	ofPair     = `document_a_id = ANY (@documents) OR document_b_id = ANY (@documents)`
	ofWarning  = `document_id = ANY (@documents) OR other_document_id = ANY (@documents)`

	reviewsOfTenant   = `job_id IN (SELECT id FROM review_job WHERE tenant_id = @tenant)`
	reviewsOfDocument = `job_id IN (SELECT id FROM review_job WHERE tenant_id = @tenant AND ` + ofDocument + `)`
	offersOfTenant    = `job_id IN (SELECT id FROM matchmaking_job WHERE tenant_id = @tenant)`

	// Rows with a job. The tenant of a dead letter may be unknown, but not the one of its row.
	rowsOfTenant = `SELECT id FROM document WHERE tenant_id = @tenant
		UNION ALL SELECT id FROM ingestion WHERE tenant_id = @tenant
		UNION ALL SELECT id FROM review_chunk WHERE tenant_id = @tenant
		UNION ALL SELECT id FROM matchmaking_job WHERE tenant_id = @tenant`
	rowsOfDocument = `SELECT unnest(@documents::uuid[]) UNION ALL SELECT id FROM ingestion WHERE document_id = ANY (@documents)
		UNION ALL SELECT id FROM review_chunk WHERE ` + reviewsOfDocument
	noticesOfDocument = `coalesce(document_id, subject_id) IN (` + rowsOfDocument + `)`
	// A question about a pair has both documents, and either of them may have asked.
	answersOfDocument = `tenant_id = @tenant AND (document_id = ANY (@documents) OR document_id IN (
		SELECT document_b_id FROM match_pair WHERE document_a_id = ANY (@documents) AND asked <> ''
		UNION ALL SELECT document_a_id FROM match_pair WHERE document_b_id = ANY (@documents) AND asked <> ''))`
	vectorsOfDocument = `tenant_id = @tenant AND EXISTS (
		SELECT FROM document WHERE id = ANY (@documents) AND position(model_embedding.vector IN embedding) > 0)`
	// The comparison of an invoice names its orders and receipts.
	comparisonsOfDocument = `tenant_id = @tenant AND (document_id = ANY (@documents) OR EXISTS (
		SELECT FROM unnest(@documents::uuid[]) AS id
		WHERE position(id::text IN concat(lines, orders, receipts)) > 0))`
)

// erasables are in the order of deletion: a row goes before the row it refers to.
var erasables = []erasable{
	{"dead_letter_action", ofTenant + ` OR row_id IN (` + rowsOfTenant + `)`, `row_id IN (` + rowsOfDocument + `)`},
	{"attempt", ofTenant, `tenant_id = @tenant AND row_id IN (` + rowsOfDocument + `)`},
	{"event", ofTenant, ofPair}, // before the matches, because their removal is an event for the receiver
	{"notification_delivery", `notification_id IN (SELECT id FROM notification WHERE tenant_id = @tenant)`,
		`notification_id IN (SELECT id FROM notification WHERE ` + noticesOfDocument + `)`},
	{"notification", ofTenant, noticesOfDocument},
	{"model_answer", ofTenant, answersOfDocument},
	{"model_embedding", ofTenant, vectorsOfDocument},
	{"finding_action", reviewsOfTenant, reviewsOfDocument},
	{"review_finding", reviewsOfTenant, reviewsOfDocument},
	{"review_checkpoint", reviewsOfTenant, reviewsOfDocument},
	{"review_text", reviewsOfTenant, reviewsOfDocument},
	{"review_chunk", reviewsOfTenant, reviewsOfDocument},
	{"review_job", ofTenant, `tenant_id = @tenant AND document_id = ANY (@documents)`},
	{"decision", "", ofPair},
	{"taught_fact", "", ofPair},
	{"document_match", "", ofPair},
	{"match_suggestion", "", ofPair},
	{"match_pair", "", ofPair},
	{"document_warning", "", ofWarning},
	{"warning_settled", "", ofWarning},
	{"warning_key", "", ofDocument},
	{"three_way_match", ofTenant, comparisonsOfDocument},
	{"invoice_action", "", ofDocument}, // after the comparison, as a trigger adds one for it
	{"article_unit", "", ofDocument},
	{"desk_note", "", ofDocument},
	{"desk_assignment", "", ofDocument},
	{"party_name", "", ofDocument},
	{"taught", "", ofDocument},
	{"document_action", "", ofDocument},
	{"document_correction", "", ofDocument},
	{"file_action", "", ofDocument},
	{"ingestion", "", ofDocument},
	{"document", "", `id = ANY (@documents)`}, // and its document_key, by a trigger
	{"offer_action", ofTenant, ""},
	{"offer_feedback", ofTenant, ""},
	{"offer_delivery", offersOfTenant, ""},
	{"offer", ofTenant, ""},
	{"matchmaking_job", ofTenant, ""},
	{"offer_roster_change", ofTenant, ""},
	{"offer_roster", ofTenant, ""},
	{"offer_setting", ofTenant, ""},
	{"offer_user", ofTenant, ""},
	{"own_company", ofTenant, ""},
	{"match_tolerance", ofTenant, ""},
	{"tolerance", ofTenant, ""},
	{"tolerance_change", ofTenant, ""},
	{"taught_threshold", ofTenant, ""},
	{"review_playbook", ofTenant, ""},
	{"console_session", `person -> 'Roles' ? @tenant::text`, ""}, // a person with a role there logs in again
	{"tenant", `id = @tenant`, ""},
}

// scrubs remove ids from rows that stay, and events that the deletion itself wrote, but not of a
// removed match.
var scrubs = []string{
	`DELETE FROM event WHERE tenant_id = @tenant AND kind <> 'match.removed' AND (` + ofPair + `)`,
	`UPDATE party_name SET confirmed = ARRAY(SELECT unnest(confirmed) EXCEPT SELECT unnest(@documents::uuid[]))
	WHERE tenant_id = @tenant AND confirmed && @documents`,
	`UPDATE taught SET forgotten_for = NULL WHERE tenant_id = @tenant AND forgotten_for = ANY (@documents)`,
}

// forgetRowsSQL removes rows that are no more from the breakers, which belong to no tenant.
const forgetRowsSQL = `
WITH known AS (
	SELECT b.service, ARRAY(SELECT r.id FROM unnest(b.failed_rows || b.alone) AS r (id)
		WHERE EXISTS (SELECT FROM document WHERE id = r.id) OR EXISTS (SELECT FROM ingestion WHERE id = r.id)
			OR EXISTS (SELECT FROM review_chunk WHERE id = r.id) OR EXISTS (SELECT FROM matchmaking_job WHERE id = r.id)) AS ids
	FROM service_breaker AS b
)
UPDATE service_breaker AS b SET failed_rows = ARRAY(SELECT unnest(b.failed_rows) INTERSECT SELECT unnest(k.ids)),
	alone = CASE WHEN b.alone = ANY (k.ids) THEN b.alone END
FROM known AS k
WHERE k.service = b.service AND NOT array_remove(b.failed_rows || b.alone, NULL) <@ k.ids`

// unrelated are the tables without data of tenants.
var unrelated = []string{"document_key", "erased_tenant", "event_receiver", "goose_db_version", "model_pause",
	"notification_channel", "notification_last", "receiver_gone", "service_breaker"}
