import { describe, expect, it } from "vitest";
import { sampleCommunity } from "../../sandbox/index.ts";
import type { EarshotError } from "../../src/domain/errors.ts";
import type { GuildId, RoleId, UserId } from "../../src/domain/ids.ts";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { Operation } from "../../src/policy/operation.ts";
import { describeDispatch } from "../support/describe-world.ts";
import { until } from "../support/edge.ts";
import { openTestGate } from "../support/gate.ts";
import { type InProcess, openInProcess } from "../support/in-process.ts";
import { messageId } from "../support/random-community.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { ADA, CEM, PLACE, smallWorld } from "../support/small-world.ts";

interface People {
  guild: string | null;
  people: {
    user_id: string;
    guild: string | null;
    name: string;
    other_names: string[];
    bot: boolean;
    roles: string[];
  }[];
  complete: boolean;
  has_more: boolean;
  cursor: string | null;
}

async function arrive() {
  const sandbox = await openTestSandbox({ rateLimits: false, community: sampleCommunity() });
  const test = await openTestGate(sandbox);
  const id = (key: string) => sandbox.community.channels.get(key) ?? key;
  const ask = async (args: object, where = { as: "sarah", in: "general" }) =>
    (await test.call("directory.people", args, where)) as People;
  const refusal = (args: object, where = { as: "sarah", in: "general" }) =>
    ask(args, where).then(String, (error: EarshotError) => `${error.code}: ${error.message}`);
  const names = async (args: object) => (await ask(args)).people.map(({ name }) => name);
  const callIn = (operation: Operation, name: string, args: object) =>
    test.gate.callTool({ name, args, operation, wantsText: true }).then(
      ({ text }) => text ?? "",
      (error: EarshotError) => `${error.code}: ${error.message}`,
    );
  return { ...test, id, ask, refusal, names, callIn };
}

describe("directory.people", () => {
  it("answers who is the treasurer, from the roles of the server", async () => {
    const { sandbox, edge, open, callIn } = await arrive();
    const role = sandbox.admin.createRole({ name: "Treasurer" });
    sandbox.admin.setRoles("grace", [role.id, "staff"]);
    const { directory } = edge.discord;
    const grace = sandbox.community.people.get("grace") as UserId;
    const guildId = sandbox.community.guild.id as GuildId;
    await until(() => directory.member(guildId, grace)?.roles.has(role.id as RoleId), "Grace got no role");
    const operation = await open("sarah", "general");
    const text = await callIn(operation, "directory.people", { query: "treasurer" });
    expect(text).toMatch(/Grace, also gracefulexit \(id \d+\): /);
    expect(text).toContain("Treasurer");
    expect(text).toContain('"Harbour Office"');
    expect(text).not.toContain("Sarah");
  });

  it("finds people by a part of a name, by a role, and tells bots from people", async () => {
    const { ask, names } = await arrive();
    expect(await names({ query: "fatima" })).toEqual(["Fatima"]);
    expect(await names({ query: "FATIMA.Z" })).toEqual(["Fatima"]);
    expect(await names({ role: "muted" })).toEqual(["Vik"]);
    expect(await names({ role: "launch", query: "sara" })).toContain("Sara");
    expect(await names({ role: "no such role" })).toEqual([]);
    const { people, complete } = await ask({ role: "bots" });
    expect(people.length).toBeGreaterThan(3);
    expect(people.every(({ bot }) => bot)).toBe(true);
    expect(complete).toBe(true);
  });

  it("lists everybody page by page, each once", async () => {
    const { ask, sandbox } = await arrive();
    const listed: string[] = [];
    for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
      const page: People = await ask({ limit: 10, ...(cursor !== null && { cursor }) });
      listed.push(...page.people.map(({ name, other_names }) => other_names.at(-1) ?? name));
      expect(page.has_more).toBe(page.cursor !== null);
      cursor = page.cursor;
    }
    const { guild } = sandbox.community;
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed).toHaveLength(sandbox.world.guilds.get(guild.id)?.members.size ?? 0);
  });

  it("rejects a cursor that it did not give", async () => {
    const { refusal } = await arrive();
    expect(await refusal({ cursor: "next" })).toMatch(/^invalid: The cursor/);
  });

  it("says nothing of a server that those who read the answer may not know, as if there were none", async () => {
    const { ask, refusal, open, callIn } = await arrive();
    const absent = "not_found: Could not find server 'Ferry Museum'";
    expect(await refusal({ guild: "No Such Place" })).toBe("not_found: Could not find server 'No Such Place'");
    // Sarah is in the museum, but not everybody in #general is; Mark is not.
    expect(await refusal({ guild: "Ferry Museum" })).toBe(absent);
    expect(await refusal({ guild: "Ferry Museum" }, { as: "mark", in: "general" })).toBe(absent);
    const operation = await open("sarah", "general", {}, { isPrivate: true });
    expect(await callIn(operation, "directory.people", { guild: "Ferry Museum", query: "fatima" })).toContain("Fatima");
    expect(await callIn(operation, "directory.people", { guild: "Ferry Museum", for: "general" })).toBe(absent);
    expect((await ask({}, { as: "sarah", in: "museum-lobby" })).guild).toBe("Ferry Museum");
  });

  it("asks all servers that the person shares with the bot where the request was made in none, one page after the other", async () => {
    const { operations, sandbox, gate, callIn } = await arrive();
    const actor = sandbox.community.people.get("sarah") as UserId;
    const client = { name: "test", grant: OPERATOR_GRANT };
    const operation = await operations.open(client, { actor, isPrivate: true });
    const shared = [...sandbox.world.guilds.values()].filter(({ members }) => members.has(actor));
    expect(shared.length).toBeGreaterThan(1);
    const expected = shared.flatMap(({ name, members }) => [...members.keys()].map((id) => `${name} ${id}`));
    const listed: string[] = [];
    for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
      const args = { limit: 7, ...(cursor !== null && { cursor }) };
      const { value } = await gate.callTool({ name: "directory.people", args, operation });
      const page = value as People;
      expect([page.guild, page.people.length <= 7]).toEqual([null, true]);
      listed.push(...page.people.map(({ user_id, guild }) => `${guild} ${user_id}`));
      cursor = page.cursor;
    }
    expect(listed.toSorted()).toEqual(expected.toSorted());
    const text = await callIn(operation, "directory.people", { query: "fatima" });
    for (const { name } of shared) expect(text.replaceAll('"', "")).toContain(`in ${name}`);
  });

  it("asks only servers that everyone who reads the answer may know of", async () => {
    const { operations, sandbox, callIn } = await arrive();
    const actor = sandbox.community.people.get("sarah") as UserId;
    const client = { name: "test", grant: OPERATOR_GRANT };
    const operation = await operations.open(client, { actor, isPrivate: true, for: "general" });
    const text = await callIn(operation, "directory.people", { query: "fatima" });
    expect(text).toContain("Fatima");
    expect(text).not.toContain("Ferry Museum");
    const mark = await operations.open(client, {
      actor: sandbox.community.people.get("mark") as UserId,
      isPrivate: true,
    });
    expect(await callIn(mark, "directory.people", { query: "fatima" })).not.toContain("Ferry Museum");
  });

  it("lets what it told be repeated within the same server only", async () => {
    const { open, callIn, id } = await arrive();
    const operation = await open("sarah", "general", {}, { isPrivate: true });
    await callIn(operation, "directory.people", { query: "grace" });
    const draft = (key: string) => ({ channel_id: id(key), text: "Grace is in the office." });
    expect(await callIn(operation, "discord.send", draft("general"))).toMatch(/^confirmation_needed/);
    expect(await callIn(operation, "discord.send", draft("museum-lobby"))).toMatch(/^forbidden: What was read/);
  });

  it("lists people who are left out, as Discord does: being a member is nothing that they said", async () => {
    const { consent, sandbox, names } = await arrive();
    consent.set(sandbox.community.people.get("fatima") as UserId, true);
    expect(await names({ query: "fatima" })).toEqual(["Fatima"]);
  });
});

describe("directory.people without a complete member list", () => {
  async function ask(before: (test: InProcess) => void) {
    const test = openInProcess(smallWorld(), { members: "asked" });
    try {
      before(test);
      const client = { name: "test", grant: OPERATOR_GRANT };
      const operation = await test.operations.open(client, { actor: CEM, channelId: PLACE.general } as never);
      const { value, text } = await test.gate.callTool({
        name: "directory.people",
        args: {},
        operation,
        wantsText: true,
      });
      return { ...(value as People), text };
    } finally {
      await test.close();
    }
  }

  const say = (test: InProcess, authorId: string, channelId: string) => {
    const message = { id: messageId(300), authorId, content: "ahoy", edited: false, replyTo: null, file: false };
    const [guild = null] = test.world.guilds;
    test.tell("MESSAGE_CREATE", describeDispatch(test.world, { channelId, guild, message }, { hasMember: true }));
  };

  it("lists who spoke where it can be read, without roles, and says that not all are known", async () => {
    const { people, complete, text } = await ask((test) => say(test, ADA, PLACE.general));
    expect(people.map(({ name, roles }) => ({ name, roles }))).toEqual([{ name: `nick${ADA}`, roles: [] }]);
    expect(complete).toBe(false);
    expect(text).toContain("Not all members there are known");
  });

  it("does not list who spoke only in hidden channels, or is left out", async () => {
    expect((await ask((test) => say(test, ADA, PLACE.staff))).people).toEqual([]);
    const leftOut = await ask((test) => {
      test.consent.set(ADA as UserId, true);
      say(test, ADA, PLACE.general);
    });
    expect(leftOut.people).toEqual([]);
  });
});
