-- Gives every machine of a Citus cluster a copy of what is looked up by a recovery code, or by the key of a registration.

-- Both are written with a player's tokens, of which every machine has a copy, too, and seldom otherwise.
SELECT create_reference_table('recovery_codes');
SELECT create_reference_table('registrations');
