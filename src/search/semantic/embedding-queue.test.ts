import { describe, expect, it } from "vitest";
import { channelOf, toMessage } from "../../../test/search/said.ts";
import { Room } from "../../timeline/room.ts";
import { EmbeddingQueue } from "./embedding-queue.ts";
import { type EmbeddedText, Vectors } from "./vectors.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const plenty = {
  of: () => ({ id: channelOf("a"), isPrivate: false, room: new Room() }),
  divide: (total: number) => ({ family: total, privateFamily: 0, maxPrivateFamilies: 0 }),
};

function open() {
  const vectors = new Vectors(100_000, plenty);
  const counts = { atOnce: 0, most: 0 };
  const embedder = {
    id: "test",
    async embed(texts: readonly string[]) {
      counts.atOnce += 1;
      counts.most = Math.max(counts.most, counts.atOnce);
      await new Promise(setImmediate);
      counts.atOnce -= 1;
      return texts.map((text) => Float32Array.of(text.length, 1));
    },
  };
  return { vectors, counts, queue: new EmbeddingQueue(vectors, { embedder, clock: { now: () => 0 }, log: quiet }) };
}

describe("the embedding queue", () => {
  it("embeds every query, however many come at once", async () => {
    const { queue, counts } = open();
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => queue.embedQuery(`query ${index}`)));
    expect(answers.every((vector) => vector !== undefined && vector !== null)).toBe(true);
    expect(counts.most).toBeLessThanOrEqual(8);
  });

  it("embeds all texts of a small request behind a large one", async () => {
    const { queue, vectors } = open();
    const want = (channel: string, count: number): EmbeddedText[] =>
      Array.from({ length: count }, (_, second) => {
        const text = `${channel} ${second % 50}`;
        const embedded: EmbeddedText = {
          message: toMessage({ channel, second, by: "ann", text }),
          text,
          vector: undefined,
        };
        vectors.put(embedded);
        return embedded;
      });
    queue.add(want("a", 12_000));
    const mine = want("b", 100);
    queue.add(mine);
    while (mine.some(({ vector }) => vector === undefined)) await queue.step;
    expect(mine.every(({ vector }) => vector)).toBe(true);
  });
});
