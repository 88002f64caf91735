/** What answers at once needs no sign. */
const FIRST_MS = 400;
/** Discord shows it for ten seconds. */
const AGAIN_MS = 8_000;

/** Shows that an answer is being written, from soon on until it is stopped. Returns the way to stop. */
export function startTyping(show: () => Promise<void>): () => void {
  let timer = setTimeout(tick, FIRST_MS);
  let isOver = false;
  function tick(): void {
    // That it could not be shown changes nothing.
    void show().catch(() => undefined);
    timer = setTimeout(tick, AGAIN_MS);
    if (isOver) clearTimeout(timer);
  }
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
