import { PermissionFlagsBits } from "discord-api-types/v10";
import type { World } from "../world/world.ts";
import { allows, OPERATOR, type Place, permissionsIn } from "./access.ts";
import { announceThread } from "./announce-thread.ts";
import { threadLocked } from "./errors.ts";
import { addToThread } from "./thread-members.ts";

/** Sending in a thread unarchives it and makes the author a member. In a locked one only moderators may send. */
export function enterThreadBySpeaking(world: World, actor: string, place: Place): void {
  const { thread } = place.channel;
  if (!thread) return;
  const moderates = allows(permissionsIn(world, place, actor), PermissionFlagsBits.ManageThreads);
  if (thread.locked && !moderates) throw threadLocked();
  if (thread.archived) {
    thread.archived = false;
    thread.archivedAt = world.clock.now();
    announceThread(world, "THREAD_UPDATE", place.channel);
  }
  if (actor !== OPERATOR && !thread.members.has(actor)) addToThread(world, place.channel, actor);
}
