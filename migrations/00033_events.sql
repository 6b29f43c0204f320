-- Events for another program: each change of a match, each failure of a document and each
-- decision of a person is a row that is written in its transaction (lambda/INTEGRATE.md). Triggers write
-- them, so that no writer can forget it; without a row in event_receiver they write
-- nothing.

-- +goose Up
SET LOCAL lock_timeout = '5s';

-- One row: events are recorded, and kept until the receiver has accepted them.
CREATE TABLE IF NOT EXISTS event_receiver (
    one   boolean PRIMARY KEY DEFAULT true CHECK (one),
    since timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE IF NOT EXISTS event (
    id            uuid PRIMARY KEY DEFAULT gen_random_uuid(), -- the idempotency key
    sequence      bigint NOT NULL GENERATED ALWAYS AS IDENTITY, -- of the events of a document: the order of their commits
    tenant_id     uuid NOT NULL,
    kind          text NOT NULL,
    document_a_id uuid NOT NULL,                    -- no foreign keys: an event outlives its documents
    document_b_id uuid,                             -- NULL: about one document
    data          jsonb NOT NULL,
    created_at    timestamptz NOT NULL,
    tries         integer NOT NULL DEFAULT 0,
    due_at        timestamptz,                      -- NULL: at once
    claimed_until timestamptz,                      -- a sender has it
    refused_at    timestamptz,                      -- for the first time
    delivered_at  timestamptz,
    dead_at       timestamptz,                      -- given up
    error         text                              -- of the latest try
) WITH (fillfactor = 80);
CREATE INDEX IF NOT EXISTS event_waiting_idx ON event (sequence) WHERE delivered_at IS NULL AND dead_at IS NULL;
CREATE INDEX IF NOT EXISTS event_document_idx ON event (document_a_id) WHERE delivered_at IS NULL AND dead_at IS NULL;
CREATE INDEX IF NOT EXISTS event_delivered_idx ON event (delivered_at) WHERE delivered_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS event_dead_idx ON event (sequence) WHERE dead_at IS NOT NULL;

-- Without seqscan a plan that was made while a table was small serves when it is large.

-- +goose StatementBegin
-- What events show of a document's number: data is hostile, and a number may be long.
CREATE OR REPLACE FUNCTION event_number(data jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT left(data ->> 'number', 1000)
$$;

-- The columns of the view matchbook_match, without the tenant and the time.
CREATE OR REPLACE FUNCTION event_match(m document_match) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'document_a_id', m.document_a_id, 'type_a', a.type, 'number_a', event_number(a.structured_data),
        'document_b_id', m.document_b_id, 'type_b', b.type, 'number_b', event_number(b.structured_data),
        'score', m.score, 'confidence', m.confidence, 'decided_by', m.decided_by, 'reasoning', m.reasoning)
    FROM (SELECT) AS one
    LEFT JOIN document AS a ON a.id = m.document_a_id LEFT JOIN document AS b ON b.id = m.document_b_id
$$;

-- Locks documents until the commit, in id order as every transaction does, before the
-- sequence is drawn: of two events of a document the smaller sequence is committed first.
CREATE OR REPLACE FUNCTION event_lock(documents uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM document WHERE id = ANY (documents) ORDER BY id FOR NO KEY UPDATE;
END $$;

CREATE OR REPLACE FUNCTION document_match_event() RETURNS trigger LANGUAGE plpgsql
    SET enable_seqscan = off AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM event_receiver) THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'INSERT' THEN
        PERFORM event_lock(ARRAY(SELECT document_a_id FROM inserted UNION SELECT document_b_id FROM inserted));
        -- A match that this transaction has deleted before, as a verdict does, was not removed.
        WITH undone AS (
            DELETE FROM event AS e USING inserted AS i
            WHERE e.document_a_id = i.document_a_id AND e.document_b_id = i.document_b_id AND e.kind = 'match.removed'
                AND e.delivered_at IS NULL AND e.dead_at IS NULL AND e.xmin = pg_current_xact_id()::xid
            RETURNING e.document_a_id, e.document_b_id, e.data
        )
        INSERT INTO event (tenant_id, kind, document_a_id, document_b_id, data, created_at)
        SELECT m.tenant_id, CASE WHEN u.data IS NULL THEN 'match.created' ELSE 'match.changed' END,
            m.document_a_id, m.document_b_id, event_match(m), now()
        FROM inserted AS i
        JOIN document_match AS m ON m.document_a_id = i.document_a_id AND m.document_b_id = i.document_b_id
        LEFT JOIN undone AS u ON u.document_a_id = i.document_a_id AND u.document_b_id = i.document_b_id
        WHERE u.data IS DISTINCT FROM event_match(m)
        ORDER BY m.document_a_id, m.document_b_id;
    ELSIF TG_OP = 'UPDATE' THEN
        PERFORM event_lock(ARRAY(SELECT document_a_id FROM updated UNION SELECT document_b_id FROM updated));
        INSERT INTO event (tenant_id, kind, document_a_id, document_b_id, data, created_at)
        SELECT m.tenant_id, 'match.changed', m.document_a_id, m.document_b_id, event_match(m), now()
        FROM updated AS n
        JOIN before AS o ON o.document_a_id = n.document_a_id AND o.document_b_id = n.document_b_id
        JOIN document_match AS m ON m.document_a_id = n.document_a_id AND m.document_b_id = n.document_b_id
        WHERE (n.score, n.confidence, n.decided_by, n.reasoning)
            IS DISTINCT FROM (o.score, o.confidence, o.decided_by, o.reasoning)
        ORDER BY m.document_a_id, m.document_b_id;
    ELSE
        PERFORM event_lock(ARRAY(SELECT document_a_id FROM deleted UNION SELECT document_b_id FROM deleted));
        INSERT INTO event (tenant_id, kind, document_a_id, document_b_id, data, created_at)
        SELECT d.tenant_id, 'match.removed', d.document_a_id, d.document_b_id,
            event_match(jsonb_populate_record(NULL::document_match, to_jsonb(d))), now()
        FROM deleted AS d
        ORDER BY d.document_a_id, d.document_b_id;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION decision_event() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM event_receiver) THEN
        RETURN NULL;
    END IF;
    PERFORM event_lock(ARRAY(SELECT document_a_id FROM inserted UNION SELECT document_b_id FROM inserted));
    INSERT INTO event (tenant_id, kind, document_a_id, document_b_id, data, created_at)
    SELECT tenant_id, 'decision.made', document_a_id, document_b_id, jsonb_build_object(
        'document_a_id', document_a_id, 'document_b_id', document_b_id, 'verdict', verdict, 'decided_by', decided_by,
        'origin', origin, 'note', note, 'decided_at', decided_at), now()
    FROM inserted ORDER BY id;
    RETURN NULL;
END $$;

-- A failure, and a type or number that the matches of a document show. Its row is
-- locked, which is enough for the order of the events of each pair.
CREATE OR REPLACE FUNCTION document_event() RETURNS trigger LANGUAGE plpgsql
    SET enable_seqscan = off AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM event_receiver) THEN
        RETURN NULL;
    END IF;
    IF TG_ARGV[0] = 'failed' THEN
        INSERT INTO event (tenant_id, kind, document_a_id, data, created_at)
        VALUES (NEW.tenant_id, 'document.failed', NEW.id, jsonb_build_object(
            'document_id', NEW.id, 'type', NEW.type, 'number', event_number(NEW.structured_data),
            'attempts', NEW.matching_attempts, 'error', NEW.matching_error, 'failed_at', NEW.matching_failed_at), now());
        RETURN NULL;
    END IF;
    INSERT INTO event (tenant_id, kind, document_a_id, document_b_id, data, created_at)
    SELECT m.tenant_id, 'match.changed', m.document_a_id, m.document_b_id, event_match(m), now()
    FROM document_match AS m
    WHERE m.document_a_id = NEW.id OR m.document_b_id = NEW.id
    ORDER BY m.document_a_id, m.document_b_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE OR REPLACE TRIGGER document_match_inserted AFTER INSERT ON document_match
    REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION document_match_event();
CREATE OR REPLACE TRIGGER document_match_updated AFTER UPDATE ON document_match
    REFERENCING OLD TABLE AS before NEW TABLE AS updated FOR EACH STATEMENT EXECUTE FUNCTION document_match_event();
CREATE OR REPLACE TRIGGER document_match_deleted AFTER DELETE ON document_match
    REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION document_match_event();
CREATE OR REPLACE TRIGGER decision_inserted AFTER INSERT ON decision
    REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION decision_event();
-- By row, and with conditions: documents are updated all the time, and seldom so.
CREATE OR REPLACE TRIGGER document_failed AFTER UPDATE OF matching_status ON document FOR EACH ROW
    WHEN (NEW.matching_status = 'failed' AND OLD.matching_status IS DISTINCT FROM 'failed')
    EXECUTE FUNCTION document_event('failed');
CREATE OR REPLACE TRIGGER document_shown AFTER UPDATE OF type, structured_data ON document FOR EACH ROW
    WHEN (NEW.type IS DISTINCT FROM OLD.type
        OR NEW.structured_data -> 'number' IS DISTINCT FROM OLD.structured_data -> 'number')
    EXECUTE FUNCTION document_event('shown');

-- +goose Down
DROP TRIGGER document_shown ON document;
DROP TRIGGER document_failed ON document;
DROP TRIGGER decision_inserted ON decision;
DROP TRIGGER document_match_deleted ON document_match;
DROP TRIGGER document_match_updated ON document_match;
DROP TRIGGER document_match_inserted ON document_match;
DROP FUNCTION document_event();
DROP FUNCTION decision_event();
DROP FUNCTION document_match_event();
DROP FUNCTION event_lock(uuid[]);
DROP FUNCTION event_match(document_match);
DROP FUNCTION event_number(jsonb);
DROP TABLE event;
DROP TABLE event_receiver;
