import type { z } from "zod";
import type { OWN_METHODS } from "../domain/rpc/rpc-methods.ts";
import type { attachmentBase64 } from "../tools/attachment-base64.ts";
import type { channelInfo } from "../tools/channel-info.ts";
import type { channelMessages } from "../tools/channel-messages.ts";
import type { contextWindow } from "../tools/context-window.ts";
import type { dmMessages } from "../tools/dm-messages.ts";
import type { getMessageContext } from "../tools/get-message-context.ts";
import type { guildChannels } from "../tools/guild-channels.ts";
import type { guilds } from "../tools/guilds.ts";
import type { react } from "../tools/react.ts";
import type { searchWindow } from "../tools/search-window.ts";
import type { send } from "../tools/send.ts";

type Declared = { readonly input: z.ZodType; readonly output: z.ZodType };

interface Typed<Of extends Declared> {
  readonly args: Plain<z.input<Of["input"]>>;
  readonly value: z.output<Of["output"]>;
}

/** An id that a caller writes down is any string; its kind is for Earshot's own code. */
type Plain<Value> = Value extends { readonly brand: string }
  ? string
  : Value extends readonly (infer Item)[]
    ? Plain<Item>[]
    : Value extends object
      ? { [Key in keyof Value]: Plain<Value[Key]> }
      : Value;

type Own = typeof OWN_METHODS;

/** What each method takes and answers, from the schemas the server itself uses. */
export type Methods = { [Name in keyof Own]: Typed<Own[Name]> } & {
  "discord.send": Typed<typeof send>;
  "discord.react": Typed<typeof react>;
  "discord.channel.messages": Typed<typeof channelMessages>;
  "discord.dm.messages": Typed<typeof dmMessages>;
  "discord.search.window": Typed<typeof searchWindow>;
  "discord.attachment.base64": Typed<typeof attachmentBase64>;
  "discord.guilds": Typed<typeof guilds>;
  "discord.guild.channels": Typed<typeof guildChannels>;
  "discord.channel.info": Typed<typeof channelInfo>;
  "context.window": Typed<typeof contextWindow>;
  get_message_context: Typed<typeof getMessageContext>;
};

/** What is going on where the agent is spoken to. */
export type ContextWindow = Methods["context.window"]["value"];
