import { expect, it } from "vitest";
import { sampleCommunity } from "../../sandbox/index.ts";
import { openTestGate } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";

it.each(["project deadline", "when is the deadline?"])(
  "in the sample community, %s is answered by the message that tells the day, not by one that only has the word",
  async (query) => {
    const { call } = await openTestGate(await openTestSandbox({ community: sampleCommunity(), rateLimits: false }));
    const found = await call("search_messages", { query, scan: 10_000 }, { as: "mark", in: "general" });
    const { hits } = found as { hits: { message: { content: string } }[] };
    expect(hits.slice(0, 2).map(({ message }) => /deadline.*26th/su.test(message.content))).toEqual([true, true]);
  },
);
