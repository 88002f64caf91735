import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MessageId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import type { HistoryPage, HistoryRead } from "../../ports/discord.ts";
import { readWanted } from "./fresh-reads.ts";

const said = (id: number) =>
  ({ message_id: String(id), author: { id: id % 3 === 0 ? "mark" : "ann" } }) as never as Message;

/** Discord's pages of a channel. */
function pageOf(ids: readonly number[], { limit, before, after }: HistoryPage): HistoryRead {
  const sorted = ids.toSorted((a, b) => b - a);
  const within = sorted.filter((id) => (!before || id < Number(before)) && (!after || id > Number(after)));
  const page = after ? within.slice(-limit) : within.slice(0, limit);
  return { messages: page.map(said), isFull: page.length >= limit };
}

const isWanted = ({ author }: Message) => author.id !== ("mark" as never);

describe("a page of history without the messages of some people", () => {
  it("is the same as if those people had written nothing", async () => {
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 400 }), { maxLength: 300 });
    const bound = fc.constantFrom("before", "after", "around", null);
    await fc.assert(
      fc.asyncProperty(ids, fc.integer({ min: 1, max: 100 }), bound, fc.nat(400), async (all, limit, kind, at) => {
        const page = { limit, ...(kind && { [kind]: String(at) as MessageId }) } as HistoryPage;
        const read = (list: readonly number[]) =>
          readWanted(page, { fetch: async (next) => pageOf(list, next), isWanted });
        const theirs = await read(all);
        expect(theirs).toEqual(await read(all.filter((id) => id % 3 !== 0)));
        expect(theirs.messages.length).toBeLessThanOrEqual(limit);
        if (kind !== "around")
          expect(theirs).toEqual(
            pageOf(
              all.filter((id) => id % 3 !== 0),
              page,
            ),
          );
      }),
    );
  });

  it("takes one request where nobody is left out, and a bounded number where everything is left out", async () => {
    let asked = 0;
    const fetch = async (page: HistoryPage): Promise<HistoryRead> => {
      asked += 1;
      const first = page.before === undefined ? 9_000_000 : Number(page.before) - 3;
      return { messages: Array.from({ length: page.limit }, (_, n) => said(first - 3 * n)), isFull: true };
    };
    expect(await readWanted({ limit: 50 }, { fetch, isWanted: () => true })).toMatchObject({ isFull: true });
    expect(asked).toBe(1);
    expect(await readWanted({ limit: 50 }, { fetch, isWanted: () => false })).toEqual({ messages: [], isFull: true });
    expect(asked).toBe(11);
  });
});
