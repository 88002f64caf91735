import type { Community, PostPlan } from "../plan.ts";
import { channels } from "./channels.ts";
import { museum } from "./museum.ts";
import { people } from "./people.ts";
import { roles } from "./roles.ts";
import { readScenes } from "./scene.ts";
import { boatNaming } from "./scenes/boat-naming.ts";
import { boatyard } from "./scenes/boatyard.ts";
import { botTalks } from "./scenes/bot-talks.ts";
import { botsCorner } from "./scenes/bots-corner.ts";
import { closedDoors } from "./scenes/closed-doors.ts";
import { commons } from "./scenes/commons.ts";
import { frontDoor } from "./scenes/front-door.ts";
import { generalFirstWeek } from "./scenes/general-first-week.ts";
import { generalSecondWeek } from "./scenes/general-second-week.ts";
import { generalToday } from "./scenes/general-today.ts";
import { helpDesk } from "./scenes/help-desk.ts";
import { machines } from "./scenes/machines.ts";
import { smallRooms } from "./scenes/small-rooms.ts";
import { threads } from "./scenes/threads.ts";
import { tideboard } from "./scenes/tideboard.ts";
import { yard } from "./scenes/yard.ts";

export { type LiveLine, liveTalk } from "./live-talk.ts";

/** Harbourside: a co-operative boatyard with a workshop, a code crew and a few talkative bots, over two weeks, and a small museum next door. */
export function sampleCommunity(): Community {
  return {
    guild: {
      name: "Harbourside",
      description: "A co-operative boatyard, workshop and code crew on the east quay.",
      owner: "grace",
      everyone: ["ChangeNickname", "ReadMessageHistory"],
    },
    people,
    roles,
    channels,
    neighbours: [museum],
    posts: readAll({
      frontDoor,
      generalFirstWeek,
      generalSecondWeek,
      generalToday,
      commons,
      smallRooms,
      boatyard,
      boatNaming,
      yard,
      tideboard,
      helpDesk,
      machines,
      botsCorner,
      botTalks,
      threads,
      closedDoors,
    }),
  };
}

function readAll(scripts: Readonly<Record<string, string>>): PostPlan[] {
  return Object.entries(scripts)
    .flatMap(([source, script]) => readScenes(source, script))
    .sort((one, other) => other.minutesAgo - one.minutesAgo);
}
