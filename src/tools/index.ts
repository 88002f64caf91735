import { attachmentBase64 } from "./attachment-base64.ts";
import { channelInfo } from "./channel-info.ts";
import { channelMessages } from "./channel-messages.ts";
import { contextWindow } from "./context-window.ts";
import { createThread } from "./create-thread.ts";
import type { Tool } from "./define-tool.ts";
import { deleteMessage } from "./delete-message.ts";
import { dmMessages } from "./dm-messages.ts";
import { editMessage } from "./edit-message.ts";
import { forgetFact } from "./forget-fact.ts";
import { getChannelSummary } from "./get-channel-summary.ts";
import { getMessageContext } from "./get-message-context.ts";
import { getProjectFacts } from "./get-project-facts.ts";
import { getRecentMessages } from "./get-recent-messages.ts";
import { getUserFacts } from "./get-user-facts.ts";
import { guildChannels } from "./guild-channels.ts";
import { guilds } from "./guilds.ts";
import { listPeople } from "./list-people.ts";
import { react } from "./react.ts";
import { recallBotConversation } from "./recall-bot-conversation.ts";
import { rememberFact } from "./remember-fact.ts";
import { searchChannelMessages } from "./search-channel-messages.ts";
import { searchContext } from "./search-context.ts";
import { searchDocuments } from "./search-documents.ts";
import { searchMessages } from "./search-messages.ts";
import { searchThreadMessages } from "./search-thread-messages.ts";
import { searchUserMessages } from "./search-user-messages.ts";
import { searchWindow } from "./search-window.ts";
import { send } from "./send.ts";

import { showTyping } from "./show-typing.ts";

export const tools = [
  send,
  channelMessages,
  dmMessages,
  searchWindow,
  attachmentBase64,
  guilds,
  guildChannels,
  channelInfo,
  listPeople,
  react,
  editMessage,
  deleteMessage,
  showTyping,
  createThread,
  searchMessages,
  searchChannelMessages,
  searchUserMessages,
  searchThreadMessages,
  getMessageContext,
  getRecentMessages,
  getChannelSummary,
  contextWindow,
  getUserFacts,
  getProjectFacts,
  searchContext,
  searchDocuments,
  rememberFact,
  forgetFact,
  recallBotConversation,
] as const satisfies readonly Tool[];
