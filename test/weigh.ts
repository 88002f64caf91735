import { writeFileSync } from "node:fs";
import { countStumblesOfFolders, sumStumbles } from "./support/count-stumbles.ts";
import { sum, weighFolders } from "./support/weigh.ts";

/** Writes down the size of the code and the stumbling words of its comments: `npm run weigh`. Tests keep both from growing. */
const folders = weighFolders();
const { lines, tokens } = sum(Object.values(folders));
const rows = Object.entries(folders).map(([folder, weight]) => `    "${folder}": ${toJson(weight)}`);
writeFileSync(
  new URL("weight.json", import.meta.url),
  `{\n  "folders": {\n${rows.join(",\n")}\n  },\n  "raises": []\n}\n`,
);
console.log(`${lines} lines, ${tokens} words and signs`);

const stumbles = countStumblesOfFolders();
const counts = Object.entries(stumbles).map(
  ([folder, { openings, pronouns }]) => `  "${folder}": { "openings": ${openings}, "pronouns": ${pronouns} }`,
);
writeFileSync(new URL("stumbles.json", import.meta.url), `{\n${counts.join(",\n")}\n}\n`);
const { openings, pronouns } = sumStumbles(Object.values(stumbles));
console.log(`in comments: ${openings} sentences that begin without a noun, ${pronouns} times somebody or nobody`);

function toJson(weight: { readonly lines: number; readonly tokens: number }): string {
  return `{ "lines": ${weight.lines}, "tokens": ${weight.tokens} }`;
}
