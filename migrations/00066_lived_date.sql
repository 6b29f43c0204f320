-- A date that is due stays the user's, even if the user leaves its calendar before the schedule has
-- looked, and then flies over it: it gets its set when the user arrives.

-- +goose Up
SET LOCAL lock_timeout = '2s';
ALTER TABLE offer_user ADD COLUMN IF NOT EXISTS lived date; -- the last date due where the user was, before the latest move
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION offer_user_state() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    old_date date;
    new_date date;
    hours    integer;
BEGIN
    IF TG_OP = 'INSERT' THEN
        new_date := (now() AT TIME ZONE NEW.timezone)::date;
        RETURN NEW;
    END IF;
    IF (NEW.active, NEW.profile, NEW.preferences, NEW.active_at)
        IS DISTINCT FROM (OLD.active, OLD.profile, OLD.preferences, OLD.active_at)
    THEN
        NEW.version := OLD.version + 1;
    END IF;
    IF NEW.active AND NOT OLD.active THEN
        NEW.through := NULL;
        NEW.lived := NULL;
    END IF;
    IF NEW.timezone <> OLD.timezone THEN
        new_date := (now() AT TIME ZONE NEW.timezone)::date;
        hours := coalesce((SELECT delivery_hour FROM offer_setting WHERE tenant_id = NEW.tenant_id), 9);
        BEGIN
            old_date := (now() AT TIME ZONE OLD.timezone)::date;
            NEW.lived := greatest(NEW.lived, (now() AT TIME ZONE OLD.timezone - make_interval(hours => hours))::date);
        EXCEPTION WHEN invalid_parameter_value THEN
            old_date := new_date; -- PostgreSQL does not know the zone any more
        END;
        NEW.flown := nullif(CASE WHEN new_date > old_date + 1
                THEN daterange(least(greatest(old_date, NEW.lived) + 1, new_date), new_date)
            ELSE OLD.flown * daterange(NULL, new_date) END, 'empty');
        -- The dates from here on are looked at again: a date that was flown over may be
        -- among them. A date that has its job keeps it.
        NEW.through := CASE WHEN NEW.through >= new_date THEN new_date - 1 ELSE NEW.through END;
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose Down
SET LOCAL lock_timeout = '2s';
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION offer_user_state() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    old_date date;
    new_date date;
BEGIN
    IF TG_OP = 'INSERT' THEN
        new_date := (now() AT TIME ZONE NEW.timezone)::date;
        RETURN NEW;
    END IF;
    IF (NEW.active, NEW.profile, NEW.preferences, NEW.active_at)
        IS DISTINCT FROM (OLD.active, OLD.profile, OLD.preferences, OLD.active_at)
    THEN
        NEW.version := OLD.version + 1;
    END IF;
    IF NEW.active AND NOT OLD.active THEN
        NEW.through := NULL;
    END IF;
    IF NEW.timezone <> OLD.timezone THEN
        new_date := (now() AT TIME ZONE NEW.timezone)::date;
        BEGIN
            old_date := (now() AT TIME ZONE OLD.timezone)::date;
        EXCEPTION WHEN invalid_parameter_value THEN
            old_date := new_date; -- PostgreSQL does not know the zone any more
        END;
        NEW.flown := CASE WHEN new_date > old_date + 1 THEN daterange(old_date + 1, new_date)
            ELSE nullif(OLD.flown * daterange(NULL, new_date), 'empty') END;
        -- The dates from here on are looked at again: a date that was flown over may be
        -- among them. A date that has its job keeps it.
        NEW.through := CASE WHEN NEW.through >= new_date THEN new_date - 1 ELSE NEW.through END;
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
ALTER TABLE offer_user DROP COLUMN lived;
