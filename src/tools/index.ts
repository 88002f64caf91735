import { attachmentBase64 } from "./attachment-base64.ts";
import { channelInfo } from "./channel-info.ts";
import { channelMessages } from "./channel-messages.ts";
import type { Tool } from "./define-tool.ts";
import { dmMessages } from "./dm-messages.ts";
import { getMessageContext } from "./get-message-context.ts";
import { guildChannels } from "./guild-channels.ts";
import { guilds } from "./guilds.ts";
import { react } from "./react.ts";
import { searchWindow } from "./search-window.ts";
import { send } from "./send.ts";

/** Every tool there is. */
export const tools: readonly Tool[] = [
  send,
  channelMessages,
  dmMessages,
  searchWindow,
  attachmentBase64,
  guilds,
  guildChannels,
  channelInfo,
  react,
  getMessageContext,
];
