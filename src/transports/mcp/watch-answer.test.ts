import { once } from "node:events";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { UnreadBytes } from "../kit/unread-bytes.ts";
import { watchAnswer } from "./watch-answer.ts";

class CountedUnreadBytes extends UnreadBytes {
  watched = 0;

  override watch(...given: Parameters<UnreadBytes["watch"]>): ReturnType<UnreadBytes["watch"]> {
    const watched = super.watch(...given);
    this.watched += 1;
    return {
      ...watched,
      remove: () => {
        this.watched -= 1;
        watched.remove();
      },
    };
  }
}

/** A request that the test answers, with both of its ends. */
async function arrive() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const asking = get(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  asking.on("error", () => undefined);
  const [, outgoing] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
  const unread = new CountedUnreadBytes(1_000);
  return {
    asking,
    outgoing,
    unread,
    watch: (answer: Response) => watchAnswer(answer, { client: "a", outgoing, unread }),
  };
}

describe("an answer over HTTP", () => {
  it("arrives as it was given, and is watched until it has been written", async () => {
    const { asking, outgoing, unread, watch } = await arrive();
    const answer = watch(new Response("hello", { status: 201, headers: { "x-kind": "test" } }));
    expect([answer.status, answer.headers.get("x-kind"), unread.watched]).toEqual([201, "test", 1]);
    outgoing.end(await answer.text());
    const [response] = (await once(asking, "response")) as [IncomingMessage];
    expect(await text(response)).toBe("hello");
    await expect.poll(() => unread.watched).toBe(0);
  });

  it("is not watched for a client that has left, whose leaving nobody would tell again", async () => {
    const { asking, outgoing, unread, watch } = await arrive();
    asking.destroy();
    await once(outgoing, "close");
    expect(await watch(new Response("hello")).text()).toBe("hello");
    expect(unread.watched).toBe(0);
  });

  it("ends at its source when the client stops reading it", async () => {
    const { watch } = await arrive();
    const cancelled = Promise.withResolvers<unknown>();
    const answer = watch(new Response(new ReadableStream({ cancel: cancelled.resolve })));
    await answer.body?.cancel("left");
    expect(await cancelled.promise).toBe("left");
  });
});
