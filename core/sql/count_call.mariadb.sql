-- One more call of a caller in a minute; a new minute begins at 1. MariaDB assigns from left to right: Used looks at
-- the minute before it is moved.
INSERT INTO api_rates (Caller, Minute, Used) VALUES (%s, %s, 1)
ON DUPLICATE KEY UPDATE Used = IF(Minute = VALUES(Minute), Used + 1, 1), Minute = VALUES(Minute)
RETURNING Used
