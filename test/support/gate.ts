import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import type { Sandbox, SandboxOptions } from "../../sandbox/index.ts";
import type { ChannelId, MessageId, UserId } from "../../src/domain/ids.ts";
import { type Core, type CoreDeps, createCore } from "../../src/gate/create-core.ts";
import type { Gate } from "../../src/gate/gate.ts";
import type { Audit } from "../../src/policy/audit.ts";
import type { Confirmation } from "../../src/policy/confirmations.ts";
import { type Grant, OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { LiveRules } from "../../src/policy/live-rules.ts";
import type { Operation } from "../../src/policy/operation.ts";
import type { OpenRequest } from "../../src/policy/operations.ts";
import { type Rules, rulesSchema } from "../../src/policy/rules.ts";
import type { AuditStore, ShownEntry } from "../../src/ports/audit-store.ts";
import type { LastHeard } from "../../src/ports/last-heard.ts";
import type { OpenMessageIndex } from "../../src/ports/message-index.ts";
import type { Database } from "../../src/stores/database.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import { tools } from "../../src/tools/index.ts";
import { openTestAudit } from "./audit.ts";
import { createTestConsent, type TestConsent } from "./consent.ts";
import { type EdgeOptions, openTestEdge, type TestEdge } from "./edge.ts";
import type { openTestEpisodes } from "./episodes.ts";
import type { openTestMemory } from "./memory.ts";
import { openTestSandbox } from "./sandbox.ts";
import { openTimelinesAndSearch, type TimelinesAndSearch } from "./timelines-and-search.ts";

/** Calls of tools within one operation. */
interface Asker {
  /** The value, for programs. */
  calls<Value = unknown>(tool: string, args?: object, signal?: AbortSignal): Promise<Value>;
  /** The text, for models; of a refusal, its code and message. */
  reads(tool: string, args?: object): Promise<string>;
}

export interface TestGate extends Core {
  readonly sandbox: Sandbox;
  readonly consent: TestConsent;
  readonly edge: TestEdge;
  readonly timelines: TimelinesAndSearch;
  readonly audit: Audit;
  readonly rules: Rules;
  /** Everything that was noted for the audit. */
  readonly audited: readonly ShownEntry[];
  readonly auditStore: AuditStore;
  /** All confirmations that were asked for. */
  readonly asked: readonly Confirmation[];
  /** Id of a channel of the community by its key; any other text as it is. */
  id(key: string): ChannelId;
  person(key: string): UserId;
  /** An operation of a client with this grant, for a person, in a channel. */
  open(person: string, channel: string, grant?: Partial<Grant>, more?: Partial<OpenRequest>): Promise<Operation>;
  within(operation: Operation): Asker;
  /** A person asks in a channel: all calls are in one operation, which is opened at once. */
  as(person: string): { in(channel: string, grant?: Partial<Grant>, more?: Partial<OpenRequest>): Asker };
  /** The same for a single call. */
  call(tool: string, args: object, where: { as: string; in: string; grant?: Partial<Grant> }): Promise<unknown>;
  /** Texts of the bot's messages in a channel, the oldest first. */
  said(channel: string): string[];
  /** Resolves when all earlier changes in the sandbox have reached the edge. */
  settle(): Promise<void>;
}

export interface TestGateOptions
  extends Partial<Pick<CoreDeps, "tools">>,
    Pick<
      CoreDeps,
      "onCall" | "onConfirmation" | "followed" | "holders" | "bots" | "documents" | "model" | "spending" | "profiles"
    > {
  readonly rules?: object;
  /** Instead of those: rules that can be replaced. */
  readonly live?: LiveRules;
  /** Where the audit is kept; in a file of its own unless given. */
  readonly database?: Database;
  /** Puts something before the audit, such as a full disk. */
  readonly wrapAudit?: (audit: Audit) => Audit;
  /** How much is held, and where. */
  readonly bounds?: Parameters<typeof openTimelinesAndSearch>[0];
  readonly openIndex?: OpenMessageIndex;
  readonly lastHeard?: LastHeard;
  /** How the edge waits; for real when absent. */
  readonly edgeDelay?: EdgeOptions["delay"];
  readonly refusals?: EdgeOptions["refusals"];
  /** Web address of the server; Discord's own when absent. */
  readonly web?: string;
  /** Opens what is remembered; nothing is when absent. */
  readonly openMemory?: typeof openTestMemory;
  /** Opens what is kept of talks; none are when absent. */
  readonly openEpisodes?: typeof openTestEpisodes;
  /** Puts something before the gate, such as a tool that fails. */
  readonly wrapGate?: (gate: Gate) => Gate;
}

/** Limits that no test reaches by accident. */
const PLENTY = { actor: 1_000_000 };
const UNLIMITED = { callsPerMinute: PLENTY, scansPerMinute: PLENTY, summariesPerHour: PLENTY };

export function toRules(rules: object = {}): Rules {
  return rulesSchema.parse({ limits: UNLIMITED, ...rules });
}

/** Everything but the transport: the real tools, gate, audit, timelines and edge on a sandbox. */
export async function openTestGate(sandbox: Sandbox, options: TestGateOptions = {}): Promise<TestGate> {
  const {
    rules,
    live,
    database,
    wrapAudit = (audit) => audit,
    bounds = {},
    openIndex = openMessageIndex,
    lastHeard,
    edgeDelay,
    refusals,
    web,
    wrapGate = (gate) => gate,
    openMemory,
    openEpisodes,
    onConfirmation,
    ...more
  } = options;
  const edge = await openTestEdge(sandbox, {
    ...(lastHeard && { lastHeard }),
    ...(edgeDelay && { delay: edgeDelay }),
    ...(refusals && { refusals }),
    ...(web && { web }),
  });
  const { discord } = edge;
  const clock = { now: () => Date.now() };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const { audit, entries, store: auditStore } = await openTestAudit(database);
  const held = live?.rules ?? toRules(rules);
  const consent = createTestConsent(held.optOut.people);
  const timelines = openTimelinesAndSearch(bounds, { discord, openIndex, consent, clock, log });
  onTestFinished(() => timelines.close());
  const policy = { rules: held, ...(live && { policy: live }) };
  const rest = { ...policy, consent, audit: wrapAudit(audit), clock, mintId: randomUUID };
  const memory = openMemory ? await openMemory({ consent, clock }) : null;
  const find = (channelId: ChannelId, messageId: MessageId) => timelines.message(channelId, messageId);
  const episodes = openEpisodes ? await openEpisodes({ discord, consent, clock, find }) : null;
  const asked: Confirmation[] = [];
  const parts = { memory, episodes, tools, discord, timelines, search: timelines, ...rest, ...more };
  const core = createCore({
    ...parts,
    onConfirmation(one) {
      asked.push(one);
      return onConfirmation?.(one);
    },
  });
  const gate = wrapGate(core.gate);
  const person = (key: string) => (sandbox.community.people.get(key) ?? key) as UserId;
  const id = (key: string) => (sandbox.community.channels.get(key) ?? key) as ChannelId;
  const open: TestGate["open"] = (key, place, grant = {}, request = {}) => {
    const client = { name: "test", grant: { ...OPERATOR_GRANT, ...grant } };
    return core.operations.open(client, { actor: person(key), channelId: id(place), ...request });
  };
  const within = (opened: Operation | Promise<Operation>): Asker => {
    const call = async (name: string, args: object, given: object) =>
      gate.callTool({ name, args, operation: await opened, ...given });
    return {
      async calls<Value>(name: string, args = {}, signal?: AbortSignal) {
        return (await call(name, args, signal ? { signal } : {})).value as Value;
      },
      reads: (name, args = {}) =>
        call(name, args, { wantsText: true }).then(
          ({ text }) => text ?? "",
          ({ code, message }) => `${code}: ${message}`,
        ),
    };
  };
  return {
    ...core,
    sandbox,
    consent,
    gate,
    edge,
    timelines,
    audit: rest.audit,
    rules: held,
    audited: entries,
    auditStore,
    asked,
    id,
    person,
    open,
    within,
    as: (key) => ({ in: (...where) => within(open(key, ...where)) }),
    call: (tool, args, where) => within(open(where.as, where.in, where.grant)).calls(tool, args),
    said: (key) =>
      [...(sandbox.world.channels.get(id(key))?.messages ?? [])]
        .filter(({ authorId }) => authorId === discord.botId)
        .map(({ content }) => content),
    async settle() {
      const { id: marker } = sandbox.as("olga").dm("settled?");
      await edge.find("message", ({ message }) => message.message_id === marker);
    },
  };
}

export interface WorldOptions extends TestGateOptions {
  /** Nothing is limited unless set. */
  readonly sandbox?: SandboxOptions;
  /** Channels that the bot is let into. */
  readonly botSees?: readonly string[];
  /** Messages from before the start: author, channel, text. */
  readonly says?: readonly (readonly [person: string, channel: string, text: string])[];
}

/** The gate on a sandbox of its own, with a small community unless another is given. */
export async function openWorld({
  sandbox: sandboxOptions = {},
  botSees = [],
  says = [],
  ...options
}: WorldOptions = {}): Promise<TestGate> {
  const sandbox = await openTestSandbox({ rateLimits: false, ...sandboxOptions });
  for (const channel of botSees) sandbox.admin.setOverwrite(channel, "helper", { allow: ["ViewChannel"] });
  for (const [person, channel, text] of says) sandbox.as(person).say(channel, text);
  return openTestGate(sandbox, options);
}
