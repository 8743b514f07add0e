"""Words by which a message is read: what looks like a name and is none, and what looks like a file."""

from __future__ import annotations

# Names of products, formats and styles that are written like identifiers, or stand in backquotes; in lower case.
PRODUCTS = frozenset({
    "github", "gitlab", "javascript", "typescript", "coffeescript", "postgresql", "mysql", "sqlite", "mariadb",
    "mongodb", "openssl", "nodejs", "vscode", "websocket", "websockets", "webassembly", "freebsd", "openbsd",
    "netbsd", "youtube", "linkedin", "stackoverflow", "intellij", "pypi", "rubygems", "macos", "ios", "ipados",
    "tvos", "watchos", "iphone", "graphql", "openapi", "devops", "wordpress", "jquery", "latex", "bibtex",
    "restructuredtext", "circleci", "travisci", "bitbucket", "dockerhub", "powershell", "cmake", "pytest",
    "autogpt", "openai", "chatgpt", "huggingface", "pytorch", "tensorflow", "numpy", "scipy", "opencv", "webpack",
    "eslint", "nextjs", "nuxtjs", "vuejs", "reactjs", "angularjs", "deno", "readme", "changelog", "readthedocs",
    "opentelemetry", "kubernetes", "cloudflare", "digitalocean", "openstack", "redhat", "archlinux", "nixos",
    "neovim", "jetbrains", "webstorm", "pycharm", "goland", "phpstorm", "dotnet", "csharp", "fsharp", "clickhouse",
    "duckdb", "rocksdb", "leveldb", "dynamodb", "cosmosdb", "influxdb", "questdb", "timescaledb", "oauth",
    "openid", "saml", "ldap", "wifi", "bluetooth", "localhost", "unicode", "ascii", "utf", "base64", "sha256",
    "md5", "ipv4", "ipv6", "url", "urls", "uri", "json", "yaml", "toml", "jsdoc", "mkdocs", "owlbot", "snake_case",
    "camelcase", "pascalcase", "__dunder__", "html", "xhtml", "css", "scss", "less", "sass", "svg", "xml", "jsx",
    "tsx", "api", "apis", "cli", "ui", "ux", "ci", "cd", "pr", "prs", "qa", "id", "ids", "faq", "godoc", "javadoc",
    "docc", "intellisense", "coderabbit", "semver", "buildkit", "dockerfile", "openssf", "raptorjit",
})  # fmt: skip
# What follows the last point of a file's name.
FILE_ENDINGS = frozenset({
    "py", "pyi", "rb", "rs", "go", "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "java", "kt", "kts",
    "scala", "swift", "c", "h", "cc", "hh", "cpp", "hpp", "cxx", "cs", "fs", "php", "pl", "pm", "lua", "sh",
    "bash", "zsh", "fish", "ps1", "bat", "cmd", "vim", "el", "clj", "ex", "exs", "erl", "hs", "ml", "r", "jl",
    "dart", "zig", "nim", "v", "md", "mdx", "rst", "txt", "adoc", "html", "htm", "css", "scss", "sass", "less",
    "vue", "svelte", "astro", "json", "json5", "jsonc", "yml", "yaml", "toml", "ini", "cfg", "conf", "xml", "xsd",
    "proto", "graphql", "gql", "sql", "tf", "hcl", "nix", "lock", "mod", "sum", "gradle", "properties", "cmake",
    "mk", "in", "am", "ac", "csproj", "sln", "gemspec", "podspec", "snap", "tmpl", "tpl", "j2", "ejs", "hbs",
    "erb", "liquid", "po", "pot", "svg", "png", "jpg", "jpeg", "gif", "ico", "pdf", "csv", "tsv", "env", "service",
    "plist", "patch", "diff", "map", "wasm", "d.ts", "rake", "t", "log", "out",
})  # fmt: skip
# Files without an ending; in lower case.
FILE_NAMES = frozenset({
    "dockerfile", "makefile", "rakefile", "gemfile", "procfile", "jenkinsfile", "justfile", "codeowners",
})  # fmt: skip
# Stems of words that true headers have and their changes lack, in 3 of 10 cases or more (measured on 4,700 commits of
# 110 public projects), and of function words.
GENERAL = frozenset({
    "abilit", "about", "accept", "acces", "actual", "add", "added", "adding", "additional", "addres", "adjust",
    "after", "against", "align", "all", "alloc", "allow", "also", "alway", "anchor", "and", "annot", "anoth",
    "any", "anyth", "api", "appl", "are", "aren", "argu", "around", "arra", "array", "assign", "attribut", "auto",
    "automatical", "avail", "avoid", "awar", "back", "base", "based", "becaus", "been", "befor", "behavior",
    "being", "bett", "binar", "bit", "block", "both", "bound", "branch", "break", "broken", "bug", "build",
    "built", "bump", "bundl", "but", "call", "can", "case", "caus", "chang", "charact", "check", "chore", "clarif",
    "clean", "cleanup", "clear", "clipp", "clos", "cloud", "code", "combin", "comment", "compat", "compatibilit",
    "compil", "complet", "comput", "condition", "conditional", "configur", "conflict", "consistent", "consolidat",
    "constant", "constraint", "construct", "constructor", "contain", "control", "conversion", "convert", "correct",
    "could", "cover", "coverag", "crash", "creat", "current", "cursor", "custom", "dead", "debug", "declar",
    "defin", "delet", "deprec", "deps", "description", "detect", "detection", "develop", "direct", "director",
    "disabl", "displa", "doc", "docs", "docstr", "docu", "document", "does", "doesn", "don", "dont", "drop", "due",
    "duplicat", "during", "each", "edit", "eith", "empt", "enabl", "end", "endpoint", "enhanc", "ensur", "entr",
    "environ", "escap", "even", "ever", "everyon", "everyth", "exclud", "exist", "expand", "expect", "explicit",
    "expos", "extract", "factor", "fail", "failur", "fallback", "fals", "fast", "feat", "feedback", "field",
    "filter", "find", "first", "fix", "fixe", "fixed", "fixing", "fixtur", "fixup", "flag", "flak", "fmt",
    "follow", "for", "forc", "forgot", "format", "formatt", "from", "full", "function", "generat", "generic",
    "get", "gett", "got", "grammar", "guard", "had", "handl", "has", "hash", "have", "help", "here", "highlight",
    "how", "ignor", "imple", "implement", "import", "improv", "improve", "includ", "incorrect", "increas",
    "indent", "info", "initial", "inlin", "instead", "instruction", "integ", "interactiv", "interfac", "internal",
    "into", "introduc", "invalid", "isn", "issu", "item", "its", "javadoc", "just", "keep", "keys", "latest",
    "leak", "legac", "let", "lets", "level", "librar", "line", "link", "lint", "little", "location", "lockfil",
    "logic", "logo", "logs", "long", "loop", "lot", "maco", "macro", "main", "make", "manifest", "manual", "mapp",
    "mark", "mast", "match", "may", "mechanism", "mention", "merg", "messag", "method", "migrat", "minor", "miss",
    "modif", "modul", "more", "most", "move", "multi", "multipl", "need", "new", "newlin", "next", "non",
    "normaliz", "not", "note", "noth", "now", "numb", "old", "one", "only", "open", "optimiz", "optional", "order",
    "other", "our", "out", "outdat", "output", "over", "overflow", "own", "panic", "paramet", "part", "pass",
    "people", "performanc", "phas", "pick", "pin", "plus", "point", "poss", "post", "pre", "prefix", "prepar",
    "present", "preserv", "pretti", "prevent", "previous", "problem", "processor", "project", "prop", "propagat",
    "proper", "propert", "provid", "public", "publish", "pull", "put", "quick", "race", "rath", "real", "really",
    "rebuild", "recent", "recover", "redirect", "reduc", "redundant", "refactor", "referenc", "reformat", "regex",
    "regexp", "registr", "regression", "relat", "releas", "remov", "renam", "render", "replac", "report", "resolv",
    "resourc", "respect", "restor", "result", "revert", "review", "rewrit", "run", "runn", "runtim", "same",
    "section", "securit", "see", "seem", "select", "selection", "semantic", "separat", "set", "sett", "setup",
    "shar", "short", "should", "show", "simpl", "simplif", "sinc", "singl", "skip", "skipp", "slight", "small",
    "some", "someth", "sort", "spac", "specif", "specific", "split", "squash", "stabl", "stal", "state", "step",
    "still", "stop", "strict", "stuff", "styl", "subcommand", "such", "suggestion", "suit", "support", "sure",
    "switch", "symbol", "syntax", "tags", "take", "temporar", "terms", "text", "than", "that", "the", "their",
    "them", "then", "ther", "thing", "this", "through", "tidy", "tiny", "too", "top", "track", "trail", "transl",
    "try", "tweak", "typescript", "typo", "unif", "unit", "unnecessar", "until", "unus", "updat", "upgrad",
    "upload", "urls", "usag", "use", "used", "useles", "user", "uses", "using", "utilit", "valu", "vari",
    "variabl", "variant", "variou", "various", "verif", "via", "warn", "was", "wasn", "weren", "when", "wher",
    "which", "whil", "will", "wip", "with", "without", "won", "word", "work", "workaround", "would", "wrap",
    "wrong", "your",
})  # fmt: skip
