import type { ChannelId, GuildId } from "../../src/domain/ids.ts";
import type { MessageReading } from "../../src/domain/message.ts";
import type { FactReading, FactSet, RecordKind, Source } from "../../src/domain/source.ts";
import type { Label } from "../../src/sources/label.ts";

/** What was read, by kind. */
export interface Reading {
  readonly channels?: Iterable<ChannelId>;
  readonly searched?: Iterable<ChannelId>;
  readonly guilds?: Iterable<GuildId>;
  readonly messages?: Iterable<MessageReading>;
  readonly facts?: Iterable<FactReading>;
  readonly considered?: Iterable<{ readonly set: FactSet; readonly revision: number }>;
  readonly records?: Iterable<Source<RecordKind>>;
  readonly links?: Iterable<string>;
}

export function addReading(label: Label, reading: Reading, at: number, countsFrom = at): void {
  const { channels = [], searched = [], guilds = [], messages = [] } = reading;
  const { facts = [], considered = [], records = [], links = [] } = reading;
  const sources = [
    ...[...channels].map((channelId) => ({ kind: "told" as const, channelId })),
    ...[...messages].map((message) => ({ kind: "message" as const, ...message })),
    ...[...searched].map((channelId) => ({ kind: "searched" as const, channelId })),
    ...[...guilds].map((guildId) => ({ kind: "server" as const, guildId })),
    ...[...facts].map((fact) => ({ kind: "fact" as const, ...fact })),
    ...[...considered].map((set) => ({ kind: "facts" as const, ...set })),
    ...records,
  ];
  label.add(sources, at, countsFrom);
  label.addLinks(links, at);
}
