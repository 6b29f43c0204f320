-- +goose Up
CREATE TABLE document_match (
    tenant_id     uuid NOT NULL,
    document_a_id uuid NOT NULL,
    document_b_id uuid NOT NULL,
    score         double precision NOT NULL CHECK (score BETWEEN 0 AND 1),
    confidence    text NOT NULL CHECK (confidence IN ('high', 'medium')),
    decided_by    text NOT NULL CHECK (decided_by IN ('rules', 'model', 'person')),
    reasoning     text NOT NULL,
    evidence      jsonb NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (document_a_id, document_b_id),
    CHECK (document_a_id < document_b_id),
    FOREIGN KEY (tenant_id, document_a_id) REFERENCES document (tenant_id, id) ON DELETE RESTRICT,
    FOREIGN KEY (tenant_id, document_b_id) REFERENCES document (tenant_id, id) ON DELETE RESTRICT
);
CREATE INDEX document_match_b_idx ON document_match (document_b_id);

-- What was considered and not taken, for people.
CREATE TABLE match_suggestion (
    tenant_id     uuid NOT NULL,
    document_a_id uuid NOT NULL,
    document_b_id uuid NOT NULL,
    score         double precision NOT NULL CHECK (score BETWEEN 0 AND 1),
    decided_by    text NOT NULL CHECK (decided_by IN ('rules', 'model', 'person')),
    reasoning     text NOT NULL,
    evidence      jsonb NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (document_a_id, document_b_id),
    CHECK (document_a_id < document_b_id),
    FOREIGN KEY (tenant_id, document_a_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, document_b_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX match_suggestion_b_idx ON match_suggestion (document_b_id);

-- +goose Down
DROP TABLE match_suggestion;
DROP TABLE document_match;
