import { expect, it, onTestFinished } from "vitest";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { Progress } from "../../src/ports/timelines.ts";
import { openInProcess } from "../support/in-process.ts";
import { messageId } from "../support/random-community.ts";
import { ADA, PLACE, smallWorld } from "../support/small-world.ts";
import * as twists from "../support/twists.ts";

/** A channel of several pages, in which Ada looks for what is not there. */
async function lookFar(onProgress: (progress: Progress, loseRole: () => void) => void) {
  const world = smallWorld();
  const talk = Array.from({ length: 350 }, (_, index) => ({
    id: messageId(100 + index),
    authorId: ADA,
    content: `post ${index}`,
    edited: false,
    replyTo: null,
    file: false,
  }));
  world.messages.set(PLACE.staff, talk);
  const test = openInProcess(world);
  onTestFinished(() => test.close());
  const request = { actor: ADA, channelId: PLACE.letters } as never;
  const operation = await test.operations.open({ name: "test", grant: OPERATOR_GRANT }, request);
  const [guild] = world.guilds;
  const loseRole = () => guild && twists.setRoles(test, guild, { id: ADA, roles: [] });
  return test.gate.callTool({
    operation,
    name: "discord.search.window",
    args: { channel_id: PLACE.staff, query: "nothing" },
    wantsText: false,
    onProgress: (progress) => onProgress(progress, loseRole),
  });
}

it("a long read reports progress at every hundredth message", async () => {
  const told: number[] = [];
  await lookFar(({ scanned }) => told.push(scanned));
  expect(told).toEqual([100, 200, 300]);
});

it("a long read reports no more progress once the actor may no longer read the channel", async () => {
  const told: number[] = [];
  const looking = lookFar(({ scanned }, loseRole) => {
    told.push(scanned);
    loseRole();
  });
  await expect(looking).rejects.toMatchObject({ code: "not_found" });
  expect(told).toEqual([100]);
});
