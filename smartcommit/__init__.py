"""smartcommit: git hooks that draft, check and split commits.

Python programs find here, loaded when they are first used: `check_message`, `draft_message` and `plan_split`;
`Planner`, the plan in the description of jj's change; and `LLMClient`, `agentic_loop` and `tool` to ask a model.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.agent.loop import agentic_loop
    from smartcommit.agent.tool import tool
    from smartcommit.jj.tools import Planner
    from smartcommit.library import check_message, draft_message, plan_split
    from smartcommit.llm.client import LLMClient

__all__ = ["LLMClient", "Planner", "agentic_loop", "check_message", "draft_message", "plan_split", "tool"]
__version__ = "0.1.0"
HOME = "https://github.com/smartcommit/smartcommit"
# The documentation that hints link to, since it is not installed.
DOCS = f"{HOME}/blob/main/docs"
# The hooks import this package, and none of these.
_HOMES = {
    "check_message": "smartcommit.library",
    "draft_message": "smartcommit.library",
    "plan_split": "smartcommit.library",
    "Planner": "smartcommit.jj.tools",
    "LLMClient": "smartcommit.llm.client",
    "agentic_loop": "smartcommit.agent.loop",
    "tool": "smartcommit.agent.tool",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'smartcommit' has no attribute '{name}'")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
