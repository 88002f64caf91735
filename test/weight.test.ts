import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { sum, type Weight, weigh, weighFolders } from "./support/weigh.ts";

const ROOT = resolve(import.meta.dirname, "..");

interface Kept {
  /** As they were when the total fell last. */
  readonly folders: Readonly<Record<string, Weight>>;
  /** What was added since, and the line of CHANGELOG.md that says what people get for it. */
  readonly raises: readonly (Weight & { readonly changelog: string })[];
}

const kept = JSON.parse(readFileSync(join(ROOT, "test/weight.json"), "utf8")) as Kept;

/** `npm run weigh` writes down what there is now, once that is less. */
describe("what there is to read", () => {
  it("only gets less, unless CHANGELOG.md says what people get for more", () => {
    const folders = weighFolders();
    const most = sum([...Object.values(kept.folders), ...kept.raises]);
    const grown = Object.entries(folders)
      .filter(([folder, { lines }]) => lines > (kept.folders[folder]?.lines ?? 0))
      .map(([folder, { lines }]) => `${folder}: ${lines - (kept.folders[folder]?.lines ?? 0)} lines more`);
    const total = sum(Object.values(folders));
    expect(total.lines, grown.join(", ")).toBeLessThanOrEqual(most.lines);
    expect(total.tokens, grown.join(", ")).toBeLessThanOrEqual(most.tokens);
    const changelog = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");
    expect(kept.raises.filter((raise) => !changelog.includes(raise.changelog))).toEqual([]);
  });

  it("is laid out as it was when it was weighed: shorter lines are no less to read", () => {
    const { formatter } = JSON.parse(readFileSync(join(ROOT, "biome.json"), "utf8")) as { formatter: unknown };
    expect(formatter).toEqual({ indentStyle: "space", indentWidth: 2, lineWidth: 120 });
  });

  it("is counted by lines and by words and signs, SQL in texts included, comments not", () => {
    expect(weigh("// a comment\nconst one = run(`select a from b`); /* more */\n")).toEqual({ lines: 2, tokens: 13 });
  });
});
