"""What Events mean for the work items of pull requests: read only, the engine applies what comes back."""
