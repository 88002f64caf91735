import type { AudienceRef, FactHome } from "../../domain/audience.ts";
import type { GuildId, UserId } from "../../domain/ids.ts";
import { audiencesOf, normaliseName } from "../../domain/memory/fact.ts";
import { escapeMarkdown } from "../../domain/text/escape-markdown.ts";
import type { ListedFact, OwnFact } from "../../gate/memory/own-facts.ts";
import type { OwnProfile } from "../../gate/memory/own-profile.ts";
import type { Directory } from "../../ports/directory.ts";
import { PROFILE_UNAVAILABLE } from "../../tools/outages.ts";
import type { ProposalDirectory } from "../kit/describe-proposal.ts";
import { describeLimits, describeSource } from "../kit/describe-why.ts";
import { DORMANT, describeUse } from "../kit/fact-record.ts";
import { describeGone } from "../kit/privacy-text.ts";
import { packParagraphs } from "./pack-blocks.ts";
import { toDiscordWords } from "./proposal-notes.ts";

export type NamesDirectory = Pick<Directory, "guild" | "channel">;

const MAX_NAME_LENGTH = 100;
const MAX_VALUE_LENGTH = 200;
const MAX_REQUESTS = 5;

export const LEFT_OUT =
  ":warning: You are left out at the moment, so nobody hears what is remembered about you, until `/privacy include-me`.";

export function toAudienceWords(home: FactHome, directory: NamesDirectory): string {
  if (home.kind === "person") return "only you";
  return home.kind === "channel"
    ? `those who can read <#${home.id}>`
    : `the members of ${toServerName(home.id, directory)}`;
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
  /** Paragraphs before the facts. */
  readonly profile: readonly string[];
  readonly isLeftOut: boolean;
  readonly person: UserId;
  readonly directory: ProposalDirectory;
}

/** In paragraphs; none if the service has no values. `facts`: all facts about the same person. */
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

/** A line if the profile has a value of this name, else nothing. */
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
  const words = toDiscordWords(person, directory);
  const hearers = isLimited ? describeLimits(fact, words) : toAudienceWords(fact.home, directory);
  const [first, ...more] = fact.basis;
  const source = first ? describeSource(first, own, words) : "nothing";
  const basis = more.length === 0 ? source : `${source} and ${more.length} more`;
  const until = fact.expiresAt === null ? "" : `, until ${toTime(fact.expiresAt, "d")}`;
  return [
    `${toShownName(fact.name)}: ${toShownValue(own)}`,
    `${dormant === null ? "Who hears it" : "For whom it is"}: ${hearers}; since ${toTime(fact.createdAt, "d")}${until}.`,
    `Rests on ${basis}.${dormant === null ? "" : ` ${DORMANT[dormant]}`}`,
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
