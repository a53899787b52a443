#!/usr/bin/env bash
# One `recalibrate run` with what the Action was given: INPUT_* variables, each one of action.yml's inputs, and PYTHON,
# the interpreter that has the pinned packages. Ends with the command's own status; 2 where an input is wrong.
# What the command prints quotes the watched repository, so the runner is told to take no commands from it.
set -euo pipefail

refuse() {
  echo "::error title=Recalibrate::$1"
  exit 2
}

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)"
cd "$here/../.."

# Credentials of the workflow's environment are not ours to use: only what was given.
unset RECALIBRATE_TOKEN RECALIBRATE_TOKEN_FILE RECALIBRATE_APP_ID RECALIBRATE_PRIVATE_KEY \
  RECALIBRATE_PRIVATE_KEY_FILE GITHUB_TOKEN
if [ -n "${INPUT_APP_ID:-}" ]; then
  [ -z "${INPUT_TOKEN:-}" ] || refuse "token and app-id are both given; keep one"
  [ -n "${INPUT_PRIVATE_KEY:-}" ] || refuse "private-key: app-id is given without it"
  export RECALIBRATE_APP_ID="$INPUT_APP_ID" RECALIBRATE_PRIVATE_KEY="$INPUT_PRIVATE_KEY"
else
  [ -n "${INPUT_TOKEN:-}" ] || refuse "no credentials: give token, or app-id and private-key"
  export RECALIBRATE_TOKEN="$INPUT_TOKEN"
fi
unset INPUT_TOKEN INPUT_PRIVATE_KEY

arguments=(run "--repo=${INPUT_REPOSITORY:-}" "--run=${INPUT_RUN_ID:-}")
[ -z "${INPUT_POLICY:-}" ] || arguments+=("--policy=$INPUT_POLICY")
case "${INPUT_DRY_RUN:-false}" in
  true) arguments+=(--dry-run) ;;
  false) ;;
  *) refuse "dry-run: give true or false" ;;
esac

# The word that ends the silence must not be foreseen.
word="$("$PYTHON" -I -c 'import secrets; print(secrets.token_hex(16))')"
echo "::stop-commands::$word"
status=0
PYTHONPATH="$PWD" "$PYTHON" -P -m bot "${arguments[@]}" 2>&1 || status=$?
echo
echo "::$word::"
exit "$status"
