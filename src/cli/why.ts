import type { EarshotClient } from "../client/index.ts";
import { EarshotError } from "../domain/errors.ts";
import { quoteName } from "../domain/text/escape.ts";
import { type Command, type Context, textOption } from "./command.ts";
import { describeSilence, type Matches } from "./describe-silence.ts";
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

/** What the person themselves may read about it, wherever it was said. What nobody may tell them is not looked for. */
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
