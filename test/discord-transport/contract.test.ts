import { randomUUID } from "node:crypto";
import { expect, onTestFinished } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import { openCommands } from "../../src/transports/discord/commands.ts";
import { describeTransport } from "../../src/transports/kit/contract.suite.ts";
import { createTestPrivacy } from "../support/consent.ts";
import { openContractWorld } from "../support/contract-world.ts";
import { until } from "../support/edge.ts";
import { openTestGate } from "../support/gate.ts";

/** An answer that begins with none of these says that something failed. */
const ANSWERS = /^(Found for|Nothing found for|What was said in|Nothing new in)/;
const NO_CANCEL = "Discord has no way to cancel a command";

/** Sarah uses commands in the general channel. */
describeTransport("Discord's commands", {
  async open(server = {}) {
    const world = await openContractWorld(server);
    const { sandbox, general, channel } = world;
    const { gate, operations, edge, erasePerson, ownMemory, sharedMemory, mentions, consent } = await openTestGate(
      sandbox,
      world.gateOptions,
    );
    let running = 0;
    const commands = openCommands({
      discord: edge.discord,
      gate: {
        async callTool(call) {
          running += 1;
          return gate.callTool(call).finally(() => {
            running -= 1;
          });
        },
      },
      operations,
      privacy: createTestPrivacy(),
      erasePerson,
      ownMemory,
      sharedMemory,
      mentions,
      consent,
      timeZone: "UTC",
      clock: { now: () => Date.now() },
      log: world.log,
      mintId: randomUUID,
      timeoutMs: server.limits?.callMs ?? 60_000,
    });
    onTestFinished(() => commands.close());
    await commands.offered;
    const fixture = world.toFixture({
      connect: async () => ({
        list: async () => [],
        async call({ tool, args }) {
          const run = sandbox.as("sarah").run(tool, args as Record<string, string>, { in: "general" });
          const isThere = () =>
            [...run.ephemeral.values()].find(({ content }) => content !== "" && !content.startsWith("Looked at"));
          const { content } = await until(isThere, "no answer");
          if (!ANSWERS.test(content)) throw new EarshotError("internal", content);
          return content;
        },
        close: async () => {},
      }),
      running: () => running,
    });
    const find = (more: Record<string, string>) => ({ tool: "find", args: { query: "line", ...more } });
    return {
      ...fixture,
      readable: { ...find({}), value: expect.stringContaining("line 49") },
      hidden: find({ in: channel("staff-room") }),
      absent: find({ in: "1" }),
      wrong: { ...find({ since: "blue" }), wrongField: "time" },
      uncached: { tool: "catchup", args: { since: "2 hours", in: general } },
    };
  },
  cannot: {
    codes: "people read sentences",
    list: "Discord lists the same commands to everybody",
    scope: "people are not granted scopes",
    many: "a person may have three commands running",
    unknown_tool: "Discord sends only commands that are registered",
    progress: NO_CANCEL,
    cancel: NO_CANCEL,
    cancelled_before: NO_CANCEL,
    close: "a person has no connection that could be closed",
    confirmation: "a command answers the person alone, or where it was given",
  },
});
