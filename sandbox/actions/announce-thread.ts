import { toApiChannel } from "../render/channels.ts";
import type { ChannelRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { announceIn } from "./announce.ts";

/** A thread as each listener sees it: with `member` where that listener is in it. */
export function announceThread(
  world: World,
  type: "THREAD_CREATE" | "THREAD_UPDATE",
  thread: ChannelRecord,
  more: { newly_created?: true } = {},
): void {
  announceIn(world, thread, type, (listenerId: string) => ({ ...toApiChannel(world, thread, listenerId), ...more }));
}
