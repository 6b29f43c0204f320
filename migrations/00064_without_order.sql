-- +goose NO TRANSACTION
-- Invoices without an order and a receipt get a row of three_way_match, so that people can settle
-- them as well. Every statement may be run again.

-- +goose Up
SET lock_timeout = '2s';
-- What waits for a decision, the oldest first.
DROP INDEX CONCURRENTLY IF EXISTS three_way_match_open_idx;
CREATE INDEX CONCURRENTLY three_way_match_open_idx ON three_way_match (tenant_id, created_at) WHERE state = 'open'
    AND verdict NOT IN ('matched', 'service', 'price-unit-assumed', 'order-in-gross', 'substitute-article');
RESET lock_timeout;

-- The invoices of before, a thousand documents at a time. What another transaction has compared
-- meanwhile stays.
-- +goose StatementBegin
DO $$
DECLARE
    next uuid := '00000000-0000-0000-0000-000000000000';
    last uuid;
BEGIN
    LOOP
        SELECT id INTO last FROM (SELECT id FROM document WHERE id > next ORDER BY id LIMIT 1000) AS few ORDER BY id DESC LIMIT 1;
        EXIT WHEN NOT FOUND;
        INSERT INTO three_way_match (document_id, tenant_id, verdict, words, lines, orders, receipts, tolerance, unknown_units, created_at)
        SELECT id, tenant_id, 'without-order', 'No order and no receipt is matched with it.', '[]', '[]', '[]',
            '{"services": [], "needs_receipt": true, "price_percent": "2", "total_percent": "2", "charge_percent": "0", "price_absolute": "0.01",
              "total_absolute": "0.01", "charge_absolute": "0", "measured_percent": "5", "quantity_percent": "0", "quantity_absolute": "0"}', '{}', now()
        FROM document WHERE id > next AND id <= last AND type = 'invoice' AND matching_status = 'succeeded' AND structured_data <> '{}'
        ON CONFLICT DO NOTHING;
        COMMIT;
        next := last;
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS three_way_match_open_idx;
DELETE FROM three_way_match WHERE verdict = 'without-order';
