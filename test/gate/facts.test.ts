import { describe, expect, it } from "vitest";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { ADA, BO, CEM, PLACE } from "../support/small-world.ts";
import { IS_ON_POSTGRES } from "../support/test-database.ts";
import { openWithMemory } from "../support/with-memory.ts";

describe("a private fact", () => {
  it("is heard by its owner in an answer that they alone read, and nowhere else", async () => {
    const { hear, remember } = await openWithMemory();
    await remember(ADA, ["allergy", "penicillin"]);
    expect((await hear(ADA, PLACE.general, {}, { isPrivate: true })).values).toEqual(["allergy=penicillin"]);
    expect((await hear(ADA, PLACE.general)).values).toEqual([]);
    expect((await hear(BO, PLACE.general, { user: ADA }, { isPrivate: true })).values).toEqual([]);
    expect((await hear(BO, PLACE.general, { user: ADA })).values).toEqual([]);
  });

  it("is heard in the owner's own DM with the bot", async () => {
    const { hear, remember } = await openWithMemory();
    await remember(ADA, ["allergy", "penicillin"]);
    expect((await hear(ADA, PLACE.letters)).values).toEqual(["allergy=penicillin"]);
  });

  it("changes no byte of what anybody else is told", async () => {
    const told = async (value: string | null) => {
      const { hear, remember } = await openWithMemory();
      if (value !== null) await remember(ADA, ["allergy", value]);
      const answers = [await hear(BO, PLACE.general, { user: ADA }), await hear(ADA, PLACE.general)];
      return JSON.stringify(answers.map(({ outcome }) => outcome)).replaceAll(/[0-9a-f]{12}|minted-\d+/g, "nonce");
    };
    expect(await told("penicillin")).toBe(await told(null));
  });

  it("is not for a client without the scope for one's own facts", async () => {
    const { open, call, remember } = await openWithMemory();
    await remember(ADA, ["allergy", "penicillin"]);
    const operation = await open(ADA, PLACE.general, { scopes: ["memory:read_project"] }, { isPrivate: true });
    expect(await call(operation, "memory_read.get_user_facts", {})).toMatchObject({ ok: true, value: { facts: [] } });
  });
});

describe("a fact that is shared", () => {
  it("with a server is heard by everyone in it, and says so only there", async () => {
    const { hear, remember } = await openWithMemory();
    await remember(ADA, ["timezone", "Europe/Berlin"], "org");
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual(["timezone=Europe/Berlin"]);
    expect((await hear(CEM, PLACE.general, { user: ADA }, { isPrivate: true })).values).toEqual([
      "timezone=Europe/Berlin",
    ]);
  });

  it("with a channel is heard only by those who can read the channel", async () => {
    const { hear, remember } = await openWithMemory();
    await remember(ADA, ["on call", "Tuesday"], "project", { channelId: PLACE.staff });
    expect((await hear(BO, PLACE.staff, { user: ADA })).values).toEqual(["on call=Tuesday"]);
    expect((await hear(BO, PLACE.general, { user: ADA })).values).toEqual([]);
    expect((await hear(CEM, PLACE.general, { user: ADA }, { isPrivate: true })).values).toEqual([]);
  });

  it("does not exist where the server allows only private facts", async () => {
    const { remember } = await openWithMemory({ rules: {} });
    await expect(remember(ADA, ["timezone", "Europe/Berlin"], "org")).rejects.toMatchObject({ code: "forbidden" });
    const off = await openWithMemory({ rules: { memory: { people: "off" } } });
    await expect(off.remember(ADA, ["allergy", "penicillin"])).rejects.toMatchObject({ code: "forbidden" });
  });

  it("cannot be shared from a DM or a private thread, or with a channel that its owner cannot read", async () => {
    const { remember } = await openWithMemory();
    for (const place of [PLACE.letters, PLACE.aside])
      await expect(remember(ADA, ["timezone", "UTC"], "org", { channelId: place })).rejects.toMatchObject({
        code: "forbidden",
      });
    await expect(remember(CEM, ["timezone", "UTC"], "project", { channelId: PLACE.staff })).rejects.toMatchObject({
      code: "forbidden",
    });
  });

  it("cannot mention somebody else", async () => {
    const { remember } = await openWithMemory();
    await expect(remember(ADA, ["friend", `<@${"300".padEnd(18, "1")}>`], "org")).rejects.toMatchObject({
      code: "forbidden",
    });
    await remember(ADA, ["friend", `<@${"300".padEnd(18, "1")}>`]);
  });
});

describe("what is not remembered", () => {
  it.each([
    ["wifi password", "kingfisher22"],
    ["card", "4111 1111 1111 1111"],
    ["note", `ghp_${"a1B2c3D4e5F6".repeat(3)}`],
  ])("%s: a secret is refused, and no word of it is repeated or kept", async (key, value) => {
    const { remember, own, audit } = await openWithMemory();
    const problem: Error = await remember(ADA, [key, value]).then(
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
    await remember(ADA, ["city", "Berlin"], "org");
    clock.ahead += 1_000;
    await remember(ADA, ["City", "Hamburg"], "org");
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual(["City=Hamburg"]);
    clock.ahead += 1_000;
    await remember(ADA, ["city", "Bremen"]);
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual(["City=Hamburg"]);
    expect((await hear(ADA, PLACE.general, {}, { isPrivate: true })).values).toEqual(["city=Bremen"]);
  });

  it("is none while it rests on a message in a channel that the bot cannot read: no earlier value comes back", async () => {
    const { hear, keep, clock } = await openWithMemory();
    const basis = [
      { type: "discord_message", ref: "999999/5", isOwn: true, authorId: ADA as UserId, words: "words" },
    ] as const;
    await keep({ value: "Berlin" });
    await keep({ name: "boat", value: "Gull" });
    await keep({ name: "berth", value: "12", basis });
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual(["boat=Gull", "city=Berlin"]);
    clock.ahead += 1_000;
    await keep({ value: "Hamburg", basis });
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual(["boat=Gull"]);
  });

  it("is none once it has been forgotten: its history goes with it", async () => {
    const { hear, remember, own, clock } = await openWithMemory();
    await remember(ADA, ["city", "Berlin"], "org");
    clock.ahead += 1_000;
    const { id } = await remember(ADA, ["city", "Hamburg"], "org");
    expect(await own.forget(ADA as UserId, id)).toEqual({
      facts: 2,
      areKeysDeleted: true,
      isScrubbed: !IS_ON_POSTGRES,
    });
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
    expect((await hear(ADA, PLACE.general, {}, { isPrivate: true })).values).toEqual(["city=Berlin"]);
    clock.ahead += 60_000;
    expect((await hear(ADA, PLACE.general, {}, { isPrivate: true })).values).toEqual([]);
    expect(await memory.sweep()).toBe(1);
  });
});

describe("an answer that rests on a fact", () => {
  it("is not sent where not everybody may hear the fact", async () => {
    const { hear, remember, call, departures } = await openWithMemory();
    await remember(ADA, ["allergy", "penicillin"]);
    const { operation } = await hear(ADA, PLACE.general, {}, { isPrivate: true });
    const sent = await call(operation, "discord.send", { channel_id: PLACE.general, text: "penicillin" });
    expect(sent).toMatchObject({ ok: false });
    expect(departures).toEqual([]);
  });

  type System = Awaited<ReturnType<typeof openWithMemory>>;
  const changes: [string, (system: System, id: string) => unknown][] = [
    ["forgotten", ({ own }, id) => own.forget(ADA as UserId, id)],
    ["erased", ({ own }) => own.erase(ADA as UserId)],
    ["followed by another", ({ remember }) => remember(ADA, ["city", "Hamburg"], "org")],
    [
      "expired",
      ({ clock }) => {
        clock.ahead += 60_000;
      },
    ],
    ["of somebody who is left out", ({ consent }) => consent.set(ADA, true)],
  ];
  it.each(changes)("is not sent after the fact was read and then %s", async (_, change) => {
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
    expect(values).toEqual(["city=Berlin"]);
    await change(all, id);
    const sent = await all.call(operation, "discord.send", { channel_id: PLACE.general, text: "Ada is in Berlin" });
    expect(sent).toMatchObject({ ok: false });
    expect(all.departures).toEqual([]);
  });

  it("is sent where everybody may hear it, and the audit says which fact it rests on", async () => {
    const { hear, remember, call, departures, audit } = await openWithMemory();
    const { id } = await remember(ADA, ["city", "Berlin"], "org");
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
    await remember(ADA, ["city", "Berlin"], "org");
    const { operation } = await hear(CEM, PLACE.general, { user: ADA });
    leave(ADA);
    const sent = await call(operation, "discord.send", { channel_id: PLACE.general, text: "Ada is in Berlin" });
    expect([sent.ok, departures]).toEqual([false, []]);
    expect((await hear(BO, PLACE.general, { user: ADA })).values).toBe("Could not find user '3001'");
  });
});

describe("people's own memory", () => {
  it("lists, exports and erases one's own facts and nobody else's", async () => {
    const { own, remember } = await openWithMemory();
    await remember(ADA, ["city", "Berlin"]);
    const { id } = await remember(BO, ["city", "Paris"]);
    expect((await own.list(ADA as UserId)).map(({ fact }) => fact.value)).toEqual(["Berlin"]);
    await expect(own.forget(ADA as UserId, id)).rejects.toMatchObject({ code: "not_found" });
    expect((await own.erase(ADA as UserId)).facts).toBe(1);
    expect([await own.list(ADA as UserId), (await own.list(BO as UserId)).length]).toEqual([[], 1]);
  });

  it("says in which server a shared fact is unheard because its owner left", async () => {
    const { own, remember, leave } = await openWithMemory();
    await remember(ADA, ["city", "Berlin"], "org");
    leave(ADA);
    expect((await own.list(ADA as UserId)).map(({ dormant }) => dormant)).toEqual(["left_server"]);
  });

  it("shows one fact to its owner, and to anybody else as if there were none", async () => {
    const { own, remember } = await openWithMemory();
    const { id } = await remember(ADA, ["city", "Berlin"]);
    await remember(ADA, ["city", "Hamburg"]);
    expect(await own.show(ADA as UserId, id)).toMatchObject({ fact: { value: "Berlin" }, dormant: null });
    const refusals = [own.show(BO as UserId, id), own.show(BO as UserId, "nothing")];
    for (const refusal of refusals)
      await expect(refusal).rejects.toMatchObject({ code: "not_found", message: "You have no such fact." });
  });

  it("lets what a program was given of it be said to the owner and to nobody else, even where it is shared", async () => {
    const { own, remember, open, call, departures, audit } = await openWithMemory();
    const { id } = await remember(ADA, ["city", "Berlin"], "org");
    await remember(ADA, ["allergy", "pollen"]);
    await remember(ADA, ["allergy", "penicillin"]);
    const operation = await open(ADA, PLACE.letters, {}, { isPrivate: true });
    own.noteRead(operation, await own.export(ADA as UserId));
    const send = (channel_id: string) => call(operation, "discord.send", { channel_id, text: "Ada is in Berlin" });
    expect(await send(PLACE.general)).toMatchObject({ ok: false, code: "forbidden" });
    expect(departures).toEqual([]);
    expect(await send(PLACE.letters)).toMatchObject({ ok: true });
    const [read] = audit.filter(
      ({ kind, row }) => kind === "event" && (row as { name: string }).name === "memory_read",
    );
    expect(read?.row).toMatchObject({ operation_id: operation.id, detail_json: expect.stringContaining(`${id}@1`) });
    await own.forget(ADA as UserId, id);
    expect(await send(PLACE.letters)).toMatchObject({ ok: false });
  });
});

it("a client without memory:read_project is told so, not that nothing is remembered", async () => {
  const { open, call, remember } = await openWithMemory();
  const read = async (scopes: string[]) => {
    const operation = await open(ADA, PLACE.general, { scopes } as never, { isPrivate: true });
    const outcome = await call(operation, "memory_read.get_user_facts", {}, true);
    return outcome.ok ? outcome.text : outcome.code;
  };
  expect(await read(["memory:read_self", "memory:read_project"])).toContain("Nothing is remembered there.");
  await remember(ADA, ["city", "Berlin"], "org");
  const told = await read(["memory:read_self"]);
  expect(told).toContain("lacks the scope memory:read_project");
  expect(told).not.toContain("Nothing is remembered");
});

describe("memory_read.search_context", () => {
  const search = async (
    { open, call }: Awaited<ReturnType<typeof openWithMemory>>,
    {
      as,
      where,
      query,
      scopes = ["memory:read_self", "memory:read_project"],
      isPrivate = false,
    }: {
      as: string;
      where: string;
      query: string;
      scopes?: string[];
      isPrivate?: boolean;
    },
  ) => {
    const operation = await open(as, where, { scopes: ["context:search", "discord:send", ...scopes] } as never, {
      isPrivate,
    });
    const outcome = await call(operation, "memory_read.search_context", { query }, true);
    const items = outcome.ok
      ? (
          outcome.value as never as {
            items: { source: string; fact?: { value: unknown }; message?: { content: string } }[];
          }
        ).items
      : null;
    return { operation, outcome, found: items?.map(({ fact, message }) => fact?.value ?? message?.content) };
  };

  it("finds facts and messages that fit, the best first, each with where it comes from", async () => {
    const system = await openWithMemory();
    await system.remember(ADA, ["boat", "the ketch is called Heron"], "org");
    await system.remember(ADA, ["city", "Berlin"], "org");
    system.say(PLACE.general, BO, "the heron left at high tide");
    const { found, outcome } = await search(system, { as: CEM, where: PLACE.general, query: "what is the heron?" });
    expect(found).toEqual(["the ketch is called Heron", "the heron left at high tide"]);
    expect(outcome.ok && outcome.text).toContain("remembered: boat (org, user confirmed");
  });

  it("finds private facts only for their owner alone", async () => {
    const system = await openWithMemory();
    await system.remember(ADA, ["boat", "the ketch is called Heron"]);
    const ask = (as: string, isPrivate: boolean) =>
      search(system, { as, where: PLACE.general, query: "heron", isPrivate });
    expect([(await ask(ADA, true)).found, (await ask(ADA, false)).found, (await ask(BO, true)).found]).toEqual([
      ["the ketch is called Heron"],
      [],
      [],
    ]);
  });

  it("finds no facts for a client without the scopes for them", async () => {
    const system = await openWithMemory();
    await system.remember(ADA, ["boat", "the ketch is called Heron"], "org");
    const { found } = await search(system, {
      as: ADA,
      where: PLACE.general,
      query: "heron",
      scopes: [],
      isPrivate: true,
    });
    expect(found).toEqual([]);
  });

  it("lets every fact that was compared limit what may be said, not only those that were found", async () => {
    const system = await openWithMemory();
    await system.remember(ADA, ["boat", "the ketch is called Heron"]);
    const { operation, found } = await search(system, {
      as: ADA,
      where: PLACE.general,
      query: "elephant",
      isPrivate: true,
    });
    expect(found).toEqual([]);
    const sent = await system.call(operation, "discord.send", { channel_id: PLACE.general, text: "no elephants" });
    expect([sent.ok, system.departures]).toEqual([false, []]);
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
    await remember(ADA, ["boat", "Gull"]);
    await remember(ADA, ["boat", "Tern"], "org");
    await remember(BO, ["boat", "Skua"]);
    const shown = await preview(own, {});
    expect(shown).toMatchObject({ name: "boat", value: "Petrel", home: { kind: "person", id: ADA } });
    expect(shown.replaces.map(({ fact }) => fact.value)).toEqual(["Gull"]);
    expect(shown.staysShared.map(({ fact }) => fact.value)).toEqual(["Tern"]);
    expect((await own.list(ADA as UserId)).map(({ fact }) => fact.value).sort()).toEqual(["Gull", "Tern"]);
  });

  it("refuses what remembering refuses, in the same words", async () => {
    const { own } = await openWithMemory({ rules: { memory: { people: "private" } } });
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
