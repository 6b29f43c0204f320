-- Rows of all kinds and states in two tenants, with equal times, for TestEverything. The clock stands still at 2026-03-02 09:00.
SET session_replication_role = replica;
CREATE FUNCTION n(i bigint) RETURNS uuid LANGUAGE sql AS $$ SELECT ('00000000-0000-4000-8000-' || lpad(to_hex(i), 12, '0'))::uuid $$;
CREATE FUNCTION t(i bigint) RETURNS uuid LANGUAGE sql AS $$ SELECT n(CASE WHEN i % 4 = 3 THEN 2 ELSE 1 END) $$;
INSERT INTO tenant VALUES (n(2), 'Others'), (n(3), 'A third');

INSERT INTO document (id, tenant_id, type, structured_data, received_at, file_name, match_keys, cluster_id, embedding_error, needs_human_review,
	matching_status, matching_error, matching_attempts, matching_failed_at, matching_lease_until, matching_published_at, matching_due_at, matching_parked_for)
SELECT n(i), t(i), CASE WHEN i <> 9 THEN (enum_range(NULL::document_type))[1 + i * 3 % 7] END,
	jsonb_build_object('number', CASE WHEN i % 2 = 0 THEN 'N ' || i / 8 ELSE 'n ' || i / 8 END, 'date', '2026-02-' || 9 + i % 4, 'currency', 'EUR',
		'total', (ARRAY['7.00', '7', '-12.50', 'much'])[1 + i % 4], 'supplier', jsonb_build_object('name', 'Supplier ' || i % 5)),
	now() - (i / 3) * interval '20 minutes', CASE WHEN i % 3 > 0 THEN 'file ' || i % 3 || '.pdf' END,
	CASE WHEN i <> 12 THEN ARRAY['00000000|own|N' || i / 8, '00000000|day|2026-02-' || 9 + i % 4] END,
	CASE WHEN i % 3 = 1 THEN n(12) END, CASE i WHEN 13 THEN 'no vector' END, i % 5 = 0,
	s, CASE WHEN i % 2 = 0 THEN 'error ' || i % 3 END, CASE WHEN s IS NOT NULL THEN i % 4 ELSE 0 END, CASE WHEN s = 'failed' OR i = 15 THEN now() - (i / 2) * interval '5 minutes' END,
	CASE WHEN s = 'in-progress' THEN now() + (i - 14) * interval '1 minute' END, CASE WHEN s IS NOT NULL OR i = 18 THEN now() - i * interval '1 minute' END,
	CASE WHEN s = 'pending' THEN now() + (i - 22) * interval '7 minutes' WHEN s IS NULL THEN now() - i * interval '2 minutes' END, CASE WHEN s = 'pending' AND i % 2 = 0 THEN 'openai' END
FROM (SELECT i, (ARRAY['succeeded', 'failed', 'pending', NULL, 'in-progress'])[1 + i % 5] AS s FROM generate_series(10, 40) AS i) AS d;
INSERT INTO document_key SELECT match_key(tenant_id, k), 20260209 + row_number() OVER () % 4, id FROM document, unnest(match_keys) AS k;

INSERT INTO match_suggestion (tenant_id, document_a_id, document_b_id, score, decided_by, reasoning, evidence, created_at)
SELECT t(i), n(i), n(i + 4), i % 5 / 5.0, (ARRAY['rules', 'model', 'person', 'rules', 'rules'])[1 + i % 5], 'reason ' || i,
	CASE WHEN i % 2 = 0 THEN '[]' ELSE '[{"name": "cites", "points": 60}]' END::jsonb, now() - (i / 2) * interval '10 minutes'
FROM generate_series(10, 30) AS i;
INSERT INTO match_suggestion SELECT t(i), n(i), n(i + 12), 0.5, 'rules', 'another', '[]', now() - interval '1 hour' FROM generate_series(10, 14) AS i;
INSERT INTO document_match (tenant_id, document_a_id, document_b_id, score, confidence, decided_by, reasoning, evidence, lowered_from, created_at)
SELECT t(i), n(i), n(i + 8), 0.9, CASE WHEN i % 3 = 0 THEN 'medium' ELSE 'high' END, (ARRAY['rules', 'model', 'person'])[1 + i % 3], 'because', '[]',
	CASE WHEN i % 6 = 0 THEN 'high' ELSE '' END, now() - i * interval '1 minute'
FROM generate_series(10, 18) AS i;
INSERT INTO match_pair (tenant_id, document_a_id, document_b_id, type_a, type_b, points, units_a, units_b, units_common, evidence, veto, answer)
SELECT t(i), n(i), n(i + 4), 'invoice', 'invoice', 0, 0, 0, 0, '[]', '', (ARRAY['', 'none', 'low', 'high'])[1 + i / 3 % 4] FROM generate_series(10, 16) AS i;
INSERT INTO document_warning SELECT t(i), n(i), (ARRAY['billed-twice', 'account-changed'])[1 + i % 2], n(i + 4), 'words ' || i, now() - (i / 2) * interval '11 minutes',
	'facts ' || i % 3 FROM generate_series(10, 22) AS i;
INSERT INTO warning_settled SELECT t(i), n(i), (ARRAY['billed-twice', 'account-changed'])[1 + i % 2], n(i + 4), 'facts ' || i % 2, 'anna', 'console', 'known ' || i,
	now() - i * interval '3 minutes', CASE WHEN i % 2 = 0 THEN 'is-copy' ELSE '' END FROM generate_series(10, 22) AS i;
INSERT INTO decision (tenant_id, document_a_id, document_b_id, verdict, decided_by, origin, note, decided_at)
SELECT t(i), n(i), n(i + 4 * (1 + i % 2)), (ARRAY['confirmed', 'rejected', 'withdrawn'])[1 + i % 3], 'ben ' || i % 3, (ARRAY['command', 'console'])[1 + i % 2],
	'note ' || i, now() - (i / 2) * interval '4 minutes' FROM generate_series(10, 18) AS i, generate_series(1, 2);
INSERT INTO document_action SELECT n(500 + i), t(i), n(i), 'publish', 'cleo', 'again ' || i, now() - i * interval '5 minutes' FROM generate_series(12, 16) AS i;
INSERT INTO file_action SELECT n(520 + i), t(i), n(i), (ARRAY['correct', 'read', 'dismiss', 'pages'])[1 + i % 4], 'dora', 'so ' || i, now() - i * interval '6 minutes'
FROM generate_series(10, 17) AS i;
INSERT INTO desk_note (form, tenant_id, document_id, kind, text, written_by, written_at)
SELECT n(540 + i), t(i), n(i), (ARRAY['comment', 'assign'])[1 + i % 2], 'text ' || i, 'emil', now() - i * interval '6 minutes' FROM generate_series(12, 16) AS i;
INSERT INTO desk_assignment SELECT n(i), t(i), (ARRAY['Anna', 'Ben'])[1 + i % 2] FROM generate_series(10, 24) AS i;

INSERT INTO ingestion (id, tenant_id, document_id, file_path, part_of, pages, created_at, status, started_at, completed_at, transcription_file_path, document_type,
	structured_data, fields, needs_human_review, review_reasons, extraction_model, job_status, error, attempts, failed_at, lease_until, published_at, due_at,
	parked_for, page_account, begins)
SELECT n(100 + i), t(i), n(i), 'documents/' || i, CASE WHEN i % 8 = 4 THEN n(96 + i) END, CASE WHEN i % 4 > 1 THEN ARRAY[i % 4, 9 - i % 4] END,
	now() - (i / 2) * interval '2 hours', CASE s WHEN 'succeeded' THEN 'completed' WHEN 'failed' THEN s ELSE 'in-progress' END,
	CASE WHEN i % 3 > 0 THEN now() - i * interval '90 seconds' END, CASE WHEN s = 'succeeded' THEN now() - i * interval '80 seconds' END,
	CASE WHEN i % 4 > 0 THEN 'text/' || i END, CASE WHEN s = 'succeeded' THEN 'invoice'::document_type END,
	CASE WHEN s = 'succeeded' THEN '{"number": "read"}'::jsonb END,
	CASE WHEN i % 2 = 0 THEN '{"total": {"value": "7", "taught": "anna on N 1"}, "date": {"value": "x"}, "buyer.name": {"taught": "ben"}}'::jsonb END,
	i % 3 <> 1, CASE WHEN i % 3 = 0 THEN ARRAY['first', 'second'] ELSE '{}' END, CASE WHEN i % 5 > 0 THEN 'rules' END,
	s, CASE WHEN i % 2 = 0 THEN 'file error ' || i % 3 END, i % 4, CASE WHEN s = 'failed' THEN now() - i / 2 * interval '70 seconds' END,
	CASE WHEN s = 'in-progress' THEN now() + (i - 14) * interval '1 minute' END, now() - i * interval '2 minutes',
	CASE WHEN s = 'pending' THEN now() + (i - 22) * interval '7 minutes' END, CASE WHEN s = 'pending' AND i % 2 = 1 THEN 'ocr' END,
	CASE WHEN i % 8 = 0 THEN '{"pages": 9}'::jsonb END, CASE WHEN i % 8 = 2 THEN ARRAY[1, 4] END
FROM (SELECT i, (ARRAY['succeeded', 'failed', 'pending', NULL, 'in-progress', 'succeeded', 'failed'])[1 + i % 7] AS s FROM generate_series(10, 26) AS i) AS f;
INSERT INTO ingestion (id, tenant_id, document_id, file_path, created_at, job_status, due_at) VALUES (n(199), n(1), n(12), 'documents/old', now() - interval '9 days', 'succeeded', NULL);
INSERT INTO document_correction (tenant_id, document_id, field, value) SELECT t(i), n(i), 'total', '"8"' FROM generate_series(10, 14) AS i;

INSERT INTO three_way_match (document_id, tenant_id, verdict, words, lines, orders, receipts, tolerance, created_at, state, state_at)
SELECT n(i), t(i), (ARRAY['matched', 'price-variance', 'without-order', 'service', 'not-ordered', 'unchecked', 'order-in-gross', 'over-billed',
	'price-unit-assumed', 'substitute-article', 'quantity-variance'])[1 + i % 11], 'words ' || i, '[]', '[]', '[]', '{"price_percent": "3"}',
	now() - (i / 2) * interval '9 minutes', s, CASE WHEN s <> 'open' THEN now() - (i / 3) * interval '8 minutes' END
FROM (SELECT i, (ARRAY['open', 'open', 'approved', 'on-hold', 'reopened', 'open', 'disputed'])[1 + i % 7] AS s FROM generate_series(10, 38) AS i) AS w;
INSERT INTO three_way_match SELECT n(id), n(1), 'matched', 'alike', '[]', '[]', '[]', '{}', now() - at * interval '1 second', false, '{}', 'open'
FROM (VALUES (36, 9), (40, 0), (37, 0)) AS alike (id, at) ON CONFLICT (document_id) DO UPDATE SET verdict = 'matched', state = 'open', state_at = NULL, created_at = excluded.created_at;
INSERT INTO invoice_action (tenant_id, document_id, action, reason, facts, acted_by, origin, acted_at)
SELECT t(i), n(i), (ARRAY['hold', 'approve', 'dispute', 'reopen'])[k], 'reason ' || k, '', CASE k WHEN 4 THEN '' ELSE 'fritz' END, 'console', now() - (i + k) * interval '1 minute'
FROM generate_series(10, 38) AS i, generate_series(1, 4) AS k WHERE i % 7 > 1 AND (k < 4 OR i % 2 = 0);
INSERT INTO tolerance_change (tenant_id, supplier, before, after, changed_by, origin, reason, changed_at)
SELECT t(i), 'supplier ' || i, '{"price_percent": "3"}', CASE WHEN i % 2 = 0 THEN '{"price_percent": "4"}'::jsonb END, 'gert', 'console', 'so ' || i, now()
FROM generate_series(10, 15) AS i;

INSERT INTO model_answer (tenant_id, model, question, document_id, answer, prompt_tokens, completion_tokens, asked_at, unusable, replays)
SELECT t(i), 'model ' || i % 2, uuid_send(n(i / 2 + 100 * k)), n(i), '', i, 2 * i, now() - i * interval '2 hours', CASE WHEN i % 3 = 0 THEN 'refused' ELSE '' END, i % 4
FROM generate_series(10, 22) AS i, generate_series(1, 2) AS k;
INSERT INTO model_embedding SELECT t(i), 'vectors', uuid_send(n(i)), '', i / 2.0, now() - i * interval '2 hours', i % 3 FROM generate_series(10, 22) AS i;
INSERT INTO notification (id, tenant_id, document_id, kind, attempt, payload, created_at, subject, subject_id)
SELECT n(600 + i), t(i), CASE WHEN i % 4 < 2 THEN n(i) END, (ARRAY['transient', 'panic', 'config'])[1 + i % 3], i % 2, '{}', now() - (i % 7) * interval '30 minutes',
	(ARRAY['document', 'document', 'ingestion', 'ingestion'])[1 + i % 4], CASE WHEN i % 4 > 1 THEN n(100 + i) END FROM generate_series(10, 26) AS i;
INSERT INTO notification (id, tenant_id, kind, attempt, payload, created_at, subject, subject_id)
SELECT n(640 + i), n(1), (ARRAY['panic', 'config'])[1 + i / 6], 2 + i / 6, '{}', now() - i * interval '1 minute', (ARRAY['chunk', 'job'])[1 + i % 2], n((ARRAY[300, 400])[1 + i % 2] + 10 + i % 3) FROM generate_series(0, 11) AS i;
INSERT INTO notification (id, tenant_id, document_id, kind, attempt, payload, created_at) SELECT n(660 + i), t(i), n(i), 'later', 7, '{}', now() - interval '1 day'
FROM generate_series(12, 21, 3) AS i;
INSERT INTO notification_delivery (notification_id, channel, status)
SELECT n(i), c, CASE WHEN i % 5 = 0 THEN 'pending' WHEN i % 5 = 1 THEN 'digested' ELSE 'sent' END FROM generate_series(610, 645) AS i, unnest(ARRAY['slack', 'email']) AS c WHERE i < 627 OR i > 639;
INSERT INTO dead_letter_action (function, message_id, row_id, tenant_id, kind, acted_by, reason, acted_at)
SELECT 'match', 'm' || i, n(i), n(1), (ARRAY['redrive', 'drop'])[1 + i % 2], 'hugo', 'letter ' || i, now() - i * interval '1 second' FROM unnest(ARRAY[10, 11, 112, 113, 310, 410, 411]) AS i;
INSERT INTO event (sequence, tenant_id, kind, document_a_id, document_b_id, data, created_at, tries, error, delivered_at, dead_at)
OVERRIDING SYSTEM VALUE SELECT i, t(i), 'match', n(i), NULL, '{}', now() - i * interval '1 second', i % 3, CASE WHEN i % 2 = 0 THEN '503' END,
	CASE WHEN i % 3 = 0 THEN now() END, CASE WHEN i % 3 = 1 THEN now() - i * interval '1 second' END FROM generate_series(10, 15) AS i;
INSERT INTO attempt SELECT t(i), n(r + i), s, k, now() - (i * 3 + k) * interval '1 minute', now() + (i * 3 - 50 - k) * interval '1 minute',
	CASE WHEN i % 2 = 0 THEN '2026/03/02/[1' || k || ']abc' ELSE '' END, 'request ' || i, CASE WHEN k < 3 OR i % 2 = 0 THEN now() - (i * 3 + k) * interval '50 seconds' END,
	CASE WHEN k < 3 THEN (ARRAY['failed', 'pending', 'pending', 'succeeded'])[1 + (i + 3 * k) % 4] END, CASE WHEN k = 1 THEN 'attempt error' END, CASE WHEN i % 4 = 0 AND k = 2 THEN now() END
FROM generate_series(10, 14) AS i, generate_series(1, 3) AS k, (VALUES (0, 'document'), (100, 'ingestion'), (300, 'chunk'), (400, 'job')) AS of (r, s);

INSERT INTO review_job (id, tenant_id, document_id, name, status, chunks, chunks_open, findings, gaps, calls, budget_usd, cost_usd, model, created_at, started_at, ended_at, error, waiting)
SELECT n(200 + i), t(i), n(10 + i % 3), 'Review ' || i, (ARRAY['running', 'completed', 'failed'])[1 + i % 3], 4, 0, i, 1, 7, 5, 0.25, CASE WHEN i % 2 = 0 THEN 'model' ELSE '' END,
	now() - i * interval '1 hour', now() - i * interval '59 minutes', CASE WHEN i % 3 > 0 THEN now() - i * interval '58 minutes' END, CASE WHEN i % 3 = 2 THEN 'broken' END, CASE WHEN i % 3 > 0 THEN i % 4 ELSE 0 END
FROM generate_series(10, 16) AS i;
INSERT INTO review_chunk (id, tenant_id, job_id, position, kind, start_offset, end_offset, stage, status, error, attempts, lapses, lease_until, published_at, due_at, failed_at, parked_for)
SELECT n(300 + i), n(1), n(210 + i / 14), i % 4, CASE WHEN i % 4 = 3 THEN 'whole' ELSE 'text' END, 0, 9, 'stage ' || i, s, 'chunk error', i % 3, i % 2,
	CASE WHEN s = 'in-progress' THEN now() + interval '1 minute' END, now() - i * interval '1 minute', CASE WHEN s = 'pending' THEN now() END,
	CASE WHEN s = 'failed' THEN now() - i * interval '1 minute' END, CASE WHEN i = 10 THEN 'openai' END
FROM (SELECT i, (ARRAY['failed', NULL, 'succeeded', 'pending', 'in-progress'])[1 + i % 5] AS s FROM generate_series(10, 17) AS i) AS c;
INSERT INTO review_checkpoint (chunk_id, stage, job_id, claimed_by, finished_at, outcome, reason, cost_usd, calls)
SELECT id, 'clauses', job_id, 1, now() - position * interval '1 minute', CASE WHEN position % 2 = 0 THEN 'done' ELSE 'failed' END, 'why', 0.5, position FROM review_chunk;
INSERT INTO finding_action (tenant_id, job_id, seq, action, acted_by, origin, acted_at) SELECT n(1), n(210), i, 'accept', 'ida', 'page', now() FROM generate_series(1, 3) AS i;
INSERT INTO model_pause VALUES ('model one', now() + interval '5 minutes'), ('model two', now() + interval '6 minutes'), ('other', now() + interval '1 day');

INSERT INTO offer_user (id, tenant_id, timezone, profile) SELECT n(700 + i), t(i), 'UTC', CASE i % 3 WHEN 0 THEN '{"name": 7}' WHEN 1 THEN '{}' ELSE jsonb_build_object('name', 'User ' || i) END
FROM generate_series(10, 20) AS i;
INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, offered_at, expires_at, created_at, started_at, completed_at, offers, algorithm_version, input_digest,
	job_status, error, attempts, failed_at, lease_until, published_at, due_at)
SELECT n(400 + i), t(i), date '2026-03-02' - i / 17, (ARRAY['UTC', 'Asia/Tokyo'])[1 + i % 2], n(700 + i), now() - (i / 4 % 3) * interval '1 hour', now() + interval '1 day', now() - i * interval '1 minute',
	now() - i * interval '50 seconds', CASE WHEN s IN ('succeeded', 'cancelled') THEN now() - i * interval '40 seconds' END, CASE WHEN s = 'succeeded' THEN '[]'::jsonb END, 1, 'digest',
	s, CASE WHEN s IN ('failed', 'cancelled') THEN 'job error ' || i % 2 END, i % 3, CASE WHEN s = 'failed' THEN now() - i / 4 * interval '5 minutes' END,
	CASE WHEN s = 'in-progress' THEN now() END, now() - i * interval '55 seconds', CASE WHEN s = 'pending' THEN now() - interval '1 day' END
FROM (SELECT i, (ARRAY['succeeded', 'failed', 'failed', 'pending', 'cancelled', 'in-progress', 'succeeded'])[1 + i % 7] AS s FROM generate_series(10, 20) AS i) AS j;
INSERT INTO offer_delivery (job_id, created_at, tries, delivered_at, error)
SELECT n(400 + i), now() - (i / 2) * interval '30 seconds', i % 3, CASE WHEN i % 4 = 0 THEN now() END, CASE WHEN i % 2 = 0 THEN 'receiver ' || i END FROM generate_series(10, 17) AS i;
INSERT INTO offer_action (tenant_id, user_id, job_id, kind, acted_by, reason, status, after, acted_at) SELECT t(i), n(700 + i), n(400 + i), 'requeue', 'jana', 'so ' || i, 'failed', '', now()
FROM generate_series(10, 13) AS i;
INSERT INTO offer_roster SELECT n(3 - i), date '2026-03-02', 'digest', 1, 9, '', now() FROM generate_series(1, 2) AS i;
INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, offered_at, expires_at, job_status, completed_at, due_at)
SELECT n(440 + i), n(1), date '2026-03-31' + i, 'UTC', n(712), now(), now(), 'cancelled', now(), NULL FROM generate_series(0, 2) AS i;
INSERT INTO offer_roster VALUES (n(1), date '2026-03-01', 'digest', 1, 9, '', now());
RESET session_replication_role;
