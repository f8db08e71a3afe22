#!/bin/sh
# Opens a pull request on GitHub for a session, or shows the one there is. Needs `gh`, logged in with `gh auth login`.
#
#   orchestra config set commands.pr "sh /path/to/pr-with-gh.sh"
#   orchestra session pr login
set -eu
if gh pr view "$ORCHESTRA_BRANCH" --json url --jq .url 2>/dev/null; then
    exit 0
fi
exec gh pr create \
    --head "$ORCHESTRA_BRANCH" --base "$ORCHESTRA_BASE" \
    --title "$ORCHESTRA_TITLE" --body-file "$ORCHESTRA_BODY_FILE"
