"""Tool-calling loop: a model investigates with tools until it calls the terminal tool."""
