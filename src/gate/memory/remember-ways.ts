import { EarshotError } from "../../domain/errors.ts";
import { audiencesOf } from "../../domain/memory/fact.ts";
import { NEAR_WAY, type RememberRequest, type WayName } from "../../domain/memory/remember-request.ts";
import type { RememberAction, RememberWay } from "../../policy/action.ts";
import type { FactEffect, OwnFact, ShownWay } from "./own-facts.ts";

/** Throws `invalid` for a way that the action does not offer. Without a name, the way that is offered first. */
export function findWay({ ways }: RememberAction, chosen: WayName | undefined): RememberWay {
  const way = chosen === undefined ? ways[0] : ways.find(({ name }) => name === chosen);
  if (way) return way;
  const known = ways.map(({ name }) => name).filter((name) => name !== NEAR_WAY);
  throw new EarshotError("invalid", `Choose one of: ${known.join(", ")}.`);
}

export function toFrozen({ replaces, staysShared }: FactEffect): Pick<RememberWay, "replaces" | "staysShared"> {
  const toIds = (facts: readonly OwnFact[]) => facts.map(({ fact }) => fact.id).sort();
  return { replaces: toIds(replaces), staysShared: toIds(staysShared) };
}

/** A way as its person sees it, with the facts that it concerns as they are now. */
export function toShownWay(way: RememberWay, effect: FactEffect): ShownWay {
  const { name, request, replaces, staysShared } = way;
  const { ends } = request;
  const among = (ids: readonly string[]) => (one: OwnFact) => ids.includes(one.fact.id);
  return {
    name,
    key: request.name,
    audiences: audiencesOf(request),
    replaces: effect.replaces.filter(among(replaces)),
    staysShared: effect.staysShared.filter(among(staysShared.filter((id) => !ends.includes(id)))),
    ends: effect.staysShared.filter(among(ends)),
  };
}

/** All that the person was shown of what would be stored, to be compared. */
export function toExact(request: Omit<RememberRequest, "basis" | "ends">, effect: object): string {
  const { scope, scopeId, guildId, visibility, home, name, value, expiresAt } = request;
  return JSON.stringify([scope, scopeId, guildId, visibility, home, name, value, expiresAt, effect]);
}
