import { writeFileSync } from "node:fs";
import { sum, weighFolders } from "./support/weigh.ts";

/** Writes down what there is to read now: `npm run weigh`. A test keeps it from growing. */
const folders = weighFolders();
const { lines, tokens } = sum(Object.values(folders));
const rows = Object.entries(folders).map(([folder, weight]) => `    "${folder}": ${toJson(weight)}`);
writeFileSync(
  new URL("weight.json", import.meta.url),
  `{\n  "folders": {\n${rows.join(",\n")}\n  },\n  "raises": []\n}\n`,
);
console.log(`${lines} lines, ${tokens} words and signs`);

function toJson(weight: { readonly lines: number; readonly tokens: number }): string {
  return `{ "lines": ${weight.lines}, "tokens": ${weight.tokens} }`;
}
