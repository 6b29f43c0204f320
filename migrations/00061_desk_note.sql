-- What people say to each other about a document: comments, and who is to look at it.

-- +goose Up
SET LOCAL lock_timeout = '2s';
-- Rows are only added. An assignment holds until the next one; an empty text takes it away.
CREATE TABLE IF NOT EXISTS desk_note (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    form        uuid NOT NULL UNIQUE,      -- of the form, so that it acts once
    tenant_id   uuid NOT NULL,
    document_id uuid NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('comment', 'assign')),
    text        text NOT NULL,             -- the comment, or the assignee
    written_by  text NOT NULL,             -- the person
    written_at  timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (tenant_id, document_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS desk_note_document_idx ON desk_note (document_id, id);

-- The latest assignment of each document that has one.
CREATE TABLE IF NOT EXISTS desk_assignment (
    document_id uuid PRIMARY KEY,
    tenant_id   uuid NOT NULL,
    assignee    text COLLATE "C" NOT NULL,
    FOREIGN KEY (tenant_id, document_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS desk_assignment_assignee_idx ON desk_assignment (tenant_id, assignee);

-- +goose Down
DROP TABLE desk_assignment;
DROP TABLE desk_note;
