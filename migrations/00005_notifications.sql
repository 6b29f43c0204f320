-- +goose Up
-- The outbox: a row is written in the transaction that sets 'failed'.
CREATE TABLE notification (
    id          uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id   uuid NOT NULL,
    document_id uuid NOT NULL,
    kind        text NOT NULL,
    attempt     integer NOT NULL,
    payload     jsonb NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    UNIQUE (document_id, kind, attempt),
    FOREIGN KEY (tenant_id, document_id) REFERENCES document (tenant_id, id) ON DELETE RESTRICT
);

-- One row per channel; a sender claims it until claimed_until.
CREATE TABLE notification_delivery (
    notification_id uuid NOT NULL REFERENCES notification (id) ON DELETE CASCADE,
    channel         text NOT NULL,
    status          text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'sent', 'digested')),
    tries           integer NOT NULL DEFAULT 0,
    claimed_until   timestamptz,
    sent_at         timestamptz,
    PRIMARY KEY (notification_id, channel)
);

-- +goose Down
DROP TABLE notification_delivery;
DROP TABLE notification;
