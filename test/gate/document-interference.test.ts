import fc from "fast-check";
import { expect, it } from "vitest";
import type { AudienceRef } from "../../src/domain/audience.ts";
import { assertUntil } from "../support/assert-until.ts";
import { openFolders } from "../support/plain-documents.ts";
import { ADA, CEM, GUILD, PLACE, STAFF } from "../support/small-world.ts";
import { openWithMemory } from "../support/with-memory.ts";

const SCOPES = ["context:search", "memory:read_self", "memory:read_project", "context:read_channel_recent"];
const WORDS = ["workshop", "boat", "tide", "key", "soup", "mast", "workshpo", "Segel"];

const AUDIENCES: Readonly<Record<string, AudienceRef>> = {
  server: { kind: "guild", id: GUILD as never },
  general: { kind: "channel", id: PLACE.general as never },
  staff: { kind: "channel", id: PLACE.staff as never },
  aside: { kind: "channel", id: PLACE.aside as never },
  office: { kind: "role", guildId: GUILD as never, id: STAFF as never },
  elsewhere: { kind: "guild", id: "7777" as never },
};

const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((all) => all.join(" "));
const file = fc.record({ name: fc.constantFrom("a.md", "b.txt", "c.md"), heading: words, text: words });
const folder = fc.record({
  audience: fc.constantFrom(...Object.keys(AUDIENCES)),
  files: fc.array(file, { maxLength: 4 }),
  /** Whether it can be read. */
  isThere: fc.nat(4).map((value) => value > 0),
});

type PlannedFolder = typeof folder extends fc.Arbitrary<infer One> ? One : never;

/** Cem and everybody in #general; in the staff room only the staff and the owner, who can all read the thread, too. */
const isHeard = (place: string, { audience }: PlannedFolder) =>
  audience === "server" ||
  audience === "general" ||
  (place === PLACE.staff && ["staff", "aside", "office"].includes(audience));

/** All that somebody is told there. */
async function told(folders: readonly (PlannedFolder & { name: string })[], place: string): Promise<string> {
  const held = await openFolders(
    folders.map(({ name, audience, files }) => ({
      name,
      audience: AUDIENCES[audience] as AudienceRef,
      files: Object.fromEntries(files.map(({ name: path, heading, text }) => [path, `# ${heading}\n\n${text}\n`])),
    })),
    20,
  );
  for (const { name, isThere } of folders) if (!isThere) held.remove(name);
  await expect.poll(() => held.documents.stats().unreadable).toBe(folders.filter((one) => !one.isThere).length);
  const system = await openWithMemory({ documents: held.documents });
  const operation = await system.open(place === PLACE.staff ? ADA : CEM, place, { scopes: SCOPES } as never);
  const outcomes: unknown[] = [];
  for (const query of ["workshop", "workshop key", "boat tides", "workshpo soup mast", "Segel"])
    for (const tool of ["search_documents", "memory_read.search_context"])
      outcomes.push(await system.call(operation, tool, { query, limit: 4 }, true));
  const message = { channel_id: PLACE.general, text: "soup" };
  outcomes.push(await system.call(operation, "discord.send", message));
  await system.close();
  await held.close();
  return JSON.stringify(outcomes);
}

it("documents that may not be heard change no byte, score or order of what others are told", async () => {
  let [shown, hidden] = [0, 0];
  const property = fc.asyncProperty(
    fc.array(folder, { minLength: 2, maxLength: 6 }),
    fc.constantFrom(PLACE.general, PLACE.staff),
    async (folders, place) => {
      const named = folders.map((one, index) => ({ ...one, name: `folder ${index}` }));
      const heard = named.filter((one) => isHeard(place, one));
      const everything = await told(named, place);
      expect(everything).toBe(await told(heard, place));
      if (everything.includes("passage_id")) shown += 1;
      hidden += named.length - heard.length;
    },
  );
  const expectEnough = () => expect(Math.min(shown, hidden)).toBeGreaterThan(2);
  await assertUntil(property, expectEnough, { numRuns: Number(process.env["SOAK_RUNS"] ?? 11) });
});
