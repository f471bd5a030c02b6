-- One more call of a caller in a minute; a new minute begins at 1.
INSERT INTO api_rates (Caller, Minute, Used) VALUES (%s, %s, 1)
ON CONFLICT (Caller) DO UPDATE SET Used = CASE WHEN Minute = excluded.Minute THEN Used + 1 ELSE 1 END,
    Minute = excluded.Minute
RETURNING Used
