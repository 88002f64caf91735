/** Reads the JSON lines of a stream as they are asked for; null at the end. */
export function readLines<Line>(response: Response): () => Promise<Line | null> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return async () => {
    while (!text.includes("\n")) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) return null;
      text += value;
    }
    const end = text.indexOf("\n");
    const line = JSON.parse(text.slice(0, end)) as Line;
    text = text.slice(end + 1);
    return line;
  };
}
