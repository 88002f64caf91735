import type { AudienceRef } from "../../domain/audience.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { ChannelId } from "../../domain/ids.ts";
import {
  audiencesOf,
  type Fact,
  type FactBasis,
  factsUnder,
  messagesOf,
  recordsUnder,
} from "../../domain/memory/fact.ts";
import type { RecordRef } from "../../domain/source.ts";
import type { Memory } from "../../memory/memory.ts";
import type { Discord } from "../../ports/discord.ts";
import type { RecordKinds } from "../../ports/record-states.ts";
import type { Timelines } from "../../ports/timelines.ts";
import { isSubjectThere, toGuildId } from "../../sources/kinds/limits.ts";

/** The source types that `messagesOf`, `factsUnder` and `recordsUnder` return. */
const LOOKED_AT: ReadonlySet<FactBasis["type"]> = new Set(["discord_message", "memory_fact", "docs", "crm"]);

/** The state of a fact's sources. `restored`: unchanged, but the fact comes from a backup and was not confirmed since. */
export type BasisState = "standing" | "edited" | "restored" | "deleted" | "uncertain";

export interface BasisDeps {
  readonly memory: Pick<Memory, "hasSameWords" | "hasSameVersion" | "openById" | "isReplaced" | "isRestored">;
  readonly timelines: Pick<Timelines, "message">;
  readonly discord: Pick<Discord, "directory" | "botId">;
  readonly records: RecordKinds;
}

/**
 * Checks all sources of a fact: messages, other facts, records. An unreachable one makes it uncertain. A rewritten passage of a document
 * counts as edited: the person confirmed the fact with other text. A missing passage makes the fact dormant and does not end it, because a
 * folder can be moved and come back.
 */
export async function checkBasis(fact: Fact, deps: BasisDeps, signal?: AbortSignal): Promise<BasisState> {
  let state: BasisState = await checkFactsUnder(fact, deps);
  if (state === "deleted") return state;
  for (const record of recordsUnder(fact)) {
    try {
      if (!(await isRecordThere(record, deps))) return "deleted";
      const version = await readVersion(record, deps.records);
      if (version === null) return "deleted";
      if (!(await deps.memory.hasSameVersion(fact, record.ref, version))) state = "edited";
    } catch (error) {
      if (error instanceof EarshotError && error.code !== "cancelled") return "uncertain";
      throw error;
    }
  }
  for (const { channelId, messageId } of messagesOf(fact)) {
    try {
      if (!(await isInReach(channelId, deps))) return "uncertain";
      const message = await deps.timelines.message(channelId, messageId, signal);
      if (!message) return "deleted";
      if (!(await deps.memory.hasSameWords(fact, message))) state = "edited";
    } catch (error) {
      if (error instanceof EarshotError && error.code !== "cancelled") return "uncertain";
      throw error;
    }
  }
  return deps.memory.isRestored(fact) ? "restored" : state;
}

/** Whether the bot can read a channel. Reading its timeline instead would take as long as opening the fact. */
async function isInReach(channelId: ChannelId, { discord: { directory, botId } }: BasisDeps): Promise<boolean> {
  if (!directory.channel(channelId)) await directory.learn(botId, channelId);
  return directory.canRead(botId, channelId);
}

export function restsOnMore({ basis }: Pick<Fact, "basis">): boolean {
  return basis.some(({ type }) => LOOKED_AT.has(type));
}

/** Whether all facts that it rests on still exist and their subjects may still share them; or whether one was corrected. */
async function checkFactsUnder(fact: Fact, { memory, discord }: BasisDeps): Promise<BasisState> {
  const { directory } = discord;
  let state: BasisState = "standing";
  for (const { id, version } of factsUnder(fact)) {
    const other = await memory.openById(id);
    if (!other) return "deleted";
    const { subjectId, guildId } = other;
    if (subjectId !== null && guildId !== null) await directory.learnMember(subjectId, guildId).catch(() => {});
    if (!isSubjectThere(other, directory)) return "deleted";
    if (other.version !== version || (await memory.isReplaced(other))) state = "edited";
  }
  return state;
}

/** Data about a person in a server may be used as long as they are a member. */
async function isRecordThere(
  { kind, ref }: RecordRef,
  { records, discord: { directory } }: BasisDeps,
): Promise<boolean> {
  const audience = records[kind]?.audienceOf(ref);
  const subjectId = records[kind]?.subjectOf(ref) ?? null;
  const guildId = audience ? toGuildId(audience, directory) : null;
  if (subjectId !== null && guildId !== null) await directory.learnMember(subjectId, guildId).catch(() => {});
  return isSubjectThere({ subjectId, guildId }, directory);
}

/**
 * All audiences that limit a fact, including today's audience of the records that it rests on: if the operator has narrowed that, the audience stored with the
 * fact is too wide.
 */
export function currentAudiences(fact: Pick<Fact, "home" | "basis">, records: RecordKinds): readonly AudienceRef[] {
  const current = recordsUnder(fact).flatMap(({ kind, ref }) => records[kind]?.audienceOf(ref) ?? []);
  return [...audiencesOf(fact), ...current];
}

/** The current version of a record; null if it is gone. Throws `unavailable` while that is unknown. */
export async function readVersion({ kind, ref }: RecordRef, records: RecordKinds): Promise<string | null> {
  const held = records[kind];
  if (!held) throw new EarshotError("unavailable", "What this rests on cannot be read at the moment.");
  return held.versionOf(ref);
}
