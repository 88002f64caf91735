import { openSandbox, sampleCommunity } from "../sandbox/index.ts";

/** The sandbox for `slow-disk.ts`: says what it is sent, and answers with the milliseconds until the bot has replied. */
const PEOPLE = ["sarah", "mark", "grace", "omar", "anjali", "fatima", "lena", "rosa", "nadia", "wren"];
let saidAt = 0;
const sandbox = await openSandbox({
  community: sampleCommunity(),
  rateLimits: false,
  onResponse: ({ method, path }) => {
    if (method === "POST" && path.endsWith("/messages")) process.send?.(performance.now() - saidAt);
  },
});
process.on("message", ({ index, text }: { index: number; text: string }) => {
  saidAt = performance.now();
  sandbox.as(PEOPLE[index % PEOPLE.length] ?? "sarah").say("general", text);
});
process.send?.({ api: sandbox.api, token: sandbox.token });
