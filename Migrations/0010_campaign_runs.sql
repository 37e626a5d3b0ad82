-- A step of a campaign whose answer was lost is answered again as it was.

-- Whoever waits for the table's lock keeps everybody behind it waiting: better to fail, and to be tried again.
SET LOCAL lock_timeout = '5s';

-- In which run of the campaign the fight was begun, as the operator's program names it; null for one that named none.
ALTER TABLE campaign_fights ADD COLUMN run uuid;
