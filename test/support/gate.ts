import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { createGate, type Gate, type GateDeps } from "../../src/gate/call-tool.ts";
import { type Grant, OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { Operation } from "../../src/policy/operation.ts";
import { createOperations, type Operations } from "../../src/policy/operations.ts";
import type { Timelines } from "../../src/ports/timelines.ts";
import type { Sandbox } from "../../src/sandbox/index.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import { openTimelines } from "../../src/timeline/open-timelines.ts";
import { tools } from "../../src/tools/index.ts";
import { openTestEdge, type TestEdge } from "./edge.ts";

export interface TestGate {
  readonly edge: TestEdge;
  readonly gate: Gate;
  readonly operations: Operations;
  readonly timelines: Timelines;
  /** An operation of a client with this grant, for a person, in a channel. */
  open(person: string, channel: string, grant?: Partial<Grant>): Promise<Operation>;
  /** Calls a tool for a person in a channel. */
  call(tool: string, args: unknown, where: { as: string; in: string; grant?: Partial<Grant> }): Promise<unknown>;
}

/** Everything but the transport: the real tools, gate, timelines and edge on a sandbox. */
export async function openTestGate(sandbox: Sandbox, deps: Pick<GateDeps, "onCall"> = {}): Promise<TestGate> {
  const edge = await openTestEdge(sandbox);
  const { discord } = edge;
  const clock = { now: () => Date.now() };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const timelines = await openTimelines({}, { discord, openIndex: openMessageIndex, clock, log });
  onTestFinished(() => timelines.close());
  const gate = createGate({ tools, discord, timelines, clock, ...deps });
  const operations = createOperations({ directory: discord.directory, clock, mintId: randomUUID });
  const person = (key: string) => (sandbox.community.people.get(key) ?? key) as UserId;
  const channel = (key: string) => (sandbox.community.channels.get(key) ?? key) as ChannelId;
  const open: TestGate["open"] = (key, place, grant = {}) => {
    const client = { name: "test", grant: { ...OPERATOR_GRANT, ...grant } };
    return operations.open(client, { actor: person(key), channelId: channel(place) }, { sources: new Set() });
  };
  return {
    edge,
    gate,
    operations,
    timelines,
    open,
    async call(name, args, where) {
      return gate.callTool({ name, args, operation: await open(where.as, where.in, where.grant) });
    },
  };
}
