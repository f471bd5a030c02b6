"""Measurements that compare the product with a floor in the same run: `make bench`, never part of the tests."""
