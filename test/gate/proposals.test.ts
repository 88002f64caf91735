import { describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { ADA, BO, CEM, GUILD, PLACE, STAFF } from "../support/small-world.ts";
import { IN_PERSON, openWithProposals } from "../support/with-proposals.ts";

const OWNER = "3000";

/** With what these tests look at beside. */
async function openPreviews(rules?: object) {
  const system = await openWithProposals(rules === undefined ? {} : { rules });
  const preview = async (actor: string) => {
    const [one] = system.waiting(actor);
    const shown = await system.gate.preview(one?.id ?? "", actor as UserId, IN_PERSON);
    if (shown.kind !== "remember") throw new Error("not a fact to be remembered");
    return shown;
  };
  const heardBy = async (actor: string, subject: string, place: string = PLACE.general, isPrivate = false) =>
    (await system.hear(actor, place, { user: subject }, { isPrivate })).values;
  return { ...system, preview, heardBy };
}

describe("what a model proposes to remember", () => {
  it("is not stored before the person has confirmed it, and then exactly as it was", async () => {
    const { begin, propose, press, values } = await openPreviews();
    const operation = await begin(ADA);
    const args = { key: "boat", value: "Heron" };
    expect(await propose(operation, args)).toMatchObject({ ok: false, code: "confirmation_needed" });
    expect(await values(ADA)).toEqual([]);
    await press(ADA);
    expect(await values(ADA)).toEqual(["Heron"]);
    expect(await propose(operation, args)).toMatchObject({ ok: true, value: { remembered: true } });
    expect(await values(ADA)).toEqual(["Heron"]);
  });

  it("is asked for once, however often the call is repeated, and not again after it was declined", async () => {
    const { begin, propose, waiting, gate } = await openPreviews();
    const operation = await begin(ADA);
    for (let count = 0; count < 3; count += 1) await propose(operation, { key: "boat", value: "Heron" });
    const [one, ...more] = waiting(ADA);
    expect(more).toEqual([]);
    gate.confirmations.reject(one?.id ?? "", ADA as UserId, IN_PERSON);
    expect(await propose(operation, { key: "boat", value: "Heron" })).toMatchObject({ ok: false, code: "forbidden" });
    expect(waiting(ADA)).toEqual([]);
  });

  it("is listed for and confirmed by nobody but the person: not by the operator, not by somebody else", async () => {
    const { begin, propose, waiting, gate, values } = await openPreviews();
    await propose(await begin(ADA), { key: "boat", value: "Heron" });
    const id = waiting(ADA)[0]?.id ?? "";
    expect([gate.confirmations.pending(), gate.confirmations.pending(ADA as UserId)]).toEqual([[], []]);
    const wrong = [
      () => gate.confirm(id, ADA as UserId),
      () => gate.confirm(id, BO as UserId, IN_PERSON),
      async () => gate.confirmations.find(id, ADA as UserId),
      async () => gate.confirmations.reject(id, ADA as UserId),
      () => gate.mayReview(id, ADA as UserId),
      () => gate.preview(id, ADA as UserId),
      () => gate.preview(id, BO as UserId, IN_PERSON),
    ];
    for (const attempt of wrong) await expect(attempt()).rejects.toMatchObject({ code: "not_found" });
    expect([waiting(ADA).length, await values(ADA), await values(BO)]).toEqual([1, [], []]);
  });

  it("is refused without the scope, in a server that wants none of it, and for secrets", async () => {
    const { begin, propose, waiting } = await openPreviews();
    const unscoped = await begin(ADA, PLACE.general, {}, { scopes: ["memory:write_project"] });
    expect(await propose(unscoped, { key: "boat", value: "Heron" })).toMatchObject({ code: "forbidden" });
    const secret = await propose(await begin(ADA), { key: "password", value: "kingfisher22" });
    expect(secret).toMatchObject({ code: "invalid" });
    expect(JSON.stringify(secret)).not.toContain("kingfisher22");
    expect(waiting(ADA)).toEqual([]);
    const off = await openPreviews({ memory: { people: "off" } });
    expect(await off.propose(await off.begin(ADA), { key: "boat", value: "Heron" })).toMatchObject({
      code: "forbidden",
    });
  });

  it("tells the model nothing that depends on what is remembered for the person alone", async () => {
    const told = async (before: readonly [string, string][]) => {
      const { begin, propose, proposeEnd, remember } = await openPreviews();
      for (const [key, value] of before) await remember(ADA, [key, value]);
      const operation = await begin(ADA);
      const outcomes = [
        await propose(operation, { key: "boat", value: "Heron" }),
        await proposeEnd(operation, { key: "city" }),
        await proposeEnd(operation, { key: "boat" }),
      ];
      return JSON.stringify(outcomes);
    };
    expect(
      await told([
        ["boat", "Gull"],
        ["city", "Berlin"],
      ]),
    ).toBe(await told([]));
  });

  it("is not stored once the person has edited the words that it repeats", async () => {
    const { say, begin, propose, press, values, tell2 } = await openPreviews();
    const message = say(PLACE.general, BO, "my day is Tuesday");
    const operation = await begin(BO, PLACE.general, { messageId: message.id as never });
    await propose(operation, { key: "day", value: "Tuesday", visibility: "server" });
    message.content = "my day is secret";
    tell2("MESSAGE_UPDATE", PLACE.general, { ...message, edited: true });
    await expect(press(BO)).rejects.toMatchObject({ code: "forbidden" });
    expect(await values(BO)).toEqual([]);
  });

  it("leaves no hash in the audit from which a short value could be guessed", async () => {
    const hashes = async () => {
      const { begin, propose, audit } = await openPreviews();
      for (let count = 0; count < 2; count += 1) await propose(await begin(ADA), { key: "pin", value: "Heron" });
      const rows = audit.filter(({ kind }) => kind === "confirmation").map(({ row }) => row as { action_hash: string });
      expect(JSON.stringify(audit)).not.toContain("Heron");
      return rows.map(({ action_hash }) => action_hash);
    };
    const [first, second] = await hashes();
    expect(first).not.toBe(second);
  });

  it("is not stored after everything about the person was erased, nor after the person lost access", async () => {
    const { begin, propose, waiting, erasePerson, values, gate } = await openPreviews();
    await propose(await begin(ADA), { key: "boat", value: "Heron" });
    const id = waiting(ADA)[0]?.id ?? "";
    expect(await erasePerson(ADA as UserId)).toMatchObject({ confirmations: 1 });
    await expect(gate.confirm(id, ADA as UserId, IN_PERSON)).rejects.toMatchObject({ code: "not_found" });
    const other = await openPreviews();
    const operation = await other.begin(BO, PLACE.staff);
    await other.call(operation, "discord.channel.messages", { channel_id: PLACE.staff });
    await other.propose(operation, { key: "plan", value: "sail" });
    other.join(BO, []);
    await expect(other.press(BO)).rejects.toThrow();
    expect([await values(ADA), await other.values(BO)]).toEqual([[], []]);
  });

  it("is not stored once a message that it rests on was edited or deleted", async () => {
    for (const change of ["edit", "delete"] as const) {
      const { begin, propose, press, values, call, say, remove, tell2 } = await openPreviews();
      const message = say(PLACE.general, BO, "the tide table is wrong");
      const operation = await begin(ADA);
      await call(operation, "discord.channel.messages", { channel_id: PLACE.general });
      await propose(operation, { key: "tide", value: "wrong" });
      if (change === "delete") remove(PLACE.general, message.id);
      else {
        message.content = "the tide table is right";
        tell2("MESSAGE_UPDATE", PLACE.general, { ...message, edited: true });
      }
      await expect(press(ADA)).rejects.toThrow();
      expect(await values(ADA)).toEqual([]);
    }
  });
});

describe("who may hear what a model proposed", () => {
  it("does not depend on how busy the channel is: more than a hundred messages may have been read", async () => {
    const { begin, propose, press, heardBy, call, say, remove } = await openPreviews();
    const messages = Array.from({ length: 180 }, (_, index) => say(PLACE.general, BO, `the tide is ${index} cm`));
    const operation = await begin(ADA);
    const page = { channel_id: PLACE.general, limit: 100 };
    await call(operation, "discord.channel.messages", page);
    await call(operation, "discord.channel.messages", { ...page, before: messages[81]?.id });
    expect(operation.label.of("message").size).toBeGreaterThan(150);
    const proposed = await propose(operation, { key: "tide", value: "rising", visibility: "server" });
    expect(proposed).toMatchObject({ code: "confirmation_needed" });
    await press(ADA, undefined, "as_shown");
    expect(await heardBy(CEM, ADA)).toEqual(["tide=rising"]);
    remove(PLACE.general, messages[3]?.id ?? "");
    expect(await heardBy(CEM, ADA)).toEqual([]);
  });

  it("is nobody once a message that was read for it is deleted", async () => {
    const { begin, propose, press, heardBy, call, say, remove } = await openPreviews();
    const message = say(PLACE.general, BO, "the tide table is wrong");
    const operation = await begin(ADA);
    await call(operation, "discord.channel.messages", { channel_id: PLACE.general });
    await propose(operation, { key: "tide", value: "wrong", visibility: "server" });
    await press(ADA, undefined, "as_shown");
    expect(await heardBy(CEM, ADA)).toEqual(["tide=wrong"]);
    remove(PLACE.general, message.id);
    expect(await heardBy(CEM, ADA)).toEqual([]);
    expect(await heardBy(ADA, ADA, PLACE.general, true)).toEqual([]);
  });

  it("is limited by everything that was read for it, whatever the model says", async () => {
    const { ask, propose, preview, press, heardBy, call } = await openPreviews();
    const own = await ask(BO, PLACE.staff, "please remember what we decided");
    await call(own, "discord.channel.messages", { channel_id: PLACE.staff });
    await propose(own, { key: "plan", value: "sail at dawn", visibility: "server" });
    const [shared] = (await preview(BO)).ways;
    expect(shared?.audiences).toContainEqual({ kind: "channel", id: PLACE.staff });
    await press(BO, undefined, "as_shown");
    expect(await heardBy(CEM, BO)).toEqual([]);
    expect(await heardBy(CEM, BO, PLACE.general, true)).toEqual([]);
    expect(await heardBy(ADA, BO, PLACE.staff)).toEqual(["plan=sail at dawn"]);
  });

  it("is not limited by what else was read where key and value are the person's own words", async () => {
    const { ask, propose, press, heardBy, call, preview } = await openPreviews();
    const operation = await ask(BO, PLACE.staff, "tell everyone: my on call day is Tuesday");
    await call(operation, "discord.channel.messages", { channel_id: PLACE.staff });
    await propose(operation, { key: "on call day", value: "Tuesday", visibility: "server" });
    expect((await preview(BO)).ways[0]?.audiences).toEqual([{ kind: "guild", id: GUILD }]);
    await press(BO, undefined, "as_shown");
    expect(await heardBy(CEM, BO)).toEqual(["on call day=Tuesday"]);
  });

  it.each([
    ["org", "server"],
    ["project", "channel"],
  ])("may be for the %s, which is also called %s", async (word, other) => {
    const audiences = async (visibility: string) => {
      const { ask, propose, preview } = await openPreviews();
      await propose(await ask(BO, PLACE.staff, "my day is Tuesday"), { key: "day", value: "Tuesday", visibility });
      return (await preview(BO)).ways.map((way) => way.audiences);
    };
    expect(await audiences(word)).toEqual(await audiences(other));
  });

  it.each([
    ["a part of a word", "my day is Tuesdayish", { key: "day", value: "Tuesday" }],
    ["a quotation", "> my day is Tuesday\nremember that", { key: "day", value: "Tuesday" }],
    ["a name that says more than was typed", "my day is Tuesday", { key: "day of the raid", value: "Tuesday" }],
    ["something put together", "my day is Tuesday", { key: "day", value: ["Tuesday"] }],
  ])("is limited where the words are %s", async (_, text, fact) => {
    const { ask, propose, press, heardBy, call } = await openPreviews();
    const operation = await ask(BO, PLACE.staff, text);
    await call(operation, "discord.channel.messages", { channel_id: PLACE.staff });
    await propose(operation, { ...fact, visibility: "server" });
    await press(BO, undefined, "as_shown");
    expect(await heardBy(CEM, BO)).toEqual([]);
  });

  it("is limited by a channel that was only searched", async () => {
    const { begin, propose, preview, call } = await openPreviews();
    const operation = await begin(BO, PLACE.general, { isPrivate: true });
    await call(operation, "discord.search.window", { channel_id: PLACE.staff, query: "nothing like it" });
    await propose(operation, { key: "plan", value: "sail at dawn", visibility: "server" });
    expect((await preview(BO)).ways[0]?.audiences).toContainEqual({ kind: "channel", id: PLACE.staff });
  });

  it("is limited where the words are somebody else's, even if a message of theirs is named", async () => {
    const { begin, propose, say, call, waiting } = await openPreviews();
    const message = say(PLACE.staff, ADA, "the day is Tuesday");
    const operation = await begin(BO, PLACE.staff);
    await call(operation, "discord.channel.messages", { channel_id: PLACE.staff });
    const fact = { key: "day", value: "Tuesday", visibility: "server", message_id: message.id };
    expect(await propose(operation, fact)).toMatchObject({ ok: false, code: "invalid" });
    expect(waiting(BO)).toEqual([]);
  });

  it("is limited to those who may hear the facts that were read for it", async () => {
    const { begin, propose, press, heardBy, remember, call } = await openPreviews();
    await remember(BO, ["plan", "sail at dawn"], "project", { channelId: PLACE.staff });
    const operation = await begin(BO, PLACE.staff);
    await call(operation, "memory_read.get_user_facts", {});
    await propose(operation, { key: "start", value: "early", visibility: "server" });
    await press(BO, undefined, "as_shown");
    expect(await heardBy(CEM, BO)).toEqual([]);
    expect(await heardBy(ADA, BO, PLACE.staff)).toEqual(["start=early", "plan=sail at dawn"]);
  });

  it.each(["forgotten", "corrected"])("is nobody once a fact that was read for it is %s", async (change) => {
    const { begin, propose, press, heardBy, remember, call, own, clock, departures } = await openPreviews();
    const { id } = await remember(ADA, ["harbour", "Kiel"], "org");
    const operation = await begin(BO);
    await call(operation, "memory_read.get_user_facts", { user: ADA });
    await propose(operation, { key: "meeting point", value: "where Ada is", visibility: "server" });
    await press(BO, undefined, "as_shown");
    expect(await heardBy(CEM, BO)).toEqual(["meeting point=where Ada is"]);
    const answering = await begin(CEM);
    await call(answering, "memory_read.get_user_facts", { user: BO });
    clock.ahead += 1_000;
    if (change === "forgotten") await own.forget(ADA as UserId, id);
    else await remember(ADA, ["harbour", "Rostock"], "org");
    expect(await heardBy(CEM, BO)).toEqual([]);
    const sent = await call(answering, "discord.send", { channel_id: PLACE.general, text: "at Ada's" });
    expect([sent.ok, departures]).toEqual([false, []]);
  });

  it("can be narrowed by the person to themselves alone", async () => {
    const { begin, propose, press, heardBy, preview } = await openPreviews();
    await propose(await begin(ADA), { key: "boat", value: "Heron", visibility: "server" });
    expect((await preview(ADA)).ways.map(({ name }) => name)).toEqual(["as_shown", "only_for_me"]);
    await press(ADA, undefined, "only_for_me");
    expect(await heardBy(CEM, ADA)).toEqual([]);
    expect(await heardBy(ADA, ADA, PLACE.general, true)).toEqual(["boat=Heron"]);
  });

  it("asks, where a narrower value follows a shared one, whether others go on hearing the old one", async () => {
    for (const [way, left] of [
      ["as_shown", ["boat=Gull"]],
      ["as_shown_end_old", []],
    ] as const) {
      const { begin, propose, press, heardBy, preview, remember } = await openPreviews();
      await remember(ADA, ["boat", "Gull"], "org");
      await propose(await begin(ADA), { key: "boat", value: "Heron" });
      const { ways } = await preview(ADA);
      expect(ways.map(({ name }) => name)).toEqual(["as_shown", "as_shown_end_old"]);
      expect(ways.map(({ ends }) => ends.map(({ fact }) => fact.value))).toEqual([[], ["Gull"]]);
      await press(ADA, undefined, way);
      expect(await heardBy(CEM, ADA)).toEqual(left);
      expect(await heardBy(ADA, ADA, PLACE.general, true)).toEqual(["boat=Heron"]);
    }
  });

  it("is shown before it is decided: what has changed since is not done", async () => {
    const { begin, propose, press, values, remember } = await openPreviews();
    await propose(await begin(ADA), { key: "boat", value: "Heron" });
    await remember(ADA, ["boat", "Gull"]);
    await expect(press(ADA)).rejects.toMatchObject({ code: "forbidden" });
    expect(await values(ADA)).toEqual(["Gull"]);
  });

  it("knows only the ways that were offered, and a wrong choice leaves the rest open", async () => {
    const { begin, propose, press, values, waiting } = await openPreviews();
    await propose(await begin(ADA), { key: "boat", value: "Heron" });
    await expect(press(ADA, undefined, "only_for_me_end_old")).rejects.toMatchObject({ code: "invalid" });
    expect([waiting(ADA).length, await values(ADA)]).toEqual([1, []]);
  });
});

describe("facts about a project or a server", () => {
  it("are written only by somebody who manages the server, or has a role that a rule names", async () => {
    const plain = await openPreviews();
    const refused = await plain.propose(await plain.begin(BO), { about: "project", key: "port", value: "Kiel" });
    expect(refused).toMatchObject({ ok: false, code: "forbidden" });
    expect(
      await plain.propose(await plain.begin(OWNER), { about: "project", key: "port", value: "Kiel" }),
    ).toMatchObject({ code: "confirmation_needed" });
    const rules = {
      roles: [
        { guild: GUILD, role: STAFF, scopes: ["memory:write_project", "memory:read_project", "memory:read_self"] },
        { guild: GUILD, role: "everyone", scopes: ["memory:read_project"] },
      ],
    };
    const ruled = await openPreviews(rules);
    for (const about of ["server", "org"])
      expect(await ruled.propose(await ruled.begin(BO), { about, key: "port", value: "Kiel" })).toMatchObject({
        code: "confirmation_needed",
      });
    expect(await ruled.propose(await ruled.begin(CEM), { about: "server", key: "port", value: "Kiel" })).toMatchObject({
      code: "forbidden",
    });
    expect(
      await ruled.propose(await ruled.begin(OWNER), { about: "server", key: "port", value: "Kiel" }),
    ).toMatchObject({ code: "confirmation_needed" });
  });

  it("are refused to everybody else, also where they type them", async () => {
    const { own } = await openPreviews();
    const typed = { key: "port", value: "Kiel", channelId: PLACE.general as never, typedIn: "1" };
    for (const about of ["project", "org"] as const)
      await expect(own.remember(BO as UserId, { ...typed, about, visibility: about })).rejects.toMatchObject({
        code: "forbidden",
      });
  });

  it("are not written by somebody whom a moderator has timed out", async () => {
    const { begin, propose, tell, world, clock } = await openPreviews();
    const guild = world.guilds[0];
    guild?.roles.push({ id: "2009", name: "managers", permissions: 1n << 5n });
    tell("GUILD_ROLE_CREATE", {
      guild_id: GUILD,
      role: { id: "2009", name: "managers", permissions: "32", position: 1 },
    });
    const describe = (until: string | null) => ({
      guild_id: GUILD,
      user: { id: CEM, username: "cem" },
      roles: ["2009"],
      communication_disabled_until: until,
    });
    tell("GUILD_MEMBER_UPDATE", describe(null));
    const fact = { about: "project", key: "port", value: "Kiel" };
    expect(await propose(await begin(CEM), fact)).toMatchObject({ code: "confirmation_needed" });
    tell("GUILD_MEMBER_UPDATE", describe(new Date(clock.now() + 3_600_000).toISOString()));
    expect(await propose(await begin(CEM), { ...fact, key: "dock" })).toMatchObject({ code: "forbidden" });
  });

  it("are not stored when the right to do so was lost before the press", async () => {
    const rules = { roles: [{ guild: GUILD, role: STAFF, scopes: ["memory:write_project", "memory:read_project"] }] };
    const { begin, propose, press, join, call } = await openPreviews(rules);
    await propose(await begin(BO), { about: "server", key: "port", value: "Kiel" });
    join(BO, []);
    await expect(press(BO)).rejects.toMatchObject({ code: "forbidden" });
    expect(await call(await begin(OWNER), "memory_read.get_project_facts", {})).toMatchObject({ ok: false });
    expect(await call(await begin(ADA), "memory_read.get_project_facts", {})).toMatchObject({ value: { facts: [] } });
  });

  it("mention nobody by a mention or an id, and say what to do instead", async () => {
    const { propose, begin } = await openPreviews();
    expect(
      await propose(await begin(OWNER), { about: "project", key: "port", value: `ask <@${"300".padEnd(18, "1")}>` }),
    ).toMatchObject({
      code: "forbidden",
      message: "A fact about a project or a server mentions nobody by a mention or an id; use the name.",
    });
  });

  it("are heard by those who can read their channel, and forgotten by those who may write them", async () => {
    const { begin, propose, proposeEnd, press, call } = await openPreviews();
    await propose(await begin(OWNER), { about: "project", key: "port", value: "Kiel" });
    await press(OWNER);
    const read = async (actor: string) => {
      const outcome = await call(await begin(actor), "memory_read.get_project_facts", {});
      return outcome.ok ? (outcome.value["facts"] as { value: unknown; verification: string }[]) : [];
    };
    expect(await read(CEM)).toMatchObject([{ value: "Kiel", verification: "admin_confirmed" }]);
    expect(await proposeEnd(await begin(CEM), { key: "port", about: "project" })).toMatchObject({ code: "forbidden" });
    expect(await proposeEnd(await begin(OWNER), { key: "port", about: "project" })).toMatchObject({
      code: "confirmation_needed",
    });
    expect((await read(CEM)).length).toBe(1);
    await press(OWNER);
    expect(await read(CEM)).toEqual([]);
  });
});

describe("what a model proposes to forget", () => {
  it("always waits for the person", async () => {
    const { begin, proposeEnd, press, remember, values } = await openPreviews();
    await remember(ADA, ["boat", "Heron"]);
    const operation = await begin(ADA, PLACE.general, { isPrivate: true });
    expect(await proposeEnd(operation, { key: "Boat" })).toMatchObject({ ok: false, code: "confirmation_needed" });
    expect(await values(ADA)).toEqual(["Heron"]);
    await press(ADA);
    expect(await values(ADA)).toEqual([]);
    expect(await proposeEnd(operation, { key: "Boat" })).toMatchObject({ ok: true, value: { forgotten: true } });
  });

  it("can only be one's own", async () => {
    const { begin, proposeEnd, remember, values, waiting } = await openPreviews();
    const { id } = await remember(BO, ["boat", "Heron"], "org");
    const operation = await begin(ADA);
    expect(await proposeEnd(operation, { fact_id: id })).toMatchObject({ ok: false, code: "not_found" });
    expect([waiting(ADA), await values(BO)]).toEqual([[], ["Heron"]]);
  });
});
