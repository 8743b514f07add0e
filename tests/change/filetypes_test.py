"""What a path says about its file."""

from __future__ import annotations

import pytest

from smartcommit.change.filetypes import classify_path, is_comment

KINDS = {
    "source": ["a.py", "src/main.rs", "cmd/tool.go", "lib/x.unknown", "src/query.scm", "testament.py", "bin/tool"],
    "tests": [
        "tests/a.py", "src/a_test.go", "src/a.test.ts", "a.spec.js", "test_a.py", "conftest.py", "e2e/x.md",
        "FooTest.java", "__tests__/a.ts", "a/testdata/b.golden", "spec/a_spec.rb", "tests/README.md",
    ],
    "documentation": ["README.md", "docs/conf.py", "LICENSE", "CHANGELOG", "a.rst", "man/tool.1", "website/src/a.tsx"],
    "ci": [".github/workflows/ci.yml", ".gitlab-ci.yml", "Jenkinsfile", ".github/dependabot.yml"],
    "lock": ["Cargo.lock", "package-lock.json", "sub/yarn.lock", "go.sum", "flake.lock", "pnpm-lock.yaml"],
    "manifest": ["package.json", "Cargo.toml", "pyproject.toml", "go.mod", "requirements-dev.txt", "a/pom.xml"],
    "build": ["Makefile", "CMakeLists.txt", "Dockerfile", "docker/Dockerfile.ci", "setup.py", "tsconfig.json"],
    "configuration": [".gitignore", "config/app.toml", "a.yaml", ".github/CODEOWNERS", ".github/ISSUE_TEMPLATE/bug.md"],
    "generated": ["vendor/x/a.go", "app.min.js", "api.pb.go", "x_pb2.py", "node_modules/a/index.js"],
    "asset": ["logo.png", "fonts/a.woff2"],
}  # fmt: skip


@pytest.mark.parametrize(("path", "kind"), [(path, kind) for kind, paths in KINDS.items() for path in paths])
def test_a_path_has_its_kind(path: str, kind: str) -> None:
    assert classify_path(path.encode()) == kind


@pytest.mark.parametrize("path", [b"", b"/", b"\xff\xfe", b"a\nb", b"." * 300, b"a/" * 2000 + b"b"])
def test_any_bytes_have_some_kind(path: bytes) -> None:
    assert classify_path(path) in KINDS


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        (b"  # x", "a.py", True),
        (b"// x", "a.rs", True),
        (b" * x", "a.java", True),
        (b"*x = 1;", "a.c", False),
        (b"#include <a>", "a.c", False),
        (b"-- x", "a.sql", True),
        (b"", "a.py", True),
        (b"# x", "a.unknown", False),
        (b"x = 1  # y", "a.py", False),
    ],
)
def test_a_comment_is_told_by_the_language(line: bytes, name: str, expected: bool) -> None:
    assert is_comment(line, name) is expected
