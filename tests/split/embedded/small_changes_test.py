"""Small changes of a few plain concerns: which files go together, as a person would have it."""

import json

import pytest

from smartcommit.split.outcome import DONE
from smartcommit.split.source import SplitOptions
from tests.support.repository import Repo
from tests.support.splitting import run_with
from tests.support.table import rows

Files = dict[str, str]

LOGIN = "import hmac\n\n\ndef login(given, stored):\n    return given == stored\n"
CART = "def total(items):\n    return sum(item.price for item in items)\n"
README = "# Shop\n\n## Installing\n\nSee the manual.\n"
WORKFLOW = "name: ci\non: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: pytest\n"
QUEUE = "func (q *Queue) Add(job Job) error {\n\tif len(q.jobs) > q.max {\n\t\treturn ErrFull\n\t}\n\treturn nil\n}\n"
QUEUE_TEST = "func TestEmpty(t *testing.T) {\n\tif New(3).Next() != nil {\n\t\tt.Fatal()\n\t}\n}\n"
FULL_TEST = (
    "func TestFull(t *testing.T) {\n\tq := New(1)\n\tif err := q.Add(Job{}); err != nil {\n\t\tt.Fatal(err)\n\t}\n"
    "\tif q.Add(Job{}) != ErrFull {\n\t\tt.Fatal()\n\t}\n}\n"
)
QUOTA = "func (q *Quota) Permit(user string) bool {\n\treturn q.used[user] < q.max\n}\n"
FORMAT = "def format_price(cents):\n    return f'{cents / 100:.2f}'\n"
BASE = {
    "a.py": "def answer():\n    return 1\n",
    "auth/login.py": LOGIN,
    "shop/cart.py": CART,
    "README.md": README,
    "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total():\n    assert total([]) == 0\n",
    "package.json": '{\n  "name": "shop",\n  "scripts": {"build": "tsc"}\n}\n',
    ".gitignore": "dist\n",
    "jobs/queue.go": f"package jobs\n\n{QUEUE}",
    "jobs/queue_test.go": f"package jobs\n\n{QUEUE_TEST}",
    "api/quota.go": f"package api\n\n{QUOTA}",
}
ANSWER = {"a.py": "def answer():\n    return 2\n"}
COMPARED = {"auth/login.py": LOGIN.replace("given == stored", "hmac.compare_digest(given, stored)")}
COUNTED = {"shop/cart.py": CART.replace("item.price for", "item.price * item.count for")}
COUNTED_TEST = {
    "tests/test_cart.py": BASE["tests/test_cart.py"]
    + "\n\ndef test_total_counts_items():\n    assert total([Item(price=2, count=3)]) == 6\n"
}
NEW = {"b.py": "def retry(times):\n    for _ in range(times):\n        yield\n"}
NEW_TEST = {"tests/test_b.py": "from b import retry\n\n\ndef test_retry():\n    assert len(list(retry(3))) == 3\n"}
CI = {".github/workflows/ci.yml": WORKFLOW}
INSTALLING = {"README.md": README.replace("See the manual.", "Run `pip install shop`.")}
TESTED = "Run `pip install shop`.\n\nOn a push it is tested on ubuntu."
TESTED_INSTALLING = {"README.md": README.replace("See the manual.", TESTED)}
FULL = {
    "jobs/queue.go": BASE["jobs/queue.go"].replace("> q.max", ">= q.max"),
    "jobs/queue_test.go": BASE["jobs/queue_test.go"] + f"\n{FULL_TEST}",
}
ALLOWED = {"api/quota.go": BASE["api/quota.go"].replace("< q.max", "<= q.max")}
PRICE = {"shop/price.py": FORMAT, "shop/view.py": "from shop.price import format_price\n\nprint(format_price(100))\n"}
FRAGMENT = "---\n'shop': patch\n---\n\nfix: {}\n"
COMPARED_TOLD = {**COMPARED, ".changeset/warm-owls-hum.md": FRAGMENT.format("compare what is given for a login safely")}
COUNTED_TOLD = {**COUNTED, ".changeset/shy-cats-nap.md": FRAGMENT.format("count all items in the total")}


@pytest.fixture
def shop(based: Repo) -> Repo:
    based.commit("chore: base", BASE)
    return based


@rows(
    "concerns",
    [ANSWER, CI, INSTALLING],
    [CI, INSTALLING],
    [COMPARED, COUNTED],
    [ANSWER, {**NEW, **NEW_TEST}],
    [COMPARED, {**COUNTED, **COUNTED_TEST}],
    [COMPARED, CI, {**COUNTED, **COUNTED_TEST}],
    [{**NEW, **NEW_TEST}],
    [{**COUNTED, **COUNTED_TEST}],
    [PRICE],
    [PRICE, CI],
    [PRICE, COMPARED, INSTALLING],
    [{".gitignore": "dist\n*.log\n"}, COMPARED],
    [ANSWER, CI, TESTED_INSTALLING],
    [FULL, ALLOWED],
    [COMPARED_TOLD, COUNTED_TOLD, CI],
    [COUNTED_TOLD, INSTALLING],
)
def test_concerns_come_apart_and_what_is_one_stays_whole(concerns: list[Files], shop: Repo) -> None:
    shop.git("clean", "-fdq")
    shop.git("checkout", "-q", "--", ".")
    for files in concerns:
        for path, content in files.items():
            shop.write(path, content)
    status, plan, _ = run_with(shop, SplitOptions(json=True), yes=False)
    assert status == DONE
    found = set()
    for commit in json.loads(plan)["commits"]:
        found.add(frozenset(unit["path"] for unit in commit["units"]))
    assert found == set(map(frozenset, concerns))
