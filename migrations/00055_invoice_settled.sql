-- +goose NO TRANSACTION
-- What people settle about invoices with a three-way match: approved, on hold, disputed. Every
-- statement may be run again.

-- +goose Up
SET lock_timeout = '2s';
-- Rows are only added. The last one of an invoice is its state, and a change of its facts adds a reopen.
CREATE TABLE IF NOT EXISTS invoice_action (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    form        uuid UNIQUE,                -- of the form, so that it acts once; NULL: a command or a trigger
    tenant_id   uuid NOT NULL,
    document_id uuid NOT NULL,
    action      text NOT NULL CHECK (action IN ('approve', 'hold', 'dispute', 'withdraw', 'reopen')),
    reason      text NOT NULL,
    facts       text NOT NULL,              -- invoice_facts at that time; empty: reopened
    acted_by    text NOT NULL,              -- the person; of a reopen empty
    origin      text NOT NULL CHECK (origin IN ('command', 'console', 'match')),
    acted_at    timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (tenant_id, document_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS invoice_action_document_idx ON invoice_action (document_id, id);

ALTER TABLE three_way_match
    ADD COLUMN IF NOT EXISTS state text NOT NULL DEFAULT 'open', -- or reopened, approved, on-hold, disputed
    ADD COLUMN IF NOT EXISTS state_at timestamptz;               -- since; NULL: open from the beginning
DROP INDEX CONCURRENTLY IF EXISTS three_way_match_list_idx;
CREATE INDEX CONCURRENTLY three_way_match_list_idx ON three_way_match (tenant_id, state, verdict, created_at DESC, document_id DESC);
DROP INDEX CONCURRENTLY IF EXISTS three_way_match_waiting_idx;
CREATE INDEX CONCURRENTLY three_way_match_waiting_idx ON three_way_match (tenant_id, state_at)
    WHERE state IN ('reopened', 'on-hold', 'disputed');

-- +goose StatementBegin
-- What an approval is about: what is to be paid to whom, and what differs from the order. A line
-- that agrees counts by what the invoice says, so that a later delivery reopens nothing; any
-- other one with all its numbers. Texts don't count.
CREATE OR REPLACE FUNCTION invoice_facts(t three_way_match) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT md5(jsonb_build_array(t.verdict, d.structured_data -> 'number', d.structured_data -> 'total', d.structured_data -> 'currency',
        d.structured_data #> '{supplier,iban}', d.structured_data #> '{supplier,vat_id}',
        (SELECT jsonb_agg(CASE WHEN line ->> 'verdict' IN ('matched', 'service', 'price-unit-assumed', 'order-in-gross', 'substitute-article')
            THEN jsonb_build_array(line -> 'line', line -> 'verdict', line -> 'billed', line -> 'price', line -> 'order')
            ELSE line - 'words' - 'item' END ORDER BY n) FROM jsonb_path_query(t.lines, '$[*]') WITH ORDINALITY AS l (line, n)),
        (SELECT jsonb_agg(jsonb_build_array(o -> 'document', o -> 'over_billed') ORDER BY o ->> 'document') FROM jsonb_path_query(t.orders, '$[*]') AS o)
    )::text) FROM document AS d WHERE d.id = t.document_id
$$;

CREATE OR REPLACE FUNCTION invoice_reopen() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    last invoice_action;
BEGIN
    SELECT * INTO last FROM invoice_action WHERE document_id = coalesce(NEW.document_id, OLD.document_id) ORDER BY id DESC LIMIT 1;
    IF TG_OP = 'INSERT' THEN
        IF FOUND AND last.action <> 'withdraw' THEN
            NEW.state := 'reopened';
            NEW.state_at := last.acted_at;
        END IF;
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' AND last.facts = invoice_facts(NEW) THEN -- also of the action that sets another state
        RETURN NEW;
    END IF;
    -- Nothing is added for a document that is being deleted.
    INSERT INTO invoice_action (tenant_id, document_id, action, reason, facts, acted_by, origin)
    SELECT OLD.tenant_id, OLD.document_id, 'reopen', format('it was %s, and now %s', replace(OLD.state, '-', ' '),
            CASE WHEN TG_OP = 'DELETE' THEN 'is matched with no order or receipt'
                WHEN NEW.verdict = OLD.verdict THEN 'other values are compared'
                ELSE 'its three-way match is ' || replace(NEW.verdict, '-', ' ') END), '', '', 'match'
    FROM document WHERE id = OLD.document_id;
    IF TG_OP = 'UPDATE' THEN
        NEW.state := 'reopened';
        NEW.state_at := now();
    END IF;
    RETURN NEW;
END $$;

-- The facts have values of the document, which may change without a match turn. A role that may
-- only write documents needs no right to this table.
CREATE OR REPLACE FUNCTION invoice_document() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
    SET enable_seqscan = off AS $$
BEGIN
    UPDATE three_way_match SET state = state WHERE document_id = NEW.id AND state IN ('approved', 'on-hold', 'disputed');
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION invoice_event() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM event_receiver) THEN
        RETURN NULL;
    END IF;
    PERFORM event_lock(ARRAY(SELECT document_id FROM inserted));
    INSERT INTO event (tenant_id, kind, document_a_id, data, created_at)
    SELECT i.tenant_id, CASE WHEN action IN ('withdraw', 'reopen') THEN 'invoice.reopened' ELSE 'invoice.settled' END, document_id,
        jsonb_build_object('document_id', document_id, 'number', event_number(d.structured_data),
            'total', left(d.structured_data ->> 'total', 100), 'currency', left(d.structured_data ->> 'currency', 100),
            'state', CASE action WHEN 'approve' THEN 'approved' WHEN 'hold' THEN 'on-hold' WHEN 'dispute' THEN 'disputed' ELSE 'open' END,
            'reason', reason, 'acted_by', acted_by, 'origin', origin, 'acted_at', acted_at), now()
    FROM inserted AS i JOIN document AS d ON d.id = i.document_id ORDER BY i.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE OR REPLACE TRIGGER invoice_restored BEFORE INSERT ON three_way_match FOR EACH ROW EXECUTE FUNCTION invoice_reopen();
CREATE OR REPLACE TRIGGER invoice_reopened BEFORE UPDATE ON three_way_match FOR EACH ROW
    WHEN (OLD.state IN ('approved', 'on-hold', 'disputed')) EXECUTE FUNCTION invoice_reopen();
CREATE OR REPLACE TRIGGER invoice_unmatched AFTER DELETE ON three_way_match FOR EACH ROW
    WHEN (OLD.state IN ('approved', 'on-hold', 'disputed')) EXECUTE FUNCTION invoice_reopen();
CREATE OR REPLACE TRIGGER invoice_corrected AFTER UPDATE OF structured_data ON document FOR EACH ROW
    WHEN (NEW.type = 'invoice' AND (NEW.structured_data -> 'number' IS DISTINCT FROM OLD.structured_data -> 'number'
        OR NEW.structured_data -> 'total' IS DISTINCT FROM OLD.structured_data -> 'total'
        OR NEW.structured_data -> 'currency' IS DISTINCT FROM OLD.structured_data -> 'currency'
        OR NEW.structured_data #> '{supplier,iban}' IS DISTINCT FROM OLD.structured_data #> '{supplier,iban}'
        OR NEW.structured_data #> '{supplier,vat_id}' IS DISTINCT FROM OLD.structured_data #> '{supplier,vat_id}'))
    EXECUTE FUNCTION invoice_document();
CREATE OR REPLACE TRIGGER invoice_action_inserted AFTER INSERT ON invoice_action
    REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION invoice_event();

-- +goose Down
SET lock_timeout = '2s';
DROP TRIGGER IF EXISTS invoice_corrected ON document;
DROP TRIGGER IF EXISTS invoice_unmatched ON three_way_match;
DROP TRIGGER IF EXISTS invoice_reopened ON three_way_match;
DROP TRIGGER IF EXISTS invoice_restored ON three_way_match;
DROP TABLE IF EXISTS invoice_action;
DROP FUNCTION IF EXISTS invoice_event();
DROP FUNCTION IF EXISTS invoice_document();
DROP FUNCTION IF EXISTS invoice_reopen();
DROP FUNCTION IF EXISTS invoice_facts(three_way_match);
DROP INDEX CONCURRENTLY IF EXISTS three_way_match_waiting_idx;
DROP INDEX CONCURRENTLY IF EXISTS three_way_match_list_idx;
ALTER TABLE three_way_match DROP COLUMN IF EXISTS state_at, DROP COLUMN IF EXISTS state;
