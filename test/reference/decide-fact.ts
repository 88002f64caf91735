import { type Audience, flows } from "../../src/domain/audience.ts";
import type { GuildId, RoleId, UserId } from "../../src/domain/ids.ts";
import type { SourceState } from "../../src/domain/source.ts";
import { type ChannelLocation, isListed, refuseGuild, refusePlace, rolesAllow } from "../../src/policy/apply-rules.ts";
import { type Decision, refuseTool, type ToolDecisionInput } from "../../src/policy/decide.ts";
import type { Scope } from "../../src/policy/grant.ts";
import type { Purpose } from "../../src/policy/operation.ts";
import type { Rules } from "../../src/policy/rules.ts";

/** Everything that a decision about one fact or record rests on. What is undefined is unknown, and unknown means no. */
export interface FactDecisionInput extends ToolDecisionInput {
  readonly purpose: Purpose;
  readonly actor: UserId;
  /** The person it is about; null for projects, servers and documents. */
  readonly subject: UserId | null;
  /** The server in which it is shared; null for a private fact. */
  readonly guildId: GuildId | null;
  /** The server in which the request was made; null for a DM. */
  readonly originGuildId: GuildId | null;
  /** The actor's roles in the server in which it is shared; undefined for who is not known to be a member. */
  readonly roles: ReadonlySet<RoleId> | undefined;
  /** The channels that are its home or that it rests on; undefined for one that is unknown. */
  readonly places: readonly (ChannelLocation | undefined)[];
  /** Whether nobody concerned is left out: neither whom it is about nor who wrote what it rests on. */
  readonly isConsented: boolean | undefined;
  /** Only who is in all of these may hear it. Undefined: unknown. */
  readonly audiences: readonly Audience[] | undefined;
  /** Who will know the answer, in groups. */
  readonly readers: readonly Audience[] | undefined;
  readonly isOpen: boolean | undefined;
  readonly state: SourceState | undefined;
}

export interface RecordDecisionInput extends FactDecisionInput {
  readonly type: "docs" | "crm";
}

const ALLOWED: Decision = { allowed: true, failed: null, reason: "all_checks_passed" };

/** The five checks, for a fact. Pure: the same question always has the same answer. */
export function decideFact(question: FactDecisionInput): Decision {
  return decideLimited(question, factScopes(question));
}

/**
 * The same for a passage of a document, or a profile. What a server allows to be remembered about people is no matter here: nothing is, and the operator has
 * said to whom each key of a profile may be told.
 */
export function decideRecord(question: RecordDecisionInput): Decision {
  return decideLimited({ ...question, subject: null }, recordScopes(question));
}

function decideLimited(question: FactDecisionInput, scopes: readonly Scope[]): Decision {
  const { actor, audiences, readers, purpose, isConsented, places, rules, guildId, originGuildId } = question;
  const scope = refuseScope(question, scopes);
  if (scope !== null) return { allowed: false, failed: "scope", reason: scope };
  const self: Audience = { kind: "people", people: new Set([actor]) };
  if (!audiences?.length || !audiences.every((source) => flows(source, self)))
    return { allowed: false, failed: "see", reason: "actor_cannot_read" };
  if (purpose === "remember") return { allowed: false, failed: "use", reason: "no_consent" };
  const isOptedOut = (place: ChannelLocation | undefined) => !place || isListed(rules.optOut.channels, place.lineage);
  if (isConsented !== true || places.some(isOptedOut)) return { allowed: false, failed: "use", reason: "opted_out" };
  // What is shared in one server does not exist in another, not even for somebody who is in both.
  const isElsewhere = guildId !== null && originGuildId !== null && guildId !== originGuildId;
  const isForAll = (group: Audience) => audiences.every((source) => flows(source, group));
  if (isElsewhere || !readers?.length || !readers.every(isForAll))
    return { allowed: false, failed: "disclose", reason: "not_for_everyone_there" };
  const reason = refuseState(question);
  return reason === null ? ALLOWED : { allowed: false, failed: "valid", reason };
}

/** Of these one is needed. What is private needs the scope for oneself, what is shared that for projects; of one's own, either will do. */
function factScopes({
  actor,
  subject,
  guildId,
}: Pick<FactDecisionInput, "actor" | "subject" | "guildId">): readonly Scope[] {
  if (guildId === null) return ["memory:read_self"];
  return subject === actor ? ["memory:read_project", "memory:read_self"] : ["memory:read_project"];
}

/** Of these one is needed. Documents are part of what a search looks through; profiles are told like facts. */
function recordScopes(question: Pick<RecordDecisionInput, "type" | "actor" | "subject" | "guildId">): readonly Scope[] {
  return question.type === "docs" ? ["context:search"] : factScopes(question);
}

function refuseScope(question: FactDecisionInput, scopes: readonly Scope[]) {
  const { grant, rules, guildId, originGuildId, roles, subject } = question;
  const refusal = refuseTool(question) ?? (guildId === null ? null : refuseGuild({ grant, rules }, guildId));
  if (refusal !== null) return refusal;
  for (const place of question.places) {
    const closed = refusePlace({ grant, rules }, place);
    if (closed !== null) return closed;
  }
  if (subject !== null && peopleMode(rules, originGuildId) === "off") return "place_switched_off";
  if (subject !== null && guildId !== null && peopleMode(rules, guildId) !== "shared") return "place_switched_off";
  const granted = scopes.filter((scope) => grant.scopes.includes(scope));
  if (granted.length === 0) return "scope_not_granted";
  const isAllowed = (scope: Scope) => guildId === null || rolesAllow(rules, { guildId, roles, scope });
  return granted.some(isAllowed) ? null : "role_lacks_scope";
}

/** What a server allows to be remembered about people. */
function peopleMode({ memory }: Rules, guildId: GuildId | null): "off" | "private" | "shared" {
  return memory.servers.find(({ guild }) => guild === guildId)?.people ?? memory.people;
}

function refuseState({ isOpen, state }: FactDecisionInput) {
  if (isOpen !== true) return "operation_over";
  if (state === "deleted") return "source_deleted";
  if (state === "changed") return "source_changed";
  return state === "standing" ? null : "source_uncertain";
}
