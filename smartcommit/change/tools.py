"""Recognizes the tools of a project by the files that configure them."""

from __future__ import annotations

from smartcommit.change import filetypes
from smartcommit.change.filetypes import classify_path

# The tools for each purpose, by the names of their files up to the first dot.
_TOOLS = {
    "tests": {
        "ava": "AVA", "cypress": "Cypress", "jasmine": "Jasmine", "jest": "Jest", "karma": "Karma", "mocharc": "Mocha",
        "playwright": "Playwright", "protractor": "Protractor", "vitest": "Vitest",
    },
    "style": {
        "biome": "Biome", "dprint": "dprint", "eslint": "ESLint", "eslintrc": "ESLint", "flake8": "Flake8",
        "jshintrc": "JSHint", "oxlintrc": "Oxlint", "prettier": "Prettier", "prettierrc": "Prettier",
        "pylintrc": "Pylint", "ruff": "Ruff", "tslint": "TSLint",
    },
    "bundles": {
        "esbuild": "esbuild", "gruntfile": "Grunt", "gulpfile": "gulp", "parcelrc": "Parcel", "rolldown": "Rolldown",
        "rollup": "Rollup", "rspack": "Rspack", "tsdown": "tsdown", "tsup": "tsup", "vite": "Vite",
        "webpack": "webpack",
    },
    "ci": {
        "appveyor": "AppVeyor", "azure-pipelines": "Azure Pipelines", "cirrus": "Cirrus CI", "drone": "Drone",
        "gitlab-ci": "GitLab CI", "jenkinsfile": "Jenkins", "travis": "Travis CI", "woodpecker": "Woodpecker",
        ".circleci": "CircleCI", ".github": "GitHub Actions",
    },
    "packages": {
        "bun": "Bun", "package-lock": "npm", "pdm": "PDM", "pipfile": "Pipenv", "pnpm-lock": "pnpm", "poetry": "Poetry",
        "uv": "uv", "yarn": "Yarn",
    },
    "tasks": {"justfile": "just", "makefile": "Make", "noxfile": "Nox", "taskfile": "Task", "tox": "tox"},
    "updates": {"dependabot": "Dependabot", "renovate": "Renovate"},
    "hooks": {"lefthook": "Lefthook", "pre-commit-config": "pre-commit"},
    "workspaces": {"lerna": "Lerna", "nx": "Nx", "turbo": "Turborepo"},
    "documentation": {"docusaurus": "Docusaurus", "mkdocs": "MkDocs", "vitepress": "VitePress", "vuepress": "VuePress"},
}  # fmt: skip
# Suffixes of files that are configuration. With another suffix, the rest of the name has to show it.
_SUFFIXES = {"", "cfg", "ini", "json", "json5", "jsonc", "lock", "lockb", "toml", "yaml", "yml"}


def find_tool(path: bytes) -> tuple[str, str] | None:
    """Return the purpose and the name of the tool that the file at `path` configures, or None."""
    folder, _, name = path.decode("utf-8", "replace").lower().rpartition("/")
    key, _, suffixes = name.lstrip(".").partition(".")
    top = folder.partition("/")[0]
    if classify_path(path) == filetypes.CI and top in _TOOLS["ci"] and key not in _TOOLS["updates"]:
        key = top
    elif suffixes not in _SUFFIXES and not suffixes.startswith("conf") and not key.endswith(("rc", "file")):
        return None
    for purpose, tools in _TOOLS.items():
        if key in tools:
            return purpose, tools[key]
    return None
