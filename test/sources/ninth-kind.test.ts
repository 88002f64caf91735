import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
/** Everything that kinds stand on. */
const FOLDERS = ["sources", "domain", "ports", "language"];

/** Something that a calendar says, told to those who were invited while it is not cancelled. */
const EVENT = `
import type { UserId } from "../../domain/ids.ts";
import type { Kind } from "./kind.ts";
import { toLimit } from "./limits.ts";

declare module "../../domain/source.ts" {
  interface SourceKinds {
    readonly event: { readonly eventId: string; readonly invited: readonly UserId[]; readonly isCancelled: boolean };
  }
}

export const event: Kind<"event"> = {
  key: ({ eventId }) => eventId,
  limits: ({ eventId, invited }) => [toLimit(\`event:\${eventId}\`, { kind: "people", people: new Set(invited) })],
  state: ({ isCancelled }) => (isCancelled ? "deleted" : "standing"),
};
`;

/** Judges events, alone and beside a server, as the program would. */
const USE = `
import type { UserId } from "./domain/ids.ts";
import type { Source } from "./domain/source.ts";
import { judge } from "./sources/judge.ts";
import { kindOf } from "./sources/kinds/index.ts";
import type { SourceWorld, Teller } from "./sources/kinds/kind.ts";
import { Label } from "./sources/label.ts";

const [ANN, BO] = ["7", "8"] as UserId[] as [UserId, UserId];
const world = { watch: {}, directory: {} } as unknown as SourceWorld;
const moment = { openedAt: 0, origin: { messageId: null } };

export function judgeEvent(isCancelled: boolean, readers: readonly UserId[]) {
  const label = new Label();
  const source: Source<"event"> = { kind: "event", eventId: "1", invited: [ANN], isCancelled };
  label.add([source, { ...source, isCancelled }], 1);
  const later = new Label();
  later.join(label, 2);
  const [kept] = later;
  const isOwn = kept && kindOf(kept).isOwn?.(kept, {} as Teller) === true;
  const people = { kind: "people" as const, people: new Set(readers) };
  const { answer, reason } = judge(later, { readers: [people], moment }, world);
  return [later.of("event").size, later.integrity, isOwn, answer, reason];
}

export const told = [judgeEvent(false, [ANN]), judgeEvent(false, [ANN, BO]), judgeEvent(true, [ANN])];
`;

it("a made-up kind of source touches its file and the list of kinds, and is judged like every other", async () => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-kind-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const isTest = (path: string) => /\.(test|suite)\.ts$/.test(path);
  for (const name of FOLDERS)
    cpSync(join(ROOT, "src", name), join(folder, name), { recursive: true, filter: (path) => !isTest(path) });
  for (const name of ["node_modules", "package.json", "tsconfig.json"])
    symlinkSync(join(ROOT, name), join(folder, name));
  const list = join(folder, "sources/kinds/index.ts");
  const before = readFileSync(list, "utf8");
  const after = before
    .replace("import { fact,", 'import { event } from "./event.ts";\nimport { fact,')
    .replace("passage, profile }", "passage, profile, event }");
  expect(after.split("\n").filter((line) => !before.includes(line))).toHaveLength(2);
  writeFileSync(list, after);
  writeFileSync(join(folder, "sources/kinds/event.ts"), EVENT);
  writeFileSync(join(folder, "use.ts"), USE);
  const config = { extends: join(ROOT, "tsconfig.json"), include: ["use.ts", "sources"] };
  writeFileSync(join(folder, "tsconfig.kind.json"), JSON.stringify(config));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const args = [tsc, "--noEmit", "-p", "tsconfig.kind.json", "--checkers", "1"];
  const checked = spawnSync(process.execPath, args, { cwd: folder });
  expect(String(checked.stdout)).toBe("");
  const script = `console.log(JSON.stringify((await import(${JSON.stringify(pathToFileURL(join(folder, "use.ts")).href)})).told))`;
  const run = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
  expect(JSON.parse(String(run.stdout) || "null"), String(run.stderr)).toEqual([
    [1, "untrusted", false, "yes", null],
    [1, "untrusted", false, "no", "not_for_everyone_there"],
    [1, "untrusted", false, "no", "source_deleted"],
  ]);
});
