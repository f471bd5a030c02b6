"""REST endpoints over what the dashboards know."""
