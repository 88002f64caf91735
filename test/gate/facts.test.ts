import { describe, expect, it } from "vitest";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import type { Memory } from "../../src/memory/memory.ts";
import type { OpenRequest } from "../../src/policy/operations.ts";
import { openSystem } from "../attack/open-system.ts";
import { createTestConsent } from "../support/consent.ts";
import { openTestMemory } from "../support/memory.ts";
import { ADA, BO, CEM, GUILD, PLACE } from "../support/small-world.ts";

const SHARED = { memory: { people: "shared" } };
const SCOPES = {
  scopes: ["memory:read_self", "memory:read_project", "discord:send", "context:read_channel_recent"],
} as never;

async function openWithMemory(rules: object = SHARED) {
  const consent = createTestConsent();
  // The memory has the clock of the system, which is opened with it.
  const parts: { system: ReturnType<typeof openSystem> | null } = { system: null };
  const system = () => parts.system as ReturnType<typeof openSystem>;
  const memory: Memory = await openTestMemory({
    consent,
    clock: { now: () => (parts.system ? system().clock.now() : 0) },
  });
  parts.system = openSystem({ rules, memory, consent });
  const { open, call, ownMemory } = system();
  const own = ownMemory as NonNullable<typeof ownMemory>;
  const hear = async (actor: string, channelId: string, args: object = {}, more: Partial<OpenRequest> = {}) => {
    const operation = await open(actor, channelId, SCOPES, more);
    const outcome = await call(operation, "memory_read.get_user_facts", args, true);
    const facts = outcome.ok ? (outcome.value as never as { facts: { key: string; value: unknown }[] }).facts : null;
    return { operation, outcome, values: facts?.map(({ key, value }) => `${key}=${JSON.stringify(value)}`) };
  };
  const remember = (
    actor: string,
    key: string,
    value: unknown,
    visibility: "private" | "project" | "org" = "private",
    channelId: string = PLACE.general,
  ) => own.remember(actor as UserId, { key, value, visibility, channelId: channelId as ChannelId, typedIn: "1" });
  const leave = (id: string) => {
    const { world, tell } = system();
    for (const { members } of world.guilds)
      members.splice(
        members.findIndex((member) => member.id === id),
        1,
      );
    tell("GUILD_MEMBER_REMOVE", { guild_id: GUILD, user: { id } });
  };
  return { ...system(), memory, consent, own, hear, remember, leave };
}

describe("a private fact", () => {
  it("is heard by its owner in an answer that they alone read, and nowhere else", async () => {
    const { hear, remember } = await openWithMemory();
    await remember(ADA, "allergy", "penicillin");
    expect((await hear(ADA, PLACE.general, {}, { isPrivate: true })).values).toEqual(['allergy="penicillin"']);
    expect((await hear(ADA, PLACE.general)).values).toEqual([]);
    expect((await hear(BO, PLACE.general, { user: ADA }, { isPrivate: true })).values).toEqual([]);
    expect((await hear(BO, PLACE.general, { user: ADA })).values).toEqual([]);
  });

  it("is heard in the owner's own DM with the bot", async () => {
    const { hear, remember } = await openWithMemory();
    await remember(ADA, "allergy", "penicillin");
    expect((await hear(ADA, PLACE.letters)).values).toEqual(['allergy="penicillin"']);
  });

  it("changes no byte of what anybody else is told", async () => {
    const told = async (value: string | null) => {
      const { hear, remember } = await openWithMemory();
      if (value !== null) await remember(ADA, "allergy", value);
      const answers = [await hear(BO, PLACE.general, { user: ADA }), await hear(ADA, PLACE.general)];
      return JSON.stringify(answers.map(({ outcome }) => outcome)).replaceAll(/[0-9a-f]{12}|minted-\d+/g, "nonce");
    };
    expect(await told("penicillin")).toBe(await told(null));
  });

  it("is not for a client without the scope for one's own facts", async () => {
    const { open, call, remember } = await openWithMemory();
    await remember(ADA, "allergy", "penicillin");
    const operation = await open(ADA, PLACE.general, { scopes: ["memory:read_project"] }, { isPrivate: true });
    expect(await call(operation, "memory_read.get_user_facts", {})).toMatchObject({ ok: true, value: { facts: [] } });
  });
});

describe("a fact that is shared", () => {
  it("with a server is heard by everyone in it, and says so only there", async () => {
    const { hear, remember } = await openWithMemory();
    await remember(ADA, "timezone", "Europe/Berlin", "org");
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual(['timezone="Europe/Berlin"']);
    expect((await hear(CEM, PLACE.general, { user: ADA }, { isPrivate: true })).values).toEqual([
      'timezone="Europe/Berlin"',
    ]);
  });

  it("with a channel is heard only by those who can read the channel", async () => {
    const { hear, remember } = await openWithMemory();
    await remember(ADA, "on call", "Tuesday", "project", PLACE.staff);
    expect((await hear(BO, PLACE.staff, { user: ADA })).values).toEqual(['on call="Tuesday"']);
    expect((await hear(BO, PLACE.general, { user: ADA })).values).toEqual([]);
    expect((await hear(CEM, PLACE.general, { user: ADA }, { isPrivate: true })).values).toEqual([]);
  });

  it("does not exist where the server allows only private facts", async () => {
    const { remember } = await openWithMemory({});
    await expect(remember(ADA, "timezone", "Europe/Berlin", "org")).rejects.toMatchObject({ code: "forbidden" });
    const off = await openWithMemory({ memory: { people: "off" } });
    await expect(off.remember(ADA, "allergy", "penicillin")).rejects.toMatchObject({ code: "forbidden" });
  });

  it("cannot be shared from a DM or a private thread, or with a channel that its owner cannot read", async () => {
    const { remember } = await openWithMemory();
    for (const place of [PLACE.letters, PLACE.aside])
      await expect(remember(ADA, "timezone", "UTC", "org", place)).rejects.toMatchObject({ code: "forbidden" });
    await expect(remember(CEM, "timezone", "UTC", "project", PLACE.staff)).rejects.toMatchObject({ code: "forbidden" });
  });

  it("cannot mention somebody else", async () => {
    const { remember } = await openWithMemory();
    await expect(remember(ADA, "friend", `<@${"300".padEnd(18, "1")}>`, "org")).rejects.toMatchObject({
      code: "forbidden",
    });
    await remember(ADA, "friend", `<@${"300".padEnd(18, "1")}>`);
  });
});

describe("what is not remembered", () => {
  it.each([
    ["wifi password", "kingfisher22"],
    ["card", "4111 1111 1111 1111"],
    ["note", `ghp_${"a1B2c3D4e5F6".repeat(3)}`],
  ])("%s: a secret is refused, and no word of it is repeated or kept", async (key, value) => {
    const { remember, own, audit } = await openWithMemory();
    const problem: Error = await remember(ADA, key, value).then(
      () => new Error("was remembered"),
      (error: Error) => error,
    );
    expect(problem).toMatchObject({ code: "invalid" });
    expect(problem.message + JSON.stringify(audit)).not.toContain(value);
    expect(await own.list(ADA as UserId)).toEqual([]);
  });
});

describe("which fact is current", () => {
  it("is the newest that may be heard; one that may not makes no older one vanish", async () => {
    const { hear, remember, clock } = await openWithMemory();
    await remember(ADA, "city", "Berlin", "org");
    clock.ahead += 1_000;
    await remember(ADA, "City", "Hamburg", "org");
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual(['City="Hamburg"']);
    clock.ahead += 1_000;
    await remember(ADA, "city", "Bremen");
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual(['City="Hamburg"']);
    expect((await hear(ADA, PLACE.general, {}, { isPrivate: true })).values).toEqual(['city="Bremen"']);
  });

  it("is none once it has been forgotten: its history goes with it", async () => {
    const { hear, remember, own, clock } = await openWithMemory();
    await remember(ADA, "city", "Berlin", "org");
    clock.ahead += 1_000;
    const { id } = await remember(ADA, "city", "Hamburg", "org");
    expect(await own.forget(ADA as UserId, id)).toEqual({ facts: 2, isScrubbed: true });
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual([]);
    expect(await own.export(ADA as UserId)).toEqual([]);
  });

  it("is none once it has expired, also before it is erased", async () => {
    const { hear, own, clock, memory } = await openWithMemory();
    const expiresAt = clock.now() + 60_000;
    await own.remember(ADA as UserId, {
      key: "city",
      value: "Berlin",
      visibility: "private",
      channelId: PLACE.general as ChannelId,
      typedIn: "1",
      expiresAt,
    });
    expect((await hear(ADA, PLACE.general, {}, { isPrivate: true })).values).toEqual(['city="Berlin"']);
    clock.ahead += 60_000;
    expect((await hear(ADA, PLACE.general, {}, { isPrivate: true })).values).toEqual([]);
    expect(await memory.sweep()).toBe(1);
  });
});

describe("an answer that rests on a fact", () => {
  it("is not sent where not everybody may hear the fact", async () => {
    const { hear, remember, call, departures } = await openWithMemory();
    await remember(ADA, "allergy", "penicillin");
    const { operation } = await hear(ADA, PLACE.general, {}, { isPrivate: true });
    const sent = await call(operation, "discord.send", { channel_id: PLACE.general, text: "penicillin" });
    expect(sent).toMatchObject({ ok: false });
    expect(departures).toEqual([]);
  });

  it.each([
    ["forgotten", (all: Awaited<ReturnType<typeof openWithMemory>>, id: string) => all.own.forget(ADA as UserId, id)],
    ["erased", (all: Awaited<ReturnType<typeof openWithMemory>>) => all.own.erase(ADA as UserId)],
    [
      "followed by another",
      (all: Awaited<ReturnType<typeof openWithMemory>>) => all.remember(ADA, "city", "Hamburg", "org"),
    ],
    [
      "expired",
      async (all: Awaited<ReturnType<typeof openWithMemory>>) => {
        all.clock.ahead += 60_000;
      },
    ],
    [
      "of somebody who is left out",
      async (all: Awaited<ReturnType<typeof openWithMemory>>) => all.consent.set(ADA, true),
    ],
  ])("is not sent after the fact was read and then %s", async (_, change) => {
    const all = await openWithMemory();
    const { id } = await all.own.remember(ADA as UserId, {
      key: "city",
      value: "Berlin",
      visibility: "org",
      channelId: PLACE.general as ChannelId,
      typedIn: "1",
      expiresAt: all.clock.now() + 60_000,
    });
    const { operation, values } = await all.hear(CEM, PLACE.general, { user: ADA });
    expect(values).toEqual(['city="Berlin"']);
    await change(all, id);
    const sent = await all.call(operation, "discord.send", { channel_id: PLACE.general, text: "Ada is in Berlin" });
    expect(sent).toMatchObject({ ok: false });
    expect(all.departures).toEqual([]);
  });

  it("is sent where everybody may hear it, and the audit says which fact it rests on", async () => {
    const { hear, remember, call, departures, audit } = await openWithMemory();
    const { id } = await remember(ADA, "city", "Berlin", "org");
    const { operation } = await hear(CEM, PLACE.general, { user: ADA });
    const sent = await call(operation, "discord.send", { channel_id: PLACE.general, text: "Ada is in Berlin" });
    expect([sent.ok, departures.length]).toEqual([true, 1]);
    const sources = audit
      .filter(({ kind }) => kind === "source")
      .map(({ row }) => row as { source_type: string; source_ref: string });
    expect(sources).toContainEqual(expect.objectContaining({ source_type: "memory_fact", source_ref: `${id}@1` }));
    expect(JSON.stringify(audit)).not.toContain("Berlin");
  });
});

describe("a shared fact of somebody who leaves the server", () => {
  it("is heard by nobody while they are gone, and stops an answer that rests on it", async () => {
    const { hear, remember, call, leave, departures } = await openWithMemory();
    await remember(ADA, "city", "Berlin", "org");
    const { operation } = await hear(CEM, PLACE.general, { user: ADA });
    leave(ADA);
    const sent = await call(operation, "discord.send", { channel_id: PLACE.general, text: "Ada is in Berlin" });
    expect([sent.ok, departures]).toEqual([false, []]);
    expect((await hear(BO, PLACE.general, { user: ADA })).values ?? []).toEqual([]);
  });
});

describe("people's own memory", () => {
  it("lists, exports and erases one's own facts and nobody else's", async () => {
    const { own, remember } = await openWithMemory();
    await remember(ADA, "city", "Berlin");
    const { id } = await remember(BO, "city", "Paris");
    expect((await own.list(ADA as UserId)).map(({ fact }) => fact.value)).toEqual(["Berlin"]);
    await expect(own.forget(ADA as UserId, id)).rejects.toMatchObject({ code: "not_found" });
    expect((await own.erase(ADA as UserId)).facts).toBe(1);
    expect([await own.list(ADA as UserId), (await own.list(BO as UserId)).length]).toEqual([[], 1]);
  });

  it("says in which server a shared fact is unheard because its owner left", async () => {
    const { own, remember, leave } = await openWithMemory();
    await remember(ADA, "city", "Berlin", "org");
    leave(ADA);
    expect((await own.list(ADA as UserId)).map(({ dormant }) => dormant)).toEqual(["left_server"]);
  });
});

describe("the preview of a fact", () => {
  const preview = (own: Awaited<ReturnType<typeof openWithMemory>>["own"], more: object) =>
    own.preview(ADA as UserId, {
      key: "boat",
      value: "Petrel",
      visibility: "private",
      channelId: PLACE.general as ChannelId,
      typedIn: "2",
      ...more,
    });

  it("stores nothing, and names what is replaced and what others go on hearing", async () => {
    const { own, remember } = await openWithMemory();
    await remember(ADA, "boat", "Gull");
    await remember(ADA, "boat", "Tern", "org");
    await remember(BO, "boat", "Skua");
    const shown = await preview(own, {});
    expect(shown).toMatchObject({ name: "boat", value: "Petrel", home: { kind: "person", id: ADA } });
    expect(shown.replaces.map(({ fact }) => fact.value)).toEqual(["Gull"]);
    expect(shown.staysShared.map(({ fact }) => fact.value)).toEqual(["Tern"]);
    expect((await own.list(ADA as UserId)).map(({ fact }) => fact.value).sort()).toEqual(["Gull", "Tern"]);
  });

  it("refuses what remembering refuses, in the same words", async () => {
    const { own } = await openWithMemory({ memory: { people: "private" } });
    for (const more of [{ value: "password: hunter2hunter2" }, { visibility: "org" }, { value: "x".repeat(3_000) }]) {
      const request = { key: "boat", value: "Petrel", visibility: "private", typedIn: "2", ...more } as const;
      const words = await own
        .remember(ADA as UserId, { ...request, channelId: PLACE.general as ChannelId } as never)
        .then(String, ({ message }: Error) => message);
      await expect(preview(own, more)).rejects.toThrow(words);
    }
    expect(await own.list(ADA as UserId)).toEqual([]);
  });
});
