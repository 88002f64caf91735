import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, RoleId } from "../domain/ids.ts";
import { BARRED, type Judgement } from "../sources/judge.ts";
import type { ChannelLocation } from "./apply-rules.ts";
import { isListed, namesTool, neededScopes, type PlaceRefusal, refusePlace, rolesAllow } from "./apply-rules.ts";
import type { Grant, ToolFacts } from "./grant.ts";
import type { Purpose } from "./operation.ts";
import type { Rules } from "./rules.ts";

/** In this order; the first that says no decides. */
const CHECKS = ["scope", "see", "use", "disclose", "valid"] as const;

type Check = (typeof CHECKS)[number];

/** Reasons that have nothing to do with where a tool would look. */
export type ToolRefusal = "tool_not_granted" | "tool_switched_off" | "scope_not_granted" | "dms_not_granted";

/** Why a call is refused, wherever it would look. */
export type CallRefusal = ToolRefusal | "role_lacks_scope" | "question_alone";

export type Reason =
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

/** All facts for a decision. Undefined means unknown, and unknown means no. */
export interface DecisionInput extends ToolDecisionInput {
  /** To read what is said at the target, to say or show something there, or to take back what the bot said there. */
  readonly effect: "read" | DiscordEffect;
  readonly purpose: Purpose;
  readonly target: ChannelLocation | undefined;
  readonly origin: ChannelId;
  /** The actor's roles in the target's guild; undefined for who is not known to be a member. */
  readonly roles: ReadonlySet<RoleId> | undefined;
  /** The actor holds Manage Server there. Looked up only for what that allows. */
  readonly manages?: boolean;
  readonly actorReads: boolean | undefined;
  /** The actor may speak or react there themselves, as the effect wants; or it answers them. */
  readonly actorMay: boolean | undefined;
  readonly botReads: boolean | undefined;
  /** Whether all who would come to know something by it may know that: the target for a read, all that was read before for an effect. */
  judged(): Judgement;
  /** Whether the readers of the answer may know of the target: the outcome of an effect discloses it. */
  readonly isNameable: boolean | undefined;
  /** The channel in which the answer will be read, if only by the actor; null when that is nowhere on Discord. */
  readonly destination: ChannelId | null;
  /** The actor alone reads the answer, through a client that acts for no other person. */
  readonly isOwnClient?: boolean;
  /** The operation has neither expired nor been given up. */
  readonly isOpen: boolean | undefined;
}

const ALLOWED: Decision = { allowed: true, failed: null, reason: "all_checks_passed" };

/** The one decision. Pure: the same question always has the same answer. */
export function decide(question: DecisionInput): Decision {
  for (const failed of CHECKS) {
    const reason = ANSWERS[failed](question);
    if (reason !== null) return { allowed: false, failed, reason };
  }
  return ALLOWED;
}

/** Whether the readers may know what rests on the sources, wherever they are told it: the last two checks alone. */
export function mayBeTold(question: DecisionInput): boolean {
  return ANSWERS.disclose(question) === null && ANSWERS.valid(question) === null;
}

/** Everything that looks at more than the question, or remembers it. */
const BEYOND_QUESTION = ["search", "memory", "discord.channel.messages", "discord.dm.messages"];

/** Whether a tool may be used for a question that is to be answered from itself alone. `context.window` then holds nothing but the question. */
export function isForQuestionAlone(tool: ToolFacts): boolean {
  return !namesTool(BEYOND_QUESTION, tool);
}

/** Why a tool may not be used by this client at all, wherever it would look; null when it may. */
export function refuseTool({ tool, grant, rules }: ToolDecisionInput): ToolRefusal | null {
  if (!namesTool(grant.toolsets, tool)) return "tool_not_granted";
  if (!namesTool(rules.toolsets, tool)) return "tool_switched_off";
  if (tool.toolset === "search" && !rules.searchTools) return "tool_switched_off";
  if (tool.readsDirectMessages && !grant.directMessages) return "dms_not_granted";
  if (tool.readsDirectMessages && !rules.directMessages) return "tool_switched_off";
  for (const scope of neededScopes(tool.scope, true)) if (grant.scopes.includes(scope)) return null;
  return "scope_not_granted";
}

/** Null is a yes. */
const ANSWERS: Readonly<Record<Check, (question: DecisionInput) => Reason | null>> = {
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

  disclose({ effect, target, destination, isOwnClient, isNameable, judged }) {
    if (effect !== "read" && isNameable !== true) return "not_to_be_named_there";
    const isDmElsewhere = target?.channel.guildId === null && target.channel.id !== destination;
    if (effect === "read" && isDmElsewhere && isOwnClient !== true) return "dm_elsewhere";
    return judged() === BARRED ? BARRED.reason : null;
  },

  valid({ isOpen, judged }) {
    return isOpen === true ? judged().reason : "operation_over";
  },
};

/** The error for a refusal; null where the channel has to look absent, because the reason would tell of it. */
export function explainRefusal({ reason }: Decision, isReadingTool: boolean): EarshotError | null {
  switch (reason) {
    case "actor_cannot_speak":
      return new EarshotError("forbidden", "The person asking may not speak in that channel.");
    case "actor_cannot_react":
      return new EarshotError("forbidden", "The person asking may not react in that channel.");
    case "actor_cannot_start_threads":
      return new EarshotError("forbidden", "The person asking may not start threads in that channel.");
    case "not_for_everyone_there":
    case "dm_elsewhere":
      return isReadingTool ? null : explainBarred();
    case "source_deleted":
      return new EarshotError("forbidden", "Something that was read for this has been deleted; start a new request.");
    case "source_changed":
      return new EarshotError("forbidden", "Something that was read for this has been edited; start a new request.");
    case "source_uncertain": {
      const problem =
        "What was read for this cannot be checked: it may have changed unheard, or the bot cannot see it any more; try again, or start a new request.";
      return new EarshotError("unavailable", problem);
    }
    case "operation_over":
      return new EarshotError("not_found", "There is no such operation, or it has expired.");
    default:
      return null;
  }
}

/** The error for an effect where not everyone may know what was read. `names`: what of that, for an actor who may know it. */
export function explainBarred(names: readonly string[] = [], { canStartOver = false } = {}): EarshotError {
  const problem =
    names.length === 0
      ? "What was read for this is not for everyone there; answer in a more private place."
      : `What was read for this is not for everyone there (${names.join(", ")}); answer in a more private place.`;
  const prompt = " Or the person asking starts over: over MCP they choose the prompt `start_over` in their host.";
  const hint = `To say something there, begin again and read with \`for\` set to that channel.${canStartOver ? prompt : ""}`;
  return new EarshotError("forbidden", problem, { hint });
}

/** The error for a tool that may not be used at all. */
export function explainToolRefusal(tool: ToolFacts, refusal: CallRefusal): EarshotError {
  return new EarshotError("forbidden", REFUSALS[refusal](tool));
}

const REFUSALS: Readonly<Record<CallRefusal, (tool: ToolFacts) => string>> = {
  tool_not_granted: ({ name }) => `This client may not use ${name}; its grant does not list it.`,
  tool_switched_off: ({ name }) => `${name} is switched off here by the operator.`,
  scope_not_granted: ({ name, scope }) => `This client may not use ${name}; its grant lacks the scope ${scope}.`,
  dms_not_granted: ({ name }) =>
    `This client may not read direct messages with ${name}; its grant lacks \`directMessages\`.`,
  role_lacks_scope: ({ name }) => `No role of the person asking allows ${name} here.`,
  question_alone: ({ name }) =>
    `The person asked with 🚫 for an answer from the question alone: ${name} is not used for it. Answer without it.`,
};
