import type { UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";

/** A bot in a server that all readers of the answer share, or named by the operator. */
export interface KnownBot {
  readonly id: UserId;
  /** The first one is displayed. */
  readonly names: readonly string[];
}

/** A message of a bot to the agent, and the agent's reply; one of the two may be gone. */
interface BotExchange {
  readonly bot: KnownBot;
  readonly said: Message | null;
  readonly replied: Message | null;
}

export interface RecallRequest {
  /** A bot's name, mention or id; "any" for all bots. */
  readonly bot: string;
  /** The topic; the latest exchange if empty. */
  readonly topic: string;
  readonly limit: number;
}

export type BotRecall =
  /** Talks are not kept. */
  | { readonly kind: "off" }
  | { readonly kind: "no_bots" }
  | {
      readonly kind: "unknown_bot";
      readonly known: readonly KnownBot[];
      /** A person has that name. */
      readonly isPerson: boolean;
    }
  | { readonly kind: "several_bots"; readonly candidates: readonly KnownBot[] }
  | {
      readonly kind: "recalled";
      /** Null if any bot was requested. */
      readonly bot: KnownBot | null;
      /** With a topic the best first, otherwise the newest. */
      readonly exchanges: readonly BotExchange[];
      /** The bot's messages to others about the topic; only if it said nothing about it to the agent. */
      readonly toOthers: readonly { readonly bot: KnownBot; readonly said: Message }[];
      /** Older history was left to Discord's search, which was unavailable. */
      readonly isPartial: boolean;
    };
