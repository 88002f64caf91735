import type { AudienceRef, FactHome } from "../../domain/audience.ts";
import type { GuildId, UserId } from "../../domain/ids.ts";
import { audiencesOf, type FactBasis, normaliseName } from "../../domain/memory/fact.ts";
import type { NewBasis } from "../../domain/memory/remember-request.ts";
import { escapeMarkdown } from "../../domain/text/escape-markdown.ts";
import type { ListedFact, OwnFact, OwnPreview } from "../../gate/memory/own-facts.ts";
import type { OwnProfile } from "../../gate/memory/own-profile.ts";
import type { Directory } from "../../ports/directory.ts";
import { PROFILE_UNAVAILABLE } from "../../tools/outages.ts";
import {
  describeHearers as describeLimitedHearers,
  describeNames,
  type ProposalDirectory,
} from "../kit/describe-proposal.ts";
import { DORMANT, describeUse, toSourceLink } from "../kit/fact-record.ts";
import { describeGone } from "../kit/privacy-text.ts";
import { spellOutHidden } from "../kit/spell-out-hidden.ts";
import { packBlocks, packParagraphs } from "./pack-blocks.ts";
import { toDiscordWords } from "./proposal-notes.ts";

export type NamesDirectory = Pick<Directory, "guild" | "channel" | "people" | "canRead">;

const MAX_NAME_LENGTH = 100;
const MAX_VALUE_LENGTH = 200;
/** Looking through more people for a number takes too long. */
const MAX_COUNTED = 5_000;
const MAX_REQUESTS = 5;
/** As many as fit into one note with everything else. */
const MAX_STAYING = 3;

export const LEFT_OUT =
  ":warning: You are left out at the moment, so nobody hears what is remembered about you, until `/privacy include-me`.";

/** Everyone who hears a fact within the limits of its sources, with the number of people if all members are known. */
export function describeAllHearers(fact: HeardFact, person: UserId, directory: ProposalDirectory): string {
  const audiences = audiencesOf(fact);
  if (audiences.length === 1) return describeHearers(fact.home, directory);
  return describeLimitedHearers(audiences, toDiscordWords(person, directory)).replace(/,$/, "");
}

type HeardFact = Parameters<typeof audiencesOf>[0];

function describeHearers(home: FactHome, directory: NamesDirectory): string {
  if (home.kind === "person") return "only you";
  const count = countHearers(home, directory);
  const people = count === null ? "" : ` (${count.toLocaleString("en")} ${count === 1 ? "person" : "people"} now)`;
  return home.kind === "channel"
    ? `everyone who can read <#${home.id}>${people}, and those who can later`
    : `every member of ${toServerName(home.id, directory)}${people}, and those who join later`;
}

export function toAudienceWords(home: FactHome, directory: NamesDirectory): string {
  if (home.kind === "person") return "only you";
  return home.kind === "channel"
    ? `those who can read <#${home.id}>`
    : `the members of ${toServerName(home.id, directory)}`;
}

export interface PreviewContext {
  readonly directory: ProposalDirectory;
  /** When the preview expires. */
  readonly decideUntil: number;
  readonly isLeftOut: boolean;
  /** The preview of replacing a fact with a similar key; null without one. */
  readonly near: OwnPreview | null;
  readonly profile: OwnProfile;
}

/** Everything that remembering it would do: key and value whole, in blocks in which nothing formats, pings or hides. */
export function describePreview(preview: OwnPreview, context: PreviewContext): readonly string[] {
  const { directory, decideUntil, isLeftOut, near, profile } = context;
  const key = spellOutHidden(preview.name);
  const value = spellOutHidden(toText(preview.value));
  const head = [
    "**Nothing has been remembered yet.**",
    `Who will be able to hear it: ${describeAllHearers(preview, preview.createdBy, directory)}.`,
    ...preview.basis.flatMap((one) => (one.type === "discord_message" ? describeSaid(one, directory) : [])),
    `Until: ${toTime(preview.expiresAt, "f")}, unless you forget it before.`,
    preview.replaces.length === 0
      ? "It replaces nothing."
      : `It replaces: ${preview.replaces.map((one) => toShownValue(one)).join(", ")}`,
    ...describeStaying(preview, directory),
    ...(near === null ? [] : describeNear(near, directory)),
    ...describeInstead(preview.name, profile),
    ...describeNames(preview, directory).map((sentence) => `:warning: ${sentence}`),
    ...(isLeftOut ? [LEFT_OUT] : []),
    ...(key.hidden + value.hidden > 0
      ? [":warning: Characters that cannot be seen are written out here, like ⟨U+200B⟩."]
      : []),
    `You can decide until ${toTime(decideUntil, "T")}.`,
  ];
  const blocks = [
    { title: "Key", text: key.text },
    { title: "Value", text: value.text },
  ];
  return packBlocks(head.join("\n"), blocks);
}

function describeSaid(basis: NewBasis, directory: NamesDirectory): string {
  const link = toSourceLink(basis, directory);
  return basis.isOwn
    ? `It rests on your own words: ${link}. It is forgotten when that message is deleted.`
    : `It rests on ${link}, but does not stand there word for word. It is forgotten when that message is deleted.`;
}

function describeStaying({ staysShared }: OwnPreview, directory: NamesDirectory): readonly string[] {
  const more = staysShared.length - MAX_STAYING;
  const lines = staysShared.slice(0, MAX_STAYING).map((one) => {
    const hearers = toAudienceWords(one.fact.home, directory);
    return `:warning: ${toShownValue(one)} stays: ${hearers} go on hearing that value of this name. \`/memory forget\` ends it.`;
  });
  return more > 0
    ? [...lines, `:warning: So do ${more} more that you share with others; see \`/memory list\`.`]
    : lines;
}

function describeNear(near: OwnPreview, directory: NamesDirectory): readonly string[] {
  const name = toShownName(near.name);
  const values = near.replaces.map((one) => toShownValue(one)).join(", ");
  return [
    `Is it the same as ${name}? That is ${values} now. The button that replaces it has this remembered as ${name} instead.`,
    ...describeStaying(near, directory),
  ];
}

/** In as few notes as hold it. */
export function describeFacts(
  facts: readonly ListedFact[],
  { head, profile, isLeftOut, person, directory }: FactsContext,
): readonly string[] {
  const paragraphs = facts.map((one) => describeFact(one, person, directory));
  return packParagraphs(isLeftOut ? `${head}\n${LEFT_OUT}` : head, [...profile, ...paragraphs]);
}

interface FactsContext {
  readonly head: string;
  /** Paragraphs that stand before the facts. */
  readonly profile: readonly string[];
  readonly isLeftOut: boolean;
  readonly person: UserId;
  readonly directory: ProposalDirectory;
}

/** In paragraphs; none where the service knows nothing. `facts`: all that is remembered about the same person. */
export function describeProfile(
  { fields, isUnavailable }: OwnProfile,
  facts: readonly ListedFact[],
  directory: NamesDirectory,
): readonly string[] {
  const remembered = new Set(facts.map(({ fact }) => normaliseName(fact.name)));
  const lines = fields.map(({ key, value, audience }) => {
    const shown = escapeMarkdown(String(value), MAX_VALUE_LENGTH);
    const hearers = toFieldAudienceWords(audience, directory);
    const instead = remembered.has(normaliseName(key)) ? ", instead of what is remembered under this name" : "";
    return `- ${toShownName(key)}: ${shown} (who hears it: ${hearers}${instead})`;
  });
  return [
    ...(isUnavailable ? [PROFILE_UNAVAILABLE] : []),
    ...(lines.length === 0 ? [] : ["Your profile, which the operator's service keeps, says:", ...lines]),
    ...(lines.length > 0 && facts.length > 0 ? ["What you had remembered:"] : []),
  ];
}

/** A line where the profile has a value of this name, else nothing. */
export function describeInstead(name: string, { fields }: OwnProfile): readonly string[] {
  return fields.some(({ key }) => normaliseName(key) === normaliseName(name))
    ? [":warning: Your profile has a value of this name, too. Where that may be heard, it is told instead of this one."]
    : [];
}

function toFieldAudienceWords(audience: AudienceRef, directory: NamesDirectory): string {
  return audience.kind === "role"
    ? `those with a role in ${toServerName(audience.guildId, directory)}`
    : toAudienceWords(audience, directory);
}

export function describeForgotten(name: string, receipt: Parameters<typeof describeGone>[0]): string {
  return `Forgotten: ${toShownName(name)}. ${describeGone(receipt)}`;
}

export function toShownName(name: string): string {
  return `**${escapeMarkdown(name, MAX_NAME_LENGTH)}**`;
}

function describeFact(own: ListedFact, person: UserId, directory: ProposalDirectory): string {
  const { fact, dormant, use } = own;
  const isLimited = dormant === null && audiencesOf(fact).length > 1;
  const hearers = isLimited ? describeAllHearers(fact, person, directory) : toAudienceWords(fact.home, directory);
  const [first, ...more] = fact.basis.map((one) => describeBasis(one, directory));
  const basis = more.length === 0 ? first : `${first} and ${more.length} more`;
  const until = fact.expiresAt === null ? "" : `, until ${toTime(fact.expiresAt, "d")}`;
  return [
    `${toShownName(fact.name)}: ${toShownValue(own)}`,
    `${dormant === null ? "Who hears it" : "For whom it is"}: ${hearers}; since ${toTime(fact.createdAt, "d")}${until}.`,
    `Rests on ${basis ?? "nothing"}.${dormant === null ? "" : ` ${DORMANT[dormant]}`}`,
    ...(use === null ? [] : [describeUse(use)]),
    ...describeRemovalRequests(own.askedBy),
  ].join("\n");
}

/** One line with the people who asked for removal; empty without a request. */
export function describeRemovalRequests(people: readonly UserId[]): readonly string[] {
  const names = people.slice(0, MAX_REQUESTS).map((id) => `<@${id}>`);
  const more = people.length > names.length ? ` and ${people.length - names.length} more` : "";
  return names.length === 0
    ? []
    : [`:warning: ${names.join(", ")}${more} asked for its removal, because it names them.`];
}

function describeBasis(basis: FactBasis, directory: NamesDirectory): string {
  switch (basis.type) {
    case "typed":
      return "what you typed";
    case "request":
      return "what you asked for";
    case "discord_message":
      return toSourceLink(basis, directory) ?? "a message";
    case "discord_channel":
      return `<#${basis.ref}>`;
    case "discord_guild":
      return `the server ${toServerName(basis.ref as GuildId, directory)}`;
    case "discord_role":
      return "what a role may read";
    case "memory_fact":
      return "another fact";
    case "docs":
      return "a document";
    case "crm":
      return "a profile";
    case "person":
      return basis.isOwn ? "your profile" : `<@${basis.ref}>`;
  }
}

export function toShownValue({ fact, isReadable }: OwnFact): string {
  return isReadable
    ? escapeMarkdown(toText(fact.value), MAX_VALUE_LENGTH)
    : "(not shown: you cannot read what it rests on)";
}

export function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function toTime(ms: number, style: "d" | "f" | "T"): string {
  return `<t:${Math.floor(ms / 1_000)}:${style}>`;
}

function toServerName(id: GuildId, directory: NamesDirectory): string {
  return escapeMarkdown(directory.guild(id)?.name ?? "a server that is out of reach", MAX_NAME_LENGTH);
}

/** Null where not everybody is known, or there are too many to look through. */
function countHearers(home: Exclude<FactHome, { kind: "person" }>, directory: NamesDirectory): number | null {
  const guildId = home.kind === "guild" ? home.id : directory.channel(home.id)?.guildId;
  const guild = guildId ? directory.guild(guildId) : undefined;
  if (!guild?.membersComplete || guild.memberCount > MAX_COUNTED) return null;
  const hears = (id: UserId) => home.kind === "guild" || directory.canRead(id, home.id);
  let count = 0;
  for (const { id, bot } of directory.people(guild.id)) if (!bot && hears(id)) count += 1;
  return count;
}
