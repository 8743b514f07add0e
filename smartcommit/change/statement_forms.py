"""The forms of statements, by the kind of lines: those of code and of each format of data.

The first form that matches gives the role; groups of its pattern are what came or went (`name`), its `value`, and its
`holder`.
"""

from __future__ import annotations

from smartcommit.change.edits import OTHER
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

CODE = "code"
YAML = "yaml"
SETTINGS = "settings"
ELEMENTS = "elements"
WORDS = "words"
COMMANDS = "commands"
TARGETS = "targets"
STYLES = "styles"
IGNORED = "ignored"
# Lines of a tag that begins above those that are shown: a directive, an attribute with a plain value, and any other.
_ATTRIBUTES = (
    ("attribute", r"(?P<name>(?:v|x)-(?:if|else-if|show|for)=\"[^\"]{1,40}\")\Z", 1, '="'),
    ("setting", r":?(?P<holder>[a-z][\w-]*)=\"(?P<value>(?!(?P=holder)\")[\w-]+)\"\Z", 1, '="'),
    ("attribute", r"(?P<name>[:@#]?[a-z][\w.:-]*)=\"[^\"]*\"\Z", 1, '="'),
)
# Endings, and parts of names, of the files whose lines are read otherwise than those of code.
_ENDINGS = {
    YAML: "yml yaml", SETTINGS: "toml ini cfg conf properties editorconfig env gitconfig service timer socket",
    STYLES: "css scss less", TARGETS: "mk make", COMMANDS: "sh bash zsh fish ps1 dockerfile",
    ELEMENTS: "xml html htm svg csproj fsproj props plist xhtml",
    WORDS: "txt in list codeowners gitattributes",
    IGNORED: "gitignore dockerignore npmignore prettierignore eslintignore",
}  # fmt: skip
_NAMES = {COMMANDS: ("dockerfile", "containerfile"), TARGETS: ("makefile", "justfile"), WORDS: ("codeowners", "owners")}
_PATH = r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*!?"
_RAISING = r"raise|throw|panic!?|bail!|die|abort|fail"
_LEAVING = rf"return|continue|next|break|{_RAISING}"
# What a guard may do before it leaves.
_BEFORE_LEAVING = r"(?:[\w.>-]+ ?(?:(?:\.?\w*\([^(){}]*\))+|\"[^\"]*\");? )?"
_TEST = r"(?P<test>(?:[^{};'\"]|'[^']*'|\"[^\"]*\"){1,60}?)"
NEGATING = compile_on_use(
    rf"guard\b|unless\b|require\b|(?:{_LEAVING})\b.* unless |(?!if\b).* (?:\|\||or) (?:{_LEAVING})\b"
)
_HEAD_OF_GUARD = r"(?:if|unless|guard)\b ?(?P<test>(?:(?!\belse\b).){1,60}?) ?(?:\{|:|then|else \{)? ?"


class Form(Record):
    """A form of a statement and its role; `lines` is the most that one of it has, and `mark` is in each of them."""

    role: str
    pattern: object
    lines: int
    mark: str = ""


def _list_forms(*rows: tuple[str, str, int] | tuple[str, str, int, str]) -> tuple[Form, ...]:
    return tuple(Form(role, compile_on_use(pattern), *limits) for role, pattern, *limits in rows)


FORMS = {
    CODE: _list_forms(
        ("import", r"alias (?P<name>[A-Z][\w.]+)(?:, as: (?P<holder>\w+))?\Z", 1, "alias "),
        # What an effect of React does at its end.
        ("call", r"return \(\) => (?P<name>(?:\w+\.)*(?:clear|remove|unsub|unregister|stop|close|dispose|abort|cancel"
            r"|disconnect)\w*)\([^(){}]*\);?\Z", 1, "return () =>"),
        *_ATTRIBUTES,
        ("shebang", r"#!(?!\[)(?P<name>.*)", 1, "#!"),
        ("option", r"(?=[@.\w]).*(?:[oO]ption|[aA]rg(?:ument)?|[fF]lag|[sS]witch|\bopts?\.on)\("
            r"(?:.*[( ,])?[\"'](?P<name>--[a-z][\w-]*)[\"' =,]", 9, "--"),
        ("option", r".*(?:Flags?\(\)\.|\bflag\.)\w+\((?:&?[\w.]+, )?\"(?P<name>[a-z][\w-]*)\"", 9, "lag"),
        ("option", r"(?:->|\.)add_?[oO]ption\( ?[\"'](?P<name>[a-z][\w-]*)[\"'],", 9, "ption("),
        ("skip", r"(?P<name>@(?:pytest\.mark|unittest)\.(?:skip|xfail)\w*|#\[ignore\b|@(?:Disabled|Ignore)\b)", 3),
        ("skip", r"(?:if\b ?(?P<test>.{1,150}?)[{:)] ?)?(?:t|tb|b|pytest|self|this)\."
            r"(?P<name>[sS]kip(?:Now|Test|f)?)\(", 6, "kip"),
        ("column", r"(?i)(?:alter table (?P<holder>[\w.]+) )?add column (?:if not exists )?(?P<name>\w+)", 1),
        ("derive", r"#\[derive\((?P<name>.*)\)\]", 1, "derive("),
        ("route", r"@(?:\w+\.)*(?:route|get|post|put|patch|delete|(?:Get|Post|Put|Patch|Delete|Request)Mapping)\("
            r"(?:(?:value|path) ?= ?)?[\"'](?P<name>/[^\"']*)[\"']", 9, "/"),
        ("annotation", r"(?P<name>@[A-Za-z_][\w.]*|#!?\[[^\]\n]{2,60}\])", 6),
        ("annotation", r"\[\[?(?P<name>[A-Z][A-Za-z]+)[\](]", 6, "["),
        # A pattern of a query, of tree-sitter.
        ("captured", r"(?:\(\w+ )*\(?(?P<name>\w+|\"[^\"]+\")\)? (?P<holder>@[\w.]+)\)*\Z", 4, " @"),
        ("layout", r"try\b ?[:{]?\Z", 1, "try"),
        ("caught", rf"(?:\}} )?(?:except|catch|rescue)\b[ (]*(?P<name>{_PATH})", 9),
        ("caught", r"try ?\{.*\bcatch ?\((?:final )?(?P<name>[A-Z][\w.]*)", 40, "catch"),
        ("guard", rf"{_HEAD_OF_GUARD}{_BEFORE_LEAVING}"
            rf"(?:goto )?\b(?P<name>return|continue|break|{_RAISING})\b(?!.*\b(?:else|return)\b)", 4),
        # `return unless x`, `x or die`, `val a = b ?: return`, `let Some(a) = b else { return }`
        ("guard", rf"(?P<name>{_LEAVING})\b(?!.*\belse\b).*? (?:if|unless) {_TEST};?\Z", 1, " "),
        ("guard", rf"(?P<test>[^{{}}()\"'|&=]{{1,40}}?(?:[!=]= \w+)?) (?:\|\||&&|or|and) (?P<name>{_LEAVING})\b",
            1, " "),
        ("guard", rf"va[lr] (?P<test>\w+)(?:: [\w<>?]+)? = .* \?: (?P<name>{_LEAVING})\b", 3, " ?: "),
        ("guard", rf"let (?:Some|Ok)\((?P<test>\w+)\) = [^{{}}]{{1,80}} else \{{ ?(?P<name>{_LEAVING})\b", 4, "let "),
        ("guard", r"(?P<name>require) ?\((?P<test>[^,(){}\"']{1,40}? (?:[!=<>]=|[<>]) [^,(){}\"']{1,20})[,)]",
            4, "require"),
        # The text of an error can have several lines.
        ("guard", rf"{_HEAD_OF_GUARD}(?P<name>{_RAISING})\b(?!.*\belse\b)", 12),
        ("case", r"(?:case|when) (?P<name>[^:{]{1,40}?)(?:\(.*?\))? ?(?::|=>|->|then|\Z)", 40),
        ("case", r"(?P<name>(?:\w+::)+\w+)(?: ?[({].{0,40}?[)}])? =>", 40, "=>"),
        ("check", r"if\b.*", 1),
        ("handled", r"(?:\} ?)?(?:el(?:se )?if|elsif|if)\b ?(?P<name>.{1,100}?) ?(?:\{|:|then\b)(?!:)", 12, "if"),
        ("implemented", r"(?:unsafe )?impl(?:<(?P<value>[^{}]{1,60})>)? (?:\w+::)*(?P<name>\w+)(?:<[^{}]{1,60}>)? for "
            r"(?P<holder>[^{}]{1,60}?) ?(?:\{|\bwhere\b|\Z)", 400, "impl"),
        ("check", r"(?:&&|and) (?P<name>[^{}]{3,60}?)(?: \))?\Z", 1),
        ("check", r"(?P<name>[^{}=]{3,60}?) (?:&&|and)\Z", 1),
        ("alternative", r"(?:\|\||or) (?P<name>[^{}]{3,60}?)\Z", 1),
        ("alternative", r"(?P<name>[^{}=]{3,60}?) (?:\|\||or)\Z", 1),
        (OTHER, rf"(?:{_RAISING}|return|if|for|while|else|try|with|switch|match)\b", 400),
        ("setting", r"(?:\w+ )*(?P<holder>[\w$@]+(?:(?:\.|->|::|\[[^\]]*\])[\w$]*)+|[A-Z][A-Z0-9_]{2,})(?::.+?)?"
            r" = (?P<value>.*?);?\Z", 9, " = "),
        ("signature", r"(?P<name>[a-z][\w']*) :: ", 3, " :: "),
        # What gets the result of a call of itself, or on itself.
        ("wrapped", rf"(?:let |var )?(?:mut )?(?P<holder>[\w$.]+) :?= (?!append\b)(?P<name>{_PATH})"
            r"\((?P=holder)[,)].*", 4, "= "),
        ("method", r"(?:let |var )?(?:mut )?(?P<holder>[\w$.]+) :?= (?P=holder)\.(?P<name>\w+)\(.*", 4, "= "),
        ("locked", r"(?:const )?(?:std::)?(?:lock_guard|unique_lock|scoped_lock|shared_lock)\b(?:<.*>)? \w+"
            r"[({](?P<name>[\w.>-]+)[)}];", 1, "lock"),
        ("variable", r"(?:[\w<>\[\]*&.]+ )*?(?P<name>[\w$]+)(?::.+?)? ?:?= ", 400, "= "),
        ("variable", r"(?P<name>\w+)\??: [^=,;{}()]{1,80};?\Z", 1, ": "),
        ("assertion", r"(?:await )?expect\((?:await )?(?P<name>[\w.$]+(?:\([^()]*\))?(?:\.\w+)*)\)\.", 9, "expect("),
        ("assertion", r"assert\b (?P<name>[^=!<>]+?)(?:,.*| (?:==|!=|<=?|>=?|is|not in|in) .*)?\Z", 9, "assert"),
        ("assertion", r"(?:debug_)?assert(?:_eq|_ne|_matches)?!\((?P<name>[^,\"]+?)(?:,.*)?\);?\Z", 9, "assert"),
        ("assertion", r"(?:assert|require)\.(?:NoError|True|False|Nil|NotNil|Empty|NotEmpty|Len|Contains)f?\(t, "
            r"(?P<name>[\w.]+(?:\([^()]*\))?)[,)]", 9, "t, "),
        ("route", r"(?!(?i:\w*client|axios|requests?|session|agent)\.|http\.[a-z])(?:\w+\.|Route::)"
            r"(?:(?i:get|post|put|patch|delete)|Handle(?:Func)?)\([\"'](?:[A-Z]+ )?(?P<name>/[^\"']*)[\"'],", 9, "/"),
        ("task", r"task:? ?:?(?P<name>\w+)(?:,| do|:|\Z)", 400, "task"),
        ("requirement", r"find_(?P<holder>package) ?\( ?(?P<name>\w+)", 9, "find_package"),
        ("plugin", r"id\(? ?[\"'](?P<name>[\w.-]+)[\"']", 1, "id"),
        ("declaration", r"(?P<name>[a-z]\w* :\w+)\b(?!:)", 4, ":"),
        ("call", r"(?:await |defer |finally |go |yield |emit |_ = |\|> |\.)?(?:self\.|this\.)?"
            rf"(?P<name>{_PATH}(?::\w+)?)\(.*\)[;,?.]*\Z", 9),
        ("call", rf"(?:\}} )?finally ?[:{{] ?(?:await )?(?P<name>{_PATH})\([^()]*\);?(?: \}})?\Z", 4, "finally"),
        # A message of Objective-C.
        ("method", r"\[(?P<holder>[\w.]+) (?P<name>[a-z]\w{3,})(?:\]|:[^\[\]]*\]);\Z", 3, "["),
        ("created", rf"new (?P<name>{_PATH})\(.*\);?\Z", 9, "new "),
    ),
    YAML: _list_forms(
        ("step", r"- uses: [\"']?(?P<name>[^@\"' ]+)", 400, "- uses: "),
        ("command", r"- run: (?P<name>[^|>\n][^\n]*)\Z", 400, "- run: "),
        ("item", r"- (?s:.*?)\b(?:name|id|repo|package-ecosystem|host|path|key): [\"']?(?P<name>[^\n\"']+)", 400),
        ("flag", r"- [\"']?(?P<name>-[\w=-]+)[\"']?\Z", 1),
        ("item", r"- [\"']?(?P<name>[^\"'{}:\[\]#]{1,50})[\"']?: \S[^\n]*\Z", 1),
        ("item", r"- [\"']?(?P<name>[^\"'{}\[\]#:]{1,60}|[^\s:\"']+(?::[^\s:\"']+)+)[\"']?(?: #.*)?\Z", 1),
        ("setting", r"[\"']?(?P<holder>[\w./@$-]+)[\"']?: ?(?P<value>.*)", 400),
        ("command", r"(?P<name>[a-z][\w./-]* \S.*)\Z", 1),
    ),
    SETTINGS: _list_forms(
        ("section", r"\[+\s*(?P<name>[^\]\n]*?\w[^\]\n]*?)\s*\]+(?:\n(?s:.*))?\Z", 400),
        ("setting", r"(?P<holder>[a-z_]+(?: [\w-]+)?) (?P<value>[^ =;{]+);\Z", 1),
        ("setting", r"(?:export )?[\"']?(?P<holder>[\w./:-]+)[\"']?\s*[:?+]?=\s*(?P<value>.*?)[,;]?\Z", 400),
        ("setting", r"[\"']?(?P<holder>[\w./:-]+)[\"']?\s*=\s*(?P<value>[\[{](?s:.*)[\]}])\Z", 400),
    ),
    ELEMENTS: _list_forms(
        ("requirement", r"<(?P<holder>dependency|plugin|extension)>(?s:.*)<artifactId>(?P<name>[^<]+)</",
            400, "<artifactId>"),
        ("item", r"<[\w:.-]+[^>]*\b(?:name|id|Include|key)=\"(?P<name>[^\"]+)\"", 400),
        ("item", r"<(?:link|script|img|a)\b[^>]*\b(?:href|src)=\"(?P<name>[^\"]+)\"", 400),
        ("setting", r"<(?P<holder>[\w:.-]+)[^>]*>(?P<value>[^<]+)</", 1),
        ("item", r"<(?P<name>[\w:.-]+)", 400),
        *_ATTRIBUTES,
    ),
    # What `!` excepts is ignored no longer.
    IGNORED: _list_forms(("ignored", r"(?P<name>[^!#\s]\S*)\Z", 1)),
    WORDS: _list_forms(("item", r"(?P<name>\S+)(?: +\S+){0,3}\Z", 1)),
    COMMANDS: _list_forms(
        ("alias", r"alias (?:-[gs] )?(?P<name>[\w.:-]{1,40})=", 1, "alias "),
        ("setting", r"(?:ENV|ARG|LABEL|export) ?(?P<holder>[\w.]+)[ =]?(?P<value>.*)", 1),
        ("setting", r"(?P<holder>EXPOSE|USER|WORKDIR|ENTRYPOINT|VOLUME) (?P<value>.*)", 1),
        ("setting", r"(?:local |readonly )?(?P<holder>\w+)=(?P<value>.*)", 1),
        ("declaration", r"(?P<name>HEALTHCHECK|STOPSIGNAL|SHELL)\b", 9),
        ("copied", r"(?:COPY|ADD) (?:--\S+ )*(?P<name>\S+)", 1),
        ("flag", r"(?P<name>--?[A-Za-z][^\\]*?) ?\\?\Z", 1),
        ("case", r"(?P<name>[^\s()&$;`|]+(?: ?\| ?[^\s()&$;`|]+)*)\)(?:\s|\Z)", 9, ";;"),
        (OTHER, r"(?:if|for|while|case|then|else|fi|done|esac|do|function|local|return|echo|exit|\[|[\w-]+ ?\(\))",
            400),
        ("package", r"(?P<name>[\w.+-]+) ?\\?\Z", 1),
        ("command", r"(?:RUN )?(?P<name>\S+ .*)", 1),
    ),
    STYLES: _list_forms(
        ("rule", r"(?P<name>[^{}:;]+?[^{};]*?) ?\{", 400),
        ("setting", r"(?P<holder>[\w$@-]+) ?: ?(?P<value>[^;]+);\Z", 1),
    ),
    TARGETS: _list_forms(
        ("definition", r"(?P<name>(?!\.)[\w./%-]+)[^:=]*:(?![=:])", 400),
        ("setting", r"(?P<holder>[\w.-]+)\s*[:?+]?=\s*(?P<value>.*)", 1),
        ("command", r"[@-]*(?P<name>\w\S* .*)", 1),
    ),
}  # fmt: skip


def find_family(name: str) -> str:
    """Return how lines are read in the file of this name in lower case."""
    base = name.rpartition("/")[2]
    if base == "cmakelists.txt":  # calls, whatever its ending says
        return CODE
    for family, endings in _ENDINGS.items():
        if base.rpartition(".")[2] in endings.split() or base.startswith(_NAMES.get(family, "\0")):
            return family
    return CODE
