import { generateCommunity, openSandbox } from "../sandbox/index.ts";

/** A sandbox in a process of its own: tells its address, then says so many things, as fast as it can, whenever it is told a number. */
const sandbox = await openSandbox({ community: generateCommunity({ seed: 1, messages: 100 }), rateLimits: false });
const speaker = sandbox.as("p0");

process.on("message", (count: number) => {
  let left = count;
  const speak = () => {
    for (let batch = 0; batch < 500 && left > 0; batch += 1, left -= 1)
      speaker.say("c0", `message ${left}: the tide table for tomorrow is on the board by the fuel dock`);
    if (left > 0) setImmediate(speak);
  };
  speak();
});
process.send?.({ api: sandbox.api, token: sandbox.token });
