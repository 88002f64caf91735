import type { AudienceRef } from "../../domain/audience.ts";
import type { ChannelId, GuildId, UserId } from "../../domain/ids.ts";
import type { JsonValue } from "../../domain/memory/fact-input.ts";
import { textsOf } from "../../domain/memory/mentions-others.ts";
import { findNamedPeople } from "../../domain/memory/named-people.ts";
import { NEAR_WAY, type NewBasis, type RememberRequest, type WayName } from "../../domain/memory/remember-request.ts";
import { singleLine } from "../../domain/text/escape.ts";
import type { OwnFact, ProposalPreview, ShownWay } from "../../gate/memory/own-facts.ts";
import type { Directory } from "../../ports/directory.ts";
import { toSourceLink } from "./fact-record.ts";
import { spellOutHidden } from "./spell-out-hidden.ts";

export type ProposalDirectory = Pick<Directory, "guild" | "channel" | "member" | "people" | "canRead">;

/** How a transport formats names and values. */
export interface ProposalWords {
  readonly actor: UserId;
  readonly directory: ProposalDirectory;
  /** Only called for channels that the actor can read now. */
  channel(id: ChannelId): string;
  server(id: GuildId): string;
  /** A value by people, on one line without formatting. */
  value(text: string): string;
  time(ms: number): string;
}

/** A decision for a person. Each transport shows all of it: the sentences, then the texts in separate blocks. */
export interface ProposalDescription {
  readonly sentences: readonly string[];
  readonly texts: readonly { readonly title: string; readonly text: string }[];
  readonly choices: readonly { readonly way: WayName | null; readonly label: string }[];
}

export const WAY_LABELS: Readonly<Record<WayName, string>> = {
  as_shown: "Remember",
  as_shown_end_old: "Remember, end the old",
  only_for_me: "Only for me",
  only_for_me_end_old: "Only for me, end the old",
  [NEAR_WAY]: "Replace",
};

const HIDDEN = "Characters that cannot be seen are written out here, like ⟨U+200B⟩.";
const ENDS_WITH_MESSAGES = "It is forgotten when what it rests on has been deleted.";
const ALSO_A_NAME =
  "A word in it is also what a member of this server is called. If it is about them, don't share it: keep it for yourself, or leave it.";
/** Counting more people takes too long. */
const MAX_COUNTED = 5_000;
/** Discord's own limit for a button. */
const MAX_LABEL_LENGTH = 80;

export function describeProposal(preview: ProposalPreview, words: ProposalWords): ProposalDescription {
  return preview.kind === "remember" ? describeRemembering(preview, words) : describeForgetting(preview.fact);
}

function describeRemembering(
  { request, project, ways }: Extract<ProposalPreview, { kind: "remember" }>,
  words: ProposalWords,
): ProposalDescription {
  const { texts, hidden } = describeKeyAndValue(request.name, toText(request.value));
  const until =
    request.expiresAt === null ? [] : [`Until ${words.time(request.expiresAt)}, unless it is forgotten before.`];
  return {
    sentences: [
      "Nothing has been remembered yet.",
      `It would be remembered about ${toSubject(request, project, words)}. It rests on ${describeBasis(request.basis, words)}.`,
      ...ways.flatMap((way) => describeWay(way, words)),
      ...(request.basis.some(({ type }) => type === "discord_message") ? [ENDS_WITH_MESSAGES] : []),
      ...describeNames(request, words.directory),
      ...until,
      ...hidden,
    ],
    texts,
    choices: ways.map((way) => ({ way: way.name, label: toLabel(way) })),
  };
}

/**
 * A word may be the name of a member, and people can choose any name, so the person decides. Only members of servers with a complete member list count, because
 * everyone in the server can look these up; otherwise the set of known people depends on earlier events. Facts about projects and servers may name people.
 */
function describeNames(
  {
    name,
    value,
    scope,
    guildId,
    createdBy,
  }: Pick<RememberRequest, "name" | "value" | "scope" | "guildId" | "createdBy">,
  directory: Pick<Directory, "guild" | "people">,
): readonly string[] {
  if (scope !== "user" || guildId === null || !directory.guild(guildId)?.membersComplete) return [];
  const people = [...directory.people(guildId)].filter(({ bot }) => !bot);
  const named = findNamedPeople(textsOf({ name, value: value as JsonValue }), people);
  return [...named].some((id) => id !== createdBy) ? [ALSO_A_NAME] : [];
}

function describeForgetting({ fact, isReadable }: OwnFact): ProposalDescription {
  const value = isReadable ? toText(fact.value) : "(not shown: you cannot read what it rests on)";
  const { texts, hidden } = describeKeyAndValue(fact.name, value);
  return {
    sentences: [
      "Nothing has been forgotten yet. This would be forgotten for good, with its earlier values.",
      ...hidden,
    ],
    texts,
    choices: [{ way: null, label: "Forget" }],
  };
}

/** Both whole, in blocks of their own. `hidden`: says so where characters that cannot be seen are written out. */
export function describeKeyAndValue(
  name: string,
  shown: string,
): Pick<ProposalDescription, "texts"> & { hidden: string[] } {
  const key = spellOutHidden(name);
  const value = spellOutHidden(shown);
  const texts = [
    { title: "Key", text: key.text },
    { title: "Value", text: value.text },
  ];
  return { texts, hidden: key.hidden + value.hidden > 0 ? [HIDDEN] : [] };
}

function describeWay(way: ShownWay, words: ProposalWords): string[] {
  const { name, key, audiences, replaces, staysShared, ends } = way;
  const values = (facts: readonly OwnFact[]) => facts.map((one) => toValue(one, words)).join(", ");
  const staying = staysShared.map((one) => `${toValue(one, words)} (${toPlace(one.fact.home, words)})`).join(", ");
  return [
    [
      `“${WAY_LABELS[name]}”: ${describeHearers(audiences, words)} will be able to hear it.`,
      ...(name === NEAR_WAY ? [`It is remembered under a key that you have already: ${words.value(key)}.`] : []),
      ...(replaces.length > 0 ? [`It replaces ${values(replaces)}.`] : []),
      ...(staysShared.length > 0 ? [`Others go on hearing the old value: ${staying}.`] : []),
      ...(ends.length > 0 ? [`Nobody hears the old value any more: ${values(ends)}.`] : []),
    ].join(" "),
  ];
}

/** For a button, which has no formatting. */
function toLabel({ name, key }: ShownWay): string {
  return name === NEAR_WAY ? toReplaceLabel(key) : WAY_LABELS[name];
}

function toReplaceLabel(key: string): string {
  const label = `${WAY_LABELS[NEAR_WAY]} ${singleLine(key)}`;
  if (label.length <= MAX_LABEL_LENGTH) return label;
  // Avoids cutting within a surrogate pair.
  return `${label.slice(0, MAX_LABEL_LENGTH - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Within all limits, with the number of people if all members are known. */
export function describeHearers(audiences: readonly AudienceRef[], words: ProposalWords): string {
  if (audiences.some(({ kind }) => kind === "person")) return "only you";
  const [home, ...limits] = audiences;
  if (!home) return "nobody";
  const count = countHearers(audiences, words.directory);
  const number = count === null ? "" : ` (${count.toLocaleString("en")} ${count === 1 ? "person" : "people"} now)`;
  const others = limits.filter(({ kind, id }) => kind !== home.kind || id !== home.id);
  const places = [...new Set(others.map((ref) => toPlace(ref, words)))];
  const who =
    home.kind === "guild" ? `members of ${toPlace(home, words)}` : `people who can read ${toPlace(home, words)}`;
  if (places.length === 0) return `all ${who}${number}, and those who ${home.kind === "guild" ? "join" : "can"} later,`;
  return `those ${who} who also have access to ${places.join(" and ")}${number}, because it rests on that,`;
}

export function toPlace(ref: AudienceRef, { actor, directory, channel, server }: ProposalWords): string {
  switch (ref.kind) {
    case "guild":
      return server(ref.id);
    case "role":
      return `what a role of ${server(ref.guildId)} may read`;
    case "person":
      return "yourself";
    case "channel":
      return directory.canRead(actor, ref.id) ? channel(ref.id) : "a channel that you cannot read now";
  }
}

function toSubject({ scope, home }: RememberRequest, project: string | null, words: ProposalWords): string {
  if (scope === "user") return "you";
  if (scope === "org") return `the server ${toPlace(home, words)}`;
  return `the project ${project === null ? "" : `${words.value(project)} `}of ${toPlace(home, words)}`;
}

/** Summarises the sources: messages by channel, a single one with its link, and other sources. */
function describeBasis(basis: readonly NewBasis[], words: ProposalWords): string {
  const parts: string[] = [];
  const inChannels = new Map<ChannelId, string[]>();
  let facts = 0;
  const records = { docs: 0, crm: 0 };
  for (const { type, ref, isOwn } of basis) {
    if (isOwn) parts.push(describeOwn({ type, ref }, words));
    else if (type === "discord_message") {
      const channelId = ref.split("/")[0] as ChannelId;
      inChannels.set(channelId, [...(inChannels.get(channelId) ?? []), ref]);
    } else if (type === "memory_fact") facts += 1;
    else if (type === "docs" || type === "crm") records[type] += 1;
    else if (type === "discord_channel") parts.push(toPlace({ kind: "channel", id: ref as ChannelId }, words));
    else if (type === "discord_guild") parts.push(`the server ${words.server(ref as GuildId)}`);
  }
  for (const [id, [ref = "", ...others]] of inChannels) {
    const place = toPlace({ kind: "channel", id }, words);
    if (others.length > 0) parts.push(`${others.length + 1} messages in ${place}`);
    else if (!words.directory.canRead(words.actor, id)) parts.push(`a message in ${place}`);
    else parts.push(`a message in ${place}: ${toSourceLink({ type: "discord_message", ref }, words.directory)}`);
  }
  if (records.docs > 0)
    parts.push(records.docs === 1 ? "a passage of a document" : `${records.docs} passages of documents`);
  if (records.crm > 0) parts.push(records.crm === 1 ? "a profile" : `${records.crm} profiles`);
  if (facts > 0) parts.push(facts === 1 ? "another fact" : `${facts} other facts`);
  return parts.join(", ");
}

function describeOwn({ type, ref }: Pick<NewBasis, "type" | "ref">, { directory }: ProposalWords): string {
  if (type === "discord_message") return `your own words, repeated exactly: ${toSourceLink({ type, ref }, directory)}`;
  return type === "typed" ? "what you typed" : "what you asked for";
}

export function toValue({ fact, isReadable }: OwnFact, { value }: ProposalWords): string {
  return isReadable ? value(toText(fact.value)) : "(not shown: you cannot read what it rests on)";
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Null if not all members are known, or there are too many to count. */
function countHearers(audiences: readonly AudienceRef[], directory: ProposalDirectory): number | null {
  const guildIds = new Set(
    audiences.map((ref) => {
      if (ref.kind === "channel") return directory.channel(ref.id)?.guildId ?? null;
      return ref.kind === "role" ? ref.guildId : (ref.id as GuildId);
    }),
  );
  const [guildId] = guildIds;
  const guild = guildIds.size === 1 && guildId ? directory.guild(guildId) : undefined;
  if (!guild?.membersComplete || guild.memberCount > MAX_COUNTED) return null;
  const hears = (person: UserId) =>
    audiences.every((ref) => {
      if (ref.kind === "role") return directory.member(ref.guildId, person)?.roles.has(ref.id) === true;
      return ref.kind !== "channel" || directory.canRead(person, ref.id);
    });
  let count = 0;
  for (const { id, bot } of directory.people(guild.id)) if (!bot && hears(id)) count += 1;
  return count;
}
