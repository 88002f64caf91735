import type { ChannelId, GuildId } from "../../domain/ids.ts";
import { audiencesOf, type FactBasis, type Verification } from "../../domain/memory/fact.ts";
import type { ExplainedFact, UsedPlace, WeeklyUses } from "../../gate/memory/own-facts.ts";
import { describeHearers, type ProposalWords, toPlace, toValue } from "./describe-proposal.ts";
import { canReadSource, DORMANT, type RecordContext, toSourceLink } from "./fact-record.ts";

const VERIFIED: Readonly<Record<Verification, string>> = {
  inferred: "nobody has confirmed it",
  user_confirmed: "you confirmed it",
  admin_confirmed: "somebody who manages the server confirmed it",
  authoritative: "it comes from a service that the operator trusts",
};
const MAX_SOURCES = 10;

/** Why a fact is remembered, for the person whom it is about, a line each: what it rests on, who hears it, and how often it was used. */
export function describeWhy(own: ExplainedFact, words: ProposalWords): readonly string[] {
  const { fact, dormant, weekly } = own;
  const context = { person: words.actor, directory: words.directory };
  const sources = fact.basis.slice(0, MAX_SOURCES).map((one) => describeSource(one, own, { words, context }));
  const more = fact.basis.length - sources.length;
  const until = fact.expiresAt === null ? "until it is forgotten" : `until ${words.time(fact.expiresAt)}`;
  return [
    `${words.value(fact.name)}: ${toValue(own, words)}`,
    `Remembered since ${words.time(fact.createdAt)}, ${until}; ${VERIFIED[fact.verification]}.`,
    "It rests on:",
    ...sources.map((source) => `- ${source}`),
    ...(more > 0 ? [`- ${more} more`] : []),
    dormant === null ? describeAudience(own, words) : DORMANT[dormant],
    ...(weekly === null ? [] : describeWeekly(weekly, words)),
  ];
}

export function describeAudience({ fact }: Pick<ExplainedFact, "fact">, words: ProposalWords): string {
  const hearers = describeHearers(audiencesOf(fact), words);
  return `Who can hear it: ${hearers.replace(/,$/, "")}.`;
}

function describeSource(
  basis: FactBasis,
  own: ExplainedFact,
  { words, context }: { readonly words: ProposalWords; readonly context: RecordContext },
): string {
  const { type, ref, isOwn } = basis;
  switch (type) {
    case "typed":
      return "what you typed";
    case "request":
      return "what you asked for";
    case "discord_message": {
      const what = isOwn ? "your own words: " : "";
      const link = canReadSource(basis, own, context) ? toSourceLink(basis, words.directory) : null;
      return `${what}${link ?? "a message that you cannot read"}`;
    }
    case "discord_channel":
      return toPlace({ kind: "channel", id: ref as ChannelId }, words);
    case "discord_guild":
      return canReadSource(basis, own, context) ? `the server ${words.server(ref as GuildId)}` : "a server";
    case "discord_role":
      return "what those with a role may read";
    case "docs":
      return "a passage of a document";
    case "crm":
      return "a profile";
    case "memory_fact":
      return "another fact";
    case "person":
      return isOwn ? "your profile" : "what is for you alone";
  }
}

function describeWeekly(
  { weeks, places, isMinimum, isPrivateTold }: WeeklyUses,
  words: ProposalWords,
): readonly string[] {
  const when = weeks === 1 ? "the week before this one" : `the ${weeks} weeks before this one`;
  const untold = isPrivateTold
    ? []
    : ["How often others asked privately is not said: so few of them hear it that it could tell who asked."];
  if (places.length === 0) return [`No use is known in ${when}.`, ...untold];
  const least = isMinimum ? ", at least" : "";
  return [
    `Used in ${when}${least} (each week from Monday on, in UTC):`,
    ...places.map((place) => describePlace(place, words)),
    ...untold,
  ];
}

function describePlace({ channelId, weeks }: UsedPlace, words: ProposalWords): string {
  const where = channelId === null ? "privately" : words.channel(channelId);
  const times = (count: number) => (count === 1 ? "once" : `${count.toLocaleString("en")} times`);
  return `- ${where}: ${weeks.map(({ startsAt, times: count }) => `${times(count)} in the week from ${toDay(startsAt)}`).join(", ")}`;
}

function toDay(ms: number): string {
  return new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" }).format(ms);
}
