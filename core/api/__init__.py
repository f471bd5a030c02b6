"""What every endpoint of the REST API is made of, and the endpoints of passes, workers and tokens."""
