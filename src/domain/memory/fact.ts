import type { AudienceRef, FactHome } from "../audience.ts";
import type { ChannelId, GuildId, MessageId, RoleId, UserId } from "../ids.ts";
import type { MessageRef } from "../message.ts";
import { type FactReading, RECORD_KINDS, type RecordRef } from "../source.ts";

/** About a person, a project, or a whole server. */
export type FactScope = "user" | "project" | "org";
/** Visible to that person alone, to the readers of its home channel, or to the server. */
export type FactVisibility = "private" | "project" | "org";
/** Weakest first. */
export const VERIFICATIONS = ["inferred", "user_confirmed", "admin_confirmed", "authoritative"] as const;
export type Verification = (typeof VERIFICATIONS)[number];

export const BASIS_TYPES = [
  "discord_message",
  "discord_channel",
  "discord_guild",
  "discord_role",
  "memory_fact",
  "docs",
  "crm",
  "person",
  "typed",
  "request",
] as const;

/** One source that a fact rests on. */
export interface FactBasis {
  /** `typed`: the owner typed it as a fact. `request`: the request to an agent, without a known message. */
  readonly type: (typeof BASIS_TYPES)[number];
  /** `<channel>/<message>` for a message, `<server>/<role>` for a role, `<id>@<version>` for a fact. */
  readonly ref: string;
  /** A hash of the text as it was read, under a key that is derived from the fact's own. */
  readonly hash: string;
  /** The owner's own words: they do not limit the fact's audience. */
  readonly isOwn: boolean;
  /** A keyed hash of its author's id; null without an author. */
  readonly authorMark: string | null;
}

/** A version of a fact whose seal was opened. */
export interface Fact {
  /** Belongs to this version alone. */
  readonly id: string;
  /** Not for people who merely hear it: a gap would reveal versions that are hidden. */
  readonly version: number;
  readonly scope: FactScope;
  /** Id of the person, of the project (a category, or a channel outside of any), or of the server. */
  readonly scopeId: string;
  /** The person it is about; null for projects and servers. */
  readonly subjectId: UserId | null;
  /** The server in which it is shared; null for a private fact. */
  readonly guildId: GuildId | null;
  readonly visibility: FactVisibility;
  /** The audience that it is meant for; its sources limit that further. */
  readonly home: FactHome;
  /** The name of its key, as written. */
  readonly name: string;
  readonly value: unknown;
  readonly basis: readonly FactBasis[];
  /** Null after this person was erased. */
  readonly createdBy: UserId | null;
  readonly verification: Verification;
  /** 0 to 1. */
  readonly confidence: number;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** Name and value as they are stored: unreadable once the fact's key is deleted. */
  readonly sealed: string;
}

/** The name of a version in the audit, and where another fact rests on it. */
export function toFactRef({ id, version }: Pick<Fact, "id" | "version">): string {
  return `${id}@${version}`;
}

/** The better verified version of a fact comes first, then the one with the higher number. */
export function byStrength(
  one: Pick<Fact, "verification" | "version">,
  other: Pick<Fact, "verification" | "version">,
): number {
  const rank = ({ verification }: Pick<Fact, "verification">) => VERIFICATIONS.indexOf(verification);
  return rank(other) - rank(one) || other.version - one.version;
}

/** Names that differ only in case, white space or Unicode form are equal. */
export function normaliseName(name: string): string {
  return name.normalize("NFKC").trim().replace(/\s+/gu, " ").toLowerCase();
}

/** All audiences to which a fact is limited: its home, and the audience of each source. */
export function audiencesOf({
  home,
  basis,
}: {
  readonly home: FactHome;
  readonly basis: readonly Pick<FactBasis, "type" | "ref" | "isOwn">[];
}): readonly AudienceRef[] {
  const refs: AudienceRef[] = [home];
  for (const one of basis) {
    const ref = one.isOwn ? null : audienceOf(one);
    if (ref) refs.push(ref);
  }
  return refs;
}

function audienceOf({ type, ref }: Pick<FactBasis, "type" | "ref">): AudienceRef | null {
  switch (type) {
    case "discord_channel":
      return { kind: "channel", id: ref as ChannelId };
    case "discord_message":
      return { kind: "channel", id: ref.split("/")[0] as ChannelId };
    case "discord_guild":
      return { kind: "guild", id: ref as GuildId };
    case "discord_role": {
      const [guildId, id] = ref.split("/");
      return { kind: "role", guildId: guildId as GuildId, id: id as RoleId };
    }
    case "person":
      return { kind: "person", id: ref as UserId };
    // The audience and basis of the other fact are part of this fact's basis.
    case "memory_fact":
    case "docs":
    case "crm":
    case "typed":
    case "request":
      return null;
  }
}

/** An audience as something that a fact rests on: it limits the fact, and names nothing else. */
export function toAudienceSource(audience: AudienceRef): Pick<FactBasis, "type" | "ref" | "isOwn"> {
  const { kind, id } = audience;
  const type = kind === "person" ? kind : (`discord_${kind}` as const);
  return { type, ref: kind === "role" ? `${audience.guildId}/${id}` : id, isOwn: false };
}

/** The messages that a fact rests on. */
export function messagesOf({
  basis,
}: {
  readonly basis: readonly Pick<FactBasis, "type" | "ref">[];
}): readonly MessageRef[] {
  return pick(basis, ({ type, ref }) => {
    if (type !== "discord_message") return null;
    const [channelId, messageId] = ref.split("/");
    return { channelId: channelId as ChannelId, messageId: messageId as MessageId };
  });
}

/** The values that are not null. A loop: `flatMap` takes three times as long, and this is called several times per fact. */
function pick<One, Picked>(basis: readonly One[], toPicked: (one: One) => Picked | null): readonly Picked[] {
  const all: Picked[] = [];
  for (const one of basis) {
    const picked = toPicked(one);
    if (picked !== null) all.push(picked);
  }
  return all;
}

export function recordsUnder({ basis }: Pick<Fact, "basis">): readonly RecordRef[] {
  return pick(basis, ({ type, ref }) => {
    const kind = RECORD_KINDS.get(type);
    return kind ? { kind, ref } : null;
  });
}

export function toFactId(ref: string): string {
  return ref.split("@")[0] as string;
}

/** The other facts that a fact rests on, in the version used. */
export function factsUnder({ basis }: Pick<Fact, "basis">): readonly Pick<Fact, "id" | "version">[] {
  return pick(basis, ({ type, ref }) =>
    type === "memory_fact" ? { id: toFactId(ref), version: Number(ref.split("@")[1]) } : null,
  );
}

/** Caches readings of shared facts, which are requested often, for the latest revision requested. */
const readings = new WeakMap<Fact, FactReading>();

/** A fact as a source. `revision`: of the memory at the look-up. */
export function toFactReading(fact: Fact, revision: number): FactReading {
  const known = readings.get(fact);
  if (known?.revision === revision) return known;
  const reading = {
    factId: fact.id,
    version: fact.version,
    subjectId: fact.subjectId,
    guildId: fact.guildId,
    audiences: known?.audiences ?? audiencesOf(fact),
    messages: known?.messages ?? messagesOf(fact),
    facts: known?.facts ?? pick(fact.basis, ({ type, ref }) => (type === "memory_fact" ? ref : null)),
    authorMarks: known?.authorMarks ?? pick(fact.basis, ({ authorMark }) => authorMark),
    expiresAt: fact.expiresAt,
    revision,
  };
  if (fact.guildId !== null) readings.set(fact, reading);
  return reading;
}
