-- The sessions of people who are logged in at the deployed console. Deleting rows
-- logs people out at once. Rows that have ended are deleted by the next login.

-- +goose Up
CREATE TABLE IF NOT EXISTS console_session (
    id         bytea PRIMARY KEY,     -- the SHA-256 of the id in the browser's cookie
    person     jsonb NOT NULL,        -- id, name and roles, as they were at the login
    started_at timestamptz NOT NULL,
    used_at    timestamptz NOT NULL,  -- by the last request
    ends_at    timestamptz NOT NULL,
    CHECK (octet_length(id) = 32)
);

-- +goose Down
DROP TABLE console_session;
