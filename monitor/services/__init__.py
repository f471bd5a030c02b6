"""What a person, or a pass, sets going from the dashboards."""
