#!/usr/bin/env bash
# Prints the difference of all SQL statements, and of the schema, between a revision (that before the last commit by default) and the working tree.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
revision=${1:-HEAD^}
git diff --quiet "$revision" -- test/sql/digest.txt && exit
before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
git archive "$revision" | tar -x -C "$before"
ln -s "$PWD/node_modules" "$before"
(cd "$before" && npm run --silent statements >&2)
npm run --silent statements >&2
mkdir "$before/now" "$before/before"
cp -r dist/statements dist/schema.md "$before/now"
mv "$before"/dist/{statements,schema.md} "$before/before"
cd "$before"
git --no-pager diff --no-index before now || true
