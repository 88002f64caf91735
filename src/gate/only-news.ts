import type { Progress } from "../ports/timelines.ts";

/**
 * Skips reports equal to the previous one, and the first ones while nothing was examined: how many there are depends on messages that are left
 * out, such as those of people who opted out.
 */
export function onlyNews(tell: (progress: Progress) => void): (progress: Progress) => void {
  let last: Progress | null = null;
  return (progress) => {
    const { scanned, scan, found } = progress;
    if (!last && scanned === 0) return;
    if (last && last.scanned === scanned && last.scan === scan && last.found === found) return;
    last = progress;
    tell(progress);
  };
}
