import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import { attack, type TraceOptions, traces } from "../support/adversary.ts";
import { assertUntil } from "../support/assert-until.ts";
import { describeMessage } from "../support/describe-world.ts";
import { openInProcess } from "../support/in-process.ts";
import { BOT } from "../support/plain-world.ts";
import { canary, messageId } from "../support/random-community.ts";
import { ADA, GUILD, PLACE, smallWorld } from "../support/small-world.ts";
import { type Counts, NO_COUNTS } from "../support/watched-operations.ts";

async function holds(options: TraceOptions, numRuns: number): Promise<void> {
  const sum: Counts = { ...NO_COUNTS };
  const harmless = fc.asyncProperty(traces, async (trace) => {
    const { violations, counts } = await attack(trace, options);
    for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += counts[name];
    expect(violations).toEqual([]);
  });
  // A model that gets nowhere does no harm either.
  const expectEnough = () => {
    expect(sum.calls).toBeGreaterThan(numRuns * 5);
    expect(Math.min(sum.answers, sum.told)).toBeGreaterThan(numRuns / 2);
    expect(sum.departures).toBeGreaterThan(numRuns / 40);
    expect(sum.confirmed).toBeGreaterThan(0);
    expect(sum.prompts).toBeGreaterThan(0);
    expect(sum.documents).toBeGreaterThan(numRuns / 10);
    expect(sum.progress).toBeGreaterThan(numRuns / 10);
    if (options.twists !== "rights") return;
    expect(sum.events).toBeGreaterThan(numRuns);
    // Seldom, and so not waited for everywhere.
    expect(sum.changed).toBeGreaterThan(0);
  };
  await assertUntil(harmless, expectEnough, { numRuns });
}

/** It takes a while where others work as well. */
vi.setConfig({ testTimeout: 240_000 });

describe("a hostile model", () => {
  it("reads nothing that its audience may not know, and has no effect that nobody allowed", async () => {
    await holds({ twists: "none" }, 20);
  });

  it("gains nothing when permissions change during a call", async () => {
    await holds({ twists: "rights" }, 45);
  });

  it("repeats nothing that was deleted while the server was unreachable", async () => {
    await holds({ twists: "outages" }, 20);
  });

  it("cannot use content of an event in another operation of a confined client", async () => {
    const test = openInProcess(smallWorld());
    const client = { name: "confined", grant: { ...OPERATOR_GRANT, events: "addressed" as const, confined: true } };
    const said = { id: messageId(200), authorId: ADA, edited: false, replyTo: null, file: false };
    const content = `<@${BOT}> ${canary.text(PLACE.staff)}`;
    const told: unknown[] = [];
    const stop = test.discord.listen((event) => told.push(test.clientEvents.toClientEvent(event, client)?.payload));
    const raw = describeMessage(test.world, PLACE.staff, { ...said, content });
    test.tell("MESSAGE_CREATE", { ...raw, guild_id: GUILD, mentions: [{ id: BOT }] });
    stop();
    expect(JSON.stringify(told)).toContain(canary.text(PLACE.staff));
    const request = { actor: ADA, channelId: PLACE.general } as never;
    const operation = await test.operations.open(client, request);
    const args = { channel_id: PLACE.general, text: canary.text(PLACE.staff) };
    await expect(test.gate.callTool({ name: "discord.send", args, operation })).rejects.toMatchObject({
      code: "forbidden",
    });
    expect(test.departures).toEqual([]);
    await test.close();
  });
});
