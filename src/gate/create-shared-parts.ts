import { toFirstId } from "../domain/ids.ts";
import { FairQueue } from "../policy/fair-queue.ts";
import { createOperationIds } from "./call/operation-ids.ts";
import type { GateDeps, SharedParts } from "./call-deps.ts";
import { DisclosureRate } from "./effects/disclosure-rate.ts";
import { SentOnce } from "./effects/effects-under-way.ts";
import { People } from "./find/people.ts";

/** Calls of everybody are served in turn over the people they are made for. */
const QUEUE = { running: 64, runningPerOwner: 8, waitingPerOwner: 256 };
/** Discord's clock may be behind ours by this much. */
const CLOCK_SKEW_MS = 30_000;

export function createSharedParts({ discord, clock, consent, mintId }: GateDeps): SharedParts {
  const { directory } = discord;
  const isLeftOut = consent.isLeftOut.bind(consent);
  return {
    sentOnce: new SentOnce({ mintId, idNow: () => toFirstId(clock.now() - CLOCK_SKEW_MS) }),
    disclosureRate: new DisclosureRate(clock),
    idsOf: createOperationIds(discord),
    isLeftOut,
    people: new People({ directory, clock, isLeftOut }),
    queue: new FairQueue(QUEUE),
  };
}
