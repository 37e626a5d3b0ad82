-- Players choose whether leaderboards show their names.

-- If not, they show the name of the hero.
ALTER TABLE players ADD COLUMN named_in_leaderboards boolean NOT NULL DEFAULT true;
