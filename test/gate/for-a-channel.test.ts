import { describe, expect, it } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import { until } from "../support/edge.ts";
import { openWorld } from "../support/gate.ts";
import { openInProcess } from "../support/in-process.ts";
import { ADA, GUILD, PLACE, smallWorld } from "../support/small-world.ts";

/** Mei may also read the staff room, in which the berth is discussed; her agent answers her alone. */
async function arrive() {
  const test = await openWorld({
    botSees: ["staff-room"],
    says: [
      ["mark", "general", "the berth opens on monday"],
      ["mei", "staff-room", "the berth is haunted"],
    ],
  });
  const operation = await test.open("mei", "general", {}, { isPrivate: true, channelId: undefined as never });
  const call = async (name: string, args: object = {}) => {
    const { value, text } = await test.gate.callTool({ name, args, operation, wantsText: true });
    return { value: value as Record<string, never>, text: text ?? "" };
  };
  const problem = async (name: string, args: object) => {
    const error = await call(name, args).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    return error instanceof EarshotError ? `${error.code}: ${error.message}` : String(error);
  };
  const post = () => problem("discord.send", { channel_id: test.id("general"), text: "monday it is" });
  return { ...test, operation, call, problem, post };
}

describe("what is read for a channel", () => {
  it("holds only what everyone there may read, so it may be said there once the person has confirmed it", async () => {
    const { call, post } = await arrive();
    const { text } = await call("search_messages", { query: "berth", for: "#general" });
    expect(text).toContain("opens on monday");
    expect(text).not.toContain("haunted");
    expect(await post()).toContain("confirmation_needed");
  });

  it("lists only the channels that everyone there may know of", async () => {
    const { call, post, sandbox } = await arrive();
    const guild_id = [...sandbox.world.guilds.keys()][0];
    const { text } = await call("discord.guild.channels", { guild_id, for: "general" });
    expect(text).toContain("general");
    expect(text).not.toContain("staff-room");
    expect(await post()).toContain("confirmation_needed");
  });

  it("does not undo what was read before: that is refused there for as long as the operation lasts", async () => {
    const { call, post } = await arrive();
    expect((await call("search_messages", { query: "berth" })).text).toContain("haunted");
    await call("search_messages", { query: "berth", for: "general" });
    expect(await post()).toContain("forbidden: What was read for this is not for everyone there");
  });

  it("is named in the refusal of a post where the person alone reads it, as far as they may read it now", async () => {
    const { call, post, problem, sandbox, edge, open, gate, id } = await arrive();
    await call("search_messages", { query: "berth" });
    expect(await post()).toMatch(
      /not for everyone there \(#staff-room(, \d+ more channels? that (was|were) read or searched)?\)/,
    );
    expect(await problem("discord.send", { channel_id: id("staff-room"), text: "boo" })).not.toContain("#staff-room");
    const shared = await open("mei", "staff-room");
    await gate.callTool({
      name: "discord.channel.messages",
      args: { channel_id: id("staff-room") },
      operation: shared,
    });
    const args = { channel_id: id("general"), text: "boo" };
    await expect(gate.callTool({ name: "discord.send", args, operation: shared })).rejects.toMatchObject({
      message: "What was read for this is not for everyone there; answer in a more private place.",
    });
    sandbox.admin.setRoles("mei", []);
    await until(() => !edge.discord.directory.canRead(sandbox.as("mei").id as never, id("staff-room") as never), "…");
    expect(await post()).not.toContain("staff-room");
  });

  it("comes from nowhere else: neither a hidden channel nor one's own direct messages can be named", async () => {
    const { problem, call, post, id, sandbox, edge } = await arrive();
    const dm = await edge.discord.openDm(sandbox.as("mei").id as never);
    for (const args of [{ channel_id: id("staff-room") }, { channel_id: dm }])
      expect(await problem("discord.channel.messages", { ...args, for: "general" })).toContain("not_found");
    expect(await problem("get_recent_messages", { channel: "staff-room", for: "general" })).toContain("not_found");
    expect((await call("get_recent_messages", { for: "general" })).text).toContain("opens on monday");
    expect(await post()).toContain("confirmation_needed");
  });

  it("is refused for a channel that the person cannot read, as for one that is absent", async () => {
    const { gate, open, id } = await arrive();
    const operation = await open("mark", "general", {}, { isPrivate: true, channelId: undefined as never });
    for (const channel of ["staff-room", id("staff-room"), "nowhere", "4999"])
      await expect(
        gate.callTool({ name: "search_messages", args: { query: "berth", for: channel }, operation }),
      ).rejects.toMatchObject({ code: "not_found" });
    await expect(
      gate.callTool({ name: "search_messages", args: { query: "berth", for: 7 }, operation }),
    ).rejects.toMatchObject({ code: "invalid" });
  });

  it("is decided for the whole operation where that was opened for a channel, unless a call names another", async () => {
    const { gate, open, audited } = await arrive();
    const more = { isPrivate: true, channelId: undefined as never, for: "general" };
    const operation = await open("mei", "general", {}, more);
    const search = async (args: object) =>
      (await gate.callTool({ name: "search_messages", args: { query: "berth", ...args }, operation, wantsText: true }))
        .text;
    expect(await search({})).not.toContain("haunted");
    expect(await search({ for: "staff-room" })).toContain("haunted");
    const events = audited.flatMap((entry) => (entry.kind === "event" ? [entry.row.name] : []));
    expect(events.filter((name) => name === "read_for")).toHaveLength(2);
  });

  it("may also be asked for where others read the answer, who then have to be able to read it, too", async () => {
    const { gate, open } = await arrive();
    const search = async (where: string, channel: string) => {
      const operation = await open("mei", where);
      const args = { query: "berth", for: channel };
      return (await gate.callTool({ name: "search_messages", args, operation, wantsText: true })).text;
    };
    expect(await search("staff-room", "staff-room")).toContain("haunted");
    expect(await search("staff-room", "general")).not.toContain("haunted");
    await expect(search("general", "staff-room")).rejects.toMatchObject({ code: "not_found" });
  });

  it.each([
    ["discord.channel.messages", { channel_id: PLACE.staff }],
    ["discord.send", { channel_id: PLACE.general, text: "ahoy" }],
    ["discord.send", { channel_id: "4999", text: "ahoy" }],
  ])(
    "is refused by the rules for roles alike, whether or not the person is in another server: %s %j",
    async (name, args) => {
      const problemIn = async (hasNeighbour: boolean) => {
        const world = smallWorld();
        const [guild] = world.guilds;
        if (guild && hasNeighbour) world.guilds.push({ ...guild, id: "1001", channels: [], threads: [] });
        const roles = [{ guild: GUILD, role: "everyone", scopes: [] }];
        const { operations, gate, close } = openInProcess(world, { rules: { roles } });
        const messageId = world.messages.get(PLACE.general)?.find(({ authorId }) => authorId === ADA)?.id;
        const request = {
          actor: ADA,
          isPrivate: true,
          channelId: PLACE.general,
          messageId,
          for: PLACE.general,
        } as never;
        const operation = await operations.open({ name: "test", grant: OPERATOR_GRANT }, request);
        const problem = await gate.callTool({ name, args, operation }).catch(String);
        await close();
        return problem;
      };
      expect(await problemIn(false)).toContain("There is no such channel, or it cannot be read here.");
      expect(await problemIn(true)).toBe(await problemIn(false));
    },
  );
});
