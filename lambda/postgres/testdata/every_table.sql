INSERT INTO event_receiver DEFAULT VALUES ON CONFLICT DO NOTHING;
INSERT INTO tenant VALUES ('aaaaaaaa-0000-4000-8000-000000000000', 'a');
INSERT INTO document (id, tenant_id, type, structured_data, match_keys, file_path, embedding, cluster_id,
	matching_status, matching_attempts, matching_lease_until, matching_due_at)
SELECT ('aaaaaaaa-0000-4000-8000-0000000000d' || n)::uuid, 'aaaaaaaa-0000-4000-8000-000000000000', 'invoice',
	jsonb_build_object('number', 'R-' || n), ARRAY['0123456|who|' || n], 'documents/aaaaaaaa-0000-4000-8000-0000000000d' || n || '.pdf',
	'\x0102030405', CASE WHEN n < 4 THEN 'aaaaaaaa-0000-4000-8000-0000000000d1'::uuid END,
	CASE WHEN n = 4 THEN 'in-progress' ELSE 'succeeded' END, 1, CASE WHEN n = 4 THEN now() + interval '1 minute' END, NULL
FROM generate_series(1, 4) AS n;
INSERT INTO ingestion (id, tenant_id, document_id, file_path, part_of, job_status, lease_until, due_at) VALUES
	('aaaaaaaa-0000-4000-8000-0000000000e2', 'aaaaaaaa-0000-4000-8000-000000000000', 'aaaaaaaa-0000-4000-8000-0000000000d2', 'inbox/aaaaaaaa-0000-4000-8000-000000000000/large.pdf', NULL, 'succeeded', NULL, NULL),
	('aaaaaaaa-0000-4000-8000-0000000000e3', 'aaaaaaaa-0000-4000-8000-000000000000', 'aaaaaaaa-0000-4000-8000-0000000000d3', 'documents/aaaaaaaa-0000-4000-8000-0000000000d3.pdf', NULL, 'in-progress', now() + interval '1 minute', NULL),
	('aaaaaaaa-0000-4000-8000-0000000000e4', 'aaaaaaaa-0000-4000-8000-000000000000', 'aaaaaaaa-0000-4000-8000-0000000000d4', 'documents/aaaaaaaa-0000-4000-8000-0000000000d3.pdf', 'aaaaaaaa-0000-4000-8000-0000000000e3', 'succeeded', NULL, NULL);
INSERT INTO match_pair (tenant_id, document_a_id, document_b_id, type_a, type_b, points, units_a, units_b, units_common, evidence, veto, asked)
SELECT a.tenant_id, a.id, b.id, a.type, b.type, 90, 1, 1, 1, '[]', '', 'it' FROM document AS a JOIN document AS b
ON a.tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000' AND b.tenant_id = a.tenant_id AND a.id < b.id AND right(b.id::text, 1)::integer - right(a.id::text, 1)::integer = 1 AND right(b.id::text, 1) < '4';
INSERT INTO document_match (tenant_id, document_a_id, document_b_id, score, confidence, decided_by, reasoning, evidence)
SELECT tenant_id, document_a_id, document_b_id, 0.9, 'high', 'rules', '', '[]' FROM match_pair WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO match_suggestion (tenant_id, document_a_id, document_b_id, score, decided_by, reasoning, evidence)
SELECT tenant_id, document_a_id, document_b_id, 0.5, 'rules', '', '[]' FROM match_pair WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO decision (tenant_id, document_a_id, document_b_id, verdict, decided_by, origin)
SELECT tenant_id, document_a_id, document_b_id, 'confirmed', 'anna', 'command' FROM match_pair WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO taught_fact (tenant_id, document_a_id, document_b_id, supplier, fact)
SELECT tenant_id, document_a_id, document_b_id, 's', 'f' FROM match_pair WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO document_warning (tenant_id, document_id, kind, other_document_id, words)
SELECT tenant_id, document_a_id, 'billed-twice', document_b_id, '' FROM match_pair WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO warning_settled (tenant_id, document_id, kind, other_document_id, facts, settled_by, origin, reason)
SELECT tenant_id, document_a_id, 'billed-twice', document_b_id, '', 'anna', 'command', '' FROM match_pair WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO three_way_match (tenant_id, document_id, verdict, words, lines, orders, receipts, tolerance)
SELECT tenant_id, document_a_id, 'ok', '', '[]', jsonb_build_array(jsonb_build_object('id', document_b_id)), '[]', '{}' FROM match_pair WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO invoice_action (tenant_id, document_id, action, reason, facts, acted_by, origin)
SELECT tenant_id, document_id, 'approve', '', '', 'anna', 'command' FROM three_way_match WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
UPDATE three_way_match SET state = 'approved' WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO dead_letter_action (function, message_id, row_id, kind, acted_by, reason)
SELECT 'match', '', id, 'drop', 'anna', '' FROM document WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO desk_note (form, tenant_id, document_id, kind, text, written_by)
SELECT gen_random_uuid(), tenant_id, id, 'assign', 'anna', 'anna' FROM document WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO desk_assignment SELECT id, tenant_id, 'anna' FROM document WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO party_name (document_id, tenant_id, name, vat_id, confirmed, matched_as)
SELECT id, tenant_id, 'n', '', ARRAY['aaaaaaaa-0000-4000-8000-0000000000d2'::uuid], '' FROM document WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO warning_key SELECT tenant_id, 'k', current_date, id FROM document WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO article_unit SELECT id, tenant_id, 'a', 'box', 'piece', 12 FROM document WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO taught (tenant_id, document_id, field, keys, source, place, taught_by, forgotten_for)
SELECT tenant_id, id, 'total', '{k}', 's', '{}', 'anna', 'aaaaaaaa-0000-4000-8000-0000000000d2' FROM document WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO document_action (id, tenant_id, document_id, kind, acted_by, reason)
SELECT ('aaaaaaaa-' || substr(gen_random_uuid()::text, 10))::uuid, tenant_id, id, 'publish', 'anna', '' FROM document WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO file_action (id, tenant_id, document_id, kind, acted_by, reason)
SELECT ('aaaaaaaa-' || substr(gen_random_uuid()::text, 10))::uuid, tenant_id, id, 'read', 'anna', '' FROM document WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO document_correction (tenant_id, document_id, field, value)
SELECT tenant_id, id, 'number', to_jsonb('R-' || right(id::text, 1)) FROM document WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO notification (tenant_id, document_id, kind, attempt, payload)
SELECT tenant_id, id, 'permanent', 1, jsonb_build_object('document_id', id) FROM document WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO notification (id, tenant_id, subject, subject_id, kind, attempt, payload)
SELECT ('aaaaaaaa-1' || substr(id::text, 11))::uuid, tenant_id, 'ingestion', id, 'permanent', 1, jsonb_build_object('document_id', document_id)
FROM ingestion WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO model_answer (tenant_id, model, question, document_id, answer, prompt_tokens, completion_tokens)
SELECT tenant_id, 'm', sha256(id::text::bytea), id, '{}', 1, 1 FROM document WHERE tenant_id = 'aaaaaaaa-0000-4000-8000-000000000000';
INSERT INTO model_embedding (tenant_id, model, text_hash, vector, tokens) VALUES ('aaaaaaaa-0000-4000-8000-000000000000', 'm', '\x00', '\x030405', 1);
INSERT INTO review_job (id, tenant_id, document_id, chunks, chunks_open) VALUES
	('aaaaaaaa-0000-4000-8000-0000000000f1', 'aaaaaaaa-0000-4000-8000-000000000000', 'aaaaaaaa-0000-4000-8000-0000000000d2', 1, 1);
INSERT INTO review_text VALUES ('aaaaaaaa-0000-4000-8000-0000000000f1', 'text', '');
INSERT INTO review_chunk (id, tenant_id, job_id, position, start_offset, end_offset) VALUES
	('aaaaaaaa-0000-4000-8000-0000000000f2', 'aaaaaaaa-0000-4000-8000-000000000000', 'aaaaaaaa-0000-4000-8000-0000000000f1', 0, 0, 4);
INSERT INTO review_checkpoint (chunk_id, stage, job_id, claimed_by) VALUES ('aaaaaaaa-0000-4000-8000-0000000000f2', 's', 'aaaaaaaa-0000-4000-8000-0000000000f1', 1);
INSERT INTO review_finding (job_id, seq, chunk_id, analyst, category, severity, title, explanation) VALUES
	('aaaaaaaa-0000-4000-8000-0000000000f1', 1, 'aaaaaaaa-0000-4000-8000-0000000000f2', 'a', 'c', 'high', 't', 'e');
INSERT INTO finding_action (form, tenant_id, job_id, seq, action, acted_by, origin) VALUES
	('aaaaaaaa-0000-4000-8000-0000000000f3', 'aaaaaaaa-0000-4000-8000-000000000000', 'aaaaaaaa-0000-4000-8000-0000000000f1', 1, 'accept', 'anna', 'page');
INSERT INTO dead_letter_action (function, message_id, row_id, tenant_id, kind, acted_by, reason)
SELECT 'match', 'm', ('aaaaaaaa-0000-4000-8000-0000000000' || row)::uuid, 'aaaaaaaa-0000-4000-8000-000000000000', 'drop', 'anna', ''
FROM unnest(ARRAY['d1', 'd2', 'e1', 'f2', 'c3']) AS row;
INSERT INTO attempt (tenant_id, row_id, subject, number, claimed_at, lease_until, worker, request)
SELECT 'aaaaaaaa-0000-4000-8000-000000000000', ('aaaaaaaa-0000-4000-8000-0000000000' || row)::uuid, '', 1, now(), now(), '', ''
FROM unnest(ARRAY['d1', 'd2', 'e2', 'f2', 'c3']) AS row;
INSERT INTO offer_user (id, tenant_id, timezone)
SELECT ('aaaaaaaa-0000-4000-8000-0000000000c' || n)::uuid, 'aaaaaaaa-0000-4000-8000-000000000000', 'UTC' FROM generate_series(1, 2) AS n;
INSERT INTO offer_roster (tenant_id, date, digest, algorithm_version, users, content) VALUES ('aaaaaaaa-0000-4000-8000-000000000000', '2026-03-02', '', 1, 2, '');
INSERT INTO offer_roster_change (tenant_id, date, digest, content) VALUES ('aaaaaaaa-0000-4000-8000-000000000000', '2026-03-02', '', '');
INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, offered_at, expires_at) VALUES
	('aaaaaaaa-0000-4000-8000-0000000000c3', 'aaaaaaaa-0000-4000-8000-000000000000', '2026-03-02', 'UTC', 'aaaaaaaa-0000-4000-8000-0000000000c1', now(), now());
INSERT INTO offer (id, tenant_id, date, user_id, candidate_id, rank, score, offered_at, expires_at) VALUES
	('aaaaaaaa-0000-4000-8000-0000000000c4', 'aaaaaaaa-0000-4000-8000-000000000000', '2026-03-02', 'aaaaaaaa-0000-4000-8000-0000000000c1', 'aaaaaaaa-0000-4000-8000-0000000000c2', 1, 1, now(), now());
INSERT INTO offer_delivery (job_id) VALUES ('aaaaaaaa-0000-4000-8000-0000000000c3');
INSERT INTO offer_feedback (tenant_id, user_id, candidate_id, answer) VALUES
	('aaaaaaaa-0000-4000-8000-000000000000', 'aaaaaaaa-0000-4000-8000-0000000000c1', 'aaaaaaaa-0000-4000-8000-0000000000c2', 'accepted');
INSERT INTO offer_action (tenant_id, user_id, job_id, kind, acted_by, reason, status, after) VALUES
	('aaaaaaaa-0000-4000-8000-000000000000', 'aaaaaaaa-0000-4000-8000-0000000000c1', 'aaaaaaaa-0000-4000-8000-0000000000c3', 'refreeze', 'anna', '', 'completed', '');
INSERT INTO offer_setting (tenant_id) VALUES ('aaaaaaaa-0000-4000-8000-000000000000');
INSERT INTO own_company (tenant_id, name) VALUES ('aaaaaaaa-0000-4000-8000-000000000000', 'Own');
INSERT INTO match_tolerance (tenant_id) VALUES ('aaaaaaaa-0000-4000-8000-000000000000');
INSERT INTO tolerance (tenant_id) VALUES ('aaaaaaaa-0000-4000-8000-000000000000');
INSERT INTO tolerance_change (tenant_id, supplier, before, changed_by, origin, reason) VALUES
	('aaaaaaaa-0000-4000-8000-000000000000', '', '{}', 'anna', 'command', '');
INSERT INTO taught_threshold (tenant_id) VALUES ('aaaaaaaa-0000-4000-8000-000000000000');
INSERT INTO review_playbook (tenant_id, playbook) VALUES ('aaaaaaaa-0000-4000-8000-000000000000', '{}');
INSERT INTO console_session VALUES (sha256('aaaaaaaa'), '{"ID": "p", "Name": "anna", "Roles": {"aaaaaaaa-0000-4000-8000-000000000000": "viewer"}}', now(), now(), now());
INSERT INTO service_breaker (service, changed_at, failed_rows, alone) VALUES
	('aaaaaaaa', now(), ARRAY['aaaaaaaa-0000-4000-8000-0000000000d2'::uuid, 'aaaaaaaa-0000-4000-8000-0000000000e2'], 'aaaaaaaa-0000-4000-8000-0000000000d2');
