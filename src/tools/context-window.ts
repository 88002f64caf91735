import { z } from "zod";
import { idSchema } from "../domain/id-schema.ts";
import type { MessageId } from "../domain/ids.ts";
import { type Message, messageSchema, typedText } from "../domain/message.ts";
import type { Steps } from "../domain/steps/pace.ts";
import { buildWindow, type Window } from "../domain/window/build-window.ts";
import { shouldSkipContext } from "../domain/window/isolation.ts";
import { createMessageFormat } from "../domain/window/message-format.ts";
import { lineTokens, toTurns, type WindowTurn } from "../domain/window/to-turns.ts";
import { chainLoader, factsLoader, profileLoader, recentLoader } from "./context-loaders.ts";
import { defineTool } from "./define-tool.ts";
import { factSchema } from "./fact-fields.ts";
import { channelOrHere, coverageSchema, maxTokens, openTalk, sourceSchema, toSource } from "./fields.ts";
import { pictureSchema, toPictures } from "./pictures.ts";
import type { ChannelView, View } from "./view.ts";

const NO_WINDOW: Window = { threads: [], leftOut: { threads: 0, messages: 0 } };
/** Approximate size of a thread besides its messages: its label and an empty line. */
const THREAD_TOKENS = 20;
const count = z.int().min(0).max(1_000_000);

export const contextWindow = defineTool({
  name: "context.window",
  about:
    "What an agent that is spoken to should know, as turns for its model: what is remembered there and fits the request, recent conversations of the place, the chain of replies, the request.",
  effect: "read",
  scope: "context:read_channel_recent",
  toolset: "context",
  isForPrograms: true,
  namesAllShown: true,
  input: z.strictObject({
    channel: channelOrHere,
    pictures: z.enum(["none", "url", "base64"]).default("url").describe("How pictures are given"),
    pictures_of: z
      .enum(["all", "request"])
      .default("all")
      .describe("Of all that is told, or only of the request and what it answers"),
    handles: z
      .boolean()
      .default(false)
      .describe("Whether lines carry handles, (m7) for a message and (f2) for a fact, by which an answer cites them"),
    max_tokens: maxTokens.default(2_000).describe("How long it may be, in tokens, without the request itself"),
  }),
  channels: ["channel"],
  hereField: "channel",
  output: z.object({
    turns: z
      .array(
        z.object({
          kind: z.enum(["profile", "facts", "window", "chain", "request"]),
          role: z.literal("user"),
          text: z.string().describe("What others wrote stands in a marked block"),
          tokens: count.describe("Estimated maximum"),
        }),
      )
      .describe("What there is nothing to tell of is left out"),
    pictures: z.array(pictureSchema).describe("Those of the request first, then of the chain, then of the window"),
    isolated: z.boolean().describe("The person asked, by 🚫, for an answer from the request alone"),
    facts: z.array(factSchema).describe("What is remembered for everyone there and fits the request, the best first"),
    threads: z.array(
      z.object({
        messages: z.array(messageSchema).describe("Oldest first"),
        links: z
          .array(
            z.object({
              from: idSchema<MessageId>(),
              to: idSchema<MessageId>(),
              kind: z.enum(["explicit", "inferred"]),
              certainty: z.number().min(0).max(1).describe("How often such a link is right; 1 for a reply"),
            }),
          )
          .describe(
            "Which message answers which, as its author said or as is likelier than not; left out where it is unclear",
          ),
        earlier: count.describe("Older messages of it that are not shown"),
      }),
    ),
    left_out: z.object({ threads: count, messages: count }),
    chain: z.object({
      messages: z.array(messageSchema).describe("Oldest first"),
      end: z
        .enum(["start", "deleted", "absent", "long"])
        .describe("It begins there; or what comes before was deleted, cannot be read, is further back than is shown"),
    }),
    starter: messageSchema.nullable().describe("What a thread or a post begins with"),
    request: messageSchema.nullable(),
    coverage: coverageSchema,
    source: sourceSchema,
    note: z.string().nullable().describe("To be passed on to the program"),
  }),
  toText: ({ turns, note }) => [...turns.map(({ text }) => text), ...(note === null ? [] : [note])].join("\n\n"),
  async run({ channel: name, pictures, pictures_of, handles, max_tokens: most }, view) {
    const channel = await openTalk(view, name);
    const source = toSource(channel.channel);
    const { handle, ...page } = view.page;
    const names = page.names(channel.channel.guildId);
    const { actor, agent } = view.request;
    const format = createMessageFormat({ actor, agent, ...page, names, ...(handles && { handle }) });
    const request = await readRequest(channel, view);
    // The emoji may have been added since the request was made.
    const isolated = view.request.isIsolated || (request !== null && shouldSkipContext(typedText(request)));
    const asked = { view, channel, request, format, handles, maxTokens: most };
    const recent = isolated ? recentLoader.nothing : await recentLoader.load(asked, undefined);
    const fitting = isolated ? chainLoader.nothing : await chainLoader.load(asked, recent);
    const remembered = isolated ? factsLoader.nothing : await factsLoader.load(asked, undefined);
    const profile = isolated ? profileLoader.nothing : await profileLoader.load(asked, undefined);
    const { messages, starter } = recent;
    const coverage = isolated
      ? { ...recent.coverage, from: request?.ts ?? null, to: request?.ts ?? null }
      : recent.coverage;
    const given = [...fitting.messages, ...[request, starter].filter((one) => one !== null)];
    const place = { kind: `window of ${source.kind}`, name: source.name };
    const tell = (window: Window, first = starter) =>
      toTurns(
        { profile, facts: remembered.lines, window, starter: first, chain: fitting, request },
        { ...view.page, format, place },
      );
    const bounds = { tokensOf: (message: Message) => lineTokens(message, format), tokensPerThread: THREAD_TOKENS };
    const talk = { messages, given, ...bounds };
    const { window, turns } = await view.pace.run((pacer) =>
      fitWindow(most, tell, (room) => (isolated ? noWindow() : buildWindow({ ...talk, maxTokens: room }, pacer))),
    );
    return {
      turns: turns.map(({ kind, text, tokens }) => ({ kind, role: "user" as const, text, tokens })),
      pictures: await toPictures(
        turns
          .filter(({ kind }) => pictures_of === "all" || kind === "request" || kind === "chain")
          .toReversed()
          .flatMap((turn) => turn.messages.toReversed()),
        pictures,
        view,
      ),
      isolated,
      facts: [...remembered.facts],
      threads: window.threads.map(({ messages: shown, links, earlier }) => ({
        messages: [...shown],
        links: shown.flatMap(({ message_id: from }) => {
          const link = links.get(from);
          return link ? [{ from, ...link }] : [];
        }),
        earlier,
      })),
      left_out: window.leftOut,
      chain: { ...fitting, messages: [...fitting.messages] },
      starter,
      request,
      coverage,
      source,
      note: null,
    };
  },
});

/** The largest window whose text fits. The size of labels and frames is known only after rendering. */
function* fitWindow(
  most: number,
  tell: (window: Window, first?: Message | null) => WindowTurn[],
  build: (room: number) => Steps<Window>,
): Steps<{ window: Window; turns: WindowTurn[] }> {
  const takes = (turns: readonly WindowTurn[]) =>
    turns.reduce((sum, { kind, tokens }) => (kind === "request" ? sum : sum + tokens), 0);
  for (let room = most - takes(tell(NO_WINDOW)); ; ) {
    const window = yield* build(room);
    const turns = tell(window);
    const excess = takes(turns) - most;
    if (excess <= 0) return { window, turns };
    // The first message of a thread may exceed the smallest possible limit.
    if (window.threads.length === 0) return { window, turns: tell(window, null) };
    room -= excess;
  }
}

// biome-ignore lint/correctness/useYield: there is nothing to pause for.
function* noWindow(): Steps<Window> {
  return NO_WINDOW;
}

/** The message that asked, if it is in this channel. */
async function readRequest(channel: ChannelView, { request }: View): Promise<Message | null> {
  const { here, messageId } = request;
  if (messageId === null || channel.channel.id !== here) return null;
  return (await channel.message(messageId)) ?? null;
}
