-- Gives every machine of a Citus cluster a copy of what is looked up by an Apple account.

-- Written when a player links an account or signs in with it, together with the player's tokens, which are copied, too.
SELECT create_reference_table('apple_accounts');
