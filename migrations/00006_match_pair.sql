-- +goose Up
-- What two documents say about each other, whoever else there is. Matches and
-- suggestions are decided from these rows and from nothing else.
CREATE TABLE match_pair (
    tenant_id     uuid NOT NULL,
    document_a_id uuid NOT NULL,
    document_b_id uuid NOT NULL,
    type_a        document_type NOT NULL,
    type_b        document_type NOT NULL,
    points        integer NOT NULL,          -- of 100, without competition
    units_a       double precision NOT NULL, -- how many units the documents have, 0 when not comparable
    units_b       double precision NOT NULL,
    units_common  double precision NOT NULL,
    evidence      jsonb NOT NULL,
    veto          text NOT NULL,             -- why it is out of the question; empty if it is not
    verdict       text NOT NULL DEFAULT '' CHECK (verdict IN ('', 'confirmed', 'rejected')), -- a person's
    PRIMARY KEY (document_a_id, document_b_id),
    CHECK (document_a_id < document_b_id),
    FOREIGN KEY (tenant_id, document_a_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, document_b_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX match_pair_b_idx ON match_pair (document_b_id);

-- +goose Down
DROP TABLE match_pair;
