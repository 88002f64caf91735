import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** How every answer of the model ends. */
export const LAST_WORDS = "That is all.";

/** Looked up in the first step, the first alone or all three at once. */
const CALLS = [
  { name: "search_messages", args: (count: number) => ({ query: `tide board ${count % 7}` }) },
  { name: "search_user_messages", args: (count: number) => ({ user_name: "Mark", query: `keel ${count % 5}` }) },
  { name: "get_recent_messages", args: () => ({}) },
];

export interface InstantModel {
  readonly url: string;
  /** Milliseconds from the end of an answer with calls to the arrival of their results, as long as one is asked at a time. */
  readonly gaps: readonly number[];
  close(): Promise<void>;
}

/** An OpenAI-compatible server on loopback that answers at once: first with so many calls, then with words. */
export async function openInstantModel(calls: 1 | 3): Promise<InstantModel> {
  const gaps: number[] = [];
  let count = 0;
  let answeredAt = 0;
  const server = createServer(async (incoming, outgoing) => {
    const arrivedAt = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: { role: string }[] };
    const hasResults = messages.some(({ role }) => role === "tool");
    if (hasResults) gaps.push(arrivedAt - answeredAt);
    else count += 1;
    const delta = hasResults ? { content: `It was said [m1]. ${LAST_WORDS}` } : { tool_calls: toCalls(calls, count) };
    const events = [
      { choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: hasResults ? "stop" : "tool_calls" }] },
      { choices: [], usage: { prompt_tokens: 4_000, completion_tokens: 20, total_tokens: 4_020 } },
    ].map((event) => `data: ${JSON.stringify(event)}\n\n`);
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    outgoing.end(`${events.join("")}data: [DONE]\n\n`);
    answeredAt = performance.now();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    gaps,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function toCalls(calls: number, count: number) {
  return CALLS.slice(0, calls).map(({ name, args }, index) => ({
    index,
    id: `call-${count}-${index}`,
    type: "function",
    function: { name, arguments: JSON.stringify(args(count)) },
  }));
}
