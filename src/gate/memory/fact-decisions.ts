import type { Audience } from "../../domain/audience.ts";
import type { GuildId } from "../../domain/ids.ts";
import { recordsUnder } from "../../domain/memory/fact.ts";
import { locateChannel } from "../../policy/apply-rules.ts";
import type { Decision } from "../../policy/decide.ts";
import { decideFact, type FactDecisionInput } from "../../policy/decide-fact.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Rules } from "../../policy/rules.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Discord } from "../../ports/discord.ts";
import type { RecordKinds } from "../../ports/record-states.ts";
import { toAudience } from "../../sources/kinds/limits.ts";
import type { Tool } from "../../tools/define-tool.ts";
import { currentAudiences } from "./check-basis.ts";
import { type LimitedFact, toLimitsKey } from "./fact-groups.ts";

type FactState = Pick<FactDecisionInput, "isConsented" | "state">;

interface FactRequest {
  readonly operation: Operation;
  readonly tool: Tool;
  readonly access: {
    /** Who will know the answer. */
    readonly readers: readonly Audience[];
    /** Where the call looks if it names no place. */
    readonly here: { readonly guildId: GuildId | null };
  };
}

interface DecisionDeps {
  readonly discord: Pick<Discord, "directory" | "botId">;
  readonly rules: Rules;
  readonly clock: Clock;
  readonly records: RecordKinds;
}

/**
 * Decides about facts as things are at one moment: nothing may be waited for between two decisions of one object. Thousands of facts are limited to a few
 * audiences, so each different question is decided once.
 */
export class FactDecisions {
  readonly #request: FactRequest;
  readonly #deps: DecisionDeps;
  /** By everything but the audiences, then by those. */
  readonly #decided = new Map<string, Map<string, Decision>>();

  constructor(request: FactRequest, deps: DecisionDeps) {
    this.#request = request;
    this.#deps = deps;
  }

  decide(fact: LimitedFact, { isConsented, state }: FactState): Decision {
    const { subjectId, guildId } = fact;
    // Who may hear a record can change from one request to the next.
    if (recordsUnder(fact).length > 0) return decideFact(this.toQuestion(fact, { isConsented, state }));
    // Of the person it is about, only this is asked.
    const subject = subjectId === null ? "none" : subjectId === this.#request.operation.actor ? "actor" : "other";
    const question = `${guildId} ${subject} ${isConsented} ${state}`;
    const decided = this.#decided.get(question) ?? new Map<string, Decision>();
    this.#decided.set(question, decided);
    const limits = toLimitsKey(fact);
    const decision = decided.get(limits) ?? decideFact(this.toQuestion(fact, { isConsented, state }));
    decided.set(limits, decision);
    return decision;
  }

  toQuestion({ subjectId, guildId, home, basis }: LimitedFact, more: FactState): FactDecisionInput {
    const { operation, tool, access } = this.#request;
    const { discord, rules, clock, records } = this.#deps;
    const { directory, botId } = discord;
    const { actor, client, purpose, expiresAt } = operation;
    const refs = currentAudiences({ home, basis }, records);
    return {
      tool,
      grant: client.grant,
      rules,
      purpose,
      actor,
      subject: subjectId,
      guildId,
      originGuildId: access.here.guildId,
      roles: guildId === null ? undefined : directory.member(guildId, actor)?.roles,
      audiences: refs.map((ref) => toAudience(ref, directory, botId)),
      places: refs.flatMap((ref) => (ref.kind === "channel" ? [locateChannel(directory, ref.id)] : [])),
      readers: access.readers,
      isOpen: expiresAt > clock.now(),
      ...more,
    };
  }
}
