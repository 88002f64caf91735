import type { EarshotClient } from "../client/index.ts";
import { EarshotError } from "../domain/errors.ts";
import type { Silence, Silences } from "../domain/silence.ts";
import { quoteName } from "../domain/text/escape.ts";
import { type Command, type Context, textOption } from "./command.ts";
import { askNames, askSilences, connectToProgram, resolveName } from "./running-program.ts";

/** The most that a search returns at once. */
const MAX_HITS = 100;

export const why: Command = {
  name: "why",
  usage: '--as <person> --in <channel> --about "<words>" [--json]',
  options: { as: { type: "string" }, in: { type: "string" }, about: { type: "string" }, json: { type: "boolean" } },
  details: [
    "--as     the person who asked: an id or a name",
    "--in     the channel where the answer would be read: an id or a name",
    "--about  what the question was about: words to search for",
    "--json   print JSON",
    "",
    "Says which messages an answer there could quote, which match and are withheld, and why. It is for you, the operator: it",
    "names channels that the person asking may not know of.",
    "",
    "earshot why --as sarah --in general --about tideboard",
  ],
  async run(args, context) {
    const { config, print, self } = context;
    const [as, place, about] = [textOption(args, "as"), textOption(args, "in"), textOption(args, "about")?.trim()];
    if (!as || !place || !about)
      throw new EarshotError(
        "invalid",
        `Name the person, the channel and the words: ${self} why --as sarah --in general --about tideboard`,
      );
    const client = await connectToProgram(config, self);
    try {
      const actor = await resolveName("people", as, config);
      const channelId = await resolveName("channels", place, config);
      const silences = await askSilences({ config, self }, { actor, channel_id: channelId });
      const ids = [actor, channelId, ...silences.channels.map(({ channel_id }) => channel_id)];
      const names = await askNames(config, ids);
      const nameOf = (id: string) => toName(names.get(id) ?? id);
      const matches = await search(client, { actor, channelId, about }, context).catch((error: unknown) => {
        if (!(error instanceof EarshotError) || error.code !== "not_found") throw error;
        const problem = `${nameOf(actor)} cannot see ${nameOf(channelId)}, or the configuration (policy) closes it: nobody is answered there on their behalf.`;
        throw new EarshotError("not_found", problem, { cause: error });
      });
      const asked = { actor, channelId, about, isOff: isOff(channelId, context) };
      if (args.values["json"]) print(JSON.stringify({ ...matches, ...silences }, null, 2));
      else for (const line of describeSilence(asked, { silences, matches, nameOf })) print(line);
      return 0;
    } finally {
      await client.close();
    }
  },
};

/** Searches everything that the person may read. Matches that may not be told to them are not looked for. */
async function search(
  client: EarshotClient,
  { actor, channelId, about }: { actor: string; channelId: string; about: string },
  { signal, note }: Context,
): Promise<Matches> {
  const { operation_id: operationId } = await client.call("operation.open", {
    actor,
    channel_id: channelId,
    private: true,
  });
  note("searching …");
  const options = { operationId, signal, timeoutMs: 120_000 };
  const found = await client.call("search_messages", { query: about, limit: MAX_HITS }, options);
  const counts = new Map<string, number>();
  for (const { channel, words_in_message } of found.hits)
    if (words_in_message !== "none") counts.set(channel.channel_id, (counts.get(channel.channel_id) ?? 0) + 1);
  return { counts: Object.fromEntries(counts), isCut: found.has_more, isStillReading: found.still_reading };
}

/** The agent is switched off in the channel itself; its category or server may be named as well, which the ids do not tell. */
function isOff(channelId: string, { config: { agent } }: Context): boolean {
  return !agent.enabled || agent.off.some((id) => id === channelId);
}

function toName(name: string): string {
  return name.startsWith("#") ? `#${quoteName(name.slice(1))}` : quoteName(name);
}

/** How many messages match, by channel, of all that the person may read. */
interface Matches {
  readonly counts: Readonly<Record<string, number>>;
  /** There are more than were counted. */
  readonly isCut: boolean;
  readonly isStillReading: boolean;
}

interface AskedAbout {
  readonly actor: string;
  readonly channelId: string;
  readonly about: string;
  /** The agent is switched off there. */
  readonly isOff: boolean;
}

interface Findings {
  readonly silences: Silences;
  readonly matches: Matches;
  /** A person's or a channel's, for a sentence. */
  nameOf(id: string): string;
}

const MAX_NAMES = 8;

/** Says in words what an answer could quote, what is withheld from it, and why. */
function describeSilence(asked: AskedAbout, findings: Findings): string[] {
  const { silences, matches, nameOf } = findings;
  const [person, here] = [nameOf(asked.actor), nameOf(asked.channelId)];
  const reasons = new Map(silences.channels.map((one) => [one.channel_id, one]));
  const found = Object.entries(matches.counts);
  const isOpen = ([id]: [string, number]) => reasons.get(id)?.reason === "open";
  const [open, withheld] = [found.filter(isOpen), found.filter((one) => !isOpen(one))];
  const total = found.reduce((sum, [, count]) => sum + count, 0);
  const unread = silences.channels.filter(({ reason }) => reason === "actor_cannot_read");
  const closed = silences.channels.filter(({ reason }) => ["switched_off", "opted_out"].includes(reason));
  return [
    ...(asked.isOff ? [`The agent answers nobody in ${here}: the configuration switches it off (agent).`] : []),
    total === 0
      ? `No message that ${person} can read matches "${asked.about}".`
      : `${countOf(total, matches.isCut)} that ${person} can read ${total === 1 ? "matches" : "match"} "${asked.about}".`,
    ...(open.length > 0 ? [`Answers in ${here} may quote those in ${listCounts(open, nameOf)}.`] : []),
    ...withheld.map(([id, count]) => describeWithheld({ id, count }, reasons.get(id), { here, findings })),
    ...(withheld.length > 0 ? [`Asked privately (--private, or by direct message), ${person} is told all of it.`] : []),
    ...(total > 0 && withheld.length === 0 ? [`Nothing of it is withheld in ${here}.`] : []),
    ...(unread.length > 0
      ? [`${person} cannot read ${listNames(unread, nameOf)}: nothing said there is ever used for ${person}.`]
      : []),
    ...(closed.length > 0 ? [`The configuration (policy) leaves out ${listNames(closed, nameOf)}.`] : []),
    ...(matches.isStillReading
      ? ["Earshot is still reading the history of this server; older messages may follow."]
      : []),
  ];
}

function describeWithheld(
  { id, count }: { id: string; count: number },
  silence: Silence | undefined,
  { here, findings }: { here: string; findings: Findings },
): string {
  const there = findings.nameOf(id);
  const start = `${countOf(count, false)} in ${there} ${count === 1 ? "matches" : "match"}. ${count === 1 ? "It is" : "They are"} not quoted in ${here}:`;
  const viewers = findings.silences.viewers;
  const people = silence?.people ?? null;
  const some =
    people === null || viewers === null ? "people who hold certain roles" : `${people} of the ${viewers} people`;
  switch (silence?.reason) {
    case "people":
      return `${start} ${some} who can see ${here} cannot read ${there}.`;
    case "history":
      return `${start} ${some} who can see ${here} cannot read its history, so only its last ten minutes are quoted.`;
    case "announcement":
      return `${start} announcements can travel to other servers.`;
    case "age_restricted":
      return `${start} age-restricted channels are quoted only in age-restricted channels and in private.`;
    default:
      return `${start} it is in another server or a private conversation, or nobody can say who reads it.`;
  }
}

function listCounts(found: readonly [string, number][], nameOf: Findings["nameOf"]): string {
  const shown = found.slice(0, MAX_NAMES).map(([id, count]) => `${nameOf(id)} (${count})`);
  return withMore(shown, found.length);
}

function listNames(some: readonly Silence[], nameOf: Findings["nameOf"]): string {
  return withMore(
    some.slice(0, MAX_NAMES).map(({ channel_id }) => nameOf(channel_id)),
    some.length,
  );
}

function withMore(shown: readonly string[], all: number): string {
  return all > shown.length ? `${shown.join(", ")} and ${all - shown.length} more` : shown.join(", ");
}

function countOf(count: number, isCut: boolean): string {
  return `${count}${isCut ? " or more" : ""} message${count === 1 ? "" : "s"}`;
}
