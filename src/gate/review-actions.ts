import { EarshotError } from "../domain/errors.ts";
import { type Confirmation, type Confirmations, isInMemory } from "../policy/confirmations.ts";
import type { Operation } from "../policy/operation.ts";
import type { Gate } from "./gate.ts";
import { findWay } from "./memory/remember-ways.ts";
import type { ViewParts } from "./open-view.ts";

export interface ReviewActionsDeps {
  readonly confirmations: Confirmations;
  /** As for a call of the same tool; undefined when there is no such tool. */
  partsOf(confirmation: Confirmation): ViewParts | undefined;
  /** Reads again what may have changed unheard. */
  refresh(operation: Operation): Promise<void>;
  /** Throws as a call of the same tool would, before it runs. */
  mustBeAllowed(confirmation: Confirmation): Promise<void>;
  timed<Result>(tool: string, run: () => Promise<Result>): Promise<Result>;
}

/** What becomes of actions that wait for a person. */
export function createReviews(deps: ReviewActionsDeps): Pick<Gate, "mayReview" | "preview" | "confirm"> {
  const { confirmations, partsOf, refresh, mustBeAllowed, timed } = deps;
  return {
    async mayReview(id, actor, deciding) {
      const confirmation = confirmations.find(id, actor, deciding);
      const parts = partsOf(confirmation);
      if (!parts) return false;
      await parts.access.learn(confirmation.operation.origin.channelId);
      await refresh(confirmation.operation);
      return parts.access.mayTellActor();
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
        const parts = partsOf(confirmation);
        if (isInMemory(action)) await parts?.proposals().confirmed(id, action, way);
        else await parts?.effects().confirmed(id, action);
      });
    },
  };
}
