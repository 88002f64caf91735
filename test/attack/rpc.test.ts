import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { RecentCommands } from "../../src/transports/discord/recent-commands.ts";
import { until } from "../support/edge.ts";
import { openFullRpc } from "../support/full-rpc.ts";
import { openTestSandbox } from "../support/sandbox.ts";

async function connect(url: string, token: string) {
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
  const frames: { op: string; payload: { content?: string } }[] = [];
  socket.on("message", (data) => frames.push(JSON.parse(String(data))));
  onTestFinished(() => socket.terminate());
  await once(socket, "open");
  await until(() => frames.find(({ op }) => op === "event/hello"), "no hello");
  return { socket, frames };
}

describe("an event with its context window:", () => {
  it.each(["deleted", "edited", "out of sight"])(
    "a message that is %s while its window is fetched is not pushed as it was",
    async (how) => {
      const sandbox = await openTestSandbox({ rateLimits: false });
      const server = await openFullRpc(sandbox);
      const { frames } = await connect(`${server.url}?context=window`, server.token("brain", { events: "addressed" }));
      sandbox.faults.slowRest({ match: /GET .*\/messages/, ms: 1_500, times: 5 });
      const sarah = sandbox.as("sarah");
      const said = sarah.say("general", `<@${server.edge.discord.botId}> my password is swordfish`);
      await server.edge.find("message", ({ message }) => message.message_id === said.id);
      await sleep(200);
      if (how === "deleted") sarah.delete(said);
      else if (how === "edited") sarah.edit(said, `<@${server.edge.discord.botId}> never mind`);
      else sandbox.admin.setOverwrite("general", "helper", { deny: ["ViewChannel"] });
      const kind = how === "deleted" ? "message_delete" : how === "edited" ? "message_update" : "access_lost";
      await server.edge.find(kind as "access_lost");
      const before = frames.length;
      await sleep(3_000);
      const pushed = frames.slice(before).filter(({ op }) => op === "event/discord.message");
      expect(JSON.stringify(pushed)).not.toContain("swordfish");
    },
  );
});

describe("what others do", () => {
  it("one person's commands do not take the buttons from another's answer", () => {
    let minted = 0;
    const recent = new RecentCommands({ now: () => 0 }, () => `q${++minted}`);
    const asked = (userId: string) =>
      ({
        invocation: { userId, channelId: "1", guildId: "2" },
        request: { kind: "find", query: "x" },
        cursor: "c",
        shown: [],
      }) as never;
    const mine = recent.add(asked("sarah"));
    for (let index = 0; index < 2_000; index += 1) recent.add(asked("mallory"));
    expect(recent.find(mine, "sarah")).not.toBeNull();
  });
});
