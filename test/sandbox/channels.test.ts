import { expect, it } from "vitest";
import { journeys } from "../support/journeys.ts";
import { smallCommunity } from "../support/small-community.ts";

journeys("a guild's channels, roles and members", (arrive) => {
  it("are known after login, hidden channels only as hidden", async () => {
    const { sandbox, client } = await arrive();
    const held = client.guild(sandbox.community.guild.id);
    expect(held).toMatchObject({ name: "Quay", ownerId: sandbox.as("olga").id, memberCount: 6 });
    expect(held?.roles.toSorted()).toEqual(["@everyone", "Crew", "Helper", "Staff"]);
    expect(held?.channels.filter(({ isHidden }) => isHidden)).toEqual([{ name: "___hidden___", isHidden: true }]);
    const shown = held?.channels.filter(({ isHidden }) => !isHidden).map(({ name }) => name);
    expect(shown?.toSorted()).toEqual(["Commons", "general", "help", "news", "pier"]);
  });

  it("include the open threads, not the archived ones", async () => {
    const posts = [
      { minutesAgo: 90, in: "general", by: "sarah", text: "old", thread: { key: "t1", name: "Old", archived: true } },
      { minutesAgo: 60, in: "general", by: "sarah", text: "new", thread: { key: "t2", name: "New" } },
    ];
    const { sandbox, client } = await arrive({ community: smallCommunity(posts) });
    expect(client.guild(sandbox.community.guild.id)?.threads).toEqual(["New"]);
    const general = sandbox.community.channels.get("general") ?? "";
    const { threads } = await client.api.channels.getArchivedThreads(general, "public");
    expect(threads).toMatchObject([{ name: "Old" }]);
  });

  it("produce events for channels created, changed and deleted", async () => {
    const { sandbox, client } = await arrive();
    const { id } = sandbox.admin.createChannel("regatta", "text");
    sandbox.admin.updateChannel("regatta", { name: "regatta-2026" });
    sandbox.admin.deleteChannel(id);
    expect(await client.seen.find("channel-create")).toMatchObject({ id, isHidden: false });
    expect(await client.seen.find("channel-update")).toMatchObject({ id, name: "regatta-2026" });
    expect(await client.seen.find("channel-delete")).toMatchObject({ id });
  });

  it("exclude a channel that an overwrite hides, and include it with its threads when it is shown again", async () => {
    const { sandbox, client } = await arrive();
    const general = sandbox.community.channels.get("general") ?? "";
    const thread = sandbox.as("sarah").openThread({ in: "general" }, "Ropes");
    sandbox.admin.setOverwrite("general", "person:earshot", { deny: ["ViewChannel"] });
    const lost = await client.seen.find("channel-update", ({ id, isHidden }) => id === general && isHidden);
    expect(lost.name).toBe("___hidden___");
    sandbox.as("sarah").say("general", "nobody hears this");
    await expect(client.api.channels.getMessages(general, {})).rejects.toMatchObject({ code: 50001, status: 403 });
    sandbox.admin.removeOverwrite("general", "person:earshot");
    await client.seen.find(
      "channel-update",
      ({ id, isHidden, name }) => id === general && !isHidden && name === "general",
    );
    expect((await client.seen.find("thread-sync")).ids).toEqual([thread.id]);
    expect(client.seen.of("message").some(({ content }) => content === "nobody hears this")).toBe(false);
    expect(client.seen.of("thread-delete")).toEqual([]);
  });

  it("include a channel that a role shows, when the bot is given the role", async () => {
    const { sandbox, client } = await arrive();
    const room = sandbox.community.channels.get("staff-room") ?? "";
    sandbox.admin.setRoles("earshot", ["helper", "staff"]);
    const gained = await client.seen.find("channel-update", ({ id }) => id === room);
    expect(gained).toMatchObject({ name: "staff-room", isHidden: false });
    sandbox.as("mei").say("staff-room", "welcome in");
    expect(await client.seen.find("message")).toMatchObject({ content: "welcome in", channelId: room });
    sandbox.admin.updateRole("everyone", { permissions: ["ReadMessageHistory"] });
    const general = sandbox.community.channels.get("general");
    await client.seen.find("channel-update", ({ id, isHidden }) => id === general && isHidden);
  });

  it("produce events for threads created, renamed, archived, joined and deleted", async () => {
    const { sandbox, client } = await arrive();
    const thread = sandbox.as("sarah").openThread({ in: "general" }, "Ropes");
    sandbox.as("mark").joinThread(thread.id);
    sandbox.admin.updateThread(thread.id, { name: "Ropes and knots" });
    sandbox.admin.updateThread(thread.id, { archived: true });
    sandbox.admin.deleteChannel(thread.id);
    expect(await client.seen.find("thread-create")).toMatchObject({ id: thread.id, name: "Ropes", isArchived: false });
    const joined = await client.seen.find("thread-members");
    expect(joined).toMatchObject({ id: thread.id, added: [sandbox.as("mark").id], removed: [] });
    await client.seen.find("thread-update", ({ name }) => name === "Ropes and knots");
    await client.seen.find("thread-update", ({ isArchived }) => isArchived === true);
    expect(await client.seen.find("thread-delete")).toMatchObject({ id: thread.id });
  });

  it("exclude a private thread from bots that are not in it and do not manage threads", async () => {
    const { sandbox, client } = await arrive();
    sandbox.admin.setRoles("earshot", []);
    const thread = sandbox.as("sarah").openThread({ in: "general", isPrivate: true }, "A gift");
    sandbox.as("sarah").say(thread.id, "do not tell");
    sandbox.as("sarah").say("general", "nothing going on");
    await client.seen.find("message", ({ content }) => content === "nothing going on");
    expect(client.seen.of("thread-create")).toEqual([]);
    expect(client.seen.of("message")).toHaveLength(1);
    sandbox.as("sarah").bringIntoThread(thread.id, "earshot");
    expect(await client.seen.find("thread-create")).toMatchObject({ id: thread.id, name: "A gift" });
    sandbox.as("sarah").say(thread.id, "now you know");
    await client.seen.find("message", ({ content }) => content === "now you know");
  });

  it("produce events for roles created, changed and deleted", async () => {
    const { sandbox, client } = await arrive();
    const { id } = sandbox.admin.createRole({ name: "Cook" });
    sandbox.admin.updateRole("Cook", { name: "Chef" });
    sandbox.admin.deleteRole(id);
    expect(await client.seen.find("role-create")).toMatchObject({ id, name: "Cook" });
    expect(await client.seen.find("role-update", ({ name }) => name === "Chef")).toMatchObject({ id });
    expect(await client.seen.find("role-delete")).toMatchObject({ id });
  });

  it("produce events for members who join, change and leave", async () => {
    const { sandbox, client } = await arrive();
    const wren = sandbox.admin.createPerson("wren", "Wren");
    sandbox.admin.addMember("wren");
    expect(await client.seen.find("member-add")).toEqual({ kind: "member-add", userId: wren });
    await client.api.guilds.getMember(sandbox.community.guild.id, wren);
    sandbox.admin.setRoles("wren", ["crew"]);
    sandbox.admin.updateMember("wren", { nick: "Jenny" });
    const crew = sandbox.community.roles.get("crew");
    await client.seen.find("member-update", ({ userId, roles }) => userId === wren && roles.join() === crew);
    await client.seen.find("member-update", ({ userId, nick }) => userId === wren && nick === "Jenny");
    sandbox.admin.removeMember("wren");
    expect(await client.seen.find("member-remove")).toEqual({ kind: "member-remove", userId: wren });
  });

  it("produce events for changes of the guild, and for an outage and its end", async () => {
    const { sandbox, client } = await arrive();
    const { id } = sandbox.community.guild;
    sandbox.admin.updateGuild({ name: "Long Quay" });
    expect(await client.seen.find("guild-update")).toEqual({ kind: "guild-update", id, name: "Long Quay" });
    sandbox.admin.setGuildAvailable(false);
    expect(await client.seen.find("guild-unavailable")).toEqual({ kind: "guild-unavailable", id });
    sandbox.admin.setGuildAvailable(true);
    expect(await client.seen.find("guild-available")).toEqual({ kind: "guild-available", id });
  });

  it("are removed when the bot is removed, and return when it is invited again", async () => {
    const { sandbox, client } = await arrive();
    const { id } = sandbox.community.guild;
    sandbox.admin.removeMember("earshot");
    expect(await client.seen.find("guild-left")).toEqual({ kind: "guild-left", id });
    sandbox.as("sarah").say("general", "it left");
    sandbox.admin.addMember("earshot");
    await client.seen.find("guild-available");
    sandbox.as("sarah").say("general", "it is back");
    await client.seen.find("message", ({ content }) => content === "it is back");
    expect(client.seen.of("message").some(({ content }) => content === "it left")).toBe(false);
  });

  it("are removed when the guild is deleted", async () => {
    const { sandbox, client } = await arrive();
    const { id } = sandbox.community.guild;
    sandbox.admin.deleteGuild();
    expect(await client.seen.find("guild-left")).toEqual({ kind: "guild-left", id });
    await expect(client.api.guilds.get(id)).rejects.toMatchObject({ code: 10004 });
  });

  it("produce no events for a bot without the intent", async () => {
    const { sandbox, client } = await arrive({}, { intents: 1 });
    sandbox.as("sarah").say("general", "unheard");
    sandbox.admin.createRole({ name: "Cook" });
    // What was said before it would have come before it.
    await client.seen.find("role-create");
    expect(client.seen.of("message")).toEqual([]);
  });
});
