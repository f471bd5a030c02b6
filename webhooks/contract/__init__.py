"""The table contract, checked: `columns.mariadb.txt` says what the live tables must be (docs/decisions/0007).

names         which tables and views it is about (others in the same database are nobody's business here)
description   the words of the description, its text form and back (pure)
live          the description of the tables as they are
differences   two descriptions compared: sentences, and the SQL that mends them (pure)
"""
