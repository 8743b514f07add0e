"""What is known of each language: how its files import others, define names, declare variables and write comments.

`_LANGUAGES` has a record for each, also for formats of data and of documents.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    Rows = tuple[tuple[re.Pattern[str], str], ...]

# What else may be on a line that imports names.
IMPORT_WORDS = {
    "import", "from", "use", "type", "as", "static", "pub", "const", "let", "var", "require", "mod", "crate", "self",
    "using", "super", "local", "export", "typeof", "async", "await", "qw",
}  # fmt: skip
# What looks like a comment, and has an effect: the interpreter of a script, and commands to Go's compiler.
_DIRECTIVES = (b"#!", b"//go:", b"// +build")
_QUOTED = compile_on_use(r"(['\"]).*?\1")
_HEADER = compile_on_use(r"[<\"][^>\"]{1,100}[>\"]")
# Languages that import by paths in quotes.
_BY_PATHS = {"javascript", "dart", "lua", "protobuf"}
# What an import with `as` does not make known under its own name, words before names, and a comment.
_NOT_KNOWN = compile_on_use(r"[\w.:\\*]+\s+as\s+|\b(?:show|qualified)\s+(?=[A-Z])|\s(?:#|//|hide [A-Z]).*")
# A name that is not followed by the rest of a module's name.
_LAST_NAME = compile_on_use(r"\b([A-Za-z_]\w*)\b(?!\w*\s*(?:\.|/|::|\\|-))")
# Of a variable by a word, and of the parameters of a function.
_DECLARATIONS = (
    compile_on_use(r"(?:let|var|val|const|local|auto|final)\s+(?:mut\s+)?(\w+(?!\w*\s*\()|[{(\[][^=]*=)"),
    compile_on_use(r"(?:\w+\s+)*(?:def|func|fn|fun|function)\b[^(]*\((.*)"),
)


class Language(Record):
    """One language; languages that use each other's files count as one. Formats of data have no name.

    Lines that begin with one of `comments` are comments; `blocks` has what begins and ends other comments and texts on
    several lines than those of all languages with such comments. `symbols` has patterns of lines that define something,
    with its kind, the term of the language; the name is the last group that matches. `find_symbol` finds what has no
    pattern. In a language that `is_flat` what belongs to a symbol is not indented.

    Lines that match `imports`, without indentation, import something: by the names of modules, whose parts stand
    between `separator`s, or else by paths. Files in `indexes` stand for their folders. With `lists_names`, a file
    lists which names it uses of another one, or uses them behind the other one's name. With `qualifies`, names of
    modules can stand on any line.

    What is declared in the middle of a type or a list, fields, members and constants, matches `members`. Each of the
    `declarations` makes a name another one in its function; with `assigns` an assignment declares a variable. Where a
    language `is_compiled`, every use of a changed definition has to be right; `calls_bare` is without parentheses.

    With `indents` a change of indentation is no layout; with `quotes_alike` both quotes mean the same. Formatters sort
    the imports of what `is_formatted`.
    """

    name: str
    endings: str
    comments: tuple[bytes, ...] = ()
    symbols: Rows = ()
    find_symbol: Callable[[str], tuple[str, str] | None] | None = None
    is_flat: bool = False
    imports: re.Pattern[str] | None = None
    separator: str = "/"
    indexes: tuple[str, ...] = ()
    lists_names: bool = False
    qualifies: bool = False
    members: re.Pattern[str] | None = None
    declarations: tuple[re.Pattern[str], ...] = _DECLARATIONS
    assigns: bool = False
    is_compiled: bool = False
    calls_bare: bool = False
    indents: bool = False
    quotes_alike: bool = False
    is_formatted: bool = False
    blocks: tuple[tuple[str, str], ...] = ()

    # There is one object of each language, by which much is cached.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def is_comment(self, line: bytes) -> bool:
        """Whether `line` is blank or begins as a comment does; a command to a compiler or for a shell is none."""
        text = line.strip()
        if not text or text.startswith(_DIRECTIVES):
            return not text
        return bool(self.comments) and (text == b"*" or text.startswith(self.comments))

    def list_imports(self, line: str) -> bool:
        return self.imports is not None and self.imports.match(line) is not None

    def list_imported(self, line: str) -> list[str]:
        """Return the names that `line` makes known, or the path of a header; empty if it does not import any."""
        if not self.list_imports(line):
            return []
        if self.name == "c":
            return _HEADER.findall(line)
        text = line
        if self.name in _BY_PATHS:
            text = _QUOTED.sub("", line)
        elif line.startswith("from "):
            text = line.partition(" import ")[2]
        elif self.name == "haskell" and "(" in line:
            text = line.partition("(")[2]
        text = _NOT_KNOWN.sub("", text)
        return [name for name in _LAST_NAME.findall(text) if name not in IMPORT_WORDS]

    def read_member(self, line: str) -> str:
        """Return the name of the field, member or constant that `line` declares, or an empty text."""
        match = self.members.match(line.strip()) if self.members else None
        return match[match.lastindex or 1] if match else ""

    def read_symbol(self, line: str) -> tuple[str, str] | None:
        for pattern, kind in self.symbols:
            match = pattern.match(line)
            if match:
                return match[match.lastindex or 0], kind
        return self.find_symbol(line) if self.find_symbol else None


def _rows(*rows: tuple[str, str]) -> Rows:
    return tuple((compile_on_use(pattern), kind) for pattern, kind in rows)


_MODIFIERS = {
    "public", "private", "protected", "internal", "static", "final", "abstract", "override", "virtual", "async",
    "synchronized", "default", "native", "sealed", "partial", "extern", "unsafe", "readonly", "get", "set", "new",
    "strictfp", "required",
}  # fmt: skip
_NOT_NAMES = {
    "if", "for", "while", "switch", "catch", "return", "else", "do", "new", "throw", "await", "function", "sizeof",
}  # fmt: skip
_IDENTIFIER = compile_on_use(r"[A-Za-z_$][\w$]*\Z")


def _find_method(line: str) -> tuple[str, str] | None:
    """Java and C#: a modifier, a type, a name and a parenthesis."""
    words = line.partition("(")[0].split()
    if "(" not in line or len(words) < 3 or words[0] not in _MODIFIERS - {"new"} or "=" in words:
        return None
    # `Name<T>` has parameters of types.
    name = words[-1].partition("<")[0]
    if not _IDENTIFIER.match(name):
        return None
    return name, "method"


def _find_script_method(line: str) -> tuple[str, str] | None:
    """JavaScript: an indented name before a parenthesis, on a line that opens a block."""
    words = line.partition("(")[0].partition("<")[0].split()
    if not line[:1].isspace() or "(" not in line or not line.rstrip().endswith("{") or not words:
        return None
    # `static load({` is no call.
    is_called = line.rstrip().endswith(("({", ", {")) and (len(words) < 2 or words[0] == "new")
    if is_called or line.partition("(")[2].startswith(("'", '"', "`")):
        # What is passed to a call, as in `describe("hosts", () => {`.
        return None
    name = words[-1].lstrip("*#")
    if name in _NOT_NAMES or not _IDENTIFIER.match(name) or not _MODIFIERS.issuperset(words[:-1]):
        return None
    return name, "method"


_C_NAMED = compile_on_use(r"\s*([a-z]\w+),")


def _find_c_function(line: str) -> tuple[str, str] | None:
    """C: a type and a name before a parenthesis, and no call or assignment; GNU has the type on a line of its own."""
    text = line
    if "(" not in line or line.endswith(";"):
        return None
    for pattern, replacement in _C_SHORTENED:
        text = pattern.sub(replacement, text)
    head, _, rest = text.partition("(")
    words = head.replace("*", " ").replace("&", " ").split()
    if not words or "=" in head or words[0] in _NOT_NAMES:
        return None
    # Within a class or a namespace only what a body follows is told from a variable.
    if line[:1].isspace() and (len(words) < 2 or not _C_BODY.search(rest)):
        return None
    scope, _, name = words[-1].rpartition("::")
    if not _IDENTIFIER.match(name) or not _IDENTIFIER.match(words[0].strip(":").replace("::", "")):
        return None
    if len(words) < 2 and (name.isupper() or scope.rpartition("::")[2] == name):
        return None
    # `int BPF_PROG(open_exit, long id) {`: a macro makes the function that its first argument names.
    made = _C_NAMED.match(rest) if name.isupper() else None
    return (made[1] if made else name), "function"


# What stands around the type of a function of C++ and has signs of its own, and what is put in its place.
_C_SHORTENED = (
    (compile_on_use(r"\bdecltype\s*\((?:[^()]|\([^()]*\))*\)|^[A-Z][A-Z_\d]*\([^()]*\)(?=\s+\w)"), "auto"),
    (compile_on_use(r"\[\[[^\]]*\]\]|\b(?:__attribute__|alignas|explicit|noexcept)\s*\((?:[^()]|\([^()]*\))*\)"), " "),
    (compile_on_use(r"(<[^<>()]*)\([^()<>]*\)"), r"\1"),
    *((compile_on_use(r"<[^<>]*>"), ""),) * 3,
    (compile_on_use(r"^\s*(?:template\b|requires\s+\w+|extern\s+\"C\")+"), ""),
)
_C_BODY = compile_on_use(r"^[^\[]*\)[\w\s&:>-]*\{")
_TEST_TITLE = _rows(
    (r"\s*(?:it|test|specify|scenario)(?:\.\w{1,20})?\(\s*(?:'([^']+)'|\"([^\"]+)\"|`([^`]+)`)", "test")
)
_PYTHON = _rows(
    (r"\s*(?:async\s+)?def\s+(test_\w+)", "test"),
    (r"(?:async\s+)?def\s+(\w+)", "function"),
    (r"\s+(?:async\s+)?def\s+(\w+)", "method"),
    (r"\s*class\s+(\w+)", "class"),
    (r"([A-Z][A-Z0-9_]{2,})\s*(?::|=(?!=))", "constant"),
)
_SCRIPT = _TEST_TITLE + _rows(
    (r"\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*([\w$]+)", "function"),
    (r"\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?class\s+([\w$]+)", "class"),
    (r"\s*(?:export\s+)?(?:declare\s+)?interface\s+([\w$]+)", "interface"),
    (r"\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s+([\w$]+)", "enum"),
    (r"\s*(?:export\s+)?(?:declare\s+)?type\s+([\w$]+)\s*(?:=|<)", "type"),
    (r"\s*(?:export\s+)?(?:declare\s+)?namespace\s+([\w$.]+)\s*\{", "namespace"),
    (r"[\w$]+\.(?:prototype\.)?([\w$]+)\s*=\s*(?:async\s+)?function\b", "function"),
    (r"(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*=\s*(?:async\s*)?(?:function\b|\(|[\w$]+\s*=>)", "function"),
    (r"export\s+(?:const|let|var)\s+([\w$]+)", "constant"),
    (r"(?:const|let|var)\s+([A-Z][\w$]*)\s*(?::[^=]+)?=(?!.*\brequire\()", "constant"),
)
_GO = _rows(
    (r"func\s+(Test\w+)", "test"),
    (r"func\s+\([^)]*\)\s*(\w+)", "method"),
    (r"func\s+(\w+)", "function"),
    (r"type\s+(\w+)\s+interface\b", "interface"),
    (r"type\s+(\w+)\s+struct\b", "struct"),
    (r"type\s+(\w+)", "type"),
    (r"(?:const|var)\s+(\w+)", "constant"),
)
_RUST_VISIBLE = r"\s*(?:pub(?:\([^)]*\))?\s+)?"
_RUST = _rows(
    (r"\s*(?:async\s+)?fn\s+(test_\w+)", "test"),
    (_RUST_VISIBLE + r"(?:(?:const|async|unsafe|default|extern)\s+(?:\"[^\"]*\"\s+)?)*fn\s+(\w+)", "function"),
    (_RUST_VISIBLE + r"(?:struct|union)\s+(\w+)", "struct"),
    (_RUST_VISIBLE + r"enum\s+(\w+)", "enum"),
    (_RUST_VISIBLE + r"(?:unsafe\s+)?trait\s+(\w+)", "trait"),
    (_RUST_VISIBLE + r"mod\s+(tests?)\b", "test"),
    (_RUST_VISIBLE + r"mod\s+(\w+)", "module"),
    (_RUST_VISIBLE + r"type\s+(\w+)", "type"),
    (_RUST_VISIBLE + r"(?:const|static)\s+([A-Z]\w*)", "constant"),
    (r"\s*macro_rules!\s*(\w+)", "macro"),
)
_JVM_WORDS = (
    r"\s*(?:(?:public|private|protected|internal|static|final|abstract|sealed|open|data|partial|override|inline|suspend|"
    r"readonly|case|implicit|annotation|export|fileprivate|mutating|@\w+|non-sealed|strictfp|inner|value|operator|infix|"
    r"tailrec|expect|actual|external|file|ref|unsafe|new|required)\s+)*"
)
_JVM = _rows(
    (_JVM_WORDS + r"(?:class|object|record(?:\s+(?:class|struct))?)\s+(\w+)", "class"),
    (_JVM_WORDS + r"(?:@|fun\s+)?interface\s+(\w+)", "interface"),
    (_JVM_WORDS + r"enum\s+(?:class\s+)?(\w+)", "enum"),
    (_JVM_WORDS + r"(?:trait|protocol)\s+(\w+)", "trait"),
    (_JVM_WORDS + r"(?:struct|actor|extension)\s+(\w+)", "struct"),
    (_JVM_WORDS + r"typealias\s+(\w+)", "type"),
    (_JVM_WORDS + r"(?:fun|func|def)\s+(?:<[^>]*>\s*)?(?:[\w<>?,.* ]+\.)?(\w+)", "function"),
    (r"(?!\s)" + _JVM_WORDS + r"(?:(?:const|lateinit)\s+)?va[lr]\s+(?:[\w<>?,.* ]+\.)?(\w+)", "constant"),
)
_DART = _rows(
    (
        r"\s+(?:static\s+)?(?!(?:return|else|new|await|throw|case|if|for|while|switch|assert)\b)[\w.<>?, ]+\s(\w+)"
        r"\([^;=]*\)\s*(?:a?sync\*?\s*)?(?:\{|=>)",
        "method",
    ),
)
_C_KIND = r"\s*(?:typedef\s+)?(?:template\s*<.*>\s*)?"
# After attributes, and words that stand for some; a body or a base follows, on this line or the next one.
_C_NAME = (
    r"(?:(?:\[\[.*?\]\]|__\w+(?:\(\(.*?\)\))?|[A-Z_\d]+(?:\(\w*\))?)\s+)*"
    r"(\w+)(?:<[^;{]*>)?\s*(?:final\b\s*)?(?::[^:;]+)?(?:\{.*|/[/*].*)?$"
)
_C = _rows(
    (r"#\s*define\s+(\w+)", "macro"),
    (_C_KIND + r"(?:struct|union)\s+" + _C_NAME, "struct"),
    (_C_KIND + r"enum\s+(?:(?:class|struct)\s+)?" + _C_NAME, "enum"),
    (_C_KIND + r"class\s+" + _C_NAME, "class"),
    (_C_KIND + r"concept\s+(\w+)\s*=", "type"),
    (_C_KIND + r"using\s+(\w+)\s*(?:\[\[.*\]\]\s*)?=", "type"),
    (r"\s*typedef\s[^{]*?\(\s*\*\s*(\w+)\s*\)", "type"),
    (r"\s*typedef\s[^{]*?(\w+);", "type"),
    (r"\}\s*(\w+)(?:\s+__\w+.*)?;", "type"),
    (r"(?:inline\s+)?namespace\s+(?:\w+::)*(\w+)", "namespace"),
)
_RUBY = _TEST_TITLE + _rows(
    (r"\s*it\s+(?:'([^']+)'|\"([^\"]+)\")", "test"),
    (r"\s*(?:\w+\s+)?def\s+(?:self\.)?(\w+[?!]?)", "method"),
    (r"\s*(?:attr_\w+|scope|alias_method|define_method|delegate|has_\w+|belongs_to)[ (]\s*:(\w+[?!]?)", "method"),
    (r"\s*alias\s+:?(\w+[?!]?)", "method"),
    (r"\s*([A-Z]\w*)\s*=\s*(?:Struct|Class|Data)\.(?:new|define)\b", "class"),
    (r"\s*([A-Z][A-Z\d_]+)\s*=(?!=)", "constant"),
    (r"\s*class\s+([\w:]+)", "class"),
    (r"\s*module\s+([\w:]+)", "module"),
)
_PHP = _rows(
    (r"(?:\s*define\(\s*['\"]|const\s+)(\w+)\b", "constant"),
    (_JVM_WORDS + r"function\s+&?(\w+)", "function"),
    (_JVM_WORDS + r"(?:class|trait)\s+(\w+)", "class"),
    (_JVM_WORDS + r"interface\s+(\w+)", "interface"),
    (_JVM_WORDS + r"enum\s+(\w+)", "enum"),
)
_PERL = _rows((r"\s*sub\s+(\w+)", "function"), (r"\s*package\s+([\w:]+)", "module"))
_SHELL = _rows((r"\s*(?:function\s+)?([\w-]+)\s*\(\)", "function"), (r"\s*function\s+([\w-]+)", "function"))
_LUA = _rows((r"\s*(?:local\s+)?function\s+([\w.:]+)", "function"), (r"([\w.]+)\s*=\s*function\b", "function"))
_ELIXIR = _rows((r"\s*defp?\s+(\w+)", "function"), (r"\s*defmodule\s+([\w.]+)", "module"))
_TERRAFORM = _rows(
    (r"(?:resource|data)\s+\"[^\"]*\"\s+\"([^\"]+)\"", "resource"),
    (r"variable\s+\"([^\"]+)\"", "variable"),
    (r"output\s+\"([^\"]+)\"", "output"),
    (r"module\s+\"([^\"]+)\"", "module"),
)
_HASKELL = _rows((r"(?:data|newtype|type|class)\s+(?:.*=>\s*)?(\w+)", "type"))
_CREATES = (
    r"(?i)\s*create\s+(?:or\s+replace\s+|unique\s+|materialized\s+)?{}\s+(?:concurrently\s+)?"
    r"(?:if\s+not\s+exists\s+)?([\w.]+)"
)
_SQL = _rows(*((_CREATES.format(kind), kind) for kind in ("table", "view", "index")))
_PROTO = _rows((r"\s*(?:message|service|enum)\s+(\w+)", "message"), (r"\s*rpc\s+(\w+)", "method"))
_MAKE = _rows((r"([\w.-]+)\s*:(?![=:])", "target"))
_HEADING = _rows((r"#{1,6}\s+(\S.*)", "section"), (r"={1,5}\s+(\S.*)", "section"))
_KEYS = _rows(
    (r"\[+([^\]]+)\]", "section"),
    (
        r"\s*(?:-\s+)?[\"']?(?!(?:name|run|uses|with|on|env|if|to|type|version|id|key|value|path|args|default|description)\b[\"']?\s*[:=])([A-Za-z_@][\w@/.-]*)[\"']?\s*[:=](?!\S*//)",
        "key",
    ),
)

_GO_MEMBERS = compile_on_use(
    r"(?!(?:return|var|type|go|defer|package|import|case|goto|func|else|break|continue|fallthrough)\b)"
    r"(?:([A-Za-z_]\w*)(?:(?:,\s*\w+)*\s+(?:[\w.*\[\]{}]+|func\(.*)\s*(?:`.*`)?(?://.*)?|\(.*\)\s+(?:\(.*\)|[\w.*\[\]]+))$|([A-Za-z_]\w*)(?:\s*(?://.*)?$|\s+(?:\w+\s+)?=\s))"
)
_JAVASCRIPT_MEMBERS = compile_on_use(
    r"(?:(?:readonly|public|private|protected|static|declare|abstract)\s+)*([A-Za-z_$][\w$]*)"
    r"(?:\??\s*:(?:.*[^,{(\[])?$|\??\([^;{]*\)\s*:[^;{]+;$|\s*=\s*(?:async\s*)?\([^()]*\)\s*=>\s*\{$)"
    r"|(?:(?:readonly|public|private|protected|static)\s+)+([A-Za-z_$][\w$]*)\??\s*[=:]"
    r"|([A-Z]\w*)\s*=\s*[^=,]+,$"
)
_RUST_MEMBERS = compile_on_use(
    r"(?:pub(?:\([^)]*\))?\s+)?([a-z_]\w*):\s*(?:&.*|[\w:]*\b(?:[A-Z]\w*|[uif]\d+|[ui]size|bool|char)(?:<.*>)?|fn\(.*),?$"
    r"|([A-Z]\w*)\s*(?:\(.*\)|\{.*\}?)?,?$"
)
# With arguments in up to three levels.
_TYPE_NAME = r"[\w.?]+(?:<(?:[^<>;()]|<(?:[^<>;()]|<[^<>;()]*>)*>)*>)?[\[\]?]*"
_JVM_MEMBERS = compile_on_use(
    r"(?:(?:public|private|protected|internal|static|final|override|const|lateinit|volatile|transient|abstract|@\w+"
    r"|<[^<>]*>)\s+)*(?:(?:val|var)\s+(\w+)"
    r"|(?!(?:return|new|throw|else|case|assert)\b)" + _TYPE_NAME + r"\s+(\w+)\s*(?:=|;|\(.*[{;]$))"
    r"|([A-Z][A-Z0-9_]+)\s*(?:\(.*\))?[,;]?$"
)
_CSHARP_MEMBERS = compile_on_use(
    r"(?:public|internal|protected|private)\s[^({=;]*?\b(\w+)\s*(?:\{|=|;|$)|(\w+)\s*(?:=\s*[\w <]+)?,$"
    r"|(?!(?:return|await|throw|else|new)\b)"
    + _TYPE_NAME + r"\s+(\w+)(?:\(.*\)(?:;|\s*\{)?$|\s*\{\s*get\b)|([A-Z]\w*)$"
)  # fmt: skip
# Words, and the arguments of templates in up to three levels, attributes, and what stands for either in parentheses.
_C_TYPE = (
    r"(?!(?:return|goto|else|delete|throw|new|case|using|typedef|co_\w+)\b)"
    r"(?:[\w\s*&:,]|<(?:[^<>;]|<(?:[^<>;]|<[^<>;]*>)*>)*>|\[\[[^\]]*\]\]|\((?:[^()]|\([^()]*\))*\)(?=\s*\w)|\"C\")+?[\s*&]"
)
_C_CONSTANT = (
    r"(?:template\s*<.*>\s*)?(?:extern|inline|static|const(?:expr|init)?|thread_local|struct\s+\w+\s+\w+[\[\]\w\s]*=)\s"
)
_C_MEMBERS = compile_on_use(
    r"(?:(?=[^(=]*\()|(?!" + _C_CONSTANT + "))" + _C_TYPE + r"(\w+)"
    r"(?:\s?\([^*].*(?:;|,$)|(?:\[[^\]]*\]|\s*:\s*\d+)?\s*(?:=[^;]*|\{[^;]*)?;)"
    r"|(?=" + _C_CONSTANT + ")" + _C_TYPE + r"(\w+)\s*(?:\[[^\]]*\]\s*)?[={;]"
    r"|[\w\s*:]+\(\s*\*\s*(\w+)(?:\)\(|\().*;|\}\s*(\w+)(?:\[[^\]]*\])?;"
    r"|([A-Z]\w+)\s*(?:=[^,;]*)?,\s*(?:/[/*].*)?$|([A-Z][A-Z_\d]+)\s*(?:=[^,;]*)?(?:/[/*].*)?$"
)
# An argument of a call, `name=value,`, is none.
_PYTHON_MEMBERS = compile_on_use(r"(?:self\.)?['\"]?(\w+)['\"]?\s*(?::\s*\S|\s=(?!=))")
_PHP_MEMBERS = compile_on_use(
    r"(?=[^$]*\$\w+\s*[=;]|(?:private|protected|public)\s[^$]*\$\w+\s*[,)])(?:[\w?|\\]+\s+)+\$(\w+)"
    r"|(?:\w+\s+)*(?:const|case)\s+(?:\w+\s+)?(\w+)\s*[=;]"
)
_SHELL_MEMBERS = compile_on_use(r"(?:export\s+)?([A-Z_]\w*)=")
_SWIFT_MEMBERS = compile_on_use(r"(?:(?:public|private|internal|static|lazy|weak)\s+)*(?:let|var|case)\s+(\w+)")
_LUA_MEMBERS = compile_on_use(r"(?:\w+\.)*(\w+)\s*=(?!=)")
_SHORT = compile_on_use(r"(?:(?:if|for|switch)\s+)?(\w+(?:,\s*\w+)*)\s*:=")
_TYPE_AND_NAME = compile_on_use(
    r"(?!(?:return|goto|throw|else|delete|new|import|package|using|typedef)\b)"
    r"[\w:<>\[\].]+(?:\s+[\w:<>\[\].]+)*[\s*&]+(\w+)\s*(?:=(?!=)|;$)"
)
_TYPED = (*_DECLARATIONS, _TYPE_AND_NAME)

_HASH = (b"#",)
_SLASHES = (b"//", b"/*", b"*/", b"* ")
_DASHES = (b"--",)
_SEMICOLON = (b";",)
_LANGUAGES = (
    Language(
        "python", "py pyi pyx", _HASH, _PYTHON, imports=compile_on_use(r"(?:from|import)\s"), separator=".",
        indexes=("__init__", "__main__"), lists_names=True, members=_PYTHON_MEMBERS, assigns=True, indents=True,
        quotes_alike=True, is_formatted=True, blocks=(('"""', '"""'), ("'''", "'''")),
    ),
    Language(
        "javascript", "js jsx ts tsx mjs cjs mts cts vue svelte", _SLASHES, _SCRIPT, _find_script_method,
        imports=compile_on_use(r".*\b(?:import|export|require|from)\b"), indexes=("index",), lists_names=True,
        members=_JAVASCRIPT_MEMBERS, is_compiled=True, quotes_alike=True, is_formatted=True,
        blocks=(("<!--", "-->"), ("`", "`")),
    ),
    Language(
        "go", "go", _SLASHES, _GO,
        imports=compile_on_use(r"(?:import\s+)?(?!return\b|case\b)(?:[\w.]+\s+)?\"[^\"\s]+\"$"),
        members=_GO_MEMBERS, declarations=(*_DECLARATIONS, _SHORT), is_compiled=True, is_formatted=True,
        blocks=(("`", "`"),),
    ),
    Language(
        "rust", "rs", _SLASHES, _RUST,
        imports=compile_on_use(r"(?:pub(?:\([^)]*\))?\s+)?(?:use|mod)\s|extern crate\b"), separator="::",
        indexes=("mod", "lib", "main"), lists_names=True, qualifies=True, members=_RUST_MEMBERS, is_compiled=True,
        is_formatted=True,
    ),
    Language(
        "jvm", "java kt kts scala groovy", _SLASHES, _JVM, _find_method, imports=compile_on_use(r"import\s"),
        separator=".", members=_JVM_MEMBERS, declarations=_TYPED, is_compiled=True, is_formatted=True,
    ),
    Language(
        "csharp", "cs razor cshtml", _SLASHES, _JVM, _find_method, members=_CSHARP_MEMBERS, declarations=_TYPED,
        imports=compile_on_use(r"(?:global\s+)?using\s+(?:static\s+)?[A-Z][\w.]*\s*;"), separator=".",
        is_compiled=True, is_formatted=True,
    ),
    Language(
        "c", "c h cc cpp cxx hh hpp hxx inc m mm", _SLASHES, _C, _find_c_function,
        imports=compile_on_use(r"#\s*(?:include|import)\b"), members=_C_MEMBERS, declarations=_TYPED,
        is_compiled=True,
    ),
    Language(
        "ruby", "rb rake gemspec", _HASH, _RUBY,
        imports=compile_on_use(r".*\b(?:require|require_relative|load|autoload)\b"), assigns=True, calls_bare=True,
        blocks=(("=begin", "=end"),),
    ),
    Language(
        "php", "php", _SLASHES, _PHP, imports=compile_on_use(r"use\s"), separator="\\", members=_PHP_MEMBERS,
        assigns=True, is_formatted=True,
    ),
    Language(
        "perl", "pl pm t", _HASH, _PERL, imports=compile_on_use(r"(?:use|no|require)\s+[A-Z]"), separator="::",
        lists_names=True, blocks=(("=pod", "=cut"), ("=head", "=cut")),
    ),
    Language(
        "lua", "lua", _DASHES, _LUA, imports=compile_on_use(r".*\brequire\b"), separator=".", indexes=("init",),
        lists_names=True, members=_LUA_MEMBERS, blocks=(("--[[", "]]"),),
    ),
    Language(
        "dart", "dart", _SLASHES, _JVM + _DART, _find_method, imports=compile_on_use(r"(?:import|export|part)\s"),
        declarations=_TYPED, is_compiled=True, quotes_alike=True, is_formatted=True,
    ),
    Language(
        "swift", "swift", _SLASHES, _JVM, _find_method, members=_SWIFT_MEMBERS, is_compiled=True, is_formatted=True
    ),
    Language("shell", "sh bash zsh", _HASH, _SHELL, members=_SHELL_MEMBERS, calls_bare=True),
    Language(
        "elixir", "ex exs", (b"#", b"@doc", b"@moduledoc"), _ELIXIR, calls_bare=True, blocks=(('"""', '"""'),)
    ),
    Language("protobuf", "proto", _SLASHES, _PROTO, imports=compile_on_use(r"import\s")),
    Language("sql", "sql", _DASHES, _SQL, is_flat=True, blocks=(("/*", "*/"),)),
    Language("", "tf hcl", _HASH, _TERRAFORM),
    Language("", "makefile gnumakefile mk", _HASH, _MAKE, is_flat=True, indents=True),
    Language("", "md", symbols=_HEADING, is_flat=True, indents=True),
    Language("", "mdx markdown adoc", symbols=_HEADING, is_flat=True),
    Language("", "yml yaml", _HASH, _KEYS, is_flat=True, indents=True),
    Language("", "toml", _HASH, _KEYS, is_flat=True, is_formatted=True),
    Language("", "ini", _SEMICOLON, _KEYS, is_flat=True),
    Language("", "cfg conf properties", symbols=_KEYS, is_flat=True),
    Language("", "json jsonc json5", (b"//",), symbols=_KEYS, is_flat=True, is_formatted=True),
    Language("", "xml html htm svg xhtml csproj fsproj props", (b"<!--",)),
    Language("", "css scss less", (b"/*", b"//")),
    Language("", "graphql gql ps1 fish env codeowners owners gitignore dockerignore gitattributes", _HASH),
    Language("haskell", "hs", _DASHES, _HASKELL, imports=compile_on_use(r"import\s"), separator=".", indents=True),
    Language("", "rst haml coffee nim pug sass fs", indents=True),
    Language("", "dockerfile r nix jl cmake", _HASH),
    Language("", "zig gradle", _SLASHES),
    Language("", "elm ada", _DASHES),
    Language("", "scm lisp el clj asm", _SEMICOLON),
)  # fmt: skip
_UNKNOWN = Language("", "")
_BY_ENDING: dict[str, Language] = {}
for _language in _LANGUAGES:
    _BY_ENDING.update(dict.fromkeys(_language.endings.split(), _language))


@lru_cache(maxsize=4096)
def find_language(path: bytes) -> Language:
    """Return the language of the file at `path`, one without a name if its files do not use each other."""
    return read_language(path.decode("utf-8", "replace").lower())


@lru_cache(maxsize=4096)
def read_language(name: str) -> Language:
    base = name.rpartition("/")[2]
    if base.startswith("dockerfile.") or base.endswith("dockerfile"):
        return _BY_ENDING["dockerfile"]
    return _BY_ENDING.get(base.rpartition(".")[2], _UNKNOWN)
