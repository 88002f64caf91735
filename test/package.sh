#!/usr/bin/env bash
# Packs Earshot, installs it into an empty folder, starts it there and asks it something. Runs inside an npm script, so `node` is Node 24.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
node24=$(dirname "$(command -v node)")
folder=$(mktemp -d)
pid=""
model=""
cleanup() {
  for each in $pid $model; do kill "$each" 2>/dev/null || true; wait "$each" 2>/dev/null || true; done
  rm -rf "$folder"
}
trap cleanup EXIT

cd "$root"
npm run build
npm pack --silent --pack-destination "$folder" >/dev/null
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund ./earshot-*.tgz
# A package that weighs much and of which we need little belongs into the build (build.js).
kilobytes=$(du -sk node_modules | cut -f1)
echo "the installation takes $((kilobytes * 1024 / 1000000)) MB"
if [ "$kilobytes" -gt $((60 * 1000000 / 1024)) ]; then echo "it may take 60 MB"; exit 1; fi

export PATH="$node24:$PATH"
# Nobody else speaks: the message that is said must still be among the last three.
export EARSHOT_SANDBOX_PORT=7799 EARSHOT_PORT=7798 EARSHOT_SANDBOX_TALK_SECONDS=0
earshot="$folder/node_modules/.bin/earshot"

# As a stranger runs it, in an empty folder: nobody can answer here, so it says so and exits with the code for that.
mkdir empty
code=0
(cd empty && npm exec --yes --package="$(echo "$folder"/earshot-*.tgz)" -- earshot </dev/null >out.txt 2>err.txt) || code=$?
grep -q "^Without a command, earshot asks how to start" empty/err.txt
test "$code" -eq 64
# At a terminal it asks; the first answer is the sandbox. Only where there is a pseudo terminal.
if command -v script >/dev/null; then
  cd empty
  mkfifo keys
  script -qfc "env -u CI npm exec --yes --package=$(echo "$folder"/earshot-*.tgz) -- earshot" /dev/null <keys >shown.txt &
  pid=$!
  exec 3>keys
  for _ in $(seq 1 300); do grep -q "1 or 2?" shown.txt && break; sleep 0.2; done
  printf '1\r' >&3
  for _ in $(seq 1 100); do grep -q "Stop with" shown.txt && break; sleep 0.2; done
  grep -q "the embedded sandbox" shown.txt
  printf '\003' >&3
  exec 3>&-
  wait "$pid" || true
  pid=""
  cd ..
fi

"$earshot" --help >help.txt
grep -q "Usage: earshot" help.txt
# The configuration that it writes itself is read again: with comments, by a package that is part of the build.
mkdir configured
(cd configured && "$earshot" init >/dev/null && { "$earshot" doctor >doctor.txt 2>&1 || true; })
grep -q "earshot.config.jsonc" configured/doctor.txt
# Packages that are part of the build: a model that answers at once, and dates in other languages.
node --input-type=module -e '
  const { openInstantModel } = await import(`${process.argv[1]}/bench/instant-model.ts`);
  console.log((await openInstantModel(1)).url);
' "$root" >model.txt &
model=$!
for _ in $(seq 1 100); do grep -q http model.txt && break; sleep 0.2; done
EARSHOT_MODEL=instant EARSHOT_MODEL_URL=$(cat model.txt) "$earshot" start >out.txt 2>err.txt &
pid=$!
for _ in $(seq 1 100); do grep -q "Stop with" out.txt && break; sleep 0.2; done
cat out.txt
# The console's page and the script that it names.
node --input-type=module -e '
  const page = await (await fetch(process.argv[1])).text();
  const [script] = /\/assets\/main-[\w-]+\.js/.exec(page);
  const answer = await fetch(process.argv[1] + script);
  if (!answer.ok || !answer.headers.get("content-type").startsWith("text/javascript")) process.exit(1);
' "http://127.0.0.1:$EARSHOT_PORT"
"$earshot" say --as sarah --in general "hello from the package"
"$earshot" call discord.channel.messages --as sarah --in general limit=3 --json >messages.json
grep -q "hello from the package" messages.json
# Parts that are loaded after the start.
"$earshot" ask --as sarah --in general "when does the library close?" >answer.txt
grep -q "That is all." answer.txt
# The words of each language are part of the package, as text.
test -s node_modules/earshot/dist/language/en.txt -a -s node_modules/earshot/dist/language/ko.txt
"$earshot" call search_messages --as sarah --in general query=turtle since=gestern >found.txt
grep -qi turtle found.txt
initialize='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}'
# Ends with the first answer: a host that goes away ends its server.
{ printf '%s\n' "$initialize"; for _ in $(seq 1 100); do grep -q . mcp.json && break; sleep 0.1; done; } |
  "$earshot" mcp --as sarah >mcp.json
grep -q '"serverInfo"' mcp.json
kill -TERM "$pid" "$model"
wait "$pid"
pid=""

node --input-type=module -e '
  import { openDiscord } from "earshot";
  import { connectEarshot } from "earshot/client";
  import { openSandbox } from "earshot/sandbox";
  if (![openDiscord, connectEarshot, openSandbox].every((one) => typeof one === "function")) process.exit(1);
'

# A project that checks the declarations of its packages compiles; it needs the types of Node, as every project for Node does.
npm install --silent --no-audit --no-fund --save-dev "$root/node_modules/@types/node"
cat >program.mts <<'PROGRAM'
import { createEarshot } from "earshot";
import { connectEarshot } from "earshot/client";
import { openSandbox } from "earshot/sandbox";
console.log(createEarshot, connectEarshot, openSandbox);
PROGRAM
"$root/node_modules/.bin/tsc" --noEmit --strict --skipLibCheck false --module nodenext --target es2024 --types node program.mts

# An older Node says in one line what is needed. Only where the machine has one.
for old in /usr/local/bin/node /usr/bin/node; do
  if [ -x "$old" ] && "$old" -e 'process.exit(parseInt(process.versions.node) < 22 ? 0 : 1)'; then
    if message=$("$old" node_modules/earshot/bin/earshot.js start 2>&1); then echo "an older Node should be refused"; exit 1; fi
    test "$(printf '%s' "$message" | wc -l)" -eq 0
    case "$message" in "Earshot needs Node 22.18 or newer"*) ;; *) echo "$message"; exit 1 ;; esac
    break
  fi
done
echo "the packed installation starts and answers"
