import type { Route } from "../route.ts";
import { applicationRoutes } from "./applications.ts";
import { channelRoutes } from "./channels.ts";
import { commandRoutes } from "./commands.ts";
import { guildRoutes } from "./guilds.ts";
import { interactionRoutes } from "./interactions.ts";
import { memberRoutes } from "./members.ts";
import { messageRoutes } from "./messages.ts";
import { pinRoutes } from "./pins.ts";
import { pollRoutes } from "./polls.ts";
import { reactionRoutes } from "./reactions.ts";
import { roleRoutes } from "./roles.ts";
import { searchRoutes } from "./search.ts";
import { threadRoutes } from "./threads.ts";
import { userRoutes } from "./users.ts";
import { webhookRoutes } from "./webhooks.ts";

/** Every route. The first match counts: `…/messages/pins` is before `…/messages/{message_id}`. */
export const allRoutes: readonly Route[] = [
  ...applicationRoutes,
  ...userRoutes,
  ...guildRoutes,
  ...memberRoutes,
  ...roleRoutes,
  ...searchRoutes,
  ...channelRoutes,
  ...pinRoutes,
  ...messageRoutes,
  ...reactionRoutes,
  ...pollRoutes,
  ...threadRoutes,
  ...webhookRoutes,
  ...commandRoutes,
  ...interactionRoutes,
];
