-- What users answered to offers, and a tenant's settings for its offers.

-- +goose Up
-- A user's latest answer of each kind about another one. Delete a row to take it back.
CREATE TABLE IF NOT EXISTS offer_feedback (
    tenant_id    uuid NOT NULL,
    user_id      uuid NOT NULL,                     -- who answered
    candidate_id uuid NOT NULL,                     -- about whom
    answer       text NOT NULL CHECK (answer IN ('accepted', 'declined', 'met', 'blocked', 'reported')),
    at           timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, user_id, candidate_id, answer),
    FOREIGN KEY (tenant_id, user_id) REFERENCES offer_user (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, candidate_id) REFERENCES offer_user (tenant_id, id) ON DELETE CASCADE,
    CHECK (user_id <> candidate_id)
);
CREATE INDEX IF NOT EXISTS offer_feedback_candidate_idx ON offer_feedback (tenant_id, candidate_id);

-- A tenant without a row has the defaults.
CREATE TABLE IF NOT EXISTS offer_setting (
    tenant_id     uuid PRIMARY KEY REFERENCES tenant (id) ON DELETE CASCADE,
    minimum_age   integer NOT NULL DEFAULT 0 CHECK (minimum_age BETWEEN 0 AND 150),   -- 0: any age
    exposure      integer NOT NULL DEFAULT 30 CHECK (exposure BETWEEN 1 AND 1000),    -- of a candidate on a date
    set_size      integer NOT NULL DEFAULT 10 CHECK (set_size BETWEEN 1 AND 100),
    rest_days     integer NOT NULL DEFAULT 90 CHECK (rest_days BETWEEN 0 AND 3650),   -- of a pair after an answer
    stale_days    integer NOT NULL DEFAULT 0 CHECK (stale_days BETWEEN 0 AND 3650),   -- without being seen; 0: any
    delivery_hour integer NOT NULL DEFAULT 9 CHECK (delivery_hour BETWEEN 0 AND 23),
    skip_weekends boolean NOT NULL DEFAULT false,
    holidays      date[] NOT NULL DEFAULT '{}' CHECK (cardinality(holidays) <= 1000)
);

-- +goose Down
DROP TABLE offer_setting;
DROP TABLE offer_feedback;
