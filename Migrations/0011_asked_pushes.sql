-- What came of the last push that an operator asked for, by activity: `rangersctl push test --activity` shows it.
--
-- Apart from `activity_decisions`, whose rows are rewritten often and stay small that way. No foreign key, for the same
-- reason as there. Nothing in it is personal or secret: heroes go by their names in the catalogue, tokens by some digits.
CREATE TABLE asked_pushes (
    shard smallint NOT NULL,
    adventure_id uuid NOT NULL,
    activity_id uuid NOT NULL,
    -- Of the entry of the log that asked for it.
    position bigint NOT NULL,
    -- Request and answer, as the dispatcher tells them: a JSON object.
    report text NOT NULL,
    CONSTRAINT asked_pushes_pkey PRIMARY KEY (shard, adventure_id, activity_id),
    CONSTRAINT asked_pushes_shard_check CHECK (shard = get_byte(uuid_send(adventure_id), 15))
);
