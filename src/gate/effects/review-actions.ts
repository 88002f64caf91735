import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import type { WayName } from "../../domain/memory/remember-request.ts";
import { isInMemory } from "../../policy/action.ts";
import type { Confirmation, Confirmations, Deciding } from "../../policy/confirmations.ts";
import type { Operation } from "../../policy/operation.ts";
import type { EffectAccess } from "../call/effect-access.ts";
import type { FactProposals } from "../memory/fact-proposals.ts";
import type { ProposalPreview } from "../memory/own-facts.ts";
import { findWay } from "../memory/remember-ways.ts";
import type { Effects } from "./effects.ts";
import type { StartOvers } from "./start-overs.ts";

/** What people do with actions that wait for them. */
export interface ReviewActions {
  /** Whether this person may be shown an action that waits for their confirmation: they may still know everything it is based on. */
  mayReview(id: string, actor: UserId, deciding?: Deciding): Promise<boolean>;
  /** What something to be remembered or forgotten would do, for this person alone, once `mayReview` has said yes. */
  preview(id: string, actor: UserId, deciding?: Deciding): Promise<ProposalPreview>;
  /**
   * Does what waits for this person's confirmation; of something to be remembered, in the way that they chose. Throws `not_found` if nothing waits
   * for them, and as `callTool` if it may no longer be done.
   */
  confirm(id: string, actor: UserId, deciding?: Deciding & { readonly way?: WayName }): Promise<void>;
}

interface ReviewParts {
  effectAccess(): EffectAccess;
  effects(): Effects;
  proposals(): FactProposals;
}

export interface ReviewActionsDeps {
  readonly confirmations: Confirmations;
  readonly startOvers: Pick<StartOvers, "confirmed">;
  /** As for a call of the same tool; undefined when there is no such tool. */
  partsOf(confirmation: Confirmation): ReviewParts | undefined;
  /** Reads again what may have changed unheard. */
  refresh(operation: Operation): Promise<void>;
  /** Throws as a call of the same tool would, before it runs. */
  mustBeAllowed(confirmation: Confirmation): Promise<void>;
  timed<Result>(tool: string, run: () => Promise<Result>): Promise<Result>;
}

export function createReviewActions(deps: ReviewActionsDeps): ReviewActions {
  const { confirmations, startOvers, partsOf, refresh, mustBeAllowed, timed } = deps;
  return {
    async mayReview(id, actor, deciding) {
      const confirmation = confirmations.find(id, actor, deciding);
      const parts = partsOf(confirmation);
      if (!parts) return false;
      const access = parts.effectAccess();
      await access.learn(confirmation.operation.origin.channelId);
      await refresh(confirmation.operation);
      return access.mayTellActor();
    },
    async preview(id, actor, deciding) {
      const confirmation = confirmations.find(id, actor, deciding);
      const parts = partsOf(confirmation);
      if (!parts || !isInMemory(confirmation.action))
        throw new EarshotError("not_found", "Nothing is to be remembered or forgotten by this.");
      return parts.proposals().preview(confirmation.action);
    },
    async confirm(id, actor, { way, ...deciding } = {}) {
      const { tool, action } = confirmations.find(id, actor, deciding);
      // Before it is taken out of waiting: a wrong choice can be corrected.
      if (action.kind === "remember") findWay(action, way);
      else if (way !== undefined) throw new EarshotError("invalid", "There is nothing to choose: leave `way` out.");
      await timed(tool, async () => {
        const confirmation = confirmations.claim(id, actor, deciding);
        try {
          await mustBeAllowed(confirmation);
        } catch (error) {
          confirmations.giveUp(id);
          throw error;
        }
        if (action.kind === "start_over") return startOvers.confirmed(confirmation);
        const parts = partsOf(confirmation);
        if (!isInMemory(action)) return void (await parts?.effects().confirmed(id, action));
        await parts?.proposals().confirmed(id, action, way);
        confirmation.operation.effects.noteDone({ kind: action.kind, channelId: null, messageId: null });
      });
    },
  };
}
