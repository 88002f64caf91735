import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import type { ChannelId } from "../../src/domain/ids.ts";
import { createIndexOpener } from "../../src/stores/sqlite/message-index.ts";
import { FailingDatabases } from "../support/failing-database.ts";
import { openTestGate } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { smallCommunity } from "../support/small-community.ts";

const PEOPLE = ["olga", "sarah", "mark", "mei"];
const PLACES = ["general", "staff-room"];

/** Words that fill pages. */
const filling = (seed: number) =>
  Array.from({ length: 200 }, (_, index) => ((index + 1) * 7_919 * (seed + 3)).toString(36)).join(" ");

/** An open and a closed channel, both on disk. */
async function arrive(maxPages: number) {
  const folder = mkdtempSync(join(tmpdir(), "earshot-disk-gate-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const sandbox = await openTestSandbox({ rateLimits: false, community: smallCommunity([]) });
  sandbox.admin.setOverwrite("staff-room", "person:earshot", { allow: ["ViewChannel"] });
  const channels = PLACES.map((key) => sandbox.community.channels.get(key) as ChannelId);
  const databases = new FailingDatabases();
  const disk = { folder, channels, retentionDays: 1_000 };
  const gate = await openTestGate(sandbox, { bounds: { disk }, openIndex: createIndexOpener(databases.connect) });
  databases.limitPages(maxPages);
  return { ...gate, sandbox };
}

describe("a full disk", () => {
  it("shows nobody the messages of a channel that they may not read, however much space is left", async () => {
    const counts = { answered: 0, unavailable: 0 };
    for (const maxPages of [12, 13, 14, 15, 16, 17, 18, 20, 24]) {
      const { call, sandbox, edge } = await arrive(maxPages);
      const attempt = (tool: string, args: object, where: { as: string; in: string }) =>
        call(tool, args, where).catch((error: unknown) => {
          const code = error instanceof EarshotError ? error.code : null;
          if (code !== "unavailable" && code !== "not_found") throw error;
          if (code === "unavailable") counts.unavailable += 1;
          return null;
        });
      for (let round = 0; round < 6; round += 1) {
        for (const [person, place] of [
          ["sarah", "general"],
          ["mei", "staff-room"],
        ] as const) {
          const said = sandbox.as(person).say(place, `said-in-${place} ${round} lorem ${filling(round)}`);
          await edge.find("message", ({ message }) => message.message_id === said.id);
        }
        for (const as of PEOPLE)
          for (const place of PLACES) {
            const where = { as, in: place };
            const recent = await attempt("get_recent_messages", { limit: 50 }, where);
            const found = await attempt("search_channel_messages", { channel: place, query: "lorem" }, where);
            const answers = JSON.stringify([recent, found]);
            if (answers.includes(`said-in-${place}`)) counts.answered += 1;
            for (const other of PLACES) if (other !== place) expect(answers).not.toContain(`said-in-${other}`);
            if (as === "sarah" || as === "mark") expect(answers).not.toContain("said-in-staff-room");
          }
      }
    }
    // Neither always refused nor never.
    expect(Math.min(counts.answered, counts.unavailable)).toBeGreaterThan(20);
  });
});
