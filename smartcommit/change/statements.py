"""The roles of lines that only came, or only went: entries of what holds them, or statements by their form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from smartcommit.change.commands import INSTALLING, name_program, read_words
from smartcommit.change.conditions import ASSERTING, CHECK, PRINTING, is_logged, say_conditional, say_guard, unwrap
from smartcommit.change.edits import (
    CALL,
    IMPORT,
    LIST,
    MAPPING,
    NOT_CALLS,
    NOUNS,
    OTHER,
    PARAMETERS,
    ROLES,
    TYPE,
    Edit,
    Edits,
    Spot,
    find_defined,
    find_module,
    make_entries,
    write_entry,
)
from smartcommit.change.roles import ENVIRONMENT
from smartcommit.change.statement_forms import (
    CODE,
    COMMANDS,
    ELEMENTS,
    FORMS,
    NEGATING,
    SETTINGS,
    STYLES,
    TARGETS,
    YAML,
)
from smartcommit.change.strings import VERSION
from smartcommit.change.text import count_indent, is_import, mentions
from smartcommit.change.tokens import (
    CLOSING,
    NAME,
    STRING,
    Token,
    count_open,
    drop_comments,
    is_balanced,
    list_names,
    list_texts,
    split_entries,
    unquote,
    write,
)
from smartcommit.change.wording import join_names, may_be_secret
from smartcommit.patterns import compile_on_use, list_words
from smartcommit.record import Record

_VALUE = 30  # characters of a value that is repeated
_STATEMENTS = 12  # of a block that are told one by one
# What is called at the end of an object, and calls one function.
_ENDING = compile_on_use(
    r"(?:@override |override |public |void |func |fun )*(dispose|deinit|beforeUnmount|unmounted|beforeDestroy|destroyed"
    r"|componentWillUnmount|ngOnDestroy|onDestroy|onCleared|disconnectedCallback)(?:\(\))?(?:: void)? \{ "
    r"(?:super\.\w+\(\);? )?(?:this\.|self\.)?([\w.?]+)\([^(){}]*\);?(?: super\.\w+\(\);?)? \},?\Z"
)
_BOUND = compile_on_use(r"(?:let|var) (\w+)(?: = .*)?\Z")  # of Swift: what the guard is for
# What `impl<'a, T: Copy, const N: usize>` declares, and lifetimes and paths.
_GENERIC = compile_on_use(r"(?:\A|, )(?:const )?(\w+)")
_LIFETIME = compile_on_use(r"'\w+(?:, | )?|\w+::|\bmut ")
_IN_CI = compile_on_use(r"(?:\A|&& |\band )\(?[\w.]+[.(\[][\"']?CI[\"')\]]*(?:\Z| ?!=| ?&&| and\b| is not\b)")
# Keys that say nothing of what is below them: the file says more.
_NAMELESS = {"with", "env", "uses", "run", "include", "exclude", "steps"}
# Those that say less than what is above them.
_PLAIN_PARENTS = list_words("args config data defaults httpGet options params properties settings spec values")
_OF_STEPS = {"env", "if", "run", "shell", "uses", "with"}
# What else a condition has than one statement.
_OTHERWISE = {"else", "elif", "elsif", "elseif", "except", "catch", "rescue", "finally", "ensure"}
# A line that the next one goes on with a condition.
_JOINS = compile_on_use(r"\b(?:if|elif|while|until|unless|return|assert|when|where|and|or|not)\b|&&|\|\||[(=]\Z")
# What is done to a variable of the environment that is not read.
_DELETES = compile_on_use(r"\b(?:del|delete|unset)\s+\Z")
_SETS = compile_on_use(r"[\"'\])]*\s*(?:[|?+]{1,2})?=(?![=>])")
_LINES_OF_READING = 4  # that read a variable of the environment and do little else
# What a condition before some lines tells apart: a type, a literal, or something that may be missing.
_HANDLED = compile_on_use(
    r"\(?(?:isinstance\([\w.]+, (\w[\w.]*)\)|[\w$.]+ (?:instanceof|is) ([A-Z][\w.]*)"
    r"|let (?:Some|Ok)\(\w+\) = &?([\w.]+)(?:\(\))?"
    r"|[\w$.>-]+(?:\(\))? ?===? ?([\"'][\w./:-]+[\"']|(?:\w+(?:\.|::))*[A-Z]\w+)"
    r"|(?P<none>[\w$.>-]+) ?(?:===?|is) ?(?:None|null|nil|undefined|nullptr)"
    r"|([\w$.>-]+) ?(?:!==?|is not) ?(?:None|null|nil|undefined|nullptr))\)?\Z"
)
_NOT_HANDLED = list_words("e err error errors ok exception TYPE_CHECKING __name__ true false this self DEBUG")
_NOUNS_OF_SYMBOLS = {"table", "view", "index", "target", "variable", "output", "resource", "section", "module"}
_KEY = compile_on_use(
    r"(-\s+)?[\"']?([^\s\"'#:{}\[\]-][^\"'#{}\[\]]{0,60}?)[\"']?(?:\s*:(?:\s|\Z)|(?<=[\w\"'/*])\s*=?\s*\{\Z)"
)
# The end of a list of imports, and its first lines.
_END_OF_IMPORTS = compile_on_use(r"\s*[})](?: from [\"']([^\"']+)[\"'])?")
_LINES_OF_IMPORTS = 30
# The head of a branch of a `case` in a shell.
_BRANCH = compile_on_use(r"\s*[^\s()&$;`|]+(?: ?\| ?[^\s()&$;`|]+)*\)(?:\s|\Z)")
# A setting of a module in Python, which stands at the start of its line.
_TOP_SETTING = compile_on_use(r"(?P<name>[a-z]\w{3,}) = (?P<value>True|False|-?\d+)\Z")
_CASES = compile_on_use(r"case (\w+)\b(?!.*:)")
# A value with a comment behind it.
_VALUE_BEFORE_COMMENT = compile_on_use(r"(\"[^\"]*\"|'[^']*'|[^\"'#]+?)\s+#\s.*\Z")
_MEMBER = compile_on_use(r"\s*(?:readonly )?[\w$]+\??: [^=]*;\s*\Z")
_ENDS = {*CLOSING, "end", "fi"}
_VOID = compile_on_use(r"<(?:link|meta|br|hr|img|input|source|!)")
_CONTAINERS = list_words("div span p a b i ul ol li table tr td th section header footer g svg ItemGroup PropertyGroup")
_RUN = compile_on_use(r"(?:-\s+)?(?:run|command)\s*:\s*[^|>\s]")
_RUN_BLOCK = compile_on_use(r"(?:-\s+)?(?:(?:run|command|args)\s*:\s*[|>]|(?:before_|after_)?script\s*:\s*\Z)")


class Block(Record):
    """Adjacent lines that only came or only went, with the texts of those before and after them."""

    lines: Sequence[Sequence[Token]]
    texts: Sequence[str]
    spot: Spot
    family: str
    above: Sequence[str]
    below: Sequence[str]

    def make(self, role: str, text: str, holder: str = "") -> Edit:
        edit = self.spot.make_moved(role, text, holder)
        edit.lines = len(self.lines)
        return edit

    def cut(self, start: int, end: int) -> Block:
        """Return some lines of the block, with the others around them."""
        above, below = [*self.above, *self.texts[:start]], [*self.texts[end:], *self.below]
        return Block(self.lines[start:end], self.texts[start:end], self.spot, self.family, above, below)


def read_block(block: Block) -> Edits:
    holder, language = block.spot.holder, block.spot.language
    tokens = drop_comments(block.lines)
    found: Edits = []
    if holder.kind == IMPORT:
        module = holder.name or find_quoted_module(block.below)
        for name in [token.text for token in tokens if token.kind in (NAME, STRING)]:
            edit = block.make(block.spot.import_role, name.strip("\"'"), module)
            edit.names = frozenset([unquote(name).rpartition("/")[2]])
            found.append(edit)
    elif tokens and is_balanced(tokens):
        has_brackets = block.family in (CODE, SETTINGS, STYLES) or holder.kind in (LIST, MAPPING, PARAMETERS)
        symbols = [language.read_symbol(text) for text in block.texts if holder.kind == TYPE]
        # In a type they can be more than fields.
        defines = any(symbol[1] in ("method", "function", "test", "class") for symbol in symbols if symbol)
        # `cwd: string;` is a member of a type that looks like an object.
        is_member = holder.kind == MAPPING and _MEMBER.match(block.texts[0]) is not None
        # What begins a block of statements in C and C# stands alone as well.
        is_block = language.name == "csharp" or (language.name == "c" and holder.kind == MAPPING)
        has_brackets = has_brackets and not (is_block and tokens[-1].text == ";")
        if (holder.kind == TYPE or is_member) and has_brackets and not defines:
            found = _read_fields(block)
        elif has_brackets and (holder.kind in ROLES or not holder.kind) and not defines:
            found = _read_entries(block, ROLES.get(holder.kind, ""), tokens)
    for edit in found:
        edit.lines = len(block.lines) / len(found)
    return found or _read_statements(block)


def find_quoted_module(below: Sequence[str]) -> str:
    """Return the module of a list of imports that ends below, as `} from "module"` ends it, or an empty text."""
    for text in below[:_LINES_OF_IMPORTS]:
        found = _END_OF_IMPORTS.match(text)
        if found:
            return found[1] or ""
    return ""


def _read_fields(block: Block) -> Edits:
    """Fields, members and columns, one a line: by the members of the language, else by the form of an entry."""
    language = block.spot.language
    found: Edits = []
    for part in _split_lines(block.lines):
        text = write(part)
        if text.startswith(("#", "@")):
            # An annotation belongs to the field below.
            continue
        case = _CASES.match(text)
        # `_split_lines` left out the comma that ends a member.
        ending = "," if language.name in ("rust", "go") else ""
        name = case[1] if case else language.read_member(text + ending) or write_entry(part, "field", language.name)
        if not name:
            return []
        edit = block.make("field", name, block.spot.holder.name)
        edit.names = list_names(part) | {name}
        found.append(edit)
    return found


def _read_entries(block: Block, role: str, tokens: Sequence[Token]) -> Edits:
    """Entries of a call, a list or a mapping; without a role, their form says of what that begins far above."""
    parts, by_line = split_entries(tokens), _split_lines(block.lines)
    if len(parts) == 1 and len(by_line) > 1 and block.spot.language.name != "python":
        parts = by_line
    if role:
        return make_entries(block.spot, role, parts)
    if all(len(part) > 2 and part[1].text in (":", "=>") for part in parts):
        role = "key"
    elif all((len(part) == 1 and part[0].kind == STRING) or part[0].text == "{" for part in parts):
        role = "item"
    is_list = tokens[-1].text == "," or block.spot.previous == ","
    return make_entries(block.spot, role, parts) if role and is_list and block.family != SETTINGS else []


def _split_lines(lines: Sequence[Sequence[Token]]) -> list[list[Token]]:
    """Return the tokens of each line, with those of lines that go on within its brackets."""
    parts: list[list[Token]] = []
    depth = 0
    for line in lines:
        if not parts or not (depth or line[0].text in CLOSING):
            parts.append([])
        parts[-1] += [token for token in drop_comments([line]) if token.text != ","]
        depth += count_open(line)
    return [part for part in parts if part]


def _read_statements(block: Block) -> Edits:
    statements = list(_split_statements(block))
    if len(statements) > _STATEMENTS:
        return [block.make(OTHER, "lines")]
    found: Edits = []
    pending: Edits = []
    for start, end in statements:
        edit = _read_statement(block.cut(start, end))
        is_route = edit.role == "route" and edit.text.lstrip()[:1] == "@"
        is_free = not edit.holder or edit.text.strip().lower() == "@override"
        if (edit.role in ("annotation", "derive", "skip") or is_route) and end < len(block.lines) and is_free:
            # An annotation of something new belongs to that.
            pending.append(edit)
            continue
        if edit.role == "function" and any("test" in before.text.lower() for before in pending):
            edit.role = OTHER
        for route in [before for before in pending if before.role == "route" and edit.role in ("function", OTHER)]:
            edit.role, edit.old, edit.new = "route", route.old, route.new
        edit.lines += sum(before.lines for before in pending)
        if edit.role == "caught" and found and (found[-1].new or found[-1].old).startswith("try"):
            # What is tried belongs to what is handled.
            edit.lines += found.pop().lines
        pending = []
        found.append(edit)
    return found + pending


def _split_statements(block: Block) -> Iterator[tuple[int, int]]:
    """Yield where each statement starts and ends: lines that are indented more, or close brackets, go with it."""
    least = min([count_indent(text) for text in block.texts])
    start = depth = 0
    for number, (line, text) in enumerate(zip(block.lines, block.texts, strict=True)):
        is_deeper, head = count_indent(text) > least, block.texts[start]
        if block.family in (ELEMENTS, YAML):
            goes_on = is_deeper or text.lstrip().startswith("</")
        elif block.family == COMMANDS:
            goes_on = head.startswith("HEALTHCHECK") and block.texts[number - 1].endswith("\\")
            is_ended = any(before.rstrip().endswith(";;") for before in block.texts[start:number])
            goes_on = goes_on or (_BRANCH.match(head) is not None and not is_ended)
        elif block.family in (SETTINGS, TARGETS):
            in_section = head.lstrip()[:1] == "[" and text.lstrip()[:1] != "["
            goes_on = depth > 0 or in_section or (text[:1] == "\t" and head[:1] != "\t")
        else:
            ends = line[0].text in (*CLOSING, "{", "end", "else", "elif", "finally", "where", ".", "</")
            goes_on = depth > 0 or is_deeper or ends
        if number > start and not goes_on:
            yield start, number
            start = number
        depth = max(0, depth + count_open(line))
    yield start, len(block.lines)


def _read_statement(block: Block) -> Edit:
    tokens, first, language = drop_comments(block.lines), block.texts[0], block.spot.language
    text = write(tokens) if block.family == CODE else "\n".join(line.strip() for line in block.texts)
    edit = block.make(OTHER, text)
    if block.family == CODE:
        symbol = language.read_symbol(first)
        ending = _ENDING.match(text)
        if ending:
            called = block.make("called", "()", ending[2])
            called.place, called.names = ending[1], list_names(tokens)
            return called
        if symbol and symbol[1] != "key" and not (symbol[1] == "constant" and "=" in text):
            noun = symbol[1] if symbol[1] in _NOUNS_OF_SYMBOLS else ""
            edit = block.make("definition" if noun else "function", symbol[0], noun)
            edit.role = OTHER if symbol[1] == "test" else edit.role
        elif is_import(first.strip()) or (language.list_imports(first.strip()) and len(tokens) < 8):
            return _read_import(block, tokens, first.strip())
    elif block.family == YAML:
        text = f"{text[:1]} {text[1:].lstrip()}" if text.startswith("-") else text
    if edit.role == OTHER:
        edit = _read_form(block, text) or edit
        # In the middle of a long type, only the form says that `Name string` is a field.
        is_open = block.spot.holder.kind in ("", TYPE) and block.spot.around.kind not in ("function", "method", "test")
        place = block.spot.around.place if is_open and language.name == "go" else ""
        is_field = place[:1].isupper() and len(tokens) > 1 and "=" not in text
        if edit.role == OTHER and is_field and language.read_member(text):
            edit = block.make("field", tokens[0].text, place)
    environment = ENVIRONMENT.search(text) if block.spot.new and len(block.lines) <= _LINES_OF_READING else None
    if environment and (_DELETES.search(text[: environment.start()]) or _SETS.match(text[environment.end() :])):
        environment = None
    if environment and edit.role in (OTHER, "done", "variable"):
        edit = block.make("environment", environment[1])
    edit.names = list_names(tokens) | {edit.holder, edit.new or edit.old}
    if edit.role in ("annotation", "derive", "skip", "option") and first.lstrip()[:1] in ("@", "#", "["):
        edit.holder = find_defined(language, block.below)
    return edit


def _read_import(block: Block, tokens: Sequence[Token], line: str) -> Edit:
    names = [name.strip('"<>') for name in block.spot.language.list_imported(line)]
    if not names:
        names = [token.text.strip("\"'") for token in tokens if token.kind == STRING]
    role = {"pub": "export", "export": "export", "#": "include", "#include": "include"}.get(tokens[0].text, "import")
    edit = block.make(role, ", ".join(names[:3]) or write(tokens[1:]).rstrip(";"), find_module(tokens))
    edit.names, edit.lines = frozenset(name.rpartition("/")[2] for name in names), 1
    return edit


def _read_form(block: Block, text: str) -> Edit | None:
    size = len(block.lines)
    for form in FORMS[block.family]:
        if size > form.lines or form.mark not in text:
            continue
        found = form.pattern.match(text)  # type: ignore[attr-defined]
        if found is None:
            continue
        groups = found.groupdict()
        name, holder, value = ((groups.get(group) or "").strip() for group in ("name", "holder", "value"))
        value = _VALUE_BEFORE_COMMENT.sub(r"\1", value)
        edit = block.make(form.role, name or text, "target" if form.role == "definition" else holder)
        if form.role == "setting":
            # What an object has may have been there before.
            is_member = block.family == CODE and any(sign in holder for sign in ".>:[")
            edit = block.make("assignment" if is_member else "key", holder)
            if block.spot.new and 0 < len(value) <= _VALUE and value[0] not in "{[|>&*<" and size == 1:
                # `"a b"` is one text, `"a" + "b"` are two.
                if value[:1] in ("'", '"') and value.find(value[0], 1) == len(value) - 1 > 1:
                    value = value[1:-1]
                edit = block.make("setting", value, holder)
        elif form.role == "implemented":
            edit.holder = _name_type(holder, value)
        elif form.role == "caught" and name.islower() and name.isidentifier():
            # In `catch (err)` it is a variable.
            edit = block.make("caught", "errors")
        elif form.role == "skip" and not text.startswith(("@", "#")):
            # In `t.Run("a", ...`, it is a part of the test.
            is_part = any(holder.kind == CALL for holder in block.spot.holders)
            place = edit.place if "test" in edit.place.lower() and not is_part else ""
            edit.holder = f"{place} in CI" if place and _IN_CI.search((groups["test"] or "").strip()) else place
        elif form.role == "guard":
            bound = _BOUND.match(groups["test"]) if text.startswith("guard") else None
            test = f"not {bound[1]}" if bound else groups["test"]
            if text.startswith(("let ", "val ", "var ")):
                test = f"not {test}"  # what has no value
            said = say_guard(test, name, is_negated=not bound and NEGATING.match(text) is not None)
            edit.old, edit.new = edit.old and said, edit.new and said
        reader = _READERS.get(block.family)
        return reader(block, edit) if reader else edit
    return None


def _name_type(text: str, generics: str) -> str:
    """Return what implements a trait of Rust, without the `generics` of it; empty if these, or functions, do."""
    parameters = set(_GENERIC.findall(generics))
    name = _LIFETIME.sub("", text)
    name = name.replace("<>", "") if "'" in text else name
    base, _, arguments = name.partition("<")
    if set(arguments.strip(">").split(", ")) <= parameters:
        name = base
    return "" if "(" in name or name[:1] in "<*!" or name.lstrip("& ") in parameters else name


def list_parents(line: str, above: Sequence[str]) -> Iterator[str]:
    """Yield the keys that a line of data is below by its indentation, the innermost first, or its section."""
    indent, is_item = count_indent(line), line.lstrip().startswith("- ")
    for text in reversed(above):
        found, own = _KEY.match(text.strip()), count_indent(text)
        column = own + len(found[1] or "") if found else own
        if not text.strip() or (own >= indent and not (is_item and own == indent and text.strip()[:1] != "-")):
            continue
        if found and (column < indent or (is_item and column == indent)) and not text.rstrip().endswith((" |", ">")):
            yield found[2].strip('"')
        indent, is_item = own, text.strip()[:1] == "-"
    sections = [text.strip('[] "') for text in above if text[:1] == "["]
    yield from sections[-1:]


def find_parent(line: str, above: Sequence[str]) -> str:
    """Return the first of these keys that says what a line is about; empty if none does."""
    parent = next((parent for parent in list_parents(line, above) if parent not in _PLAIN_PARENTS), "")
    return "" if parent in _NAMELESS else parent


def _read_yaml(block: Block, edit: Edit) -> Edit:
    line = block.texts[0]
    parent = next(list_parents(line, block.above), "")
    if is_run(line, block.above) and not line.lstrip().startswith("- run"):
        return _read_command(block, edit)
    if edit.role == "command" and not line.lstrip().startswith("- "):
        edit.role = OTHER
    if edit.role == "step" and parent != "steps":
        edit.role = OTHER
    if edit.role == "item" and parent == "steps":
        edit.role = "step"
    if parent == "on" or (edit.role == "key" and parent in NOUNS and edit.lines > 1):
        edit.role, parent = "definition", NOUNS[parent]
    if "if" in (edit.holder, edit.new, edit.old) and edit.role in ("setting", "key"):
        return block.make("precondition", "if", "" if parent in _NAMELESS else parent)
    if edit.role == "key" and (edit.new or edit.old) in _OF_STEPS:
        edit.role = OTHER
    if edit.new in ("env", "with") and edit.lines == 2:
        inner = _read_form(block.cut(1, 2), block.texts[1].strip())
        if inner is not None:
            inner.lines = 2
            return inner
    if edit.role != "setting":
        edit.holder = "" if parent in _NAMELESS else parent
    return edit


def _read_command(block: Block, edit: Edit) -> Edit:
    """A line of a command, which may go on with the flags or the packages of the one above."""
    if edit.role == "case":
        names = [name.strip(" \"'") for name in (edit.new or edit.old).split("|")]
        # What has no other branch is no case.
        return block.make(edit.role if set(names).isdisjoint({"*", ""}) else OTHER, join_names(names))
    if block.family == COMMANDS and edit.role not in ("flag", "package", "command"):
        return edit
    bare = block.texts[0].strip().rstrip("\\ ")
    before = block.above[-1].rstrip() if block.above else ""
    line = block.cut(0, 1)
    if bare.startswith("-") and not bare.startswith("- "):
        return line.make("flag", bare, find_program(block.above))
    if before.endswith("\\"):
        is_package = " " not in bare and any(INSTALLING.search(text) for text in block.above[-25:])
        return line.make("package" if is_package else OTHER, bare)
    if edit.role == "package":
        edit.role = OTHER
    return edit if block.family == COMMANDS else line.make("command", bare)


def find_program(above: Sequence[str]) -> str:
    """Return the program whose command goes on below: lines with flags alone belong to the one before them."""
    for text in reversed(above):
        bare = text.strip().rstrip("\\ ")
        if bare and not bare.startswith(("-", "#")) and (" " in bare or not text.rstrip().endswith("\\")):
            return name_program(read_words(bare))
    return ""


def is_run(text: str, above: Sequence[str]) -> bool:
    """Whether a line of YAML is a command: behind `run:`, or below `run: |` or `script:`."""
    if _RUN.match(text.strip()):
        return True
    indent = count_indent(text)
    for line in reversed(above):
        if line.strip() and count_indent(line) < indent:
            if _RUN_BLOCK.match(line.strip()) or _KEY.match(line.strip()):
                return _RUN_BLOCK.match(line.strip()) is not None
            # A line of the same script, such as that of an `if`.
            indent = count_indent(line)
    return False


def _read_element(block: Block, edit: Edit) -> Edit:
    """An element of XML, in the one that is open above; what only contains or lays out others says nothing."""
    if (edit.new or edit.old) in _CONTAINERS:
        edit.role = OTHER
    if edit.role not in ("item", "requirement"):
        return edit
    depth = 0
    for text in reversed(block.above):
        bare = text.strip()
        depth += bare.startswith("</")
        if _VOID.match(bare):
            continue
        if bare.startswith("<") and not bare.startswith("</") and not bare.endswith("/>") and "</" not in bare:
            if not depth:
                edit.holder = edit.holder if edit.role == "requirement" else bare.strip("<>").partition(" ")[0]
                break
            depth -= 1
    return edit


def _read_key(block: Block, edit: Edit) -> Edit:
    """A key in a section, which is new with it if that has no other."""
    if edit.role == "section" and edit.new and len(block.lines) == 2:
        inner = _read_form(block.cut(1, 2), block.texts[1].strip())
        if inner and inner.role == "setting" and not (VERSION.match(inner.new) or may_be_secret(block.texts[1])):
            inner.place, inner.lines = edit.new.strip('"'), 2
            return inner
    if edit.role == "key":
        edit.holder = next(list_parents(block.texts[0], block.above), "")
    return edit


def _read_code(block: Block, edit: Edit) -> Edit:
    """A call that says something, a condition, what a class of Ruby declares by a call, a variable that is a field."""
    language, place = block.spot.language, block.spot.around.place
    name, text, in_type = edit.new or edit.old, block.texts[0], place[:1].isupper()
    if edit.role == "call":
        is_none = name in NOT_CALLS or ASSERTING.match(name) or len(name.rpartition(".")[2]) < 4
        edit.role = OTHER if is_none else edit.role
        if edit.old and PRINTING.match(name):
            edit.role = "printed"
        if "finally" in list_texts(block.lines[0][:2]):
            edit.lines += 1  # that of its `try`
    elif edit.role == "check":
        found = CHECK.match(name)
        if not name.startswith("if"):
            # A line of a condition.
            is_part = is_balanced(drop_comments(block.lines)) and {"||", "or", "?"}.isdisjoint(name.split())
            is_part = is_part and _continues(block)
            return block.make("check" if is_part else OTHER, unwrap(name))
        # A condition around what was there before: its head came, or went, alone.
        return block.make("check" if found else OTHER, unwrap(found[1]) if found else name)
    elif edit.role == "handled":
        handled = _name_handled(name, "\n".join([*block.above, *block.below]))
        # Of `if x := get(); x > 3` and a mapping in a test, the name is a part alone.
        head = write(drop_comments(block.lines[:1])).rstrip(" {:").removesuffix(" then")
        is_whole = head.endswith(name) and ";" not in name
        done = say_conditional(name, _find_body(block)) if is_whole and not handled else ""
        # What is only written to a log is not handled.
        is_case = handled and not is_logged(_find_body(block))
        made = block.make("case" if is_case else OTHER, handled or name)
        if done:
            made = block.make("done", done)
            made.text = " ".join(block.texts)
        return made
    elif edit.role in ("alternative", "assertion"):
        # Each call of Go is followed by an assertion that there is no error.
        is_told = name not in _NOT_HANDLED and is_balanced(drop_comments(block.lines))
        is_told = is_told and name.count("(") == name.count(")")
        edit.role = edit.role if is_told and (edit.role == "assertion" or _continues(block)) else OTHER
    elif edit.role == "declaration" and not (in_type and language.name == "ruby"):
        edit.role = OTHER
    elif edit.role == "variable" and edit.new and not place and (found := _TOP_SETTING.match(text)):
        return block.make("setting", found["value"], found["name"])
    elif edit.role == "variable" and in_type and block.spot.holder.kind in ("", TYPE):
        member = language.read_member(text)
        # In a function of the class, what is indented more is a variable.
        if member and len(text.expandtabs(4)) - len(text.lstrip()) <= 4:
            return block.make("field", member, place)
    return edit


def _continues(block: Block) -> bool:
    """Whether lines are part of a condition on several ones, and of no text."""
    above = [line for line in block.above if line.strip()][-1:]
    is_text = block.lines[0][0].kind == STRING and block.lines[0][0].text[:1] not in "\"'`"
    return not is_text and any(_JOINS.search(line.strip()) for line in above)


def _find_body(block: Block) -> str:
    """Return the only statement of a block below its head; empty if it has several."""
    if any(not _OTHERWISE.isdisjoint(list_texts(line[:2])) for line in block.lines[1:]):
        return ""
    lines = [number for number, line in enumerate(block.lines) if number and line[0].text not in _ENDS]
    if not lines or lines != list(range(lines[0], lines[-1] + 1)):
        return ""
    body = block.cut(lines[0], lines[-1] + 1)
    return write(drop_comments(body.lines)) if len(list(_split_statements(body))) == 1 else ""


def _name_handled(test: str, around: str) -> str:
    """Return what a condition tells apart, in words; empty if it does more than that, or what is `around` has it."""
    found = _HANDLED.match(test)
    if found is None:
        return ""
    name = unquote(found[found.lastindex or 0])
    if name.rpartition(".")[2] in _NOT_HANDLED or name.isupper() or mentions(around, name):
        return ""
    return f"a missing {name}" if found["none"] else name


# What else is read of statements, by the kind of lines.
_READERS = {
    CODE: _read_code,
    YAML: _read_yaml,
    ELEMENTS: _read_element,
    COMMANDS: _read_command,
    SETTINGS: _read_key,
}
