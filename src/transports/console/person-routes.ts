import { type Context, Hono } from "hono";
import { z } from "zod";
import type { OpenedAgent } from "../../agent/open-agent.ts";
import { EarshotError } from "../../domain/errors.ts";
import { idSchema } from "../../domain/id-schema.ts";
import type { ChannelId, MessageId, UserId } from "../../domain/ids.ts";
import { toMessageLink } from "../../domain/text/message-link.ts";
import { estimateTokens } from "../../domain/text/tokens.ts";
import type { Gate } from "../../gate/gate.ts";
import { ASKING_SCOPES, OWN_GRANT } from "../../policy/grant.ts";
import type { Client, Operation } from "../../policy/operation.ts";
import type { Operations } from "../../policy/operations.ts";
import type { Directory } from "../../ports/directory.ts";
import type { Tool } from "../../tools/define-tool.ts";
import { getMessageContext } from "../../tools/get-message-context.ts";
import { guildChannels } from "../../tools/guild-channels.ts";
import { guilds } from "../../tools/guilds.ts";
import { listPeople } from "../../tools/list-people.ts";
import { searchMessages } from "../../tools/search-messages.ts";
import type { PersonMemory } from "../kit/person-memory.ts";
import { type Privacy, toPrivacyRequest } from "../kit/privacy.ts";
import { showOperation } from "../kit/show-operation.ts";
import { accept, type ConsoleEnv } from "./console-kit.ts";
import type { ConsoleSessions } from "./console-sessions.ts";
import { createProgramRoutes } from "./own-programs.ts";
import { listWithheldFrom, type WithheldDeps } from "./withheld-channels.ts";

/** Gives a person the same permissions as in Discord: each part checks them itself. */
export interface PersonDeps {
  readonly gate: Gate;
  readonly operations: Pick<Operations, "open" | "close">;
  readonly agent: Pick<OpenedAgent, "ask">;
  readonly personMemory: Pick<PersonMemory, "list" | "why" | "export" | "forget" | "erase">;
  readonly privacy: Pick<Privacy, "show" | "leaveOut">;
  readonly signIns: Parameters<typeof createProgramRoutes>[0];
  readonly directory: Pick<Directory, "channel">;
  /** Lists what is withheld from people, and why. Null if the people are real. */
  readonly withheld: WithheldDeps | null;
}

const MAX_GUILDS = 10;
const MAX_PEOPLE = 100;
const PAGE = 10;
const MAX_TOLD = 20;
/** Maximum concurrent questions of one person. */
const MAX_ASKING = 2;

const words = z.string().trim().max(200);
const searchSchema = z.strictObject({
  query: z.string().trim().max(400),
  /** A person's id, or a name as typed. */
  from: words.min(1).optional(),
  channel: words.min(1).optional(),
  since: words.min(1).optional(),
  until: words.min(1).optional(),
  hasLink: z.boolean().optional(),
  cursor: z.string().max(20_000).optional(),
});
const messagesSchema = z.strictObject({
  messages: z
    .array(z.object({ channel_id: idSchema<ChannelId>(), message_id: idSchema<MessageId>() }))
    .min(1)
    .max(MAX_TOLD),
});
const factSchema = z.strictObject({ fact_id: z.string().min(1).max(128) });

/** For the person of a session. Each request is a private operation. */
export function createPersonRoutes(
  { gate, operations, agent, personMemory, privacy, signIns, directory, withheld }: PersonDeps,
  sessions: Pick<ConsoleSessions, "isFresh" | "mustBeFresh">,
) {
  const counted = limitAsking();
  const within: Within = (c, run) => withinOperation(personOf(c), operations, run);
  /** Aborted when the session ends, or the page no longer waits. */
  const signalOf = (c: Context<ConsoleEnv>) => AbortSignal.any([c.var.session.signal, c.req.raw.signal]);
  const call = async <Input extends z.ZodObject, Output extends z.ZodType>(
    tool: Tool<Input, Output>,
    args: z.input<Input>,
    manner: { readonly operation: Operation; readonly signal: AbortSignal; readonly wantsText?: boolean },
  ): Promise<{ value: z.output<Output>; text: string }> => {
    const { value, text } = await gate.callTool({ name: tool.name, args, ...manner });
    return { value: tool.output.parse(value), text: text ?? "" };
  };
  const readIn = (operation: Operation) => showOperation(operation, gate).read.counts;

  return new Hono<ConsoleEnv>()
    .route("/", createProgramRoutes(signIns))
    .route("/", createMemoryRoutes({ operations, personMemory, privacy }, sessions))
    .post("/console/me/places", (c) =>
      within(c, async (operation) => {
        const manner = { operation, signal: signalOf(c) };
        const { value: shared } = await call(guilds, {}, manner);
        const channels = [];
        for (const { guild_id } of shared.guilds.slice(0, MAX_GUILDS)) {
          const { value } = await call(guildChannels, { server: guild_id }, manner);
          for (const { channel_id, name, kind } of value.channels)
            channels.push({ channel_id, name, isThread: kind.endsWith("thread") });
        }
        const { value: known } = await call(listPeople, { limit: MAX_PEOPLE }, manner);
        const people = known.people.map(({ user_id, name }) => ({ user_id, name }));
        return c.json({ me: operation.actor, channels, people, hasSandbox: withheld !== null });
      }),
    )
    .post("/console/me/search", accept(searchSchema), (c) =>
      within(c, async (operation) => {
        const args = toSearchArguments(c.req.valid("json"));
        const { value, text } = await call(searchMessages, args, { operation, signal: signalOf(c), wantsText: true });
        return c.json({
          result: value,
          text,
          call: { name: searchMessages.name, args },
          cost: { read: readIn(operation), tokens: estimateTokens(text) },
        });
      }),
    )
    .post("/console/me/ask", accept(z.strictObject({ question: z.string().trim().min(1).max(2_000) })), (c) =>
      counted(personOf(c), () =>
        within(c, async (operation) => {
          const { question } = c.req.valid("json");
          const spoken = await agent.ask(operation, { text: question, style: "numbers", signal: signalOf(c) });
          const { text, voice, cited, context } =
            spoken.kind === "text"
              ? spoken
              : { text: spoken.emoji, voice: "none" as const, cited: [], context: new Set<string>() };
          return c.json({
            text,
            voice,
            sources: cited.map((message) => ({
              message,
              role: context.has(message.message_id) ? ("context" as const) : ("passage" as const),
            })),
            call: { name: "agent.ask", args: { question } },
            cost: { read: readIn(operation), tokens: estimateTokens(text) },
          });
        }),
      ),
    )
    .post("/console/me/could-tell", accept(messagesSchema), (c) =>
      within(c, async (operation) => {
        for (const { channel_id: channelId, message_id: messageId } of c.req.valid("json").messages) {
          const guildId = directory.channel(channelId)?.guildId;
          const message_id = toMessageLink({ guildId, channelId, messageId });
          await call(getMessageContext, { message_id, before: 0, after: 0 }, { operation, signal: signalOf(c) });
        }
        return c.json({
          channels: gate
            .tellable(operation)
            .map(({ channelId, isTellable }) => ({ channel_id: channelId, could: isTellable })),
        });
      }),
    )
    .post("/console/me/withheld", (c) => {
      if (!withheld) throw new EarshotError("not_found", "What is withheld is told on the sandbox alone.");
      return c.json({ channels: listWithheldFrom(personOf(c), withheld) });
    })
    .post("/console/me/leave-out", (c) =>
      within(c, async (operation) => c.json(await privacy.leaveOut(toPrivacyRequest(operation)))),
    );
}

/** Refuses questions of a person who has too many running. */
function limitAsking() {
  const asking = new Map<UserId, number>();
  return async <Answer>(person: UserId, ask: () => Promise<Answer>): Promise<Answer> => {
    const running = asking.get(person) ?? 0;
    if (running >= MAX_ASKING)
      throw new EarshotError("rate_limited", "Two of your questions are being answered; wait for an answer first.");
    asking.set(person, running + 1);
    try {
      return await ask();
    } finally {
      const left = (asking.get(person) ?? 1) - 1;
      if (left > 0) asking.set(person, left);
      else asking.delete(person);
    }
  };
}

/** Facts about the person, and what is kept of them. */
function createMemoryRoutes(
  { operations, personMemory, privacy }: Pick<PersonDeps, "operations" | "personMemory" | "privacy">,
  sessions: Pick<ConsoleSessions, "isFresh" | "mustBeFresh">,
) {
  const within: Within = (c, run) => withinOperation(personOf(c), operations, run);
  return new Hono<ConsoleEnv>()
    .post("/console/me/memory/list", (c) =>
      within(c, async (operation) => {
        const state = await privacy.show(toPrivacyRequest(operation));
        const isFresh = sessions.isFresh(c.var.session);
        return c.json({ ...(await personMemory.list(operation)), privacy: state, isFresh });
      }),
    )
    .post("/console/me/memory/why", accept(factSchema), (c) =>
      within(c, async (operation) => c.json(await personMemory.why(operation, c.req.valid("json").fact_id))),
    )
    .post("/console/me/memory/forget", accept(factSchema), (c) =>
      within(c, async (operation) => c.json(await personMemory.forget(operation, c.req.valid("json").fact_id))),
    )
    .post("/console/me/memory/export", (c) => {
      sessions.mustBeFresh(c.var.session);
      return within(c, async (operation) => c.json(await personMemory.export(operation)));
    })
    .post("/console/me/memory/erase", accept(z.strictObject({ confirm: z.boolean() })), (c) => {
      sessions.mustBeFresh(c.var.session);
      return within(c, async (operation) => c.json(await personMemory.erase(operation, c.req.valid("json"))));
    });
}

type Within = <Answer>(c: Context<ConsoleEnv>, run: (operation: Operation) => Promise<Answer>) => Promise<Answer>;

function personOf({ var: { session } }: Context<ConsoleEnv>): UserId {
  if (session.actor === null) throw new EarshotError("forbidden", "This is for a person.");
  return session.actor;
}

/** Operators come first: an unclosed quotation mark in the query would swallow them. */
function toSearchArguments({ query, from, hasLink, ...rest }: z.output<typeof searchSchema>) {
  const who = from === undefined ? [] : [`from:"${from.replaceAll('"', "")}"`];
  const typed = [...who, ...(hasLink ? ["has:link"] : []), query].join(" ").trim();
  return { ...(typed !== "" && { query: typed }), limit: PAGE, ...rest };
}

/** The gate client of a person's pages: it acts for this person, who alone reads the answers. It sends nothing. */
function toConsoleClient(person: UserId): Client {
  // New facts are only proposed: sharing is confirmed in Discord.
  return { name: "console", grant: { ...OWN_GRANT, scopes: [...ASKING_SCOPES], actors: [person] } };
}

/** Runs one request of a person in its own private operation. */
async function withinOperation<Answer>(
  person: UserId,
  operations: Pick<Operations, "open" | "close">,
  run: (operation: Operation) => Promise<Answer>,
): Promise<Answer> {
  const operation = await operations.open(toConsoleClient(person), { actor: person, isPrivate: true });
  try {
    return await run(operation);
  } finally {
    operations.close(operation);
  }
}
