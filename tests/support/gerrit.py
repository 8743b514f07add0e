"""A `commit-msg` hook that adds a Change-Id by the rules of Gerrit's own, in words of this project."""

HOOK = """\
#!/bin/sh
create=$(git config --get gerrit.createChangeId)
test "$create" = false && exit 0
if test "$create" != always && head -n 1 "$1" | grep -Eq '^[a-z]+! '; then exit 0; fi
id=I$({ git var GIT_COMMITTER_IDENT; git rev-parse -q --verify HEAD; cat "$1"; } | git hash-object --stdin)
url=$(git config --get gerrit.reviewUrl)
line="Change-Id: $id" same='^Change-Id: '
if test -n "$url"; then line="Link: ${url%/}/id/$id" same='^Link: .*/id/I[0-9a-f]{40}$'; fi
if git interpret-trailers --parse "$1" | grep -Eq "$same"; then exit 0; fi
# The id comes before the first sign-off: it is added as if it were one, beside one at the end that is removed again.
git interpret-trailers --trailer "Signed-off-by: the last" "$1" > "$1.signed"
git -c trailer.where=before interpret-trailers --trailer "Signed-off-by: $line" "$1.signed" |
    sed -e "s/^Signed-off-by: \\(Change-Id: \\|Link: \\)/\\1/" -e "/^Signed-off-by: the last$/d" > "$1"
rm "$1.signed"
"""
