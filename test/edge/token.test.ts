import { expect, it } from "vitest";
import type { ChannelId } from "../../src/domain/ids.ts";
import { openTestEdge, until } from "../support/edge.ts";
import { openProxy } from "../support/proxy.ts";
import { openTestSandbox } from "../support/sandbox.ts";

it("the edge reports a refused token, probes with one request at a time, and recovers when Discord accepts the token", async () => {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const proxy = await openProxy(sandbox);
  const probes: { ms: number; go: () => void }[] = [];
  const edge = await openTestEdge(
    { ...sandbox, api: proxy.api },
    { delay: (ms) => new Promise<void>((go) => probes.push({ ms, go })) },
  );
  const { discord } = edge;
  const general = sandbox.community.channels.get("general") as ChannelId;
  const read = () => discord.history(general, { limit: 1 });
  expect(discord.state).toBe("ready");
  sandbox.faults.failRest({ status: 401, times: 2 });
  const refused = { code: "misconfigured", message: expect.stringContaining("no longer accepts the bot token") };
  await expect(read()).rejects.toMatchObject(refused);
  expect(discord.state).toBe("token_refused");
  await edge.find("connection", ({ state }) => state === "token_refused");
  const asked = proxy.requests.length;
  await expect(read()).rejects.toMatchObject(refused);
  await expect(discord.send(general, { text: "hello", mentions: [] })).rejects.toMatchObject(refused);
  expect(proxy.requests).toHaveLength(asked);
  // The first probe is refused too.
  probes[0]?.go();
  await until(() => probes.length === 2, "no second probe is planned");
  expect(probes.map(({ ms }) => ms)).toEqual([600_000, 600_000]);
  expect(proxy.requests).toHaveLength(asked + 1);
  await expect(read()).rejects.toMatchObject(refused);
  probes[1]?.go();
  await until(() => edge.of("connection").at(-1)?.state === "ready", "the token was not accepted again");
  expect(discord.state).toBe("ready");
  await read();
});

it("the edge does not take an expired interaction for a refused token", async () => {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const edge = await openTestEdge(sandbox);
  const { discord } = edge;
  const said = await discord.send(sandbox.community.channels.get("general") as ChannelId, {
    text: "press",
    mentions: [],
    buttons: [{ id: "b:1", label: "B" }],
  });
  const answer = Promise.withResolvers<unknown>();
  discord.listenForPresses("b", (press) => {
    sandbox.faults.failRest({ match: "/callback", status: 401 });
    press.hold().then(answer.resolve, answer.resolve);
  });
  sandbox.as("sarah").click(said.message_id, "b:1");
  expect(await answer.promise).toMatchObject({ code: "not_found" });
  expect(discord.state).toBe("ready");
});
