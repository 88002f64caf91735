import { expect, it } from "vitest";
import type { ChannelId, GuildId, UserId } from "../../src/domain/ids.ts";
import { Pace } from "../../src/domain/steps/pace.ts";
import { ADA, BO, CEM, GUILD, PLACE } from "../support/small-world.ts";
import { openWithMemory } from "../support/with-memory.ts";

const MAX_FACTS = 500;
const MORE = "There are more than these 500 facts; ask for one by its key.";
const HERE = "Only what everyone here may hear was looked at; ask privately for more.";

it("the facts of a server are said to be more than one call hands out only if that many may be heard", async () => {
  const { memory, open, call } = await openWithMemory();
  const keep = (index: number, channelId: string) =>
    memory.remember({
      scope: index % 2 === 0 ? "project" : "org",
      scopeId: index % 2 === 0 ? PLACE.general : GUILD,
      subjectId: null,
      guildId: GUILD as GuildId,
      visibility: "project",
      home: { kind: "channel", id: channelId as ChannelId },
      name: `fact ${index}`,
      value: index,
      basis: [{ type: "typed", ref: "1", isOwn: true, authorId: null, words: "" }],
      createdBy: ([ADA, BO, CEM][index % 3] ?? ADA) as UserId,
      verification: "admin_confirmed",
      confidence: 1,
      expiresAt: null,
      ends: [],
    });
  const hear = async (actor: string, args: object = {}) => {
    const operation = await open(actor, PLACE.general, { scopes: ["memory:read_project"] });
    const outcome = await call(operation, "memory_read.get_project_facts", args, true);
    if (!outcome.ok) throw new Error(outcome.message);
    const { facts, note } = outcome.value as never as { facts: unknown[]; note: string | null };
    return { count: facts.length, note, text: outcome.text, label: operation.label };
  };
  for (let index = 0; index < MAX_FACTS; index += 1) await keep(index, PLACE.general);
  // Nobody else in the general channel may hear this one, so it is not counted there.
  await keep(MAX_FACTS, PLACE.staff);
  expect(await hear(CEM)).toMatchObject({ count: MAX_FACTS, note: HERE });
  await keep(MAX_FACTS + 1, PLACE.general);
  const all = await hear(CEM);
  expect(all).toMatchObject({ count: MAX_FACTS, note: `${MORE} ${HERE}` });
  expect(all.text).toContain(MORE);
  expect(all.label.listFacts().size).toBe(MAX_FACTS + 1);
  expect(await hear(CEM, { key: "fact 7" })).toMatchObject({ count: 1, note: HERE });
});

it("what is forgotten while facts are prepared for a search is not told", async () => {
  let inPause: (() => Promise<unknown>) | null = null;
  const pause = async () => {
    const work = inPause;
    inPause = null;
    await work?.();
  };
  const openPace = (check: () => void) => new Pace({ check, pause, unitsPerStep: 1 });
  const { memory, keep, open, call } = await openWithMemory({ openPace });
  const home = { kind: "guild", id: GUILD as GuildId } as const;
  const facts = [];
  for (const name of ["boat", "berth", "mast"]) facts.push(await keep({ name, value: "in the harbour", home }));
  const [boat] = facts;
  inPause = () => memory.forget(boat ? [boat] : []);
  const operation = await open(CEM, PLACE.general, { scopes: ["memory:read_project", "context:search"] });
  const outcome = await call(operation, "memory_read.search_context", { query: "harbour" });
  expect(inPause).toBe(null);
  const told = outcome.ok ? JSON.stringify(outcome.value) : outcome.message;
  for (const name of ["berth", "mast"]) expect(told).toContain(name);
  expect(told).not.toContain("boat");
});
