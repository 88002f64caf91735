import type { UnreadBytes } from "../kit/unread-bytes.ts";

/** The destination of an answer, as in Node's response. */
export interface Outgoing {
  readonly writableLength: number;
  /** The client has disconnected. */
  readonly destroyed: boolean;
  destroy(): void;
  once(event: "close", listener: () => void): void;
}

/** Wraps an answer to count its unread bytes. The library's stream is consumed at once, without waiting for the reader. */
export function watchAnswer(
  answer: Response,
  { client, outgoing, unread }: { readonly client: string; readonly outgoing: Outgoing; readonly unread: UnreadBytes },
): Response {
  if (!answer.body || outgoing.destroyed) return answer;
  const reader = answer.body.getReader();
  let queuedBytes = () => 0;
  const watched = unread.watch(client, {
    unreadBytes: () => queuedBytes() + outgoing.writableLength,
    drop: () => outgoing.destroy(),
  });
  outgoing.once("close", watched.remove);

  async function pass(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        controller.enqueue(value);
        // By then it is written to the socket, unless that is full.
        setImmediate(watched.check);
      }
      controller.close();
    } catch (error) {
      controller.error(error);
    }
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        queuedBytes = () => -(controller.desiredSize ?? 0);
        void pass(controller);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
  return new Response(body, { status: answer.status, headers: answer.headers });
}
