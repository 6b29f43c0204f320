-- +goose Up
-- What models said, committed before anybody looks into it. The same question
-- of the same tenant to the same model is answered from here.
CREATE TABLE model_answer (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id         uuid NOT NULL REFERENCES tenant (id) ON DELETE RESTRICT,
    model             text NOT NULL,
    question          bytea NOT NULL,              -- SHA-256 of the exact prompt and schema
    document_id       uuid NOT NULL,               -- who asked
    answer            text NOT NULL,               -- as it came
    prompt_tokens     integer NOT NULL,
    completion_tokens integer NOT NULL,
    asked_at          timestamptz NOT NULL DEFAULT now(),
    unusable          text NOT NULL DEFAULT '',    -- why it is for people only; empty if it is used
    replays           integer NOT NULL DEFAULT 0   -- how often it was used instead of asking again
);
CREATE UNIQUE INDEX model_answer_usable_idx ON model_answer (tenant_id, model, question) WHERE unusable = '';
CREATE INDEX model_answer_asked_idx ON model_answer (asked_at);

CREATE TABLE model_embedding (
    tenant_id  uuid NOT NULL REFERENCES tenant (id) ON DELETE RESTRICT,
    model      text NOT NULL,
    text_hash  bytea NOT NULL,                     -- SHA-256
    vector     bytea NOT NULL,                     -- 4 bytes a number, little endian
    tokens     double precision NOT NULL,          -- its share of what the call cost
    created_at timestamptz NOT NULL DEFAULT now(),
    replays    integer NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, model, text_hash)
);

-- What a model said about a pair, as part of which question.
ALTER TABLE match_pair
    ADD COLUMN asked     text NOT NULL DEFAULT '', -- what the pair looked like when it was asked about
    ADD COLUMN question  text NOT NULL DEFAULT '',
    ADD COLUMN answer    text NOT NULL DEFAULT '' CHECK (answer IN ('', 'none', 'low', 'medium', 'high')),
    ADD COLUMN reasoning text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE match_pair DROP COLUMN reasoning, DROP COLUMN answer, DROP COLUMN question, DROP COLUMN asked;
DROP TABLE model_embedding;
DROP TABLE model_answer;
