import { expect, it } from "vitest";
import type { Message } from "../../src/index.ts";
import { buildThreadForest, shouldSkipContext } from "../../src/index.ts";

it("programs can put messages into conversations, and see whether somebody wants an answer without context", () => {
  const said = (id: number, replyTo: number | null): Message =>
    ({
      ...{ message_id: String(id), channel_id: "1", author: { id: String(id), name: "Ada", bot: false } },
      ...{ ts: "2026-11-18T10:00:00.000Z", kind: "text", content: "tide", parts: [{ kind: "typed", text: "tide" }] },
      ...{ reply_to: replyTo && { message_id: String(replyTo), state: "known" }, attachments: [] },
    }) as never;
  const threads = buildThreadForest([said(2, 1), said(1, null)]);
  expect(threads.map(({ messages }) => messages.map(({ message_id }) => message_id))).toEqual([["1", "2"]]);
  expect([shouldSkipContext("what is new? 🚫"), shouldSkipContext("what is new?")]).toEqual([true, false]);
});
