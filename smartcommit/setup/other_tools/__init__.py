"""What the configuration of other tools demands of messages: read as data, never run."""
