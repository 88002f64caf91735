import { describe, expect, it } from "vitest";
import { toConfig } from "../../src/config/config.ts";
import type { ChannelId, GuildId, UserId } from "../../src/domain/ids.ts";
import { createLiveRules } from "../../src/policy/live-rules.ts";
import { toRules } from "../support/gate.ts";
import { ADA, BO, CEM, GUILD, PLACE } from "../support/small-world.ts";
import { PRIVATELY } from "../support/with-memory.ts";
import { IN_PERSON, openWithProposals } from "../support/with-proposals.ts";

const OWNER = "3000";
const YARD = { name: "The Yard", guild: GUILD, channels: [PLACE.staff, PLACE.lounge] };
const toProjects = (...projects: object[]) => toRules({ memory: { people: "shared", projects } });

async function openNamed(...projects: object[]) {
  const live = createLiveRules(toProjects(...projects));
  const system = await openWithProposals({ live });
  const keepIn = (channelId: string, value: string) => {
    system.clock.ahead += 1_000;
    return system.keep({
      ...{ scope: "project", scopeId: channelId, subjectId: null, visibility: "project", createdBy: OWNER as UserId },
      ...{ guildId: GUILD as GuildId, home: { kind: "channel", id: channelId as ChannelId }, name: "deadline", value },
    });
  };
  const read = async (actor: string) => {
    const operation = await system.open(actor, PLACE.general, { scopes: ["memory:read_project"] }, PRIVATELY);
    const outcome = await system.call(operation, "memory_read.get_project_facts", {}, true);
    if (!outcome.ok) throw new Error(outcome.message);
    const facts = outcome.value["facts"] as { value: string; about: { name: string | null } }[];
    return { facts: facts.map(({ value, about }) => [value, about.name]), text: outcome.text ?? "" };
  };
  return { ...system, live, keepIn, read };
}

describe("a project that the operator named", () => {
  it("groups the facts of its channels, which are called by its name, and makes nobody hear more of them", async () => {
    const { keepIn, read, live } = await openNamed();
    await keepIn(PLACE.staff, "May");
    await keepIn(PLACE.lounge, "June");
    expect((await read(BO)).facts).toEqual([
      ["June", null],
      ["May", null],
    ]);
    live.replace(toProjects(YARD));
    const { facts, text } = await read(BO);
    expect(facts).toEqual([["June", "The Yard"]]);
    expect(text).toContain('deadline of "The Yard" (project');
    const others = await read(CEM);
    expect(others.facts).toEqual([]);
    expect(others.text).not.toContain("Yard");
  });

  it("is another one as soon as the operator says so, and none in another server", async () => {
    const { keepIn, read, live } = await openNamed(YARD);
    await keepIn(PLACE.staff, "May");
    await keepIn(PLACE.lounge, "June");
    live.replace(toProjects({ ...YARD, channels: [PLACE.lounge] }, { ...YARD, name: "Crew", channels: [PLACE.staff] }));
    expect((await read(BO)).facts).toEqual([
      ["June", "The Yard"],
      ["May", "Crew"],
    ]);
    live.replace(toProjects({ ...YARD, guild: "77" }));
    expect((await read(BO)).facts.map(([, name]) => name)).toEqual([null, null]);
  });

  it("does not hide from somebody the value that they may hear behind a newer one that they may not", async () => {
    const { keepIn, read } = await openNamed({ ...YARD, channels: [PLACE.general, PLACE.staff] });
    await keepIn(PLACE.general, "May");
    await keepIn(PLACE.staff, "June");
    expect((await read(CEM)).facts).toEqual([["May", "The Yard"]]);
    expect((await read(ADA)).facts).toEqual([["June", "The Yard"]]);
  });

  it("is named in the preview, which tells what others of the project go on hearing", async () => {
    const { keepIn, begin, propose, waiting, gate, press, read } = await openNamed(YARD);
    const old = await keepIn(PLACE.staff, "May");
    await propose(await begin(OWNER, PLACE.lounge), { about: "project", key: "deadline", value: "June" });
    const id = waiting(OWNER)[0]?.id ?? "";
    const preview = await gate.preview(id, OWNER as UserId, IN_PERSON);
    expect(preview).toMatchObject({ kind: "remember", project: "The Yard" });
    expect(preview.kind === "remember" && preview.ways.map(({ name }) => name)).toEqual([
      "as_shown",
      "as_shown_end_old",
    ]);
    expect(preview.kind === "remember" && preview.ways[0]?.staysShared.map(({ fact }) => fact.id)).toEqual([old.id]);
    await press(OWNER, id, "as_shown_end_old");
    expect((await read(BO)).facts).toEqual([["June", "The Yard"]]);
  });

  it("has one entry in its server, and each channel is in one project", () => {
    const configure = (...projects: object[]) => toConfig({ policy: { memory: { projects } } } as never);
    expect(() => configure(YARD, { ...YARD, guild: "77", channels: ["88"] })).not.toThrow();
    expect(() => configure(YARD, { ...YARD, name: " the  yard ", channels: ["88"] })).toThrow("the same name");
    expect(() => configure(YARD, { ...YARD, name: "Crew" })).toThrow("one is listed twice");
    expect(() => configure({ ...YARD, channels: [] })).toThrow("channels");
    expect(() => configure({ ...YARD, name: "  " })).toThrow("name");
  });
});
