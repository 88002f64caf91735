import "./fast-clock.ts";
import { openSandbox, sampleCommunity } from "../sandbox/index.ts";

/** The sandbox for `kept.ts`: says what it is sent, and answers with the message's id. */
const PEOPLE = ["sarah", "mark", "grace", "omar", "anjali", "fatima", "lena", "rosa", "nadia", "wren"];
const sandbox = await openSandbox({ community: sampleCommunity(), rateLimits: false });
process.on("message", ({ index, text }: { index: number; text: string }) => {
  process.send?.(sandbox.as(PEOPLE[index % PEOPLE.length] ?? "sarah").say("general", text).id);
});
process.send?.({ api: sandbox.api, token: sandbox.token });
