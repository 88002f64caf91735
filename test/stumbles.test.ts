import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { countStumbles, countStumblesOfFolders, type Stumbles, sumStumbles } from "./support/count-stumbles.ts";

const kept = JSON.parse(readFileSync(join(import.meta.dirname, "stumbles.json"), "utf8")) as Record<string, Stumbles>;

/** `npm run weigh` writes down the counts of now, once there are fewer. */
describe("the comments", () => {
  it("begin ever fewer sentences without a noun, and ever fewer speak of somebody or nobody", () => {
    const folders = countStumblesOfFolders();
    const risen = Object.entries(folders).flatMap(([folder, counts]) =>
      (["openings", "pronouns"] as const)
        .filter((kind) => counts[kind] > (kept[folder]?.[kind] ?? 0))
        .map((kind) => `${folder}: ${counts[kind]} ${kind}, at most ${kept[folder]?.[kind] ?? 0}`),
    );
    const [total, most] = [sumStumbles(Object.values(folders)), sumStumbles(Object.values(kept))];
    expect(total.openings, risen.join("; ")).toBeLessThanOrEqual(most.openings);
    expect(total.pronouns, risen.join("; ")).toBeLessThanOrEqual(most.pronouns);
  });

  it("are read sentence by sentence, across lines, and nothing else is", () => {
    const code = `
      /** What is left. Of these,
       * those that stand. Nobody reads
       * it; (where it was.) Where else? */
      const who = "What? Somebody // Who";
      // Who asks,
      // Those are the same sentence.
      const one = 1; // Anybody
    `;
    expect(countStumbles(code)).toEqual({ openings: 4, pronouns: 2 });
    expect(countStumbles("// The rest. Those\n// stay.\n\n// Where it is\n")).toEqual({ openings: 2, pronouns: 0 });
  });
});
