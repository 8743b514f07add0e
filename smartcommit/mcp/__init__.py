"""The MCP server: the planner and splits for any client of the Model Context Protocol."""
