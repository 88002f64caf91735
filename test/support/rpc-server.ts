import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { EarshotError } from "../../src/domain/errors.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../../src/domain/ids.ts";
import { type Message, toTypedParts } from "../../src/domain/message.ts";
import type { Gate } from "../../src/gate/gate.ts";
import type { ClientEvent, ClientEvents } from "../../src/policy/client-events.ts";
import { type Grant, OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { Client, Operation } from "../../src/policy/operation.ts";
import { OperationEffects } from "../../src/policy/operation.ts";
import type { OpenRequest, Operations } from "../../src/policy/operations.ts";
import type { DiscordEvent } from "../../src/ports/discord.ts";
import type { Log } from "../../src/ports/log.ts";
import { Label } from "../../src/sources/label.ts";
import { defineTool, type Tool } from "../../src/tools/define-tool.ts";
import type { RpcLimits } from "../../src/transports/rpc/rpc-limits.ts";
import { createRpcTransport, type RpcTransport } from "../../src/transports/rpc/rpc-transport.ts";
import { createTestConsent, createTestPersonMemory, createTestPrivacy } from "./consent.ts";

export interface RpcServer {
  readonly port: number;
  readonly url: string;
  readonly transport: RpcTransport;
  readonly gate: Gate;
  readonly operations: Operations;
  /** What the tool `test.send` has sent. */
  readonly sent: readonly string[];
  /** Everything that was logged, as JSON. */
  readonly logged: readonly string[];
  /** Labels handed to the clientEvents, in order. */
  emit(event: DiscordEvent): void;
  say(content: string, more?: Partial<Message>): Message;
  /** One heartbeat to every client. There are no others unless `heartbeats` says so: on a loaded machine a short interval cuts everybody off. */
  beat(): void;
  /** Tokens are "token-<name>"; every name is known. */
  token(name?: string): string;
  close(): Promise<void>;
}

export interface RpcServerOptions {
  readonly limits?: Partial<RpcLimits>;
  /** "timed": every `heartbeatMs`, as in the program. */
  readonly heartbeats?: "timed";
  readonly grant?: (name: string) => Partial<Grant>;
  readonly port?: number;
  readonly clientEvents?: Pick<ClientEvents, "decide" | "mayStillPush">;
}

export const SECRET = "the private words of somebody";
const GENERAL = "200" as ChannelId;
const clock = { now: () => Date.now() };

/** The real transport on a real socket, over a handful of tools and simple operations. It closes after the test. */
export async function openRpcServer(options: RpcServerOptions = {}): Promise<RpcServer> {
  const sent: string[] = [];
  const logged: string[] = [];
  const listeners = new Set<(event: DiscordEvent) => void>();
  let beat = () => {};
  const repeat = (action: () => void) => {
    beat = action;
    return () => {};
  };
  const operations = simpleOperations();
  const gate = simpleGate(testTools(sent));
  const note = (fields: Record<string, unknown>, message: string) =>
    void logged.push(JSON.stringify({ message, ...fields }));
  const log: Log = { debug: note, info: note, warn: note, error: note };
  const transport = createRpcTransport({
    gate,
    operations,
    clientEvents: options.clientEvents ?? simpleClientEvents(operations),
    consent: createTestConsent(),
    privacy: createTestPrivacy(),
    personMemory: createTestPersonMemory(),
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    authenticate: (token) => {
      const name = /^token-(.+)$/.exec(token)?.[1];
      return name === undefined ? null : { name, grant: { ...OPERATOR_GRANT, ...options.grant?.(name) } };
    },
    clock,
    log,
    mintId: randomUUID,
    limits: { framesPerSecond: 1_000_000, burst: 1_000_000, ...options.limits },
    ...(options.heartbeats !== "timed" && { repeat }),
  });
  const server = createServer((_, response) => response.writeHead(404).end());
  server.on("upgrade", (request, socket, head) => transport.handleUpgrade(request, socket, head));
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const port = (server.address() as AddressInfo).port;
  const close = async () => {
    await transport.close();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  onTestFinished(close);
  const emit = (event: DiscordEvent) => {
    for (const listener of listeners) listener(event);
  };
  let lastId = 1_000_000_000_000_000_000n;
  return {
    port,
    url: `ws://127.0.0.1:${port}/rpc`,
    transport,
    gate,
    operations,
    sent,
    logged,
    emit,
    say(content, more = {}) {
      lastId += 1n;
      const message = { ...aMessage(String(lastId), content), ...more };
      emit({ type: "message", message, addressed: content.startsWith("@bot") });
      return message;
    },
    beat: () => beat(),
    token: (name = "brain") => `token-${name}`,
    close,
  };
}

function aMessage(id: string, content: string): Message {
  return {
    message_id: id as MessageId,
    channel_id: GENERAL,
    guild_id: "300" as GuildId,
    thread_id: null,
    link: `https://discord.com/channels/300/${GENERAL}/${id}`,
    author: { id: "400" as UserId, name: "Sarah", bot: false },
    ts: "2026-11-15T05:00:00.000Z",
    edited_ts: null,
    kind: "text",
    content,
    parts: toTypedParts(content),
    reply_to: null,
    attachments: [],
  };
}

function testTools(sent: string[]): readonly Tool[] {
  const texts = new Map<string, string>();
  return [
    defineTool({
      name: "test.echo",
      about: "Answers what it was given.",
      effect: "read",
      scope: "context:read_channel_recent",
      toolset: "discord",
      input: z.strictObject({ text: z.string().max(100_000), times: z.int().min(1).max(1_000_000).default(1) }),
      output: z.object({ text: z.string() }),
      run: async ({ text, times }) => ({ text: text.repeat(times) }),
    }),
    defineTool({
      name: "test.send",
      about: "Says something.",
      effect: "send",
      scope: "discord:send",
      toolset: "discord",
      input: z.strictObject({ text: z.string(), key: z.string().optional(), wait: z.boolean().default(false) }),
      output: z.object({ count: z.number() }),
      async run({ text, key, wait }) {
        if (key === undefined || !texts.has(key)) sent.push(text);
        if (key !== undefined) texts.set(key, text);
        if (wait) await new Promise(() => {});
        return { count: sent.length };
      },
    }),
    defineTool({
      name: "test.fail",
      about: "Fails in a way that nobody foresaw.",
      effect: "read",
      scope: "context:read_channel_recent",
      toolset: "discord",
      input: z.strictObject({}),
      output: z.null(),
      async run() {
        throw new TypeError(`cannot read "${SECRET}"`);
      },
    }),
  ];
}

/** A gate with the same manners as the real one, whose tools need no Discord; `test.scan` goes on until it is stopped. */
function simpleGate(plain: readonly Tool[]): Gate {
  const scan = defineTool({
    name: "test.scan",
    about: "Looks at so many messages, or for ever.",
    effect: "read",
    scope: "context:search",
    toolset: "search",
    input: z.strictObject({
      pages: z.int().min(1).max(1_000).optional(),
      page_ms: z.int().min(0).max(1_000).default(0),
    }),
    output: z.object({ scanned: z.number() }),
    run: async () => ({ scanned: 0 }),
  });
  const tools = [...plain, scan];
  return {
    tools,
    isFor: (tool, client) => client.grant.scopes.includes(tool.scope),
    confirmations: { pending: () => [], find: absent, reject: absent },
    mayReview: async () => absent(),
    preview: async () => absent(),
    confirm: async () => absent(),
    startOver: async () => absent(),
    hasStartedOver: () => false,
    toldIn: () => [],
    tellable: () => [],
    async callTool({ name, args, operation, signal, onProgress }) {
      const tool = tools.find((one) => one.name === name);
      if (!tool) throw new EarshotError("not_found", "There is no such tool.");
      if (!operation.client.grant.scopes.includes(tool.scope))
        throw new EarshotError("forbidden", "This client is not granted it.");
      const input = tool.input.safeParse(args);
      if (!input.success)
        throw new EarshotError("invalid", `${input.error.issues[0]?.path.join(".") || "args"}: is wrong`);
      onProgress?.({ scanned: 0, scan: 0, found: 0 });
      if (tool !== scan)
        return { value: await tool.run(input.data as never, {} as Parameters<Tool["run"]>[1]), text: null };
      const { pages = Number.POSITIVE_INFINITY, page_ms } = scan.input.parse(args);
      for (let page = 1; page <= pages; page += 1) {
        signal?.throwIfAborted();
        onProgress?.({ scanned: page * 100, scan: 100_000, found: 0 });
        await sleep(page_ms);
      }
      return { value: { scanned: pages * 100 }, text: null };
    },
  };
}

function absent(): never {
  throw new EarshotError("not_found", "There is no such confirmation.");
}

function simpleOperations(): Operations {
  const open = new Map<string, Operation>();
  const begin = (client: Client, { actor, channelId = GENERAL, messageId }: OpenRequest, label: Label): Operation => {
    const operation: Operation = {
      id: randomUUID(),
      client,
      actor,
      origin: { guildId: null, channelId, threadId: null, messageId: messageId ?? null, parentMessageId: null },
      purpose: "answer",
      destination: { kind: "channel", channelId },
      for: null,
      isAlwaysPrivate: false,
      asksFirst: false,
      isIsolated: false,
      isSilent: false,
      label,
      effects: new OperationEffects(),
      nonce: "nonce",
      openedAt: clock.now(),
      expiresAt: clock.now() + 60_000,
    };
    open.set(operation.id, operation);
    return operation;
  };
  return {
    findActor: async (_, asked) => asked as UserId,
    async open(client, request, label = new Label()) {
      const { actors } = client.grant;
      if (actors !== "anyone" && !actors.includes(request.actor))
        throw new EarshotError("forbidden", "Not for that person.");
      return begin(client, request, label);
    },
    close: ({ id }) => void open.delete(id),
    endOf() {},
    openFor: (client, { author, channel_id, message_id }) =>
      begin(client, { actor: author.id, channelId: channel_id, messageId: message_id }, new Label()),
    find(id, client) {
      const operation = open.get(id);
      if (operation?.client.name === client.name) return operation;
      throw new EarshotError("not_found", "There is no such operation, or it has expired.");
    },
    narrow: () => {},
    forgetWordsOf: () => {},
    beganWith: (messageId, client) =>
      [...open.values()].some((one) => one.origin.messageId === messageId && one.client.name === client.name),
    hasBegun: (messageId) => [...open.values()].some((one) => one.origin.messageId === messageId),
  };
}

/** Everything that is said, with an operation for what addresses the bot; names that begin with "deaf" hear only that. */
function simpleClientEvents(operations: Operations): Pick<ClientEvents, "decide" | "mayStillPush"> {
  return {
    mayStillPush: () => true,
    decide: (event) => ({
      mayConcern: () => true,
      toClientEvent: (client) => toClientEvent(event, client),
    }),
  };

  function toClientEvent(event: DiscordEvent, client: Client): ClientEvent | null {
    if (event.type === "message_delete") {
      return {
        name: "discord.message_delete",
        payload: { channel_id: event.channelId, message_ids: event.messageIds },
      };
    }
    if (event.type === "message_update") return { name: "discord.message_update", payload: event.message };
    if (event.type !== "message") return null;
    if (!event.addressed)
      return client.name.startsWith("deaf") ? null : { name: "discord.message", payload: event.message };
    const { id } = operations.openFor(client, event.message);
    return { name: "discord.message", payload: event.message, operation_id: id };
  }
}
