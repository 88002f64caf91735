import { describe, expect, it } from "vitest";
import type { MessageRecord } from "../../sandbox/world/records.ts";
import type { GuildId, UserId } from "../../src/domain/ids.ts";
import type { RememberRequest } from "../../src/domain/memory/remember-request.ts";
import { createLiveRules } from "../../src/policy/live-rules.ts";
import { toRules } from "../support/gate.ts";
import { GONE } from "../support/memory.ts";
import { buttonId, buttonsOf, whispered } from "./open-harbour.ts";
import { openMemoryHarbour } from "./open-memory-harbour.ts";

const SHARED = { memory: { people: "shared" } };

/** Mark manages the server, and cannot see the pier. */
async function openManaged() {
  const live = createLiveRules(toRules(SHARED));
  const harbour = await openMemoryHarbour({ live });
  const { sandbox, memory, ownMemory, answer, id, settle } = harbour;
  const guildId = sandbox.community.guild.id as GuildId;
  const manager = sandbox.admin.createRole({ name: "Manager", permissions: ["ManageGuild"] });
  sandbox.admin.setRoles("mark", [manager.id]);
  await settle();
  const person = (who: string) => sandbox.as(who).id as UserId;
  const run = (who: string, what: string, options: Record<string, string | number> = {}) =>
    sandbox.as(who).run(`memory admin ${what}`, options, { in: "general" });
  const say = async (who: string, what: string, options: Record<string, string | number> = {}) =>
    (await answer(run(who, what, options))).content;
  const share = (who: string, key: string, value: string, channel = "general") =>
    ownMemory.remember(person(who), {
      ...{ key, value, visibility: channel === "server" ? "org" : "project", typedIn: "1" },
      channelId: id(channel === "server" ? "general" : channel) as never,
    });
  const keep = (request: Partial<RememberRequest>) =>
    memory.remember({
      ...{ scope: "org", scopeId: guildId, subjectId: null, guildId, visibility: "org" },
      ...{ home: { kind: "guild", id: guildId }, name: "motto", value: "fair winds" },
      basis: [{ type: "typed", ref: "1", isOwn: true, authorId: null, words: "" }],
      ...{ createdBy: person("olga"), verification: "admin_confirmed", confidence: 1, expiresAt: null, ends: [] },
      ...request,
    });
  const preview = async (who: string, fact: string): Promise<MessageRecord> => {
    const asking = run(who, "forget", { fact });
    const last = () => [...asking.ephemeral.values()].at(-1);
    await expect.poll(() => buttonsOf(last() ?? ({} as MessageRecord)).length).toBe(2);
    return last() as MessageRecord;
  };
  const decide = async (who: string, shown: MessageRecord, label = "Forget") => {
    sandbox.as(who).click(shown, buttonId(shown, label));
    await expect.poll(() => shown.content).not.toMatch(/One moment|Nothing has been forgotten yet/);
    return shown.content;
  };
  const suggested = async (who: string, typed: string) => {
    const asking = sandbox.as(who).suggest("memory admin forget", { fact: typed }, { in: "general", focused: "fact" });
    const answered = await asking.answered;
    return answered.kind === "choices" ? answered.choices : [];
  };
  return {
    ...harbour,
    live,
    own: ownMemory,
    memory,
    guildId,
    manager,
    person,
    run,
    say,
    share,
    keep,
    preview,
    decide,
    suggested,
  };
}

const REFUSED =
  "Only somebody who manages this server, or has a role that is allowed to, can see and end what is shared here.";

describe("/memory admin", () => {
  it("lists what is shared in the server with who said it, who hears it and on how much it rests, and nothing private", async () => {
    const { say, share, keep, own, person, id } = await openManaged();
    expect(await say("mark", "list")).toBe("Nothing is shared in this server that you may hear.");
    await share("sarah", "boat", "Tern", "server");
    await share("mei", "hat", "*red*");
    await keep({});
    await own.remember(person("mei"), {
      ...{ key: "diary", value: "secret thoughts", visibility: "private", typedIn: "1" },
      channelId: id("general") as never,
    });
    await share("mei", "shift", "nights", "pier");
    const list = await say("mark", "list");
    expect(list).toContain("3 facts are shared in this server that you may hear, the newest first.");
    expect(list).toMatch(
      new RegExp(
        `\\*\\*motto\\*\\*: fair winds\nAbout the server, by <@${person("olga")}>; who hears it: the members of Quay; since <t:\\d+:d>\\.\nRests on one source\\. Id: \`[0-9a-f]{8}\``,
      ),
    );
    expect(list).toContain(
      `**hat**: \\*red\\*\n<@${person("mei")}> says this about themselves; who hears it: those who can read <#${id("general")}>;`,
    );
    for (const hidden of ["diary", "thoughts", "shift", "nights", id("pier")]) expect(list).not.toContain(hidden);
    // Whoever can read the pier may hear what is shared there.
    expect(await say("olga", "list")).toContain("**shift**: nights");
  });

  it("is refused to everybody who neither manages the server nor has a role that a rule names", async () => {
    const { say, share, suggested, sandbox } = await openManaged();
    await share("sarah", "boat", "Tern", "server");
    expect(await say("mei", "list")).toBe(REFUSED);
    expect(await say("mei", "forget", { fact: "boat" })).toBe(REFUSED);
    expect(await say("sarah", "list")).toBe(REFUSED);
    expect(await suggested("mei", "")).toEqual([]);
    expect(await suggested("mark", "bo")).toEqual([{ name: "boat (Skipper, server)", value: expect.any(String) }]);
    const asking = sandbox.as("mark").run("memory admin list", {}, {});
    expect((await asking.spoken).content).toBe(
      "What is shared belongs to a server: use this command in the server that it concerns.",
    );
  });

  it("is allowed to a role that a rule names, and to nobody else by that rule", async () => {
    const { say, share, sandbox, guildId, live } = await openManaged();
    await share("sarah", "boat", "Tern", "server");
    expect(await say("mei", "list")).toBe(REFUSED);
    const role = sandbox.community.roles.get("staff");
    live.replace(toRules({ ...SHARED, roles: [{ guild: guildId, role, scopes: ["memory:admin"] }] }));
    expect(await say("mei", "list")).toContain("**boat**: Tern");
    expect(await say("sarah", "list")).toBe(REFUSED);
    live.replace(toRules({ ...SHARED, roles: [{ guild: guildId, role, scopes: ["memory:write_project"] }] }));
    expect(await say("mei", "list")).toBe(REFUSED);
    expect(await say("mark", "list")).toContain("**boat**: Tern");
  });

  it("forgets for good what was shown and confirmed, with its history, and notes that by ids", async () => {
    const { say, share, preview, decide, own, person, audited, guildId } = await openManaged();
    await share("sarah", "boat", "Petrel", "server");
    const { id: factId } = await share("sarah", "boat", "Tern", "server");
    const shown = await preview("mark", "boat");
    expect(shown.content).toContain("**Nothing has been forgotten yet.**");
    expect(shown.content).toContain(
      `<@${person("sarah")}> says this about themselves; who hears it: the members of Quay.`,
    );
    expect(shown.content).toContain("Key:\n```\nboat\n```\nValue:\n```\nTern\n```");
    expect(await decide("mark", await preview("mark", factId.slice(0, 8)), "Cancel")).toBe("Nothing was forgotten.");
    expect(await own.list(person("sarah"))).toHaveLength(1);
    expect(await decide("mark", shown)).toBe(`Forgotten for everybody: **boat**. ${GONE}`);
    expect(await own.export(person("sarah"))).toEqual([]);
    expect(await say("mark", "list")).toContain("Nothing is shared");
    const events = audited.flatMap((entry) =>
      entry.kind === "event" && entry.row.name.startsWith("memory_admin_forg")
        ? [[entry.row.name, JSON.parse(entry.row.detail_json)]]
        : [],
    );
    const ids = { actor_id: person("mark"), guild_id: guildId, fact_ref: `${factId}@2` };
    expect(events).toEqual([
      ["memory_admin_forget_begun", ids],
      ["memory_admin_forgotten", { ...ids, facts: 2 }],
    ]);
  });

  it("forgets nothing when the rights are lost, or the value is replaced, between the preview and the press", async () => {
    const { share, preview, decide, sandbox, settle, own, person } = await openManaged();
    await share("sarah", "boat", "Petrel", "server");
    const replaced = await preview("mark", "boat");
    await share("sarah", "boat", "Tern", "server");
    expect(await decide("mark", replaced)).toContain("Something has changed since you were shown this");
    const lost = await preview("mark", "boat");
    sandbox.admin.setRoles("mark", []);
    await settle();
    expect(await decide("mark", lost)).toBe(REFUSED);
    expect((await own.list(person("sarah"))).map(({ fact }) => fact.value)).toEqual(["Tern"]);
  });

  it("does nothing for a press of another account, a forged button, or the id of another server's or a hidden fact", async () => {
    const { share, preview, say, sandbox, own, person, edge, said, keep, memory, id } = await openManaged();
    await share("sarah", "boat", "Tern", "server");
    const hidden = await share("mei", "shift", "nights", "pier");
    const abroad = await keep({
      guildId: "999" as GuildId,
      scopeId: "999",
      home: { kind: "guild", id: "999" as GuildId },
    });
    const privately = await own.remember(person("sarah"), {
      ...{ key: "diary", value: "x", visibility: "private", typedIn: "1" },
      channelId: id("general") as never,
    });
    const absent = await say("mark", "forget", { fact: "no such fact" });
    for (const fact of [hidden.id, abroad.id, privately.id, hidden.id.slice(0, 8), "shift", "diary", "motto"])
      expect(await say("mark", "forget", { fact })).toBe(absent);
    const shown = await preview("mark", "boat");
    const button = buttonId(shown, "Forget");
    for (const forged of [button, button.replace(person("mark"), person("mei")), `own:0:${person("mei")}:guess`]) {
      await edge.discord.send(shown.channelId as never, {
        ...{ text: "press me", mentions: [] },
        buttons: [{ id: forged, label: "Forget" }],
      });
      const bait = said("general").at(-1) as MessageRecord;
      const told = await whispered(sandbox.as("mei").click(bait, forged));
      expect(told).toMatch(/^Only the person who asked can do that\.|^This has been decided or has expired/);
    }
    expect(await own.list(person("sarah"))).toHaveLength(2);
    for (const fact of [hidden, abroad]) expect(await memory.openById(fact.id)).not.toBeNull();
  });

  it("lists what nobody hears at the moment without key and value, with the reason, and ends it by its id", async () => {
    const { say, share, preview, decide, sandbox, memory, settle, suggested } = await openManaged();
    const { id: factId } = await share("sarah", "boat", "Tern", "server");
    sandbox.admin.removeMember("sarah");
    await settle();
    const list = await say("mark", "list");
    expect(list).toContain(
      "Not shown, because nobody hears it at the moment: the person who said it has left this server.",
    );
    expect(list).not.toMatch(/boat|Tern/);
    expect(await suggested("mark", "bo")).toEqual([]);
    expect(await say("mark", "forget", { fact: "boat" })).toContain("There is no such fact");
    const shown = await preview("mark", factId.slice(0, 8));
    expect(shown.content).not.toMatch(/boat|Tern/);
    expect(await decide("mark", shown)).toContain(`Forgotten for everybody: \`${factId.slice(0, 8)}\`.`);
    expect(await memory.openById(factId)).toBeNull();
  });

  it("calls a project as the operator does, by where its home channel is now", async () => {
    const { say, keep, live, guildId, id, sandbox, settle } = await openManaged();
    await keep({
      ...{ scope: "project", scopeId: id("commons"), visibility: "project", name: "deadline", value: "May" },
      home: { kind: "channel", id: id("general") as never },
    });
    expect(await say("mark", "list")).toContain("About a project, by");
    const fleet = { name: "Fleet *one*", guild: guildId, channels: [id("commons")] };
    const crew = { name: "Crew", guild: guildId, channels: [id("general")] };
    const replace = (...projects: object[]) => live.replace(toRules({ memory: { people: "shared", projects } }));
    replace(fleet);
    expect(await say("mark", "list")).toContain("About the project **Fleet \\*one\\***, by");
    replace(fleet, crew);
    expect(await say("mark", "list")).toContain("About the project **Crew**, by");
    replace(fleet);
    sandbox.admin.updateChannel("general", { parentId: null });
    await settle();
    expect(await say("mark", "list")).toContain("About a project, by");
  });

  it("shows nothing that the operator has switched off, and says so", async () => {
    const { say, share, live, id } = await openManaged();
    await share("sarah", "boat", "Tern");
    const off = "Not shown, because nobody hears it at the moment: the person who runs this bot has switched that off.";
    for (const rules of [
      { memory: { people: "private" } },
      { ...SHARED, optOut: { channels: [id("general")] } },
      { ...SHARED, channels: { deny: [id("commons")] } },
      { ...SHARED, guilds: { allow: [] } },
    ]) {
      live.replace(toRules(rules));
      const list = await say("mark", "list");
      expect(list).toContain(off);
      expect(list).not.toMatch(/boat|Tern/);
    }
    live.replace(toRules(SHARED));
    expect(await say("mark", "list")).toContain("**boat**: Tern");
  });

  it("shows nothing of people who are left out, and names nobody who was erased", async () => {
    const { say, share, keep, consent, person, erasePerson } = await openManaged();
    await share("sarah", "boat", "Tern", "server");
    await keep({ createdBy: person("sarah") });
    consent.set(person("sarah"), true);
    const leftOut = await say("mark", "list");
    expect(leftOut).toContain("1 fact is shared");
    expect(leftOut).not.toContain(person("sarah"));
    consent.set(person("sarah"), false);
    expect(await say("mark", "list")).toContain("**boat**: Tern");
    await erasePerson(person("sarah"));
    expect(await say("mark", "list")).toBe(leftOut);
    expect(leftOut).toContain("About the server, by somebody who is not known any more;");
  });

  it("shows ten facts to a page, and limits how often somebody asks", async () => {
    const { say, keep } = await openManaged();
    for (let index = 0; index < 11; index += 1) await keep({ name: `key ${index}` });
    const first = await say("mark", "list");
    expect(first).toContain("11 facts are shared in this server that you may hear, the newest first; page 1 of 2.");
    expect(await say("mark", "list", { page: 2 })).toContain("**key 0**");
    expect(await say("mark", "list", { page: 3 })).toBe("There is no page 3; the last one is 2.");
    const answers: string[] = [];
    for (let count = 0; count < 20; count += 1) answers.push(await say("mark", "list"));
    expect(answers.at(-1)).toMatch(/^Too many requests; try again in/);
  });
});
