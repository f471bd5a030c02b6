"""Who may do what over the REST API: tokens, roles, and the rules file for tokens of other issuers."""
