import type { Steps } from "../domain/steps/pace.ts";
import type { SearchRequest } from "../ports/search.ts";
import { idAt } from "./index/frame.ts";
import type { PlanDeps } from "./rank/plan.ts";
import { rank } from "./rank/rank.ts";
import type { ChannelScan } from "./snapshot/channel-scan.ts";
import { SearchSnapshot, type SnapshotDeps } from "./snapshot/snapshot.ts";

/** Whether the wanted number of hits, and one more, are newer than everything that has not been looked at: then looking further changes nothing. */
export function* hasNewest(
  {
    query,
    except = [],
    isWanted,
    ...request
  }: Pick<SearchRequest, "query" | "except" | "isWanted"> & { wanted: number },
  scans: readonly ChannelScan[],
  deps: SnapshotDeps & PlanDeps,
): Steps<boolean> {
  const open = scans.filter(({ timeline }) => !timeline.gone);
  const snapshot = yield* SearchSnapshot.open({ scans: open, isGuildSearchOnly: false }, deps);
  try {
    const { candidates } = yield* rank(
      {
        query,
        frames: snapshot.frames,
        here: null,
        channelOf: (frame) => snapshot.channelOf(frame),
        max: request.wanted + 1,
        except: new Set(except.map(BigInt)),
        ...(isWanted && { isWanted }),
      },
      { ...deps, read: (frame, row) => snapshot.read(frame, row) },
    );
    const last = candidates[request.wanted - 1];
    if (!last || candidates.length <= request.wanted) return false;
    const id = idAt(last.frame, last.row);
    return open.every((scan) => scan.isDone || scan.covered.from <= id);
  } finally {
    snapshot.close();
  }
}
