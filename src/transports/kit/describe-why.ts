import type { ChannelId, GuildId } from "../../domain/ids.ts";
import { audiencesOf, type FactBasis, type Verification } from "../../domain/memory/fact.ts";
import type { FactUse, ListedFact, OwnFact } from "../../gate/memory/own-facts.ts";
import { describeHearers, type ProposalWords, toPlace, toValue } from "./describe-proposal.ts";
import { canReadSource, DORMANT, describeUse, toSourceLink, toTimes } from "./fact-record.ts";

const VERIFIED: Readonly<Record<Verification, string>> = {
  inferred: "nobody has confirmed it",
  user_confirmed: "you confirmed it",
  admin_confirmed: "somebody who manages the server confirmed it",
  authoritative: "it comes from a service that the operator trusts",
};
const MAX_SOURCES = 10;

/** Explains a fact to its subject, one line each: its sources, its audience, and its usage. */
export function describeWhy(own: ListedFact, words: ProposalWords): readonly string[] {
  const { fact, dormant, use } = own;
  const sources = fact.basis.slice(0, MAX_SOURCES).map((one) => describeSource(one, own, words));
  const more = fact.basis.length - sources.length;
  const until = fact.expiresAt === null ? "until it is forgotten" : `until ${words.time(fact.expiresAt)}`;
  return [
    `${words.value(fact.name)}: ${toValue(own, words)}`,
    `Remembered since ${words.time(fact.createdAt)}, ${until}; ${VERIFIED[fact.verification]}.`,
    "It rests on:",
    ...sources.map((source) => `- ${source}`),
    ...(more > 0 ? [`- ${more} more`] : []),
    dormant === null ? describeAudience(own, words) : DORMANT[dormant],
    ...(use === null ? [] : [describeUse(use), ...describePlaces(use, words)]),
  ];
}

export function describeAudience({ fact }: Pick<ListedFact, "fact">, words: ProposalWords): string {
  return `Who can hear it: ${describeLimits(fact, words)}.`;
}

/** The people who can hear a fact, after all limits. */
export function describeLimits(fact: Parameters<typeof audiencesOf>[0], words: ProposalWords): string {
  return describeHearers(audiencesOf(fact), words).replace(/,$/, "");
}

export function describeSource(basis: FactBasis, own: OwnFact, words: ProposalWords): string {
  const { type, ref, isOwn } = basis;
  const context = { person: words.actor, directory: words.directory };
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

function describePlaces({ places }: FactUse, words: ProposalWords): readonly string[] {
  return places.map(({ channelId, times }) => {
    const where = channelId === null ? "privately" : `in ${words.channel(channelId)}`;
    return `- ${where}: ${toTimes(times)}`;
  });
}
