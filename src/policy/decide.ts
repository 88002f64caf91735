import type { ChannelId, GuildId, RoleId, UserId } from "../domain/ids.ts";
import type { FactReading, RecordKind } from "../domain/source.ts";
import { BARRED, type Judgement } from "../sources/judge.ts";
import {
  type ChannelLocation,
  isListed,
  namesTool,
  neededScopes,
  type PlaceRefusal,
  refuseGuild,
  refusePlace,
  rolesAllow,
} from "./apply-rules.ts";
import type { Grant, Scope, ToolFacts } from "./grant.ts";
import type { Purpose } from "./operation.ts";
import type { Rules } from "./rules.ts";

/** In this order; the first refusal decides. */
type Check = "scope" | "see" | "use" | "disclose" | "valid";

/** Refusals that do not depend on the target. */
export type ToolRefusal = "tool_not_granted" | "tool_switched_off" | "scope_not_granted" | "dms_not_granted";

/** The reason why a call is refused for every target. */
export type CallRefusal = ToolRefusal | "role_lacks_scope" | "question_alone";

type Reason =
  | CallRefusal
  | PlaceRefusal
  | "actor_cannot_read"
  | "actor_cannot_speak"
  | "actor_cannot_react"
  | "actor_cannot_start_threads"
  | "bot_cannot_read"
  | "opted_out"
  | "no_consent"
  | "dm_elsewhere"
  | "not_to_be_named_there"
  | "operation_over"
  | NonNullable<Judgement["reason"]>;

export type Decision =
  | { readonly allowed: true; readonly failed: null; readonly reason: "all_checks_passed" }
  | { readonly allowed: false; readonly failed: Check; readonly reason: Reason };

/** A tool, and the client and actor that want to use it. */
export interface ToolDecisionInput {
  readonly tool: ToolFacts;
  readonly grant: Grant;
  readonly rules: Rules;
}

export type DiscordEffect = "speak" | "react" | "withdraw" | "thread";

/** All inputs of a decision. Undefined means unknown, and unknown means no. */
export interface DecisionInput extends ToolDecisionInput {
  /** To read messages of the target, to post or show something there, or to delete the bot's messages there. */
  readonly effect: "read" | DiscordEffect;
  readonly purpose: Purpose;
  readonly target: ChannelLocation | undefined;
  readonly origin: ChannelId;
  /** The actor's roles in the target's guild; undefined unless they are known to be a member. */
  readonly roles: ReadonlySet<RoleId> | undefined;
  /** The actor has Manage Server there. Looked up only if needed. */
  readonly manages?: boolean;
  readonly actorReads: boolean | undefined;
  /** The actor may post or react there themselves, as the effect requires; or it answers them. */
  readonly actorMay: boolean | undefined;
  readonly botReads: boolean | undefined;
  /** Whether all people who would learn something may know it: the target for a read, everything read before for an effect. */
  judged(): Judgement;
  /** Whether the readers of the answer may know the target, because the outcome of an effect discloses it. */
  readonly isNameable: boolean | undefined;
  /** The channel in which the answer will be read, even if only by the actor; null for none. */
  readonly destination: ChannelId | null;
  /** The actor alone reads the answer, through a client that acts for no other person. */
  readonly isOwnClient?: boolean;
  /** The operation has neither expired nor been closed. */
  readonly isOpen: boolean | undefined;
}

const ALLOWED: Decision = { allowed: true, failed: null, reason: "all_checks_passed" };

/** The access decision. Pure: equal inputs give equal decisions. */
export function decide(question: DecisionInput): Decision {
  for (const failed of ["scope", "see", "use"] as const) {
    const reason = ANSWERS[failed](question);
    if (reason !== null) return refuse(failed, reason);
  }
  return decideTelling(question);
}

/** Checks only whether the readers may know the sources, regardless of the channel: the last two checks. */
export function mayBeTold(question: DecisionInput): boolean {
  return decideTelling(question).allowed;
}

/** Tools that read or store more than the question. */
const BEYOND_QUESTION = ["search", "memory", "discord.channel.messages", "discord.dm.messages"];

/** Whether a tool may be used for an isolated question. `context.window` contains only the question then. */
export function isForQuestionAlone(tool: ToolFacts): boolean {
  return !namesTool(BEYOND_QUESTION, tool);
}

/** The refusal if this client may not use a tool for any target; null if it may. */
export function refuseTool({ tool, grant, rules }: ToolDecisionInput): ToolRefusal | null {
  if (!namesTool(grant.toolsets, tool)) return "tool_not_granted";
  if (!namesTool(rules.toolsets, tool)) return "tool_switched_off";
  if (tool.toolset === "search" && !rules.searchTools) return "tool_switched_off";
  if (tool.readsDirectMessages && !grant.directMessages) return "dms_not_granted";
  if (tool.readsDirectMessages && !rules.directMessages) return "tool_switched_off";
  for (const scope of neededScopes(tool.scope, true)) if (grant.scopes.includes(scope)) return null;
  return "scope_not_granted";
}

/** Null means allowed. */
const ANSWERS: Readonly<Record<"scope" | "see" | "use", (question: DecisionInput) => Reason | null>> = {
  scope(question) {
    const { tool, grant, rules, target, origin, roles, manages } = question;
    const refusal = refuseTool(question) ?? refusePlace(question, target);
    if (refusal !== null) return refusal;
    if (!target) return "place_unknown";
    const { id, guildId } = target.channel;
    let isGranted = false;
    for (const scope of neededScopes(tool.scope, id === origin)) {
      if (!grant.scopes.includes(scope)) continue;
      if (rolesAllow(rules, { guildId, roles, manages, scope })) return null;
      isGranted = true;
    }
    return isGranted ? "role_lacks_scope" : "scope_not_granted";
  },

  see({ effect, actorReads, actorMay, botReads }) {
    if (actorReads !== true) return "actor_cannot_read";
    if (botReads !== true) return "bot_cannot_read";
    if (effect === "read" || actorMay === true) return null;
    if (effect === "thread") return "actor_cannot_start_threads";
    return effect === "react" ? "actor_cannot_react" : "actor_cannot_speak";
  },

  use({ effect, purpose, rules, target }) {
    if (effect !== "read") return null;
    if (!target || isListed(rules.optOut.channels, target.lineage)) return "opted_out";
    return purpose === "remember" ? "no_consent" : null;
  },
};

function decideTelling(question: DecisionInput): Decision {
  const { effect, target, destination, isOwnClient, isNameable, isOpen } = question;
  if (effect !== "read" && isNameable !== true) return refuse("disclose", "not_to_be_named_there");
  const isDmElsewhere = target?.channel.guildId === null && target.channel.id !== destination;
  if (effect === "read" && isDmElsewhere && isOwnClient !== true) return refuse("disclose", "dm_elsewhere");
  const judgement = question.judged();
  if (judgement === BARRED) return refuse("disclose", BARRED.reason);
  const reason = isOpen === true ? judgement.reason : "operation_over";
  return reason === null ? ALLOWED : refuse("valid", reason);
}

/** The parts of a fact or record that decide the needed scopes. Private if it is shared in no server. */
export interface Hearable extends Pick<FactReading, "subjectId" | "guildId"> {
  readonly kind: "fact" | RecordKind;
}

/** All inputs of a decision about one fact or record. Undefined means unknown, and unknown means no. */
export interface HearingInput extends ToolDecisionInput {
  readonly source: Hearable;
  readonly purpose: Purpose;
  readonly actor: UserId;
  /** The server of the request; null for a DM. */
  readonly originGuildId: GuildId | null;
  /** The actor's roles in the server of the fact; undefined unless they are known to be a member. */
  readonly roles: ReadonlySet<RoleId> | undefined;
  /** The channels to whose readers it is limited; undefined for an unknown channel. */
  readonly places: readonly (ChannelLocation | undefined)[];
  /** Whether the actor may know it, or all readers of the answer. */
  judged(by: "actor" | "readers"): Judgement;
  readonly isOpen: boolean | undefined;
}

/** The five checks, for a fact or a record. */
export function decideHearing(question: HearingInput): Decision {
  const { actor, source, purpose, places, rules, originGuildId, judged, isOpen } = question;
  const scope = refuseScope(question, hearingScopes(source, actor));
  if (scope !== null) return refuse("scope", scope);
  if (judged("actor") === BARRED) return refuse("see", "actor_cannot_read");
  if (purpose === "remember") return refuse("use", "no_consent");
  if (places.some((place) => place && isListed(rules.optOut.channels, place.lineage)))
    return refuse("use", "opted_out");
  // Facts shared in one server do not exist in another, even for a member of both.
  const isElsewhere = source.guildId !== null && originGuildId !== null && source.guildId !== originGuildId;
  const judgement = judged("readers");
  if (isElsewhere || judgement === BARRED) return refuse("disclose", BARRED.reason);
  const reason = isOpen === true ? (judgement.reason ?? judged("actor").reason) : "operation_over";
  return reason === null ? ALLOWED : refuse("valid", reason);
}

function refuse(failed: Check, reason: Reason): Decision {
  return { allowed: false, failed, reason };
}

/**
 * The scopes of which any one suffices. A private fact needs the scope for oneself, a shared one that for projects; one's own shared facts
 * accept either. Documents count as part of a search; profiles count as facts.
 */
export function hearingScopes({ kind, subjectId, guildId }: Hearable, actor: UserId): readonly Scope[] {
  if (kind === "passage") return ["context:search"];
  if (guildId === null) return ["memory:read_self"];
  return subjectId === actor ? ["memory:read_project", "memory:read_self"] : ["memory:read_project"];
}

function refuseScope(question: HearingInput, scopes: readonly Scope[]) {
  const { grant, rules, originGuildId, roles, source } = question;
  const { kind, subjectId, guildId } = source;
  const refusal = refuseTool(question) ?? (guildId === null ? null : refuseGuild({ grant, rules }, guildId));
  if (refusal !== null) return refusal;
  for (const place of question.places) {
    const closed = refusePlace({ grant, rules }, place);
    if (closed !== null) return closed;
  }
  // Records are exempt: the operator has set the audience of each.
  if (kind === "fact" && subjectId !== null) {
    if (peopleMode(rules, originGuildId) === "off") return "place_switched_off";
    if (guildId !== null && peopleMode(rules, guildId) !== "shared") return "place_switched_off";
  }
  const granted = scopes.filter((scope) => grant.scopes.includes(scope));
  if (granted.length === 0) return "scope_not_granted";
  const isAllowed = (scope: Scope) => guildId === null || rolesAllow(rules, { guildId, roles, scope });
  return granted.some(isAllowed) ? null : "role_lacks_scope";
}

/** The server's setting for facts about people. */
export function peopleMode({ memory }: Rules, guildId: GuildId | null): "off" | "private" | "shared" {
  return memory.servers.find(({ guild }) => guild === guildId)?.people ?? memory.people;
}
