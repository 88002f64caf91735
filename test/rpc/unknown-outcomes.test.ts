import { expect, it } from "vitest";
import { until } from "../support/edge.ts";
import { openFullRpc } from "../support/full-rpc.ts";
import { connectRaw } from "../support/raw-rpc.ts";
import { openTestSandbox } from "../support/sandbox.ts";

it("a send that is cancelled in flight is answered outcome_unknown, and its repetition finds the message", async () => {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const server = await openFullRpc(sandbox);
  const rpc = await connectRaw(server);
  const general = sandbox.community.channels.get("general") ?? "";
  const opened = await rpc.call("operation.open", { actor: sandbox.as("sarah").id, channel_id: general });
  const operation_id = (opened as { value: { operation_id: string } }).value.operation_id;
  const said = () =>
    [...(sandbox.world.channels.get(general)?.messages ?? [])].filter(
      ({ authorId }) => authorId === server.edge.discord.botId,
    );
  const payload = { method: "discord.send", args: { channel_id: general, text: "once" }, operation_id };
  let isServed = false;
  const isSend = (line: string) => {
    if (!line.startsWith("POST /channels")) return false;
    isServed = true;
    return true;
  };
  sandbox.faults.slowRest({ match: isSend, ms: 400 });
  rpc.send({ id: "send", op: "rpc/call", payload });
  await until(() => isServed, "the message did not leave");
  rpc.send({ id: "stop", op: "rpc/cancel", payload: { call: "send" } });
  const answer = await rpc.find(({ op, reply_to }) => op === "rpc/ret" && reply_to === "send");
  expect(answer.payload).toMatchObject({ ok: false, error: { code: "outcome_unknown" } });
  await until(() => said().length === 1, "the sandbox did not serve it");
  expect(await rpc.call("discord.send", payload.args, operation_id)).toMatchObject({ ok: true });
  expect(said()).toHaveLength(1);
});
