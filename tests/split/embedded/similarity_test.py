"""What is compared of two parts of a change."""

from smartcommit.change.uses import Use
from smartcommit.split.embedded.similarity import (
    Comparison,
    Features,
    Network,
    Part,
    activate,
    load_weights,
    read_part,
)
from tests.support.changes import make_diff, make_hunk
from tests.support.table import rows


def part(path: str, removed: str, added: str) -> Part:
    """A file in which the lines of `removed` become those of `added`."""
    return read_part([make_diff(path, make_hunk(added.splitlines(), removed.splitlines()))])


def new_part(path: str, text: str = "text") -> Part:
    return read_part([make_diff(path, make_hunk([text]), status="A")])


def compare(one: Part, other: Part) -> Features:
    return Comparison([one, other]).features(0, 1)


@rows(
    ("added", "is_layout"),
    ("call(a,\n     b)", True),
    ("call( a, b )", True),
    ("call(a, c)", False),
    ("call(a, b)\ncall()", False),
)
def test_a_layout_changes_white_space_alone(added: str, is_layout: bool) -> None:
    assert part("one.c", "call(a, b)", added).is_layout is is_layout


@rows(
    ("new", "line", "is_named"),
    ("docs/plugins.md", "  - Plugins: plugins.md", True),
    ("docs/plugins.md", "[those](../docs/plugins)", True),
    ("src/retry_policy.py", "see retry_policy", True),
    ("docs/plugins.md", "All plugins are loaded.", False),
    ("docs/index.md", "  - Home: index.md", False),
)
def test_what_names_a_new_file_goes_with_it(new: str, line: str, is_named: bool) -> None:
    file = new_part(new)
    # The last one, another new file of that name, leaves open which of them is meant.
    for name, is_one in (("mkdocs.yml", is_named), ("other.cfg", is_named)):
        assert (Comparison([file, part(name, "", line)]).probability(0, 1) == 1) is is_one


def test_files_of_a_new_folder_that_is_named_go_together() -> None:
    files, tests = [new_part("tests/no_group/Snakefile"), new_part("tests/no_group/a/b.txt")], "run('no_group')"
    assert Comparison([*files, part("tests/all.py", "", tests)]).probability(0, 1) == 1
    assert Comparison([*files, part("tests/all.py", "", "run()")]).probability(0, 1) < 1
    other = part("tests/no_group/c.txt", "a", "b")
    assert Comparison([*files, part("tests/all.py", "", tests), other]).probability(0, 1) < 1


@rows(
    ("one", "other", "are_one"),
    (new_part("tests/reads/main.svelte"), new_part("tests/reads/_config.js"), True),
    (new_part("tests/reads/one.js"), new_part("tests/reads/two.js"), False),
    (new_part("tests/reads/test_one.py"), new_part("tests/reads/one.json"), False),
    (new_part("tests/reads/main.svelte"), part("tests/reads/_config.js", "a", "b"), False),
    # A migration goes with the model that its table is named after.
    (
        new_part("db/1_add_disk_limit_to_host_settings.php", "disk_limit"),
        part("a/HostSetting.php", "", "disk_limit"),
        True,
    ),
    (
        new_part("db/1_add_disk_limit_to_host_settings.rb", "disk_limit"),
        part("a/host_setting.rb", "", "disk_limit"),
        True,
    ),
    (new_part("db/1_add_disk_limit_to_host_settings.php", "disk_limit"), part("a/HostSetting.php", "", "limit"), False),
    (new_part("db/1_change_host_settings.php", "disk_limit"), part("a/HostSetting.php", "", "disk_limit"), False),
    (new_part("db/1_add_disk_limit_to_host_settings.php", "disk_limit"), part("a/Backup.php", "", "disk_limit"), False),
)
def test_samples_and_migrations_go_with_what_they_are_for(one: Part, other: Part, are_one: bool) -> None:
    assert (Comparison([one, other]).follow(0, 1) == 1) is are_one


def test_a_file_that_is_only_added_to_is_no_layout() -> None:
    assert not part("one.c", "", "\n\n").is_layout


def test_a_test_goes_with_the_only_source_of_its_name() -> None:
    source, test = part("src/load.py", "first", "second"), part("tests/load_test.py", "third", "last")
    assert Comparison([source, test]).probability(0, 1) == 1
    assert Comparison([source, test, part("lib/load.js", "e", "f")]).probability(0, 1) < 1


@rows(
    ("one", "other", "are_one"),
    (("fetch(url, retries=3)", "fetch(url)"), ("page = fetch(link, retries=3)", "page = fetch(link)"), True),
    (("import os", ""), ("from re import sub", ""), True),
    (("import os", ""), ("", "import re"), False),
    (("import os\nlimit = 3", ""), ("import os", ""), False),
    (("limit = 3", "limit = 4"), ("limit = 3", "limit = 4"), False),
    # Sweeps: misspelt words, spaces in comments, formatted examples, and types.
    (("# recieve it", "# receive it"), ("# thead-safe, it", "# thread-safe, it"), True),
    (("x = 'a'", 'x = "a"'), ("if a != (b, c):", "if a != (\n    b,\n    c,\n):"), True),
    (("# the  rate of it", "# the rate of it"), ("# recieve it", "# receive it"), True),
    (("# call(a, b)", "# call(\n#     a,\n#     b,\n# )"), ("total=a+b", "total = a + b"), True),
    (("def f(a):", "def f(a) -> int:"), ("def g(a):", "def g(a) -> str:"), True),
    (("x = 1  # noqa: E501", "x = 1"), ("y = 2  # noqa: F401", "y = 2"), True),
    # The same names, in calls here and in an import and a call there.
    (("a = load(b)", "a = read(b)"), ("from m import load\na = load(b)", "from m import read\na = read(b)"), True),
)
def test_the_same_edit_is_one_commit(one: tuple[str, str], other: tuple[str, str], are_one: bool) -> None:
    parts = [part("shop/cart.py", *one), part("wiki/page.py", *other)]
    assert (Comparison(parts).probability(0, 1) == 1) is are_one


RUNNER = "runs-on: rented-4-cores"


@rows(
    ("one", "other", "are_one"),
    # A name of several words is replaced, beside something else; of one word, it may be by chance.
    (("a.ts", "rollupOptions: {\none", "newOptions: {\n1"), ("b/c.js", "rollupOptions: {", "newOptions: {"), True),
    (("a.ts", "options: {\none", "settings: {\n1"), ("b/c.js", "options: {", "settings: {"), False),
    # Two commits may have had a part in it where much is replaced.
    (("a.ts", "rollupOptions: {\none\ntwo = 2\nsix(6)", "newOptions: {\n1\ntwo = 3\nsix(7)"),
     ("b/c.js", "rollupOptions: {\nred\nblue = 2\npink(6)", "newOptions: {\n5\nblue = 4\npink(8)"), False),
    # In lists of what is used, it is one reason.
    ((".github/workflows/a.yml", f"{RUNNER}\nname: x", "runs-on: ubuntu\nname: y"),
     (".github/workflows/b.yml", f"{RUNNER}\nenv: q", "runs-on: ubuntu\nenv: r"), True),
    (("src/a.yml", RUNNER, "runs-on: ubuntu\nx"), ("docs/b.md", RUNNER, "runs-on: ubuntu\ny"), False),
    # Versions that are pinned, each its own.
    (("ci/a.yml", "- uses: actions/checkout@v4\nx: 1", f"- uses: actions/checkout@{'a1' * 20} # v4.3.1\nx: 2"),
     ("b.yml", "- uses: actions/cache@v3", f"- uses: actions/cache@{'b2' * 20} # v3.1.0"), True),
    (("a/Cargo.toml", 'rev = "abc1234"', f'rev = "{"a1" * 20}"'),
     ("b/Cargo.toml", 'rev = "def5678"', f'rev = "{"b2" * 20}"'), True),
    (("a.yml", "a@v1\nb@v2\nc@v3\nd@v4", "\n".join(f"{name}@{name * 40}" for name in "abcd")),
     ("b.yml", "c@v1\nd@v2\ne@v3\nf@v4", "\n".join(f"{name}@{name * 40}" for name in "cdef")), True),
    (("ci/a.yml", f"- uses: actions/checkout@{'b2' * 20}\nx: 1", f"- uses: actions/checkout@{'a1' * 20}\nx: 2"),
     ("b.yml", f"- uses: actions/cache@{'c3' * 20}", f"- uses: actions/cache@{'b2' * 20}"), False),
    # A version, however it is written; documents and tests have some of anything, and addresses look like one.
    (("API_VERSION", "4.1.1", "4.2.0"), ("src/api.h", "LEAST_VERSION(4, 1, 0)", "LEAST_VERSION(4, 2, 0)"), True),
    (("API_VERSION", "4.1.1", "4.2.0"), ("src/api.h", "point(4, 1, 0)", "point(4, 2, 0)"), False),
    (("go.mod", "\tx.io/y v0.6.0", "\tx.io/y v0.7.0"), ("b/go.mod", "\tx.io/z v0.4.0", "\tx.io/z v0.7.0"), False),
    (("a/package.json", '"vite": "7.3.1"', '"vite": "8.0.3"'), ("b/x.py", "V = '^7.2.2'", "V = '8.0.3'"), True),
    (("a/package.json", '"vite": "7.3.1"', '"vite": "8.0.3"'), ("docs/x.md", "Since 7.2.2", "Since 8.0.3"), False),
    # A page goes with its translations.
    (("docs/en/telemetry.mdx", "a deployment", "any deployment"), ("docs/ko/telemetry.mdx", "", "변경 사항"), True),
    (("docs/en/telemetry.mdx", "a deployment", "any deployment"), ("docs/ko/flows.mdx", "b", "c"), False),
    (("docs/zh-CN/a.md", "one", "two"), ("docs/zh-TW/a.md", "three", "four"), True),
    (("rules/it/tax.yaml", "rate: 20", "rate: 22"), ("rules/de/tax.yaml", "holiday: may", "holiday: june"), False),
    (("a/package.json", '"vite": "7.3.1"', '"vite": "8.0.3"'), ("CHANGELOG.md", "", "## 8.0.3"), True),
    (("a/package.json", '"vite": "7.3.1"', '"vite": "8.0.3"'), ("tests/x_test.py", "q('1.0')", "q('8.0.3')"), False),
    (("a.py", "bind('')", "bind('10.0.0.3')"), ("b/c.cfg", "host = ''", "host = 10.0.0.3"), False),
)  # fmt: skip
def test_what_says_enough_is_one_commit_whatever_else_there_is(
    one: tuple[str, str, str], other: tuple[str, str, str], are_one: bool
) -> None:
    assert (Comparison([part(*one), part(*other)]).probability(0, 1) == 1) is are_one


def test_what_needs_nothing_but_another_part_goes_with_it() -> None:
    definer, user = (
        part("src/price.py", "", "def format_price(cents): ..."),
        part("src/view.py", "a", "format_price(1)"),
    )
    use = Use("added", 1, 0)
    assert Comparison([definer, user], uses=[use]).probability(0, 1) == 1
    assert Comparison([definer, user]).probability(0, 1) < 1


def test_a_version_counts_if_it_is_new_in_both() -> None:
    manifest = part("package.json", '"version": "1.4.1"', '"version": "1.4.2"')
    assert compare(manifest, part("src/about.js", "v = '1.4.1'", "v = '1.4.2'"))["version"]
    assert not compare(manifest, part("src/about.js", "v = '1.4.2'", "v = '1.4.3'"))["version"]
    assert not compare(manifest, part("src/about.js", "if (v < '1.4.2')", "if (v <= '1.4.2')"))["version"]


def test_what_only_two_parts_have_counts_more() -> None:
    reader, writer = part("read.py", "", 'table = get("wide table")'), part("write.py", "", "put('table', table)")
    third = part("third.py", "", "close('table', table)")
    both, all_three = Comparison([reader, writer]).features(0, 1), Comparison([reader, writer, third]).features(0, 1)
    for name in ("only_these", "rare_new"):
        assert both[name] > all_three[name]
    assert (both["quoted"], both["best_words"]) == (0, 1)
    assert Comparison([writer, third]).features(0, 1)["quoted"] > 0


def test_the_folders_from_the_root_down_are_near() -> None:
    load = part("src/io/load.py", "a", "b")
    near, far = part("src/io/deep/save.py", "a", "b"), part("src/ui/io/save.py", "a", "b")
    assert 1 > compare(load, near)["near"] > compare(load, far)["near"] > 0
    assert compare(load, load)["near"] == 1


def test_a_network_is_not_linear() -> None:
    differ: Network = {
        "weights": {"one": [4.0, -4.0], "other": [-4.0, 4.0]}, "units": [0.0, 0.0], "output": [1.0, 1.0], "bias": -2.0,
    }  # fmt: skip
    assert activate({"one": 1.0, "other": 0.0}, differ) == activate({"one": False, "other": True}, differ) > 0.8
    assert activate({"one": 1.0, "other": 1.0}, differ) == activate({"one": 0.0, "other": 0.0}, differ) < 0.2
    assert activate({"one": 0.1, "other": 0.0}, differ) > activate({"one": 0.0, "other": 0.0}, differ)


def test_the_features_are_those_that_the_weights_were_fitted_for() -> None:
    cart = part(
        "src/shop/cart.py",
        "load_rate('cart-key')\ncame_line()\nkeep_all(2)",
        "def add_item(cart):\ndef run_all():\n    show_rate(cart, 'cart-key')\nkeep_all(3)\nlimit = '1.4'\nwent_line()",
    )
    view = part(
        "src/shop/cart_view.py",
        "load_rate('cart-key')\nwent_line()\nkeep_all(2)",
        "def show_rate(cart):\ndef run_all():\n    add_item(cart, 'cart-key')\nkeep_all(3)\nlimit = '1.4'\n"
        "came_line()\nend()",
    )
    page = part("src/shop/web/page.py", "x = 1", "show_rate(2)\nprint(cart)")
    log = new_part("CHANGELOG.md", "the limit")
    uses = [Use("added", 1, 0), Use("added", 2, 0), Use("added", 2, 1), Use("removed", 1, 0, is_sure=False)]
    comparison = Comparison([cart, view, page, log], uses)
    near, far = comparison.features(0, 1), comparison.features(0, 3)
    assert near.keys() == load_weights()["parts"]["weights"].keys()
    assert {name: round(value, 2) for name, value in near.items() if value} == {
        "words": 0.94, "best_words": 1.0, "over_words": 0.57, "new": 1.79, "over_new": 0.73, "rare_new": 1.67,
        "new_use": 2.56, "gone": 0.69, "only_these": 2.2, "changed": 0.83, "same_changed": 0.9, "quoted": 0.69,
        "version": True, "path_words": 0.59, "near": 1.0, "same_folder": True, "in_folder": 1.39, "folders": 1.1,
        "stem_in": True, "same_added": 0.3, "def_use": 1.61, "def_def": 0.69, "same_kind": True, "same_suffix": True,
        "both_modified": True, "least_lines": 2.3, "most_lines": 2.4, "least_hunks": 0.69, "parts": 1.39,
        "common_words": 2.77, "words_of_two": 2.48, "moved": 1.1, "same_removed": 0.5, "common_needs": 0.69,
        "needs": 0.69, "may_need": 0.69,
    }  # fmt: skip
    assert {name: round(value, 2) for name, value in far.items() if value} == {
        "words": 0.03, "best_words": 0.52, "over_words": -0.17, "new": 0.69, "over_new": -0.07, "rare_new": 0.51,
        "new_use": 1.1, "changed": 0.06, "same_changed": 0.1, "near": 0.33, "folders": 1.1, "least_lines": 0.69,
        "most_lines": 2.3, "least_hunks": 0.69, "parts": 1.39, "common_words": 0.69, "changelog": True,
        "has_documentation": True,
    }  # fmt: skip
    # An entry of a changelog goes with code rather than with another one.
    assert Comparison([log, cart]).rate_entry(0, 1) > 1
    assert Comparison([log, log]).rate_entry(0, 1) == -1
    tests = part("tests/shop/cart_test.py", "a", "b")
    assert compare(cart, tests)["test_source"]
    assert compare(tests, cart)["test_source"]
    assert not compare(cart, cart)["test_source"]
