// node table.mjs: counts of plica, of a third of the bytes and of tokenx against o200k_base, on texts that nothing was fitted
// to. With paths of session files as arguments: the same for what they say.

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { estimateTokenCount } from "tokenx";
import { estimate } from "../../pkg/dist/index.js";
import { textsOf } from "./corpora.mjs";
import { MEASURE } from "./sources.mjs";

const exact = (text) => encode(text, { disallowedSpecial: new Set() }).length;
/** Four tokens are the message's own. */
const ours = (text) => estimate([{ role: "user", content: text }], { format: "openai-chat" }).total - 4;
const third = (text) => Math.ceil(Buffer.byteLength(text) / 3);

const rows = [];
if (process.argv.length > 2) for (const file of process.argv.slice(2)) row(basename(file), said(readFileSync(file, "utf8")));
else for (const [kind, sources] of Object.entries(MEASURE)) row(kind, textsOf(kind, sources));

console.log("| text | tokens | plica | bytes / 3 | tokenx |\n|---|---:|---:|---:|---:|");
for (const { name, tokens, errors } of rows) console.log(`| ${name} | ${tokens.toLocaleString("en")} | ${errors.map(percent).join(" | ")} |`);

function row(name, texts) {
  const sum = (count) => texts.reduce((total, text) => total + count(text), 0);
  const tokens = sum(exact);
  rows.push({ name, tokens, errors: [ours, third, estimateTokenCount].map((count) => sum(count) / tokens - 1) });
}

function percent(error) {
  const rounded = Math.round(error * 100);
  return `${rounded < 0 ? "−" : "+"}${Math.abs(rounded)} %`;
}

/** All texts of a file of JSON, or of JSON lines, that are longer than a name. */
function said(file) {
  const found = [];
  const look = (value) => {
    if (typeof value === "string") {
      if (value.length > 40) found.push(value);
    } else if (typeof value === "object" && value !== null) Object.values(value).forEach(look);
  };
  try {
    look(JSON.parse(file));
  } catch {
    for (const line of file.split("\n")) if (line.trim() !== "") look(JSON.parse(line));
  }
  return found;
}
