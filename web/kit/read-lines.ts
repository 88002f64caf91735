/** The JSON values of a stream that has one each line, as they arrive. */
export async function* readLines<Line>(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Line> {
  let rest = "";
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line) as Line;
  }
}
