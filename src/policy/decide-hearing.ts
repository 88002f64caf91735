import type { GuildId, RoleId, UserId } from "../domain/ids.ts";
import type { FactReading, RecordKind } from "../domain/source.ts";
import { BARRED, type Judgement } from "../sources/judge.ts";
import { type ChannelLocation, isListed, refuseGuild, refusePlace, rolesAllow } from "./apply-rules.ts";
import { type Decision, type Reason, refuseTool, type ToolDecisionInput } from "./decide.ts";
import type { Scope } from "./grant.ts";
import type { Purpose } from "./operation.ts";
import type { Rules } from "./rules.ts";

/** A fact or a record, by what of it decides which scopes are needed. Private where it is shared in no server. */
export interface Hearable extends Pick<FactReading, "subjectId" | "guildId"> {
  readonly kind: "fact" | RecordKind;
}

/** All facts for a decision about one fact or record. Undefined means unknown, and unknown means no. */
export interface HearingInput extends ToolDecisionInput {
  readonly source: Hearable;
  readonly purpose: Purpose;
  readonly actor: UserId;
  /** The server in which the request was made; null for a DM. */
  readonly originGuildId: GuildId | null;
  /** The actor's roles in the server in which it is shared; undefined for who is not known to be a member. */
  readonly roles: ReadonlySet<RoleId> | undefined;
  /** The channels to whose readers it is limited; undefined for one that is unknown. */
  readonly places: readonly (ChannelLocation | undefined)[];
  /** Whether the actor may know it, or everybody who will know the answer. */
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
  // Facts shared in one server do not exist in another, not even for a member of both.
  const isElsewhere = source.guildId !== null && originGuildId !== null && source.guildId !== originGuildId;
  const judgement = judged("readers");
  if (isElsewhere || judgement === BARRED) return refuse("disclose", BARRED.reason);
  const reason = isOpen === true ? (judgement.reason ?? judged("actor").reason) : "operation_over";
  return reason === null ? { allowed: true, failed: null, reason: "all_checks_passed" } : refuse("valid", reason);
}

function refuse(failed: NonNullable<Decision["failed"]>, reason: Reason): Decision {
  return { allowed: false, failed, reason };
}

/**
 * One of these is needed. A private fact needs the scope for oneself, a shared one that for projects; for one's own facts, either will do. Documents count as
 * part of a search; profiles count as facts.
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
  // Records are not remembered, and the operator has set the audience of each.
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
