import { describe, expect, it } from "vitest";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { openTestEdge } from "../support/edge.ts";
import { openTestSandbox } from "../support/sandbox.ts";

async function arrive() {
  let opened = 0;
  const sandbox = await openTestSandbox({
    onResponse: ({ method, path }) => {
      if (method === "POST" && path.endsWith("/users/@me/channels")) opened += 1;
    },
  });
  const { discord } = await openTestEdge(sandbox);
  const person = (name: string) => sandbox.community.people.get(name) as UserId;
  const remove = (id: ChannelId) => {
    const channel = sandbox.world.channels.get(id);
    if (channel) sandbox.world.removeChannel(channel);
  };
  return { sandbox, discord, person, remove, opened: () => opened };
}

describe("the DM with a person", () => {
  it("is asked for once, however many operations need it at the same time and later", async () => {
    const { discord, person, opened } = await arrive();
    const [sarah, mark] = [person("sarah"), person("mark")];
    const ids = await Promise.all(Array.from({ length: 30 }, () => discord.openDm(sarah)));
    for (let time = 0; time < 30; time += 1) ids.push(await discord.openDm(sarah));
    expect(new Set(ids).size).toBe(1);
    expect(opened()).toBe(1);
    expect(await discord.openDm(mark)).not.toBe(ids[0]);
    expect(opened()).toBe(2);
  });

  it("is asked for again after a failure", async () => {
    const { sandbox, discord, person, opened } = await arrive();
    sandbox.faults.failRest({ match: "POST /users/@me/channels", status: 404 });
    const failed = await Promise.allSettled([discord.openDm(person("sarah")), discord.openDm(person("sarah"))]);
    expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await discord.openDm(person("sarah"))).toMatch(/^\d+$/);
    expect(opened()).toBe(2);
  });

  it.each(["read", "written to"])(
    "is opened again after Discord did not know its channel when it was %s",
    async (way) => {
      const { discord, person, remove, opened } = await arrive();
      const sarah = person("sarah");
      const before = await discord.openDm(sarah);
      remove(before);
      const use =
        way === "read" ? discord.history(before, { limit: 1 }) : discord.send(before, { text: "Hi", mentions: [] });
      await expect(use).rejects.toMatchObject({ code: "not_found" });
      const after = await discord.openDm(sarah);
      expect(after).not.toBe(before);
      expect(discord.directory.canRead(sarah, before)).toBe(false);
      await discord.send(after, { text: "Hi", mentions: [] });
      expect(opened()).toBe(2);
    },
  );

  it("stays known when the person does not accept messages from the bot", async () => {
    const { sandbox, discord, person, opened } = await arrive();
    const dm = await discord.openDm(person("sarah"));
    sandbox.faults.failRest({ match: /^POST .*messages/, status: 403 });
    await expect(discord.send(dm, { text: "Hi", mentions: [] })).rejects.toMatchObject({ code: "not_found" });
    expect(await discord.openDm(person("sarah"))).toBe(dm);
    expect(opened()).toBe(1);
  });
});
