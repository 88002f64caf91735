import { BoundedMap } from "../../domain/bounded-map.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Answers } from "../../gate/effects/answers.ts";
import { OWN_GRANT } from "../../policy/grant.ts";
import type { Client } from "../../policy/operation.ts";
import type { Operations } from "../../policy/operations.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { SignIn } from "../../ports/sign-in-store.ts";
import { codeOf } from "../kit/explain.ts";
import { describeProgram } from "./signed-in-programs.ts";

export interface ReuseNoticesDeps {
  readonly operations: Pick<Operations, "open">;
  readonly answers: Pick<Answers, "post">;
  readonly clock: Clock;
  readonly log: Log;
}

const DAY_MS = 24 * 60 * 60_000;
const MAX_PEOPLE = 10_000;
const CLIENT: Client = {
  name: "sign-ins",
  grant: { ...OWN_GRANT, scopes: ["discord:send"] },
  postsAnswers: true,
};

/** Tells people by DM that a token of their program was used twice, at most once a day each. Never rejects. */
export function createReuseNotices({ operations, answers, clock, log }: ReuseNoticesDeps) {
  const told = new BoundedMap<UserId, true>({ maxEntries: MAX_PEOPLE, ttlMs: DAY_MS, clock });
  return async ({ id, personId: actor, program, redirectHost }: SignIn): Promise<void> => {
    if (told.has(actor)) return;
    told.set(actor, true);
    const what = `A token of ${describeProgram({ program, redirectHost })} was used twice, so somebody else may have a copy.`;
    const next = "It was signed out. If you use it, sign it in again; `/agent connections` shows your other programs.";
    try {
      const operation = await operations.open(CLIENT, { actor, isPrivate: true });
      await answers.post(operation, { question: id, channelId: operation.origin.channelId, text: `${what} ${next}` });
    } catch (error) {
      log.warn({ code: codeOf(error) }, "a person could not be told that a token of their program was used twice");
    }
  };
}
