import { GatewayIntentBits } from "discord-api-types/v10";

/** Optional features; each needs certain events. */
export interface Features {
  /** Keep the complete member list, for exact audiences. */
  readonly members: boolean;
  /** Read all messages, not only those to the bot. */
  readonly messageContent: boolean;
  readonly reactions: boolean;
  readonly directMessages: boolean;
}

interface Intent {
  readonly name: string;
  readonly bit: number;
  readonly why: string;
  readonly feature?: keyof Features;
  /** Must be enabled in the developer portal; shown by the application's flags. */
  readonly privileged?: { readonly flags: number; readonly label: string; readonly without: string };
}

/** https://discord.com/developers/docs/events/gateway#gateway-intents */
const INTENTS: readonly Intent[] = [
  {
    name: "GUILDS",
    bit: GatewayIntentBits.Guilds,
    why: "servers, channels, roles and threads, to know who may see what",
  },
  { name: "GUILD_MESSAGES", bit: GatewayIntentBits.GuildMessages, why: "messages, edits and deletions in servers" },
  {
    name: "MESSAGE_CONTENT",
    bit: GatewayIntentBits.MessageContent,
    why: "the text of messages that do not mention the bot",
    feature: "messageContent",
    privileged: {
      flags: (1 << 18) | (1 << 19),
      label: "Message Content Intent",
      without:
        "only messages that mention the bot, reply to it, or are sent to it directly have text; search and summaries see nothing else",
    },
  },
  {
    name: "GUILD_MEMBERS",
    bit: GatewayIntentBits.GuildMembers,
    why: "a complete, current member list, to decide exactly who can read a channel",
    feature: "members",
    privileged: {
      flags: (1 << 14) | (1 << 15),
      label: "Server Members Intent",
      without:
        "members are asked for one by one and believed for 30 seconds; answers in shared channels are more cautious than need be",
    },
  },
  {
    name: "GUILD_MESSAGE_REACTIONS",
    bit: GatewayIntentBits.GuildMessageReactions,
    why: "reactions in servers",
    feature: "reactions",
  },
  {
    name: "DIRECT_MESSAGES",
    bit: GatewayIntentBits.DirectMessages,
    why: "conversations with the bot itself",
    feature: "directMessages",
  },
  {
    name: "DIRECT_MESSAGE_REACTIONS",
    bit: GatewayIntentBits.DirectMessageReactions,
    why: "reactions in direct messages",
    feature: "directMessages",
  },
];

export interface ChosenIntents {
  readonly bits: number;
  readonly hearsMembers: boolean;
  /** The missing permissions and intents, with their consequences. */
  readonly limits: readonly string[];
  /** Intents that can be enabled in the developer portal, by the portal's own labels. */
  readonly offInPortal: readonly { readonly label: string; readonly without: string }[];
}

/** Requests the intents for the features, except privileged ones that the application may not have. Unknown flags (null) count as
 * allowed. */
export function chooseIntents(features: Features, applicationFlags: number | null): ChosenIntents {
  let bits = 0;
  const limits: string[] = [];
  const offInPortal: { label: string; without: string }[] = [];
  for (const intent of INTENTS) {
    if (intent.feature && !features[intent.feature]) {
      if (intent.privileged)
        limits.push(`${intent.name} is switched off in the configuration: ${intent.privileged.without}.`);
      continue;
    }
    if (intent.privileged && applicationFlags !== null && (applicationFlags & intent.privileged.flags) === 0) {
      limits.push(`${intent.name} is switched off in the developer portal: ${intent.privileged.without}.`);
      offInPortal.push(intent.privileged);
      continue;
    }
    bits |= intent.bit;
  }
  return { bits, hearsMembers: (bits & GatewayIntentBits.GuildMembers) !== 0, limits, offInPortal };
}
