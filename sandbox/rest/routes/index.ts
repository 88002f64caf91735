import type { Route } from "../route.ts";
import { applicationRoutes } from "./applications.ts";
import { banRoutes } from "./bans.ts";
import { channelRoutes } from "./channels.ts";
import { commandRoutes } from "./commands.ts";
import { emojiRoutes } from "./emojis.ts";
import { guildRoutes } from "./guilds.ts";
import { interactionRoutes } from "./interactions.ts";
import { inviteRoutes } from "./invites.ts";
import { memberRoutes } from "./members.ts";
import { messageRoutes } from "./messages.ts";
import { authorizationRoutes } from "./oauth2.ts";
import { pinRoutes } from "./pins.ts";
import { pollRoutes } from "./polls.ts";
import { reactionRoutes } from "./reactions.ts";
import { roleRoutes } from "./roles.ts";
import { searchRoutes } from "./search.ts";
import { stickerRoutes } from "./stickers.ts";
import { threadRoutes } from "./threads.ts";
import { userRoutes } from "./users.ts";
import { webhookRoutes } from "./webhooks.ts";

/** Every route that is served. */
export const allRoutes: readonly Route[] = [
  ...applicationRoutes,
  ...authorizationRoutes,
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
  ...emojiRoutes,
  ...stickerRoutes,
  ...banRoutes,
  ...inviteRoutes,
];
