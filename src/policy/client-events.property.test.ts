import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTestConsent } from "../../test/support/consent.ts";
import type { Channel } from "../domain/guild.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import { type Message, toTypedParts } from "../domain/message.ts";
import type { Directory } from "../ports/directory.ts";
import type { DiscordEvent } from "../ports/discord.ts";
import { Label } from "../sources/label.ts";
import { ClientEvents } from "./client-events.ts";
import type { Grant } from "./grant.ts";
import type { Client } from "./operation.ts";
import type { Operations } from "./operations.ts";
import { type Rules, rulesSchema } from "./rules.ts";

const GUILDS = ["1", "2"] as GuildId[];
const CHANNELS = ["11", "12", "13", "14", "15"] as ChannelId[];
const MESSAGES = ["501", "502", "503"] as MessageId[];
const PEOPLE = ["7", "8"] as UserId[];

const guildId = fc.constantFrom(...GUILDS);
const channelId = fc.constantFrom(...CHANNELS);
const messageId = fc.constantFrom(...MESSAGES);
const userId = fc.constantFrom(...PEOPLE);
const some = <Value>(values: readonly Value[]) =>
  fc.subarray([...values]).chain((chosen) => fc.shuffledSubarray(chosen));
const allOr = <Value>(values: readonly Value[]) => fc.oneof(fc.constant("all" as const), some(values));

const grant: fc.Arbitrary<Grant> = fc.record({
  scopes: fc.constant([]),
  guilds: allOr(GUILDS),
  channels: allOr(CHANNELS),
  directMessages: fc.boolean(),
  events: fc.constantFrom("none", "addressed", "all"),
  actors: fc.constant("anyone" as const),
  mentions: fc.boolean(),
  confined: fc.boolean(),
  elicitation: fc.boolean(),
  answers: fc.constant(false),
  confirm: fc.constant(false),
});

const rules: fc.Arbitrary<Rules> = fc
  .record({
    guilds: fc.record({ allow: allOr(GUILDS), deny: some(GUILDS) }),
    channels: fc.record({ allow: allOr(CHANNELS), deny: some(CHANNELS) }),
    directMessages: fc.boolean(),
    optOut: fc.record({ people: some(PEOPLE), channels: some(CHANNELS) }),
  })
  .map((chosen) => rulesSchema.parse(chosen));

/** Channels are unknown, direct, in a guild, below a category, or threads whose channel may be unknown. */
const directory: fc.Arbitrary<ReadonlyMap<ChannelId, Channel>> = fc
  .array(
    fc.record({
      id: channelId,
      guildId: fc.option(guildId),
      parentId: fc.option(channelId),
      thread: fc.option(fc.constant({})),
    }),
    { maxLength: 8 },
  )
  .map((channels) => new Map(channels.map((channel) => [channel.id, channel as Channel])));

const message: fc.Arbitrary<Message> = fc
  .record({ message_id: messageId, channel_id: channelId, authorId: userId, text: fc.string({ maxLength: 5 }) })
  .map(({ message_id, channel_id, authorId, text }) => ({
    message_id,
    channel_id,
    guild_id: null,
    thread_id: null,
    link: "",
    author: { id: authorId, name: "", bot: false },
    ts: "2026-07-18T12:00:00.000Z",
    edited_ts: null,
    kind: "text",
    content: text,
    parts: toTypedParts(text),
    reply_to: null,
    attachments: [],
  }));

const event: fc.Arbitrary<DiscordEvent> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("message"), message, addressed: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("message_update"), message }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("message_delete"), channelId, messageIds: some(MESSAGES) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("reaction"),
      action: fc.constantFrom("add", "remove", "clear"),
      channelId,
      messageId,
      userId: fc.option(userId),
      emoji: fc.constant("🐢"),
    }),
  },
  fc.record({ type: fc.constant("channel"), channelId }),
  fc.record({
    type: fc.constantFrom("channel_deleted", "access_lost"),
    channelId,
    guildId,
    lineage: some(CHANNELS),
  }),
  fc.record({ type: fc.constant("guild"), guildId }),
  fc.record({ type: fc.constant("guild_removed"), guildId, channelIds: some(CHANNELS) }),
  fc.record({ type: fc.constant("connection"), state: fc.constantFrom("ready", "reconnecting") }),
  fc.record({
    type: fc.constant("gap"),
    from: fc.constant("a"),
    to: fc.constant("b"),
    reason: fc.constant("restart"),
    guildIds: some(GUILDS),
    shard: fc.constantFrom(0, 1),
  }),
) as fc.Arbitrary<DiscordEvent>;

/** Client events with everything that they change: operations opened, and what confined clients count as knowing. */
function arrive(channels: ReadonlyMap<ChannelId, Channel>, chosen: Rules) {
  const opened: string[] = [];
  const labels = new Map<string, Label>();
  const beganWith = (id: MessageId, { name }: Client) => opened.includes(`${name} ${id}`);
  const operations = {
    openFor({ name }: Client, { message_id }: Message) {
      opened.push(`${name} ${message_id}`);
      return { id: `${name} ${message_id}` };
    },
    beganWith,
    hasBegun: (id: MessageId) => opened.some((each) => each.endsWith(` ${id}`)),
  } as unknown as Operations;
  const confined = {
    of(name: string) {
      const label = labels.get(name) ?? new Label();
      labels.set(name, label);
      return label;
    },
  };
  const clientEvents = new ClientEvents({
    directory: { channel: (id: ChannelId) => channels.get(id) } as Directory,
    operations,
    rules: chosen,
    consent: createTestConsent(chosen.optOut.people),
    confined,
    clock: { now: () => 5 },
  });
  const known = () =>
    [...labels].sort(([a], [b]) => a.localeCompare(b)).map(([name, label]) => [name, [...label.of("message").keys()]]);
  return { clientEvents, opened, known };
}

describe("decisions shared by clients with equal grants", () => {
  it("are the same as those made for each client alone", () => {
    const grants = fc.array(grant, { minLength: 1, maxLength: 3 });
    const owners = fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(grants, owners, directory, rules, fc.array(event, { maxLength: 8 }), (...world) => {
        const [some, chosen, channels, ofOperator, events] = world;
        // Each client has a grant of its own, which is equal to others' only in value.
        const clients = chosen.flatMap((owner, index) => {
          const own = some[owner % some.length];
          return own ? [{ name: `client-${index}`, grant: structuredClone(own) }] : [];
        });
        const together = arrive(channels, ofOperator);
        const alone = arrive(channels, ofOperator);
        for (const each of events) {
          together.clientEvents.note(each);
          alone.clientEvents.note(each);
          const decisions = together.clientEvents.decide(each);
          for (const client of clients) {
            const expected = alone.clientEvents.toClientEvent(each, client);
            expect(decisions.mayConcern(client.grant) || expected === null).toBe(true);
            expect(decisions.toClientEvent(client)).toEqual(expected);
          }
        }
        expect(together.opened).toEqual(alone.opened);
        expect(together.known()).toEqual(alone.known());
      }),
      { numRuns: 1_000 },
    );
  });
});
