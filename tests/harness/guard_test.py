"""The guard of coding agents: what it refuses, what it passes, and what it says to run instead."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartcommit.harness.guard import Refusal, judge
from tests.conftest import ROOT
from tests.imports_test import FORBIDDEN
from tests.support.repository import Repo
from tests.support.table import rows

ALIASES = {"c": "commit -n", "cc": "!git commit --no-verify", "st": "status", "ci": "commit", "com": "commit"}
AROUND = [
    "git merge --no-verify x",
    "git am -n x",
    "git rebase --no-verify main",
    "git${IFS}commit${IFS}-n",
    "`which git` commit -n",
    "GIT_CONFIG_PARAMETERS=\"'core.hooksPath=/dev/null'\" git commit -m x",
    "git config --unset core.hooksPath",
    "chmod 644 .git/hooks/*",
    "smartcommit uninstall",
    "smartcommit agents uninstall claude",
    "python -m pre_commit uninstall",
    "uvx pre-commit uninstall",
    "git fast-import < x",
    "python -c \"import os; os.system('git commit -n -m x')\"",
    "GIT_DIR=/tmp/x GIT_WORK_TREE=. git commit -m x",
    "while read l; do git commit -n; done < x",
    "trap 'git commit -n' EXIT",
    "alias c='git commit -n'\nc",
    "echo $sha > .git/refs/heads/main",
    "$'\\x67it' commit -n",
    "git \\\n commit \\\n --no-verify",
    "git --git-dir=/tmp/g --work-tree=/src/repo commit -m x",
    "git -p -c core.hooksPath=/dev/null merge x",
    "git -c include.path=/tmp/x commit",
    "set -a; HUSKY=0; git commit -m x",
    "export HUSKY; HUSKY=0; git commit",
    "PRE_COMMIT_ALLOW_NO_CONFIG=1 git commit -m x",
    "HUSKY_SKIP_HOOKS=1 git commit -m x",
    "env -i git commit -m x",
    "env -u HOME git commit",
    "HOME=/tmp git commit -m x",
    "XDG_CONFIG_HOME=/tmp git commit -m x",
    "env -- HUSKY=0 git commit",
    "env -S 'HUSKY=0 git commit'",
    "bash -o pipefail -c 'git commit -n'",
    "exec git commit -n",
    "builtin command git commit -n",
    "coproc git commit -n",
    "setsid git commit -n",
    "stdbuf -oL git commit -n",
    "ionice -c 3 git commit -n",
    "time -p git commit -n",
    "xargs -I{} git commit {} <<< --no-verify",
    "ls | xargs -n1 git commit -n",
    "printf '%s\\n' commit -n | xargs git",
    "find . -maxdepth 0 -exec sh -c 'git commit -n' \\;",
    "git -c 'alias.x=!f() { git commit -n; }; f' x",
    "git config alias.y 'commit -n' && git y",
    "git -c alias.a=b -c alias.b='commit -n' a",
    "git-commit --no-verify",
    "$(git --exec-path)/git-commit -n",
    "if git diff --quiet; then :; else git commit -n -m x; fi",
    "until git commit -n; do sleep 1; done",
    'case "$1" in *) git commit -n ;; esac',
    'function g { git "$@" -n; }\ng commit -m x',
    "select x in a; do git commit -n; done",
    "x=$(git commit -n 2>&1)",
    "cat <<EOF\n$(git commit -n)\nEOF",
    "[[ $(git commit -n) ]]",
    "echo ${x:-$(git commit -n)}",
    "git commit 2>&1 -n | tee log",
    "git am --no-verify < p",
    'rm -rf "$(git rev-parse --git-dir)/hooks"',
    "rm $(git rev-parse --git-path hooks/pre-commit)",
    "pushd .git/hooks && mv pre-commit pre-commit.bak",
    "unlink .git/hooks/pre-commit",
    "find .git/hooks -type f -exec rm {} +",
    "find .git -name pre-commit -delete",
    "ls .git/hooks/* | xargs chmod -x",
    "chmod a-x .git/hooks/pre-commit",
    "chmod u=rw .git/hooks/pre-commit",
    "truncate -s 0 .git/hooks/pre-commit",
    "dd if=/dev/null of=.git/hooks/pre-commit",
    "install -m 755 /bin/true .git/hooks/pre-commit",
    "ln -sfn /tmp/empty .git/hooks",
    "git rm -r .husky",
    "git mv .husky x",
    "sed -i '/hooksPath/d' .git/config",
    "printf '[core]\\n\\thooksPath = /dev/null\\n' >> .git/config",
    "git config set core.hooksPath x",
    "git config unset --all core.hooksPath",
    "git config --remove-section core",
    "git config --remove-section hook.lint",
    "git config --rename-section hook.a x.a",
    "python3 -m pre_commit uninstall",
    "uv run pre-commit uninstall -t commit-msg",
    "poetry run pre-commit uninstall",
    "pnpm exec husky uninstall",
    "yarn husky uninstall",
    "npm exec husky uninstall",
    "lefthook uninstall",
    "npx lefthook uninstall",
    "prek uninstall",
    "smartcommit agents uninstall",
    "git update-ref -m x HEAD abc",
    'echo "update refs/heads/main abc" | git update-ref --stdin',
    "git branch -f main $(git commit-tree x)",
    "NEW=$(git commit-tree x -m y)\ngit push origin $NEW:main",
    "git hash-object -tcommit -w x",
    "git symbolic-ref HEAD x; git merge --ff-only $(git commit-tree x)",
    "perl -e 'system(\"git commit -n\")'",
    'ruby -e \'system("git", "commit", "-n")\'',
    'node -e \'require("child_process").spawnSync("git", ["commit", "-n", "-m", "x"])\'',
    "awk 'BEGIN{system(\"git commit -n\")}'",
    "python -c \"import shutil; shutil.rmtree('.git/hooks')\"",
    "python -c \"open('.git/hooks/pre-commit','w')\"",
    "cat > /tmp/c.sh <<'EOF'\n#!/bin/bash\ngit commit -n\nEOF\nchmod +x /tmp/c.sh && /tmp/c.sh",
    "source <(echo git commit -n)",
    "git rebase --exec='git commit --amend --no-edit -n' x",
    "GIT_SEQUENCE_EDITOR='git commit -n;:' git rebase -i x",
    "git bisect run git commit -n",
    "git submodule foreach 'git commit -n'",
    "SMARTCOMMIT_OFF=type git commit -m x",
    "noglob git commit -n",
    'p=(git commit); p+=(-n); "${p[@]}"',
    "printf -v x 'commit -n'; git $x",
    "set -- commit -n; git $@",
    "while read a; do git commit $a; done <<< '-n'",
    "git stash; git commit -n; git stash pop",
    "sudo -E git commit -n",
    "su -c 'git commit -n' bob",
    "script -qc 'git commit -n' /dev/null",
    "watch -n 1 git commit -n",
    "npx -c 'git commit -n'",
    "direnv exec . git commit -n",
    "nix-shell --run 'git commit -n'",
    "parallel git commit -n ::: a",
    "strace -f git commit -n",
    "OVERCOMMIT_DISABLE=1 git commit -m x",
    "busybox sh -c 'git commit -n'",
    "zsh -fc 'git commit -n'",
    "npm version patch --no-commit-hooks",
    "git -c alias.ci=commit ci --no-verify",
    "git ci -n",
    'git commit -nm"$(cat msg)"',
    "if true; then export HUSKY=0; fi; git commit",
    "typeset -x HUSKY=0; git commit",
    "readonly HUSKY=0; export HUSKY; git commit",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=hook.x.enabled GIT_CONFIG_VALUE_0=false git commit",
    "GIT_CONFIG_GLOBAL=/tmp/x git -C . commit -m x",
    "git config --unset-all core.hooksPath; git commit -m x",
    "git --exec-path=/usr/lib/git-core commit -n",
    "git --no-pager --git-dir .git commit -n",
    "git cherry-pick --no-verify abc",
    "chmod ugo-x .git/hooks/pre-commit",
    "chmod u-x,g-x .git/hooks/pre-commit",
    "chmod a=r .git/hooks/pre-commit",
    "echo '#!/bin/sh' >| .git/hooks/pre-commit",
    "cat /dev/null > .git/hooks/pre-commit",
    "sh -c 'rm .git/hooks/pre-commit'",
    "HOOK=.git/hooks/pre-commit; rm $HOOK",
    'for h in .git/hooks/*; do chmod -x "$h"; done',
    "rsync -a --delete /tmp/e/ .git/hooks/",
    "perl -pi -e 's/x/y/' .git/hooks/pre-commit",
    "cp -t .git/hooks /tmp/pre-commit",
    "rm -rf .git",
    "yarn run husky uninstall",
    "pipx run pre-commit uninstall",
    "mise exec -- pre-commit uninstall",
    "pdm run pre-commit uninstall",
    "bundle exec overcommit --uninstall",
    "python -m smartcommit uninstall",
    "git update-ref --no-deref HEAD abc",
    "git commit-tree x -m y | xargs git reset --hard",
    "git hash-object -w --stdin -t commit <<< x",
    "git mktree < x; git commit-tree y; git branch z w",
    'python3 -c \'import os; os.execvp("git", ["git", "commit", "-n"])\'',
    "ruby -e 'exec \"git commit -n\"'",
    "php -r 'shell_exec(\"git commit -n\");'",
    "cat > x.py <<'EOF'\nimport subprocess\nsubprocess.run(['git','commit','-n'])\nEOF\npython x.py",
    "git diff --cached | grep x && git commit -n",
    "echo msg | xargs -I % git commit -n -m %",
    "seq 3 | parallel -j1 git commit -n -m {}",
    "find . -name x -execdir git commit -n ';'",
    "time (git commit -n)",
    "bash --norc -c 'git commit -n'",
    "bash --login -c 'git commit -n'",
    "bash -c -- 'git commit -n'",
    "dash -c 'git commit -n'",
    "zsh -c 'git commit -n'",
    "bash -s -- -n <<< 'git commit \"$1\" -m x'",
    "g() { git commit -n; }; export -f g; bash -c g",
    "printf '%s\\0' commit -n | xargs -0 git",
    "c='git commit -n'; eval $c",
    "o=--no-verifyX; git commit ${o%X}",
    "git commit $(printf -- '-%s' n)",
    "GIT_EDITOR='sh -c \"git commit -n\"' git commit",
    "git rebase x --exec 'HUSKY=0 git commit --amend'",
    "git -c sequence.editor='git commit -n' rebase -i x",
    "git -c core.editor='sh -c \"git commit -n\"' commit",
    "git worktree add /tmp/w && cd /tmp/w && git commit -n",
    "git clone . /tmp/c && git -C /tmp/c commit --no-verify",
    "GIT_DIR=$PWD/../other/.git git commit",
    "git --git-dir=/tmp/x.git --work-tree=. commit -am x",
    "unset HUSKY; export HUSKY=0; git commit",
    "SKIP=all pre-commit run; SKIP=all git commit",
    "if [[ -n x ]]; then\n  git commit -n\nfi",
    "for ((i=0;i<1;i++)); do git commit -n; done",
    "for f in a; { git commit -n; }",
    'git commit -m "\\"quoted\\"" -n',
    'git commit -m "\\$x" -n',
    "git commit -m $'a\\'b' -n",
    "x=${#y}; git commit -n",
    "cat <<'A' <<B\n'\nA\n\"\nB\ngit commit -n",
    "cat <<-EOF\n\tx\n\tEOF\ngit commit -n",
]
HARMLESS = [
    "git cherry-pick -n x",
    "git pull -n",
    "git commit --no-verify --verify -m x",
    "git commit-tree X",
    "git commit --help -n",
    "SKIP= git commit -m x",
    "chmod 755 .git/hooks/pre-commit",
    "rm -rf /tmp/other/.git/hooks",
    "GIT_DIR=.git git commit -m x",
    "case x in -n) echo;; esac; git commit -m x",
    'while read -r f; do git add "$f"; done < <(git ls-files)',
    "echo 'unbalanced",
    "git config --get-regexp '^hook\\.'",
    "git config get core.hooksPath",
    "git config list",
    "git config --unset user.name",
    "git config alias.st status",
    "mv a b",
    "chmod -x script.sh",
    "chmod 644 a",
    "sed -i 's/a/b/' src/hooks/use.ts",
    "lefthook run pre-commit",
    "lefthook install",
    "smartcommit agents status",
    "smartcommit agents install claude",
    "pip uninstall -y requests",
    "npm uninstall lodash",
    "HUSKY=0 pnpm i && git status",
    "env FOO=1 git commit -m x",
    "GIT_EDITOR=true git commit --amend",
    "GIT_SEQUENCE_EDITOR=: git rebase -i --autosquash x",
    "GIT_DIR=/src/repo/.git git log",
    "GIT_WORK_TREE=. git status",
    "git --git-dir=.git log",
    "git --no-pager log",
    "git -C sub commit -m x",
    "git revert -n abc",
    "git am -3 x",
    "git checkout main",
    "git hash-object -w f",
    "git symbolic-ref HEAD",
    "git help -a",
    "git commit --help",
    "git commit --dry-run -n",
    'for f in *.py; do python -m py_compile "$f"; done',
    "if [ -d .git ]; then git status; fi",
    'while read -r l; do echo "$l"; done < f',
    "case $x in --no-verify) echo;; esac",
    "python - <<'EOF'\nimport subprocess\nprint(subprocess.check_output(['git', 'log', '-n', '1']))\nEOF",
    "python -c \"import subprocess; subprocess.run(['git', 'commit', '-m', 'x -n'])\"",
    "node -e \"console.log('git commit -n')\"",
    "perl -ne 'print if /git commit -n/' x",
    "echo done; # git push --no-verify",
    "xargs -n 1 echo < f",
    "sudo -n true && git commit -m x",
    "nice -n 10 pytest -n 2",
    "env | grep -n HUSKY",
    "echo ${HUSKY:-0}",
    "unset HUSKY; git commit -m x",
    "type git",
    "command -v git",
    "which pre-commit",
    "alias gs='git status'",
    "git lfs install",
    "git smart-commit",
    "git worktree add ../x",
    "git config --get-all hook.x.command",
    "echo 'npm test' >> .husky/pre-commit",
    "a=1; ((a++)); echo $((a * 2))",
    "[[ -n $x && $y == *-n ]] && git commit -m z",
    "diff <(git show a) <(git show b)",
    "tee notes <<< '--no-verify'",
    "xargs git commit -m x < <(echo -- --no-verify)",
    "HUSKY=0 eval true; git status",
    "coproc git status",
    "find .git/hooks -name '*.sample' -exec rm {} +",
    "git commit -m x; exec zsh",
    "git commit -m $'use\\n--no-verify'",
    'git commit -m "a" \\\n  -m "-n"',
    "git diff -- .githooks",
    "git stash push -m '--no-verify'",
    "git am --show-current-patch",
    "awk '{print $1}' x",
    'gh pr comment 1 --body "use \\`git commit --no-verify\\`?"',
    "yarn install --ignore-scripts",
    "HUSKY=0 yarn install --frozen-lockfile",
    "env HUSKY=0 npm i",
    "LEFTHOOK=1 git commit -m x",
    "GIT_CONFIG_NOSYSTEM=0 git commit",
    "GIT_CONFIG_NOSYSTEM=1 git status",
    "GIT_CONFIG_GLOBAL=/dev/null git log",
    "HOME=/tmp npm i",
    "HOME=/tmp git status",
    "git -c core.editor=true commit --amend",
    "git -c rebase.autoSquash=true rebase -i x",
    "git config hook.x.command",
    "git rev-parse --git-path hooks",
    'cat "$(git rev-parse --git-dir)/hooks/pre-commit"',
    "cp -a .git/hooks /tmp/h && ls /tmp/h",
    "find .git/hooks -name '*.sample' -delete",
    "chmod u=rwx .git/hooks/pre-commit",
    "chmod go-w .git/hooks/pre-commit",
    "rm -rf build/.git-hooks-cache",
    "rm -rf dist && npm run build",
    "echo '*.log' >> .git/info/exclude",
    "chmod +x .husky/*",
    "cat > .husky/pre-push.md <<'EOF'\nx\nEOF",
    "npx husky add .husky/pre-commit 'npm test'",
    "git smart-commit undo",
    "T=$(git commit-tree HEAD^{tree} -m x); git show $T",
    "git update-ref refs/smartcommit/x HEAD",
    "echo 'delete refs/heads/x' | git update-ref --stdin",
    "git hash-object -w --stdin < x",
    "git bundle create x HEAD",
    "git checkout -f main",
    "kubectl -n git get pods",
    "read -n 1 x",
    "echo -n git commit -n > /tmp/x",
    "[[ -n $(git diff) ]] && git add x",
    "git log -n${N:-5}",
    'git() { command git "$@"; }; git commit -m x',
    "f() { git commit -m \"$1\"; }; f '-n'",
    'f() { git commit -m "$*"; }; f a --no-verify b',
    'set -- -n; git commit -m "$1"',
    "while read -r m; do git commit -m \"$m\"; done <<< '--no-verify'",
    "git commit -F <(echo '--no-verify')",
    'git commit -m "`echo -n x`"',
    "find . -newer x -exec git log -n 1 -- {} \\;",
    "parallel -n 1 echo ::: git commit",
    "trap 'echo bye' EXIT; git commit -m x",
    "function nv { git commit -n; }; git commit -m y",
    "timeout 5 git log -n 5",
    "(cd x && git commit -m y)",
    "! git diff --quiet && git commit -m x",
    "cat <<EOF | tee doc.txt\ngit push --no-verify\nEOF",
]
# Files with lines of others.
FOREIGN = [b"src/a.py", b"docs/x.md"]
SWEEPING = [
    "git add --all",
    "git add ':(top)src'",
    "git stage .",
    "git commit --all -m x",
    "git stash push -m x",
    "git checkout -f",
    "git restore --staged --worktree .",
    "git restore --source HEAD~1 docs",
    "git clean -f src",
    "git rm -rf src",
    "git switch --force main",
    "git switch --discard-changes main",
    "git read-tree -u --reset HEAD",
    "git checkout-index -fa",
    "git add --pathspec-from-file=x",
    "git add src/{a,b}.py",
    "git add src/?.py",
    "git stash && git pull && git stash pop",
]
CAREFUL = [
    "git add src/b*",
    "git add *.txt",
    "git add 'docs/*.txt'",
    "git add . ':!src/a.py' ':!docs'",
    "git add -A -- ':(exclude)src/a.py' ':(top,exclude)docs/x.md'",
    "git stash apply",
    "git stash drop",
    "git stash push src/b.py",
    "git reset --keep HEAD~1",
    "git checkout -p",
    "git clean -f build",
    "git add --refresh .",
    "cd /tmp && git add -A",
    "git -C /tmp add .",
    "git add --dry-run -A",
    "git checkout -B x main",
    "git pull",
    "git add src/deep/*.py",
]


def ask(command: str, *, foreign: Sequence[bytes] = (), directory: str = "/src/repo") -> Refusal | None:
    return judge(
        command,
        directory=directory,
        environment={"HOME": "/home/user", "PATH": "/usr/bin"},
        aliases=lambda: ALIASES,
        foreign=lambda paths: foreign,
    )


def find_refused(commands: Sequence[str], *, foreign: Sequence[bytes] = ()) -> dict[str, Refusal]:
    found = {}
    for command in commands:
        refusal = ask(command, foreign=foreign)
        if refusal is not None:
            found[command] = refusal
    return found


def test_what_goes_around_hooks_is_refused() -> None:
    refused = find_refused(AROUND)
    assert [command for command in AROUND if command not in refused] == []
    for refusal in refused.values():
        assert refusal.reason
        assert "\n" not in refusal.reason
    # What is proposed is not refused in its turn.
    assert find_refused([refusal.next for refusal in refused.values()]) == {}


def test_what_is_harmless_is_passed() -> None:
    assert find_refused(HARMLESS) == {}


def test_what_takes_lines_of_others_is_refused() -> None:
    refused = find_refused(SWEEPING, foreign=FOREIGN)
    assert [command for command in SWEEPING if command not in refused] == []
    for refusal in refused.values():
        assert "src/a.py" in refusal.reason or "docs/x.md" in refusal.reason
    assert find_refused([refusal.next for refusal in refused.values()], foreign=FOREIGN) == {}


def test_without_lines_of_others_everything_may_be_taken() -> None:
    assert find_refused(SWEEPING) == {}


def test_what_takes_nothing_of_others_is_passed() -> None:
    assert find_refused(CAREFUL, foreign=FOREIGN) == {}


@rows(
    ("command", "following"),
    [
        ("git commit -anm 'x y'", "git commit -am 'x y'"),
        ('git commit -n -m "$(cat <<E\nx\nE\n)" && git push', 'git commit -m "$(cat <<E\nx\nE\n)" && git push'),
        ("export HUSKY=0; git commit -m x", "git commit -m x"),
        ("HUSKY=0 SKIP=a GIT_EDITOR=: git -c core.hooksPath= commit --no-verify", "GIT_EDITOR=: git commit"),
        ("sh -c 'git commit -n -m \"x y\"'", "git commit -m 'x y'"),
        ("git c -m x", "git commit -m x"),
        ("rm -rf .git/hooks && git commit -m x", "git commit -m x"),
        ("git add x; pre-commit uninstall", "git add x"),
        ("pre-commit uninstall", "smartcommit doctor"),
        ("cat > .git/hooks/pre-commit <<'E'\nexit 0\nE", "smartcommit doctor"),
    ],
)
def test_the_command_to_run_instead_keeps_what_is_no_bypass(command: str, following: str) -> None:
    refusal = ask(command)
    assert refusal is not None
    assert refusal.next == following


@rows(
    ("command", "following"),
    [
        ("git add -A", "smartcommit session commit"),
        ("git commit -am 'x y'", "smartcommit session commit -m 'x y'"),
        ("git add src/a.py src/b.py && git status", "git add -- src/b.py && git status"),
        ("git reset --hard HEAD~1", "git reset --keep 'HEAD~1'"),
        ("git switch -f main", "git switch main"),
        ("git checkout -- src/a.py", "smartcommit session status"),
        ("git restore -SW src", "git restore --staged --worktree -- src ':(top,exclude)src/a.py'"),
    ],
)
def test_the_command_to_run_instead_leaves_others_alone(command: str, following: str) -> None:
    refusal = ask(command, foreign=FOREIGN)
    assert refusal is not None
    assert refusal.next == following


@pytest.mark.parametrize(
    "command",
    [
        "git stash",
        "git stash -u",
        "git reset --hard",
        "git checkout .",
        "git restore .",
        "git stash push src",
        "git checkout HEAD -- src",
        "git rm -rf src",
    ],
)
def test_git_leaves_lines_of_others_where_it_is_told_so(repo: Repo, command: str) -> None:
    repo.commit(files={"src/a.py": "1\n", "src/b.py": "1\n"})
    repo.write("src/a.py", "2\n")
    repo.write("src/b.py", "2\n")
    repo.write("docs/x.md", "new\n")
    repo.write("own.md", "new\n")
    refusal = ask(command, foreign=FOREIGN, directory=str(repo.path))
    assert refusal is not None
    before = repo.git("status", "--porcelain", "-uall")
    subprocess.run(["sh", "-c", refusal.next], cwd=repo.path, check=True, capture_output=True)
    assert repo.git("status", "--porcelain", "-uall") != before
    assert (repo.path / "src/a.py").read_text() == "2\n"
    assert (repo.path / "docs/x.md").read_text() == "new\n"


def test_aliases_are_read_from_git_once_and_only_if_they_matter(repo: Repo) -> None:
    repo.git("config", "alias.yolo", "commit --no-verify")
    environment = {"HOME": str(repo.path)}
    assert judge("git yolo -m x", directory=str(repo.path), environment=environment) is not None
    assert judge("git unknown", directory=str(repo.path), environment=environment) is None
    calls: list[str] = []

    def read() -> Mapping[str, str]:
        calls.append("aliases")
        return {}

    judge("git commit -m x && git status", directory=str(repo.path), environment={}, aliases=read)
    assert calls == []
    judge("git a; git b; git c", directory=str(repo.path), environment={}, aliases=read)
    assert calls == ["aliases"]


def test_what_others_have_is_asked_once_and_only_if_it_matters() -> None:
    calls: list[Sequence[str] | None] = []

    def list_foreign(paths: Sequence[str] | None) -> Sequence[bytes]:
        calls.append(paths)
        return []

    for command in ("git commit -p", "git add -p", "ls", "echo git add -A"):
        judge(command, directory="/src/repo", environment={}, foreign=list_foreign)
    assert calls == []
    judge("git add -A && git commit -a -m x", directory="/src/repo", environment={}, foreign=list_foreign)
    assert calls == [None]


def test_the_hooks_of_a_linked_worktree_are_known(repo: Repo, tmp_path: Path) -> None:
    repo.commit(files={"a": "1\n"})
    linked = tmp_path / "linked"
    repo.git("worktree", "add", str(linked))
    hooks = repo.path / ".git/hooks"
    assert ask(f"rm -rf {hooks}", directory=str(linked)) is not None
    assert ask(f"GIT_DIR={repo.path}/.git git commit -m x", directory=str(linked)) is None
    assert ask(f"GIT_DIR={tmp_path}/other git commit -m x", directory=str(linked)) is not None
    assert ask("cd src && rm -rf ../.git/hooks", directory=str(repo.path)) is not None
    assert ask(f"rm -rf {tmp_path}/scratch/.git/hooks", directory=str(linked)) is None


def test_a_repository_within_the_working_tree_has_lines_of_its_own(repo: Repo) -> None:
    repo.write("src/x", "")
    Repo.init(repo.path / "vendor/inner").write("deep/y", "")
    for directory in ("vendor/inner", "vendor/inner/deep"):
        assert ask(f"cd {directory} && git add -A", foreign=FOREIGN, directory=str(repo.path)) is None
    for directory in ("src", "vendor"):
        assert ask(f"cd {directory} && git add -A", foreign=FOREIGN, directory=str(repo.path)) is not None


def test_what_the_environment_of_the_harness_says_is_no_bypass() -> None:
    environment = {"HUSKY": "0", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_KEY_0": "core.hooksPath"}
    for command in ("git commit -m x", "HUSKY=0 git commit -m x", "unset HUSKY; git commit -m x"):
        assert judge(command, directory="/src/repo", environment=environment, aliases=dict) is None
    assert judge("$BYPASS -m x", directory="/", environment={"BYPASS": "git commit -n"}, aliases=dict) is not None


def test_a_command_that_is_too_long_or_too_deep_is_looked_at() -> None:
    deep = "(" * 1000 + ")" * 1000
    long = "echo " + "x" * 300_000
    assert ask(deep) is None
    assert ask(long) is None
    assert ask(f"{deep}; git commit -n -m x") is not None
    assert ask(f"{long}\ngit commit --no-verify -m x") is not None
    assert ask(f"{long} git commit --no-verify") is None


CHARACTERS = "'\"`$(){}[]<>|&;\\\n #=*?!-n~,\0\t"
COMMANDS = [*AROUND, *HARMLESS, *SWEEPING]


@given(st.lists(st.tuples(st.sampled_from(COMMANDS), st.integers(0, 60), st.sampled_from(CHARACTERS)), max_size=4))
def test_no_text_raises(pieces: list[tuple[str, int, str]]) -> None:
    text = "".join(command[:end] + letter + command[end:] for command, end, letter in pieces)
    refusal = ask(text, foreign=FOREIGN)
    assert refusal is None or refusal.next


def test_judging_loads_nothing_heavy() -> None:
    code = (
        f"import sys; before = set(sys.modules); sys.path.append({str(ROOT)!r})\n"
        "from smartcommit.harness.guard import judge\n"
        "judge('x=1; git commit -n -m \"$(date)\"', directory='/', environment={})\n"
        "print(*set(sys.modules) - before, sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "smartcommit.harness.guard" in loaded
    assert loaded & FORBIDDEN == set()
