/**
 * Resolves one waiting caller per callback of `defer`. With `setImmediate` that is one step per round of the event loop, however many calls are
 * running: other work runs in between.
 */
export function createStepQueue(defer: (callback: () => void) => void): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const release = () => {
    waiting.shift()?.();
    if (waiting.length > 0) defer(release);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) defer(release);
    });
}
