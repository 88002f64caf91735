import fc from "fast-check";
import { expect, it } from "vitest";
import type { ChannelId, GuildId } from "../../src/domain/ids.ts";
import type { ServiceField } from "../../src/profiles/http-profile.ts";
import { assertUntil } from "../support/assert-until.ts";
import { hostileText } from "../support/hostile-text.ts";
import { openHttpProfile, openProfileServer, sendJson } from "../support/profile-server.ts";
import { ADA, BO, CEM, GUILD, PLACE } from "../support/small-world.ts";
import { readBlock } from "../support/strict-reader.ts";
import { openWithMemory } from "../support/with-memory.ts";

const SCOPES = [
  "memory:read_self",
  "memory:read_project",
  "context:search",
  "discord:send",
  "context:read_channel_recent",
];
const KEYS = ["heron", "gull", "tern", "boat"];
const PEOPLE = [ADA, BO, CEM];
/** To whom a key may be told. Cem, in #general, hears what is for the server. */
const VISIBILITIES = {
  alone: "private",
  staff: { channel: PLACE.staff as ChannelId },
  general: { channel: PLACE.general as ChannelId },
  server: { server: GUILD as GuildId },
  elsewhere: { server: "1999" as GuildId },
} as const satisfies Record<string, ServiceField["visibility"]>;

const value = fc.oneof(
  fc.constantFrom<unknown>("heron", "gull tern", "boat boat", 7, true, null),
  fc.constantFrom<unknown>([], {}, "4111 1111 1111 1111", "a\u0000b", 1e300),
  fc.string({ maxLength: 30 }),
);
const community = fc.record({
  visibilities: fc.tuple(
    ...KEYS.map(() => fc.constantFrom(...(Object.keys(VISIBILITIES) as (keyof typeof VISIBILITIES)[]))),
  ),
  profiles: fc.tuple(...PEOPLE.map(() => fc.option(fc.tuple(...KEYS.map(() => value)), { freq: 4 }))),
  others: fc.tuple(...PEOPLE.map(() => fc.tuple(...KEYS.map(() => value)))),
  facts: fc.array(
    fc.record({ owner: fc.constantFrom(...PEOPLE), key: fc.constantFrom(...KEYS), isShared: fc.boolean() }),
    {
      maxLength: 3,
    },
  ),
  isPrivate: fc.boolean(),
});

type Community = typeof community extends fc.Arbitrary<infer One> ? One : never;
type Profiles = Community["profiles"];

/** All that Cem is told in #general, and whom the service was asked about. */
async function told({ visibilities, facts, isPrivate }: Community, profiles: Profiles) {
  const people = Object.fromEntries(
    PEOPLE.flatMap((id, index) => {
      const values = profiles[index];
      return values ? [[id, Object.fromEntries(KEYS.map((key, at) => [key, values[at]]))]] : [];
    }),
  );
  const server = await openProfileServer(people as Record<string, object>);
  const fields = KEYS.map((key, at) => ({
    path: [key],
    key,
    visibility: VISIBILITIES[visibilities[at] ?? "alone"],
  }));
  const { source } = openHttpProfile(server.url, fields);
  const system = await openWithMemory({ profiles: [source] });
  for (const { owner, key, isShared } of facts) {
    system.clock.ahead += 1_000;
    await system.remember(owner, [key, "as remembered"], isShared ? "org" : "private");
  }
  const operation = await system.open(CEM, PLACE.general, { scopes: SCOPES } as never, isPrivate ? { isPrivate } : {});
  const outcomes: unknown[] = [];
  for (const args of [{}, { user: ADA }, { user: BO }, { user: BO, key: "gull" }])
    outcomes.push(await system.call(operation, "memory_read.get_user_facts", args, true));
  for (const query of ["heron", "gull tern boat"])
    outcomes.push(await system.call(operation, "memory_read.search_context", { query, limit: 5 }, true));
  outcomes.push(await system.call(operation, "context.window", {}, true));
  outcomes.push(await system.call(operation, "discord.send", { channel_id: PLACE.general, text: "so" }));
  await system.close();
  source.close();
  const ids = new Map<string, string>();
  const text = JSON.stringify(outcomes).replaceAll(/\b[0-9a-f]{36}\b/g, (id) => {
    if (!ids.has(id)) ids.set(id, `fact${ids.size}`);
    return ids.get(id) ?? id;
  });
  return { text, requests: server.requests.map(({ path }) => path) };
}

it("what a profile may not tell changes no byte, order or request", async () => {
  const seen = { shown: 0, different: 0, unasked: 0 };
  await assertUntil(
    fc.asyncProperty(community, async (one) => {
      const isHeard = (person: string, at: number) => {
        const visibility = one.visibilities[at] ?? "alone";
        if (visibility === "alone") return one.isPrivate && person === CEM;
        return visibility === "server" || visibility === "general";
      };
      // Everything that Cem may not hear is something else, and who has nothing for him has perhaps no profile.
      const others = PEOPLE.map((person, index) => {
        const values = one.profiles[index];
        const different = one.others[index] ?? [];
        const mixed = KEYS.map((_, at) => (isHeard(person, at) ? (values?.[at] ?? null) : different[at]));
        return mixed;
      }) as never as Profiles;
      const before = await told(one, one.profiles);
      const after = await told(one, others);
      expect(after.text).toBe(before.text);
      expect(after.requests).toEqual(before.requests);
      if (before.text.includes("from the profile service")) seen.shown += 1;
      if (JSON.stringify(others) !== JSON.stringify(one.profiles)) seen.different += 1;
      if (before.requests.length === 0) seen.unasked += 1;
    }),
    () => {
      expect(seen.shown).toBeGreaterThan(0);
      expect(seen.different).toBeGreaterThan(0);
    },
    { numRuns: Number(process.env["SOAK_RUNS"] ?? 14) },
  );
});

it("a canary in a profile reaches nobody for whom it is not", async () => {
  const profile = (person: string) => Object.fromEntries(KEYS.map((key) => [key, `canary-${person}-${key}`]));
  const server = await openProfileServer(Object.fromEntries(PEOPLE.map((person) => [person, profile(person)])));
  const kinds = ["alone", "staff", "elsewhere", "server"] as const;
  const fields = KEYS.map((key, at) => ({ path: [key], key, visibility: VISIBILITIES[kinds[at] ?? "alone"] }));
  const { source } = openHttpProfile(server.url, fields);
  const system = await openWithMemory({ profiles: [source] });
  for (const actor of PEOPLE)
    for (const channelId of [PLACE.general, PLACE.staff]) {
      if (actor === CEM && channelId === PLACE.staff) continue;
      for (const isPrivate of [false, true]) {
        const operation = await system.open(
          actor,
          channelId,
          { scopes: SCOPES } as never,
          isPrivate ? { isPrivate } : {},
        );
        const outcomes: unknown[] = [];
        for (const user of PEOPLE)
          outcomes.push(await system.call(operation, "memory_read.get_user_facts", { user }, true));
        outcomes.push(await system.call(operation, "memory_read.search_context", { query: KEYS.join(" ") }, true));
        const text = JSON.stringify(outcomes);
        for (const person of PEOPLE)
          for (const [at, key] of KEYS.entries()) {
            const isStaff = actor !== CEM && (isPrivate || channelId === PLACE.staff);
            const isHeard = [isPrivate && actor === person, isStaff, false, true][at];
            expect(text.includes(`canary-${person}-${key}`), `${actor} in ${channelId}: ${person} ${key}`).toBe(
              isHeard,
            );
          }
      }
    }
  expect(JSON.stringify(system.audit)).not.toContain("canary-3");
  await system.close();
});

it("the text of a profile cannot forge a block, a line, a label or another field", async () => {
  let seen = 0;
  const server = await openProfileServer();
  await assertUntil(
    fc.asyncProperty(hostileText("minted-00000"), async (text) => {
      const profile = JSON.stringify({ heron: text.slice(0, 600), gull: `heron ${text.slice(0, 300)}` });
      server.people[CEM] = (response) => sendJson(response, profile);
      const fields = ["heron", "gull"].map((key) => ({ path: [key], key, visibility: VISIBILITIES.server }));
      const { source } = openHttpProfile(server.url, fields);
      const system = await openWithMemory({ profiles: [source] });
      const operation = await system.open(CEM, PLACE.general, { scopes: SCOPES } as never);
      for (const [name, args] of [
        ["memory_read.get_user_facts", {}],
        ["memory_read.search_context", { query: "heron" }],
      ] as const) {
        const outcome = await system.call(operation, name, args, true);
        if (!outcome.ok) throw new Error(outcome.message);
        const planted = (JSON.stringify(outcome.value).match(/"verification":"authoritative"/g) ?? []).length;
        if (planted === 0) continue;
        const { lines } = readBlock(outcome.text ?? "", operation.nonce);
        const marked = lines.filter(
          ({ author, body }) => author === null && body.includes("from the profile service): "),
        );
        expect(marked.length).toBe(planted);
        seen += 1;
      }
      await system.close();
    }),
    () => expect(seen).toBeGreaterThan(5),
    { numRuns: 25 },
  );
});
