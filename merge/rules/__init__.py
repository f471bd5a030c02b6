"""May this be merged? One file for each rule, each a pure function over a snapshot; `order` is the walk."""
