/** Thrown when a body is longer than its maximum. */
export class BodyTooLongError extends Error {}

/** Calls `onBytes` for each chunk, and throws `BodyTooLongError` once there are more than `maxBytes`. */
export async function* limitBytes(
  body: AsyncIterable<Uint8Array>,
  { maxBytes, onBytes }: { readonly maxBytes: number; readonly onBytes?: () => void },
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of body) {
    onBytes?.();
    total += chunk.length;
    if (total > maxBytes) throw new BodyTooLongError();
    yield chunk;
  }
}

/**
 * The data of each server-sent event. A server that answers with plain JSON instead of a stream is read as if it had sent the same as one event,
 * followed by `[DONE]`. An event of the type `error` is read as `{"error":true}`, whatever its data.
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let isJson: boolean | undefined;
  let json = "";
  let data: string[] = [];
  let isError = false;
  const takeEvent = () => {
    const event = isError ? '{"error":true}' : data.join("\n");
    [data, isError] = [[], false];
    return event;
  };
  for await (const line of readLines(body)) {
    if (isJson === undefined && line.trim() !== "") isJson = /^\s*[{[]/.test(line);
    if (isJson) json += `${line}\n`;
    else if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
    else if (/^event: ?error$/.test(line)) isError = true;
    else if (line === "" && data.length > 0) yield takeEvent();
  }
  // Some servers leave out the empty line after the last event.
  if (data.length > 0) yield takeEvent();
  if (isJson) yield* [json, "[DONE]"];
}

async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  // Also drops a byte order mark.
  const decoder = new TextDecoder();
  let line = "";
  let endsWithReturn = false;
  for await (const chunk of body) {
    let text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    if (endsWithReturn && text.startsWith("\n")) text = text.slice(1);
    endsWithReturn = text.endsWith("\r");
    const [first = "", ...others] = text.split(/\r\n|\r|\n/);
    line += first;
    for (const other of others) {
      yield line;
      line = other;
    }
  }
  line += decoder.decode();
  if (line !== "") yield line;
}
