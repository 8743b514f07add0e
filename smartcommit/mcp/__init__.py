"""The MCP server: the planner for any client of the Model Context Protocol."""
