import fc from "fast-check";
import { expect, it } from "vitest";
import type { Audience, AudienceRef } from "../../src/domain/audience.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../../src/domain/ids.ts";
import { type Message, toTypedParts } from "../../src/domain/message.ts";
import type { Source } from "../../src/domain/source.ts";
import { judge } from "../../src/sources/judge.ts";
import type { SourceDirectory } from "../../src/sources/kinds/kind.ts";
import { Label } from "../../src/sources/label.ts";
import { SourceWatch } from "../../src/sources/source-watch.ts";
import { statesOf } from "../support/source-watch-world.ts";

const PEOPLE = ["61", "62", "63"] as UserId[];
const BOT = "90" as UserId;
const GUILD = "1" as GuildId;
const CHANNELS = ["11", "12", "13"] as ChannelId[];
const MESSAGES = ["101", "102", "103"] as MessageId[];
const WORDS = "the ferry leaves at nine";

const people = fc.subarray(PEOPLE);
/** `readers`: those who can read it, or could. */
const channel = fc.record({ sight: fc.constantFrom("seen", "seen", "seen", "deleted", "lost"), readers: people });
const placeOf = (message: MessageId) => CHANNELS[MESSAGES.indexOf(message)] ?? ("" as ChannelId);
const ref: fc.Arbitrary<AudienceRef> = fc.oneof(
  fc.constantFrom(...PEOPLE).map((id) => ({ kind: "person" as const, id })),
  fc.constantFrom(...CHANNELS).map((id) => ({ kind: "channel" as const, id })),
  fc.constant({ kind: "guild" as const, id: GUILD }),
);
const audiences = fc.option(fc.array(ref, { maxLength: 2 }), { freq: 6 });
const about = { subjectId: fc.option(fc.constantFrom(...PEOPLE)), guildId: fc.option(fc.constant(GUILD)) };
const source: fc.Arbitrary<Source> = fc.oneof(
  fc.record({ kind: fc.constantFrom("told" as const, "searched" as const), channelId: fc.constantFrom(...CHANNELS) }),
  fc.constant({ kind: "server" as const, guildId: GUILD }),
  fc
    .tuple(fc.constantFrom(...MESSAGES), fc.constantFrom(...PEOPLE), fc.boolean())
    .map(
      ([messageId, authorId, isShown]) =>
        ({ kind: "message", messageId, channelId: placeOf(messageId), authorId, text: WORDS, isShown }) as const,
    ),
  fc.record({ ...about, audiences, rests: fc.subarray(MESSAGES, { maxLength: 1 }) }).map(({ rests, ...fact }) => ({
    ...{ kind: "fact" as const, factId: "f", version: 1, ...fact },
    messages: rests.map((messageId) => ({ messageId, channelId: placeOf(messageId) })),
    ...{ facts: [], authorMarks: [], expiresAt: null, revision: 1 },
  })),
  fc.record({ ...about, audiences }).map((record) => ({
    ...{ kind: "profile" as const, ref: "r", version: "v" },
    ...record,
  })),
);
const change = fc.record({
  what: fc.constantFrom("deleted", "edited", "touched", "left out", "missed"),
  message: fc.constantFrom(...MESSAGES),
  person: fc.constantFrom(...PEOPLE),
});

interface World {
  readonly channels: readonly { readonly sight: string; readonly readers: readonly UserId[] }[];
  readonly members: readonly UserId[];
  readonly isGuildKnown: boolean;
  readonly recordState: "standing" | "changed" | "deleted" | "uncertain";
  readonly factState: "standing" | "changed" | "deleted" | "uncertain";
}
const world: fc.Arbitrary<World> = fc.record({
  channels: fc.array(channel, { minLength: 3, maxLength: 3 }),
  members: people,
  isGuildKnown: fc.boolean(),
  recordState: fc.constantFrom("standing", "standing", "changed", "deleted", "uncertain"),
  factState: fc.constantFrom("standing", "standing", "changed", "deleted", "uncertain"),
});

/** The rules once more, over plain lists of people: who may know a source, and what became of it. Null: nobody can say. */
function reckon(one: Source, { channels, members, isGuildKnown, ...states }: World, changes: readonly Change[]) {
  const has = (what: string, test: (each: Change) => boolean) =>
    changes.some((each) => each.what === what && test(each));
  const of = (id: ChannelId) => channels[CHANNELS.indexOf(id)] ?? { sight: "lost", readers: [] };
  const within = (each: AudienceRef): readonly string[] => {
    if (each.kind === "person") return [each.id];
    if (each.kind === "channel") return of(each.id).sight === "seen" ? of(each.id).readers : [];
    return members;
  };
  const isGone = (message: MessageId) => has("deleted", (each) => each.message === message);
  // An edit of a message that is gone is none.
  const isEdited = (what: string, message: MessageId) => has(what, (each) => each.message === message);
  const isMissed = has("missed", () => true);
  switch (one.kind) {
    case "told":
    case "searched": {
      const { sight, readers } = of(one.channelId);
      if (sight === "lost") return { knows: null, state: "uncertain" };
      if (sight === "deleted" && one.kind === "told") return { knows: PEOPLE, state: "deleted" };
      return { knows: readers, state: "standing" };
    }
    case "server":
      return isGuildKnown ? { knows: members, state: "standing" } : { knows: null, state: "uncertain" };
    case "message": {
      const { sight, readers } = of(one.channelId);
      const knows = sight === "seen" ? readers : PEOPLE;
      if (!one.isShown) return { knows, state: "standing" };
      const isTheirs = has("left out", ({ person }) => person === one.authorId);
      if (isGone(one.messageId) || isTheirs) return { knows, state: "deleted" };
      if (isEdited("edited", one.messageId)) return { knows, state: "changed" };
      return { knows, state: isMissed ? "uncertain" : "standing" };
    }
    case "fact":
    case "profile": {
      const knows =
        one.audiences && PEOPLE.filter((person) => one.audiences?.every((each) => within(each).includes(person)));
      const servers = new Set([
        one.guildId,
        ...(one.kind === "profile" ? (one.audiences ?? []) : []).map((each) => (each.kind === "person" ? null : GUILD)),
      ]);
      const hasLeft = one.subjectId !== null && servers.has(GUILD) && !members.includes(one.subjectId);
      if (hasLeft) return { knows, state: "deleted" };
      if (one.kind === "profile") {
        if (one.subjectId !== null && has("left out", ({ person }) => person === one.subjectId))
          return { knows, state: "deleted" };
        return { knows, state: one.audiences === null ? "uncertain" : states.recordState };
      }
      const [under] = one.messages;
      if (under && isGone(under.messageId)) return { knows, state: "deleted" };
      if (under && (isEdited("edited", under.messageId) || isEdited("touched", under.messageId)))
        return { knows, state: "changed" };
      if (one.audiences === null || (under && isMissed)) return { knows, state: "uncertain" };
      return { knows, state: states.factState };
    }
    default:
      throw new Error("not in these worlds");
  }
}

type Change = { readonly what: string; readonly message: MessageId; readonly person: UserId };

it("what was read is for those who may know each source, while each stands, by an independent reckoning", () => {
  const met = new Set<string>();
  fc.assert(
    fc.property(
      fc.record({ world, sources: fc.array(source, { maxLength: 4 }), changes: fc.array(change, { maxLength: 3 }) }),
      fc.array(fc.subarray(PEOPLE, { minLength: 1 }), { minLength: 1, maxLength: 2 }),
      ({ world: of, sources, changes }, readers) => {
        let now = 1_000;
        const leftOut = new Set<UserId>();
        const watch = new SourceWatch({
          ...{ clock: { now: () => now }, botId: BOT, labelsKeptMs: 0, isLeftOut: (id) => leftOut.has(id) },
          ...statesOf(
            () => of.factState,
            () => of.recordState,
          ),
        });
        const label = new Label();
        label.add(sources, now);
        now += 1;
        const deleted = new Set<MessageId>();
        for (const { what, message, person } of changes) {
          if (what === "deleted")
            watch.note({ type: "message_delete", channelId: placeOf(message), messageIds: [message] });
          if (what === "deleted") deleted.add(message);
          if (what === "edited" || what === "touched")
            watch.note({
              type: "message_update",
              message: edited(message, what === "edited" ? "something else" : WORDS),
            });
          if (what === "left out") leftOut.add(person);
          if (what === "missed")
            watch.note({ type: "gap", from: "", to: "", reason: "events_lost", guildIds: [GUILD], shard: 1 });
        }
        // The last edit of a message counts, and none of one that is gone.
        const last = new Map(
          changes.filter(({ what }) => /edited|touched/.test(what)).map((each) => [each.message, each]),
        );
        const heard = changes.filter((each) => !/edited|touched/.test(each.what) || last.get(each.message) === each);
        const kept = [...label].map((one) => reckon(one, of, heard));
        const groups = readers.map((group): Audience => ({ kind: "people", people: new Set(group) }));
        const mayAllKnow = kept.every(
          ({ knows }) => knows === null || readers.flat().every((id) => knows.includes(id)),
        );
        const states = kept.map(({ state, knows }) => (knows === null && state === "standing" ? "uncertain" : state));
        const worst = ["deleted", "changed", "uncertain"].find((state) => states.includes(state));
        const expected = mayAllKnow ? (worst ? `source_${worst}` : null) : "not_for_everyone_there";
        const request = { openedAt: 5_000_000_000_000, origin: { messageId: null } };
        const answer = judge(label, { readers: groups, moment: request }, { watch, directory: toDirectory(of) });
        met.add(String(answer.reason));
        expect(answer.reason).toBe(expected);
      },
    ),
    { numRuns: 5_000 },
  );
  const all = ["null", "not_for_everyone_there", "source_deleted", "source_changed", "source_uncertain"];
  expect([...met].sort()).toEqual(all.sort());
});

function edited(id: MessageId, content: string): Message {
  return {
    ...{ message_id: id, channel_id: placeOf(id), author: { id: PEOPLE[0], name: "a", bot: false }, content },
    ...{ parts: toTypedParts(content), edited_ts: null, attachments: [] },
  } as unknown as Message;
}

function toDirectory({ channels, members, isGuildKnown }: World): SourceDirectory {
  const of = (id: string) => channels[CHANNELS.indexOf(id as ChannelId)];
  const toAudience = (ids: readonly UserId[] = []): Audience => ({ kind: "people", people: new Set(ids) });
  return {
    guild: () => (isGuildKnown ? {} : undefined),
    channel: (id: string) => ({ id, guildId: GUILD }),
    member: (_: string, id: UserId) => (members.includes(id) ? {} : undefined),
    members: () => toAudience(members),
    canRead: (person: string, id: string) => person === BOT && of(id)?.sight === "seen",
    audience: (id: string) => toAudience(of(id)?.readers),
    lastAudience: (id: string) => (of(id)?.sight === "deleted" ? toAudience(of(id)?.readers) : undefined),
    isDeleted: (id: string) => of(id)?.sight === "deleted",
  } as unknown as SourceDirectory;
}
