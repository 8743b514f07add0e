"""A model that investigates through tools until it makes the call that ends the work."""
