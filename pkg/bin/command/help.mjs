// What the command says about itself.

import { readFileSync } from "node:fs";

const TEXT = `plica folds long agent conversations without losing anything.

  plica fold FILE --budget N     fold a session; write the folded conversation and its ledger
  plica unfold FILE              give back what was folded, byte for byte
  plica inspect FILE             say what is in a file
  plica convert FILE --to FORMAT write a session's messages in another format
  plica view FILE                show it in a browser (needs the package @plica/viewer)

FILE is a session of Claude Code, Codex, pi, opencode or gemini-cli, or messages as a JSON array, as
JSONL, or in an object under "messages". "-" reads standard input.

fold
  --budget N             tokens that the tail, what stays verbatim at the end, may cost (20000, 20k)
  --out PATH             the folded conversation (default: FILE's name with .folded.json)
  --ledger-out PATH      its ledger (default: beside it, with .ledger.json)
  --ledger PATH          the ledger that came with FILE, to fold it once more
  --summarizer CMD       program that gets the request on its standard input and prints the summary;
                         when it fails, the deterministic digest takes its place
  --timeout SECONDS      how long the summarizer may take (default 600)
  --keep-turns N         at least so many of the user's latest turns stay
  --anchor-task          keep the user's first request verbatim
  --anchor-request       keep the user's latest request verbatim
  --native               write a session file of the same kind, from which its program goes on
                         (Claude Code, Codex, pi, messages; default: FILE's name with
                         .folded.jsonl)
  --branch ID            fold another branch than the active one (inspect lists them)
  --force                overwrite files that hold something else

unfold
  --ledger PATH          the ledger (default: FILE's name with .ledger.json; none for a session that
                         holds its folds itself)
  --out PATH             where to write (default: standard output)
  --force                overwrite a file that holds something else

inspect
  --branch ID            another branch than the active one

convert
  --to FORMAT            anthropic, openai-chat, openai-responses, ai-sdk, ai-sdk-ui, langchain, gemini, hotl,
                         agentfootprint or pi
  --out PATH, -o PATH    where to write the JSON array, one message a line (default: standard output);
                         what could not be carried over is said on standard error
  --force                overwrite a file that holds something else

view
  --ledger PATH          the ledger (default for a .folded.json: the one beside it)
  --port N               a fixed port (default: a free one); only this machine can reach it

everywhere
  --json                 print the report as JSON
  --help, --version

Exit codes: 0 done · 1 a bug · 2 wrong arguments · 3 the file cannot be read or is no session
            4 nothing could be folded · 5 the output cannot be written · 6 the ledger does not fit
`;

/** Prints the help; on stderr when it was not asked for. @param {number} exit */
export function help(exit) {
  (exit === 0 ? process.stdout : process.stderr).write(TEXT);
  return exit;
}

export function version() {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  process.stdout.write(`${manifest.version}\n`);
  return 0;
}
