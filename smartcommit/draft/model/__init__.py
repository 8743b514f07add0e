"""The drafter with a model: makes a prompt, runs the loop, and reads and checks what is answered."""
