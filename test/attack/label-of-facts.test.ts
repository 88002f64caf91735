import { describe, expect, it } from "vitest";
import type { ChannelId, GuildId, UserId } from "../../src/domain/ids.ts";
import { toProfileVersion } from "../../src/gate/memory/profile-reads.ts";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import { toProfileRef } from "../../src/sources/kinds/profile.ts";
import { PersonMemory } from "../../src/transports/kit/person-memory.ts";
import { type InProcess, restartInProcess } from "../support/in-process.ts";
import { openHttpProfile, openProfileServer } from "../support/profile-server.ts";
import { ADA, BO, CEM, GUILD, PLACE } from "../support/small-world.ts";
import { openWithMemory, PRIVATELY, SHARED } from "../support/with-memory.ts";

describe("what somebody's own list says of a fact", () => {
  it.each([
    ["told", "memory_read.get_user_facts", { key: "city" }],
    ["compared", "memory_read.search_context", { query: "elephant" }],
  ])("stays theirs when the same fact is %s afterwards", async (_, tool, args) => {
    const { own, remember, open, call, send } = await openWithMemory();
    const { id } = await remember(ADA, ["city", "Berlin"], "org");
    const operation = await open(ADA, PLACE.general, {}, PRIVATELY);
    own.noteRead(operation, [await own.show(ADA as UserId, id)]);
    expect(await send(operation, "Nobody has used it")).toMatchObject({ ok: false, code: "forbidden" });
    expect(await call(operation, tool, args)).toMatchObject({ ok: true });
    expect(await send(operation, "Nobody has used it")).toMatchObject({ ok: false, code: "forbidden" });
  });
});

describe("what an export says of somebody's talks with the agent", () => {
  it("is said only where everybody can read the channels in which they talked", async () => {
    const { own, open, send, directory, clock, audit } = await openWithMemory();
    const at = { guildId: GUILD as GuildId, startedAt: 1, lastAt: 2, lines: [] };
    let talks: object[] = [];
    const memory = new PersonMemory({
      ownMemory: own,
      ownTalks: { talksOf: async () => talks as never },
      ...{ erasePerson: () => Promise.reject(), privacy: { previewErasure: () => Promise.reject() }, directory, clock },
    });
    const operation = await open(BO, PLACE.general, { actors: [BO as UserId] }, PRIVATELY);
    talks = [{ ...at, channelId: PLACE.general }];
    expect((await memory.export(operation)).talks).toHaveLength(1);
    expect(await send(operation, "I asked in general")).toMatchObject({ code: "confirmation_needed" });
    talks = [{ ...at, channelId: PLACE.staff }];
    expect((await memory.export(operation)).talks).toMatchObject([{ channel_id: PLACE.staff }]);
    expect(await send(operation, "I asked in staff")).toMatchObject({ ok: false, code: "forbidden" });
    expect(await send(operation, "I asked here", PLACE.staff)).toMatchObject({ code: "confirmation_needed" });
    // A confined client's label is restored from these.
    const noted = audit.flatMap(({ kind, row }) => (kind === "event" && row.name === "searched" ? row : []));
    expect(noted.map(({ detail_json }) => JSON.parse(detail_json).channel_ids)).toEqual([
      [PLACE.general],
      [PLACE.staff],
    ]);
    expect(new Set(noted.map(({ operation_id }) => operation_id))).toEqual(new Set([operation.id]));
  });
});

describe("the label of a confined client", () => {
  const client = {
    name: "brain",
    grant: {
      ...OPERATOR_GRANT,
      scopes: [...OPERATOR_GRANT.scopes, "memory:read_self" as const],
      events: "addressed" as const,
      confined: true,
    },
  };
  const say = async ({ operations, gate }: Pick<InProcess, "operations" | "gate">) => {
    const operation = await operations.open(client, { actor: ADA as UserId, channelId: PLACE.general as ChannelId });
    return gate
      .callTool({ name: "discord.send", args: { text: "no elephants", channel_id: PLACE.general }, operation })
      .then(
        () => "sent",
        (error: { code: string }) => error.code,
      );
  };

  it("still has the facts that were compared after a restart, though none of them was told", async () => {
    const system = await openWithMemory();
    await system.remember(ADA, ["boat", "Heron"]);
    const operation = await system.operations.open(client, {
      actor: ADA as UserId,
      channelId: PLACE.general as ChannelId,
      isPrivate: true,
    });
    const { value } = await system.gate.callTool({
      name: "memory_read.search_context",
      args: { query: "elephant" },
      operation,
    });
    expect(value).toMatchObject({ items: [] });
    expect(await say(system)).toBe("forbidden");
    const after = await restartInProcess(system, { rules: SHARED, memory: system.memory }, ["brain"]);
    expect(await say(after)).toBe("unavailable");
  });
});

describe("a fact that rests on somebody's profile", () => {
  it("is said in a server only while that person is in it", async () => {
    const { url } = await openProfileServer({ [ADA]: { title: "Harbour master" } });
    const { source } = openHttpProfile(url, [
      { path: ["title"], key: "title", visibility: { server: GUILD as GuildId } },
    ]);
    const { keep, hear, send, leave, departures } = await openWithMemory({ profiles: [source] });
    const ref = toProfileRef(source, { person: ADA as UserId, guildId: GUILD as GuildId }, "title");
    await keep({
      ...{ scopeId: BO, subjectId: BO as UserId, createdBy: BO as UserId, name: "boss", value: "the harbour master" },
      basis: [{ type: "crm", ref, isOwn: false, authorId: null, words: toProfileVersion("Harbour master") }],
    });
    const { operation, values } = await hear(CEM, PLACE.general, { user: BO });
    expect(values).toEqual(["boss=the harbour master"]);
    leave(ADA);
    expect(await send(operation, "Bo's boss is the harbour master")).toMatchObject({ ok: false });
    expect(departures).toEqual([]);
  });
});
