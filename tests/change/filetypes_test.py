"""What a path says about its file."""

from smartcommit.change.filetypes import (
    classify_diff,
    classify_file,
    classify_path,
    find_translated,
    is_changelog,
    is_changelog_fragment,
)
from smartcommit.change.languages import read_language
from smartcommit.git.diff import Hunk
from tests.support.changes import make_diff, make_hunk
from tests.support.table import rows

KINDS = {
    "source": ["a.py", "src/main.rs", "cmd/tool.go", "lib/x.unknown", "src/query.scm", "testament.py", "bin/tool",
        "src/spec/a.rs", "src/history.go", "email_verified.go", "crates/doc/src/render.rs",
        "a/src/documentation/a.vue"],
    "tests": [
        "tests/a.py", "src/a_test.go", "src/a.test.ts", "a.spec.js", "test_a.py", "conftest.py", "e2e/x.md",
        "FooTest.java", "__tests__/a.ts", "a/testdata/b.golden", "spec/a_spec.rb", "tests/README.md",
        "src/page.approved.json", "a/expected_output.txt", "b.verified.txt", "cypress/a.js", "lib/testutil/a.go",
    ],
    "documentation": ["README.md", "docs/conf.py", "LICENSE", "CHANGELOG", "a.rst", "man/tool.1", "website/src/a.tsx",
        "LICENSE.txt", "docs/a.txt", "doc/src/a.py", "website/doc/src/a.tsx",
        "website/src/docs/a.tsx", "a/src/docs/a.md"],
    "ci": [".github/workflows/ci.yml", ".gitlab-ci.yml", "Jenkinsfile", ".github/dependabot.yml"],
    "lock": ["Cargo.lock", "package-lock.json", "sub/yarn.lock", "go.sum", "flake.lock", "pnpm-lock.yaml"],
    "manifest": ["package.json", "Cargo.toml", "go.mod", "requirements-dev.txt", "constraints.txt", "a/pom.xml"],
    "build": ["Makefile", "CMakeLists.txt", "Dockerfile", "docker/Dockerfile.ci", "setup.py", "tsconfig.json"],
    "configuration": [
        ".gitignore", "config/app.toml", "a.yaml", ".github/CODEOWNERS", "Procfile", ".github/ISSUE_TEMPLATE/bug.md",
        "spec/a.json",
    ],
    "generated": ["vendor/x/a.go", "app.min.js", "api.pb.go", "x_pb2.py", "node_modules/a/index.js"],
    "asset": ["logo.png", "fonts/a.woff2"],
}  # fmt: skip
# Names and endings that decide wherever a file is.
NAMES = {
    "documentation": (
        "docs/specs/a.md a.mdx a.adoc a.markdown a.texi a.pod site/a.js documentation/a.py CHANGES LICENCE COPYING "
        "CONTRIBUTING AUTHORS NOTICE SECURITY NEWS HISTORY TODO CODE_OF_CONDUCT MAINTAINERS CONTRIBUTORS "
        "Readme.en todo-list"
    ),
    "manifest": (
        "pyproject.toml go.work Gemfile build.gradle build.gradle.kts composer.json Pipfile Package.swift mix.exs "
        "pubspec.yaml environment.yml environment.yaml gradle/libs.versions.toml deno.json deno.jsonc "
        "pnpm-workspace.yaml rust-toolchain rust-toolchain.toml a.csproj a.fsproj a.gemspec"
    ),
    "build": (
        "meson.build meson_options.txt BUILD WORKSPACE justfile Rakefile Vagrantfile noxfile.py tox.ini setup.cfg "
        "MANIFEST.in build.rs configure configure.ac gradlew gradlew.bat gradle.properties "
        "gradle-wrapper.properties settings.gradle.kts .dockerignore a.cmake a.mk a.gradle a.bazel a.bzl a.nix a.ninja "
        "Makefile.am GNUmakefile compose.dev.yaml docker-compose.yml gulpfile.js Gruntfile.js webpack.config.js "
        "rollup.config.mjs vite.config.ts vitest.config.ts babel.config.js esbuild.js tsup.config.ts jest.config.js "
        "turbo.json nx.json .goreleaser.yml goreleaser.yaml"
    ),
    "configuration": (
        "a.ini a.cfg a.conf a.yml a.json a.jsonc a.json5 a.properties a.env .editorconfig a.plist a.xml CODEOWNERS "
        "OWNERS"
    ),
    "asset": (
        "a.jpg a.jpeg a.gif a.svg a.ico a.webp a.bmp a.avif a.woff a.ttf a.otf a.eot a.mp3 a.mp4 a.wav a.ogg a.webm "
        "a.mov a.pdf a.psd a.zip a.gz a.tgz a.jar a.bin a.wasm a.exe a.dll a.so a.a a.o a.cast a.tape"
    ),
}


@rows(("kind", "paths"), *KINDS.items(), *[(kind, names.split()) for kind, names in NAMES.items()])
def test_a_path_has_its_kind(kind: str, paths: list[str]) -> None:
    assert [path for path in paths if classify_path(path.encode()) != kind] == []


@rows(
    ("path", "lines", "kind"),
    ("templates/install.txt", ["#!/bin/sh", "cp {{ source }} $target"], "source"),
    ("robots.txt", ["User-agent: *", "Disallow: /private"], "configuration"),
    ("data/words.txt", ["alpha", "beta"], "configuration"),
    ("data/words.txt", ["x = load(1);", "beta"], "configuration"),
    ("data/WORDS.TXT", ["x = load(1);"], "source"),
    ("notes.txt", ["Names are read as they are.", "A host without one is left out."], "documentation"),
    ("lib/CMakeLists.txt", ["add all of the files here"], "build"),
    # Of a long line only the start is read.
    ("data/words.txt", ["x" * 400 + " some more words"], "configuration"),
    ("testdata/hosts.txt", ["a name of some host"], "tests"),
    ("a.md", ["x = 1"], "documentation"),
)
def test_a_text_file_is_what_its_folder_and_its_lines_are(path: str, lines: list[str], kind: str) -> None:
    assert classify_file(path.encode(), [line.encode() for line in lines]) == kind


@rows("path", b"", b"/", b"\xff\xfe", b"a\nb", b"." * 300, b"a/" * 2000 + b"b")
def test_any_bytes_have_some_kind(path: bytes) -> None:
    assert classify_path(path) in KINDS


@rows(
    ("path", "place"),
    ("locales/pt-br/a.ts", "locales/*/a.ts"),
    ("src/i18n/de.js", "src/i18n/*.js"),
    ("po/de.po", "po/*.po"),
    ("docs/zh-Hans/guide.md", "docs/*/guide.md"),
    ("res/id.strings", "res/*.strings"),
    ("lib/rules/no-eval.js", ""),
    ("rules/no-eval.json", ""),
    ("src/id.c", ""),
    ("src/de/parse.py", ""),
)
def test_a_text_is_known_in_each_language(path: str, place: str) -> None:
    assert find_translated(path.encode())[0] == place.encode()


@rows(
    ("line", "name", "expected"),
    (b"  # x", "a.py", True),
    (b"// x", "a.rs", True),
    (b" * x", "a.java", True),
    (b"*x = 1;", "a.c", False),
    (b"#include <a>", "a.c", False),
    (b"#!/bin/sh", "a.sh", False),
    (b"//go:build linux", "a.go", False),
    (b"-- x", "a.sql", True),
    (b"", "a.py", True),
    (b"# x", "a.unknown", False),
    (b"x = 1  # y", "a.py", False),
)
def test_a_comment_is_told_by_the_language(line: bytes, name: str, expected: bool) -> None:
    assert read_language(name).is_comment(line) is expected


@rows(
    ("path", "before", "after", "nature"),
    # Formatters sort imports, end lists with a comma, and choose quotes and brackets.
    ("a.py", "import b\nimport a", "import a\nimport b", "style"),
    ("a.js", "import b from 'b'\nimport a from 'a'", "import a from 'a'\nimport b from 'b'", "style"),
    ("a.php", "use B;\nuse A;", "use A;\nuse B;", "style"),
    ("a.go", 'import "b"\nimport "a"', 'import "a"\nimport "b"', "style"),
    ("a.rs", "use b;\nuse a;", "use a;\nuse b;", "style"),
    ("A.java", "import b;\nimport a;", "import a;\nimport b;", "style"),
    ("A.cs", "using B;\nusing A;", "using A;\nusing B;", "style"),
    ("a.dart", "import 'b';\nimport 'a';", "import 'a';\nimport 'b';", "style"),
    ("a.swift", "import b\nimport a", "import a\nimport b", "style"),
    ("a.c", "import b\nimport a", "import a\nimport b", "modified"),
    ("a.py", "import b", "import c", "modified"),
    ("a.py", "from a import b", "from c import b", "modified"),
    ("a.py", "x = [\n    1,\n    2\n]", "x = [\n    1,\n    2,\n]", "style"),
    ("a.py", "x = (1, 2)", "x = (1, 2,)", "modified"),
    ("a.py", "x = 'a'", 'x = "a"', "style"),
    ("a.py", f"x = '{'a' * 10_000}'", f'x = "{"a" * 10_000}"', "modified"),
    ("a.go", "x = 'a'", 'x = "a"', "modified"),
    ("a.py", "return a + b", "return (\n    a + b\n)", "style"),
    ("a.py", "return a + \\\n    b", "return (\n    a + b\n)", "style"),
    ("a.py", "if a != (b, c):", "if a != (\n    b,\n    c,\n):", "style"),
    ("a.py", "x = (a,)", "x = (\n    a\n)", "modified"),
    ("a.js", "return (a)", "return a", "modified"),
    ("a.py", "b()\na()", "a()\nb()", "modified"),
    ("a.py", "x = 1", "    x = 1", "modified"),
    ("a.js", "x = 1", "    x = 1", "whitespace"),
    ("a.py", "x = f(1,2)\r", "x = f(1,2)", "line endings"),
    ("a.py", "x = 1", "x = 1", "final newline"),
    ("a.py", "# x", "# y", "comments"),
    ("a.py", "# x", "y", "modified"),
)
def test_the_lines_of_an_edit_tell_its_nature(path: str, before: str, after: str, nature: str) -> None:
    assert classify_diff(make_diff(path, make_hunk(after.split("\n"), before.split("\n")))) == nature


@rows(("closing", "nature"), (b"]", "style"), (b")", "modified"), (b"x", "modified"))
def test_the_last_comma_is_style_before_what_closes_a_list(closing: bytes, nature: str) -> None:
    hunk = Hunk(1, 1, 1, 1, b"", [b"    a"], [b"    a,"], after=[closing])
    assert classify_diff(make_diff("a.py", hunk)) == nature


@rows(("between", "nature"), ([b"a,"], "style"), ([b"b,"], "modified"))
def test_layout_may_be_divided_among_hunks(between: list[bytes], nature: str) -> None:
    first = Hunk(1, 3, 1, 1, b"", [b"f(", b"  {", b"a,"], [b"f({"])
    second = Hunk(4, 0, 3, 1, b"", [], [b"a,"], between)
    assert classify_diff(make_diff("a.js", first, second)) == nature


@rows(
    ("path", "has_entries", "is_entry"),
    ("CHANGELOG", True, False),
    ("docs/News.md", True, False),
    ("History-1.2.rst", True, False),
    ("releases/1.2.md", True, False),
    ("history.go", False, False),
    ("newsfragments/12.bugfix", False, True),
    ("changelog.d/added/12.md", False, True),
    (".changeset/README.md", False, False),
    ("docs/a.md", False, False),
)
def test_a_changelog_is_told_from_its_entries(path: str, has_entries: bool, is_entry: bool) -> None:
    assert (is_changelog(path.encode()), is_changelog_fragment(path.encode())) == (has_entries, is_entry)
