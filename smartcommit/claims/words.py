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
