import type { ChannelId, GuildId, MessageId, UserId } from "../../src/domain/ids.ts";
import { type Message, toTypedParts } from "../../src/domain/message.ts";
import type { SourceState } from "../../src/domain/source.ts";
import type { Directory } from "../../src/ports/directory.ts";
import type { DiscordEvent } from "../../src/ports/discord.ts";
import { stateOf } from "../../src/sources/judge.ts";
import type { SourceWorld } from "../../src/sources/kinds/kind.ts";
import { Label } from "../../src/sources/label.ts";
import { SourceWatch, type SourceWatchDeps } from "../../src/sources/source-watch.ts";
import { addReading } from "./add-reading.ts";
import { createTestConsent } from "./consent.ts";

export const GUILD = "1" as GuildId;
export const CHANNEL = "11" as ChannelId;
export const DM = "12" as ChannelId;
export const BOT = "90" as UserId;
export const ANN = { id: "7" as UserId, name: "ann", bot: false };
export const TICKER = { id: "8" as UserId, name: "ticker", bot: true };
export const guildOf = (id: string) => (id === CHANNEL ? GUILD : null);
/** The bot reads every channel. */
export const directory = {
  channel: (id: string) => ({ guildId: guildOf(id) }),
  canRead: () => true,
} as unknown as Directory;
export const START = Date.parse("2026-11-15T12:00:00.000Z");
export const MINUTE = 60_000;

const FROM_WORST: readonly SourceState[] = ["deleted", "changed", "uncertain", "standing"];

/** Of all that was read. */
export function worstStateOf(label: Label, world: SourceWorld): SourceState {
  const states = new Set([...label].map((source) => stateOf(source, world)));
  return FROM_WORST.find((state) => states.has(state)) ?? "standing";
}

interface Said {
  readonly text?: string | null;
  readonly author?: Message["author"];
  readonly channel?: ChannelId;
}

/** Facts and records that stand as they are said to. */
export function statesOf(
  ofFact: SourceWatch["stateOfFact"] = () => "standing",
  ofRecord: () => SourceState = () => "standing",
): Pick<SourceWatchDeps, "facts" | "records"> {
  return { facts: { stateOf: ofFact }, records: { passage: { stateOf: ofRecord }, profile: { stateOf: ofRecord } } };
}

/** A watch, one label, and what happens to the messages that were read into it. */
export function createSourceWatchWorld(
  stateOfFact: SourceWatch["stateOfFact"] = () => "standing",
  stateOfRecord: () => SourceState = () => "standing",
) {
  let now = START;
  const consent = createTestConsent();
  const isLeftOut = (id: UserId) => consent.isLeftOut(id);
  const states = { isLeftOut, ...statesOf(stateOfFact, stateOfRecord) };
  const watch = new SourceWatch({ clock: { now: () => now }, botId: BOT, ...states, labelsKeptMs: 0 });
  consent.listen((change) => watch.noteConsent(change));
  const label = new Label();
  const stand = (id: string, content: string, author = ANN, edited: string | null = null): Message =>
    ({
      message_id: id,
      channel_id: CHANNEL,
      author,
      content,
      parts: toTypedParts(content),
      edited_ts: edited,
      attachments: [],
    }) as unknown as Message;
  return {
    watch,
    consent,
    label,
    stand,
    state: (of = label) => worstStateOf(of, { watch, directory }),
    read(id: string, { text = "meet at five", author = ANN, channel = CHANNEL }: Said = {}, into = label) {
      const message = {
        messageId: id as MessageId,
        channelId: channel,
        authorId: text === null ? null : author.id,
        text,
      };
      addReading(into, { channels: [channel], guilds: [], messages: [message], links: [] }, now);
      return into;
    },
    remove: (...ids: string[]) =>
      watch.note({ type: "message_delete", channelId: CHANNEL, messageIds: ids as MessageId[] }),
    edit: (id: string, content: string, author = ANN) =>
      watch.note({ type: "message_update", message: stand(id, content, author) }),
    gap: (guildIds: GuildId[], shard: number) =>
      watch.note({ type: "gap", from: "", to: "", reason: "events_lost", guildIds, shard } satisfies DiscordEvent),
    pass(ms: number) {
      now += ms;
    },
  };
}
