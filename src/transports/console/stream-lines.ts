/** A reader with more unread bytes misses lines until it has caught up. */
const MAX_UNREAD_BYTES = 1_048_576;

/**
 * JSON, one value per line, until the signal aborts: the session has ended, or the reader has left. `start` gets a function that writes a
 * line (false if the reader misses it), and returns the function that stops it.
 */
export function streamLines<Line>(
  signal: AbortSignal,
  start: (write: (line: Line) => boolean) => readonly (() => void)[],
): Response {
  const encoder = new TextEncoder();
  const stops: (() => void)[] = [];
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const write = (line: Line) => {
          if ((controller.desiredSize ?? 0) <= 0) return false;
          controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
          return true;
        };
        stops.push(...start(write));
        signal.addEventListener("abort", () => {
          if (stops.length > 0) controller.close();
          stop();
        });
      },
      cancel: stop,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNREAD_BYTES }),
  );
  function stop(): void {
    for (const each of stops.splice(0)) each();
  }
  return new Response(body, { headers: { "content-type": "application/x-ndjson" } });
}
