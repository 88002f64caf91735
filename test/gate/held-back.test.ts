import { expect, it } from "vitest";
import { openTestGate } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const ABSENT = "1300000000000000001";

it("a channel named by its id is unavailable, hidden or absent alike, while Discord must not be asked because it refused too much", async () => {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const test = await openTestGate(sandbox, { refusals: { optional: 1, all: 100 } });
  const hidden = sandbox.community.channels.get("staff-room") ?? "";
  const operation = await test.open("sarah", "general");
  const read = (channel_id: string) =>
    test.gate.callTool({ name: "discord.channel.messages", args: { channel_id }, operation }).then(
      () => "read",
      ({ code, message }) => `${code}: ${message}`,
    );
  const open = (channel: string) =>
    test.open("sarah", channel).then(
      () => "opened",
      ({ code, message }) => `${code}: ${message}`,
    );
  for (const ask of [read, open])
    for (const id of [hidden, ABSENT]) expect(await ask(id)).toMatch(/^not_found: There is no such channel/);
  sandbox.faults.failRest({ match: "/messages", status: 403, times: 1 });
  expect(await read(sandbox.community.channels.get("general") ?? "")).not.toBe("read");
  for (const ask of [read, open])
    for (const id of [hidden, ABSENT])
      expect(await ask(id)).toBe(
        "unavailable: Discord cannot be asked about the server at the moment; try again later.",
      );
  expect(await open("general")).toBe("opened");
});
