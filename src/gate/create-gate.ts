import { EarshotError, throwIfCancelled } from "../domain/errors.ts";
import { toFirstId } from "../domain/ids.ts";
import { unknownName } from "../domain/text/unknown-name.ts";
import { type CallRefusal, isForQuestionAlone, refuseTool } from "../policy/decide.ts";
import { explainToolRefusal } from "../policy/explain-refusal.ts";
import { FairQueue } from "../policy/fair-queue.ts";
import { HourlyLimit, MAX_DISCLOSURES } from "../policy/limits.ts";
import type { Progress } from "../ports/timelines.ts";
import type { Tool } from "../tools/define-tool.ts";
import { getMessageContext } from "../tools/get-message-context.ts";
import type { View } from "../tools/view.ts";
import { createOperationIds } from "./call/audit-rows.ts";
import type { CallRecord } from "./call/call-record.ts";
import { CallTime } from "./call/call-time.ts";
import type { ToolAnswer, ToolCall } from "./call/tool-call.ts";
import type { CallDeps, GateDeps, SharedParts } from "./call-deps.ts";
import { createActions } from "./create-actions.ts";
import type { Answers } from "./effects/answers.ts";
import { SentOnce } from "./effects/effects-under-way.ts";
import type { ReviewPrompts } from "./effects/review-prompts.ts";
import { findRepeatChannel } from "./find/find-repeat-channel.ts";
import { People } from "./find/name-finder.ts";
import type { Gate, IdOf } from "./gate.ts";
import { listTold } from "./list-told.ts";
import { type CallParts, openParts } from "./open-parts.ts";
import { present } from "./present.ts";
import { HANDLE, type ReadInput, readArguments, type ToolArguments, withNotes } from "./read-arguments.ts";

/** If its sources change during a call, the call is repeated up to this many times. */
const MAX_ATTEMPTS = 3;

export function createGate(
  deps: GateDeps,
): Gate & { readonly answers: Answers; readonly prompts: ReviewPrompts; readonly idOf: IdOf } {
  const byName = new Map(deps.tools.map((tool) => [tool.name, tool]));
  const inner: CallDeps = { ...deps, ...createSharedParts(deps) };

  async function timed<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
    const start = deps.clock.now();
    let outcome = "internal";
    try {
      const result = await run();
      outcome = "ok";
      return result;
    } catch (error) {
      if (error instanceof EarshotError) outcome = error.code;
      throw error;
    } finally {
      deps.onCall?.({ tool: name, outcome, milliseconds: deps.clock.now() - start });
    }
  }

  const isFor: Gate["isFor"] = (tool, { grant }) => refuseTool({ tool, grant, rules: deps.rules }) === null;

  function unknownTool({ name, operation }: ToolCall): EarshotError {
    const known = deps.tools.filter((tool) => isFor(tool, operation.client)).map((tool) => tool.name);
    return unknownName({ kind: "tool", typed: name, known, list: "the list of tools has the names there are" });
  }

  return {
    tools: deps.tools,
    isFor,
    callTool(call) {
      const tool = byName.get(call.name);
      return timed(tool?.name ?? "unknown", async () => {
        if (!tool) throw unknownTool(call);
        const { onProgress } = call;
        try {
          return await runTool(tool, onProgress ? { ...call, onProgress: skipRepeated(onProgress) } : call, inner);
        } catch (error) {
          throw await deps.confirmations.withPlace(error);
        }
      });
    },
    idOf: (operation, handle) => inner.idsOf(operation).idOf(handle),
    toldIn: (operation) => listTold(operation, inner),
    tellable(operation) {
      const { directory } = deps.discord;
      const call = { name: getMessageContext.name, args: {}, operation };
      const access = openParts(getMessageContext, call, inner).effectAccess();
      const ids = directory.guilds().flatMap(({ id }) => access.readable(id));
      return ids
        .filter((id) => directory.channel(id)?.thread === null)
        .map((id) => ({ channelId: id, isTellable: access.mayBeTold(id) }));
    },
    confirmations: deps.confirmations,
    ...createActions({ find: (name) => byName.get(name), mustBeGranted, mustHoldRole, timed }, inner),
  };
}

async function runTool(tool: Tool, call: ToolCall, deps: CallDeps): Promise<ToolAnswer> {
  const { operation, signal } = call;
  if (operation.client.admit) await operation.client.admit();
  mustBeGranted(tool, call, deps);
  if (operation.client.grant.answers) deps.holders.renew(operation);
  const { actor } = operation;
  deps.limits.take("calls", actor, 1);
  deps.limits.take("scans", actor, 0);
  const read = readPlain(tool, call.args) ?? readArguments(tool, call.args, () => deps.idsOf(operation));
  throwIfCancelled(signal);
  return deps.queue.run(actor, () => attempt(tool, { call, ...read }, deps), signal);
}

/** The arguments if they match the schema as they are, as most do; null if they need careful reading, such as a handle or another
 * spelling. */
function readPlain({ input }: Tool, args: unknown): ReadInput | null {
  const given = (args ?? {}) as ToolArguments;
  for (const name in given) {
    const value = given[name];
    if (!(name in input.shape) || (typeof value === "string" && HANDLE.test(value))) return null;
  }
  const parsed = input.safeParse(given);
  return parsed.success ? { input: parsed.data, notes: [] } : null;
}

async function attempt(
  tool: Tool,
  { call, ...read }: { call: ToolCall } & ReadInput,
  deps: CallDeps,
): Promise<ToolAnswer> {
  const named = tool.effect === "read" ? ((read.input as ForInput).for ?? call.operation.for) : null;
  const forId =
    named === null ? null : await findRepeatChannel(named, openParts(tool, { ...call, forId: null }, deps), deps);
  // If answers are repeated in a channel, a refusal by all of the actor's servers would reveal whether one of them allows it.
  const isRepeated = named !== null || call.operation.for !== null;
  const mustBeAllowedSomewhere = () => (isRepeated ? null : mustHoldRole(tool, call, deps));
  await mustBeAllowedSomewhere();
  for (let count = 1; count <= MAX_ATTEMPTS; count += 1) {
    const { version } = deps.policy;
    const time = new CallTime(call.signal);
    const parts = openParts(tool, { ...call, forId, signal: time.signal, lend: time.lend }, deps);
    let answer: ToolAnswer | null = null;
    let problem: unknown;
    try {
      answer = await runWithin(tool, { call, parts, view: time.lendEach<View>(parts.view), ...read }, deps);
      if (tool.namesAllShown) parts.record.answers(answer.value);
    } catch (error) {
      problem = error;
    } finally {
      time.end();
    }
    deps.limits.spend("scans", call.operation.actor, parts.record.scanned);
    // Even a refusal may disclose something, such as the people whom a name could mean.
    parts.record.commit();
    if (!call.leavesLater && (answer || parts.record.hasRead)) await deps.audit.settled();
    // During the write to the audit, access may change. Effects are decided separately.
    if (tool.effect === "read" && deps.policy.version !== version) {
      mustBeGranted(tool, call, deps);
      await mustBeAllowedSomewhere();
      continue;
    }
    if (tool.effect === "read" && !parts.access.stillStands(parts.record.label)) continue;
    if (answer) {
      parts.record.told();
      return answer;
    }
    throw problem;
  }
  throw new EarshotError("unavailable", "What was read kept changing; try again.", { retryAfter: 1 });
}

interface ForInput {
  readonly for?: string;
}

/** Runs the tool, and again for fewer results if its text does not fit, so that its coverage matches its text. */
async function runWithin(
  tool: Tool,
  { input, notes, ...open }: { call: ToolCall; parts: CallParts; view: View } & ReadInput,
  deps: CallDeps,
): Promise<ToolAnswer> {
  const { call, parts, view } = open;
  const found = await tool.run(input, view);
  const value = notes.length === 0 ? found : withNotes(found, notes);
  if (!call.wantsText) return { value, text: null };
  if (tool.toText) return { value, text: tool.toText(value) };
  const { directory } = deps.discord;
  const { access, ids } = parts;
  const { text, fewer } = present(
    { tool, output: value, input, call },
    { directory, clock: deps.clock, timeZone: deps.timeZone, ids: ids(), access, people: deps.people },
  );
  if (fewer === null) return { value, text };
  parts.record.forget();
  return runWithin(tool, { ...open, input: fewer, notes }, deps);
}

/** Errors of channel-independent checks may be explicit. */
function mustBeGranted(tool: Tool, call: ToolCall, deps: CallDeps): void {
  const { client, expiresAt, isIsolated } = call.operation;
  if (expiresAt <= deps.clock.now())
    throw new EarshotError("not_found", "There is no such operation, or it has expired.");
  const isBarred = isIsolated && !isForQuestionAlone(tool);
  const refusal = refuseTool({ tool, grant: client.grant, rules: deps.rules }) ?? (isBarred ? "question_alone" : null);
  if (refusal !== null) refuse(tool, openParts(tool, call, deps).record, refusal);
}

/**
 * Checks whether the actor's roles allow the tool in any server. Loads the actor's servers first if roles matter: otherwise the answer
 * would depend on whether messages of theirs were received lately.
 */
async function mustHoldRole(tool: Tool, call: ToolCall, deps: CallDeps): Promise<void> {
  if (deps.rules.roles.length === 0) return;
  const { access, record } = openParts(tool, call, deps);
  await access.learnGuilds();
  const refusal = access.roleRefusal;
  if (refusal !== null) refuse(tool, record, refusal);
}

function refuse(tool: Tool, record: CallRecord, refusal: CallRefusal): never {
  record.refused(refusal);
  throw explainToolRefusal(tool, refusal);
}

/**
 * Skips progress reports equal to the previous one, and the first ones while nothing was examined: the number of repeats would leak how much
 * opted-out content was scanned.
 */
export function skipRepeated(tell: (progress: Progress) => void): (progress: Progress) => void {
  let last: Progress | null = null;
  return (progress) => {
    const { scanned, scan, found } = progress;
    if (!last && scanned === 0) return;
    if (last && last.scanned === scanned && last.scan === scan && last.found === found) return;
    last = progress;
    tell(progress);
  };
}

/** Calls are queued per actor and served in turn. */
const QUEUE = { running: 64, runningPerOwner: 8, waitingPerOwner: 256 };
/** Discord's clock may be this far behind the local one. */
const CLOCK_SKEW_MS = 30_000;

function createSharedParts({ discord, clock, consent, mintId }: GateDeps): SharedParts {
  const { directory } = discord;
  const isLeftOut = consent.isLeftOut.bind(consent);
  return {
    sentOnce: new SentOnce({ mintId, idNow: () => toFirstId(clock.now() - CLOCK_SKEW_MS) }),
    disclosureRate: new HourlyLimit(MAX_DISCLOSURES, clock),
    idsOf: createOperationIds(discord),
    isLeftOut,
    people: new People({ directory, clock, isLeftOut }),
    queue: new FairQueue(QUEUE),
  };
}
