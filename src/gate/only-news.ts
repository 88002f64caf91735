import type { Progress } from "../ports/timelines.ts";

/** Passes on what differs from what was told last. How often nothing has changed depends on what is not told of, such as what some have opted out of. */
export function onlyNews(tell: (progress: Progress) => void): (progress: Progress) => void {
  let last: Progress | null = null;
  return (progress) => {
    const { scanned, scan, found } = progress;
    if (last && last.scanned === scanned && last.scan === scan && last.found === found) return;
    last = progress;
    tell(progress);
  };
}
