"""The project that `smartcommit demo` works on: a short history, and a day's changes to it."""

HISTORY = (
    (
        "feat(cart): add up prices",
        {
            "src/shop/__init__.py": "",
            "src/shop/cart.py": '''\
"""A shopping cart."""


class Cart:
    def __init__(self):
        self.prices = []

    def add(self, price):
        self.prices.append(price)

    def total(self):
        return sum(self.prices)
''',
        },
    ),
    (
        "build: list the requirements",
        {"requirements.txt": "requests==2.31.0\nrich==13.7.0\n"},
    ),
    (
        "docs: describe the cart",
        {"README.md": "# Shop\n\nA cart adds up prices.\n"},
    ),
    (
        "ci: run the tests",
        {
            ".github/workflows/test.yml": """\
on: push
jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        python: ["3.11"]
    steps:
      - uses: actions/checkout@v4
      - run: python -m unittest
""",
        },
    ),
)

FEATURE = {
    "src/shop/cart.py": HISTORY[0][1]["src/shop/cart.py"]
    + '''
    def discount(self, percent):
        """The total after a discount."""
        return self.total() * (100 - percent) / 100
''',
    "tests/test_cart.py": """\
import unittest

from shop.cart import Cart


class CartTest(unittest.TestCase):
    def test_discount(self):
        cart = Cart()
        cart.add(200)
        self.assertEqual(cart.discount(10), 180)
""",
}

MIXED = {
    "README.md": "# Shop\n\nA cart adds up prices and knows discounts:\n\n    cart.discount(10)\n",
    "requirements.txt": "requests==2.32.3\nrich==13.7.0\n",
    ".github/workflows/test.yml": HISTORY[3][1][".github/workflows/test.yml"].replace('"3.11"', '"3.11", "3.13"'),
}
