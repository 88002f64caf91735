import type { ChannelId, GuildId, MessageId, UserId } from "../../domain/ids.ts";
import { splitText } from "../../domain/text/split-text.ts";
import type { DiscordAction } from "../../policy/action.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Directory } from "../../ports/directory.ts";
import { spellOutHidden } from "./spell-out-hidden.ts";

export interface ActionPlace {
  readonly kind: "channel" | "own_dm" | "others_dm";
  readonly channelId: ChannelId;
  readonly guildId: GuildId | null;
  /** Web address of the server, for links. */
  readonly web?: string | undefined;
  /** Null in direct messages, and if the channel is unknown. */
  readonly name: string | null;
  readonly recipients: readonly UserId[];
}

/** The exact action that the actor would confirm. Each transport formats it. */
export interface ActionDescription {
  readonly kind: DiscordAction["kind"];
  readonly place: ActionPlace;
  /** The messages to be sent, the new text of one, or the emoji, with hidden characters spelled out. Empty if there is no text. */
  readonly texts: readonly string[];
  /** The title of each text; null if a title is not needed. */
  readonly titles: readonly string[] | null;
  /** Number of hidden characters. */
  readonly hidden: number;
  /** The message that would be replied to, reacted to, edited or deleted. */
  readonly target: MessageId | null;
  readonly pinged: readonly UserId[];
  /** Places whose content this discloses although not everyone at `place` can read them; null for none. */
  readonly disclosed: DisclosedPlaces | null;
  /** The program also knows its reads from before the actor started over. */
  readonly hasStartedOver: boolean;
}

interface DisclosedPlaces {
  readonly from: readonly {
    /** Null for facts about the actor. */
    readonly place: ActionPlace | null;
    readonly isQuoted: boolean;
    /** Number of people who would learn it; null if unknown. */
    readonly learners: number | null;
  }[];
  /** Number of further places. */
  readonly others: number;
}

type Places = Pick<Directory, "channel" | "web">;

export function describeAction(
  action: DiscordAction,
  { actor, label }: Pick<Operation, "actor"> & { readonly label: Pick<Operation["label"], "hasStartedOver"> },
  places: Places,
): ActionDescription {
  const texts = textsOf(action).map(spellOutHidden);
  const isPinged = (text: string, id: UserId) => text.includes(`<@${id}>`) || text.includes(`<@!${id}>`);
  return {
    kind: action.kind,
    place: describePlace(action.channelId, actor, places),
    texts: texts.map(({ text }) => text),
    titles: action.kind === "thread" ? THREAD_TITLES : null,
    hidden: texts.reduce((sum, { hidden }) => sum + hidden, 0),
    target: targetOf(action),
    pinged: action.kind === "send" ? action.mentions.filter((id) => isPinged(action.text, id)) : [],
    disclosed: describeDisclosure(action, actor, places),
    hasStartedOver: label.hasStartedOver,
  };
}

function describeDisclosure(action: DiscordAction, actor: UserId, places: Places): DisclosedPlaces | null {
  if (action.kind !== "send" || !action.disclosure) return null;
  const { barred, others } = action.disclosure;
  const toPlace = (id: ChannelId | null) => (id === null ? null : describePlace(id, actor, places));
  return { from: barred.map(({ channelId, ...more }) => ({ place: toPlace(channelId), ...more })), others };
}

/** Warns before disclosing content that not everyone in the channel can read; empty if there is no such content. */
export function toDisclosureLines(
  { disclosed, place }: ActionDescription,
  toWords: (place: ActionPlace) => string,
): string[] {
  if (!disclosed) return [];
  const lines = disclosed.from.map(({ place: from, isQuoted, learners }) => {
    const people = learners === 1 ? "1 person" : `${learners ?? "an unknown number of"} people`;
    const what = `${from ? toWords(from) : "what is remembered about you"}${isQuoted ? " (quoted)" : ""}`;
    return `- ${what}: ${people} there cannot read it`;
  });
  const { others } = disclosed;
  return [
    `Not everyone in ${toWords(place)} can read what this rests on:`,
    ...lines,
    ...(others > 0 ? [`- and ${others} more ${others === 1 ? "place" : "places"}`] : []),
    "It would be shared in your name, and cannot be taken back: others may have read it by then.",
  ];
}

const THREAD_TITLES = ["Name of the thread", "First message", "Tags"];

function textsOf(action: DiscordAction): readonly string[] {
  switch (action.kind) {
    case "send":
      return splitText(action.text);
    case "edit":
      return [action.text];
    case "react":
      return [action.emoji];
    case "thread":
      return [action.name, action.text, ...(action.tags.length > 0 ? [action.tags.join(", ")] : [])];
    case "delete":
    case "typing":
      return [];
  }
}

function targetOf(action: DiscordAction): MessageId | null {
  if (action.kind === "typing") return null;
  return action.kind === "send" ? action.replyTo : action.messageId;
}

export function describePlace(channelId: ChannelId, actor: UserId, places: Places): ActionPlace {
  const channel = places.channel(channelId);
  const { web } = places;
  if (channel?.kind !== "dm") {
    const { guildId = null, name = null } = channel ?? {};
    return { kind: "channel", channelId, guildId, web, name, recipients: [] };
  }
  const { recipients } = channel;
  const kind = recipients.includes(actor) ? "own_dm" : "others_dm";
  return { kind, channelId, guildId: null, web, name: null, recipients };
}
