import { describe, expect, it } from "vitest";
import type { MessageId } from "../domain/ids.ts";
import { OPERATOR_GRANT } from "./grant.ts";
import type { Operation } from "./operation.ts";
import { QuestionHolders } from "./question-holders.ts";

const QUESTION = "1" as MessageId;
const { signal } = new AbortController();
const brain = { name: "brain", grant: { ...OPERATOR_GRANT, answers: true } };
const within = { client: brain, origin: { messageId: QUESTION } } as Operation;

function arrive() {
  const clock = { time: 0, now: () => clock.time };
  const holders = new QuestionHolders(clock, 1_000);
  return { clock, holders };
}

describe("a question that a program has taken", () => {
  it("is kept for as long as the program works on it, and lost when it is silent for too long", async () => {
    const { clock, holders } = arrive();
    holders.connect(brain);
    expect(holders.offer(QUESTION, () => true)).toBe(true);
    clock.time = 900;
    holders.renew(within);
    clock.time = 1_800;
    const settled = holders.settled(QUESTION, signal);
    holders.noteAnswered(within);
    expect(await settled).toBe("answered");
    holders.offer(QUESTION, () => true);
    clock.time = 2_800;
    expect(await holders.settled(QUESTION, signal)).toBe("lost");
  });

  it("is nobody else's to answer, and passes on when somebody else takes it", () => {
    const { holders } = arrive();
    holders.connect(brain);
    holders.offer(QUESTION, () => true);
    expect(() => holders.mustHold(within)).not.toThrow();
    holders.take(QUESTION, { ...brain, name: "agent" });
    expect(() => holders.mustHold(within)).toThrow("Somebody else answers this question now");
  });

  it("is offered only to programs that answer people, while they are connected by at least one connection", () => {
    const { holders } = arrive();
    holders.connect({ ...brain, grant: OPERATOR_GRANT });
    expect(holders.offer(QUESTION, () => true)).toBe(false);
    const [first, second] = [holders.connect(brain), holders.connect(brain)];
    first();
    first();
    expect(holders.offer(QUESTION, () => true)).toBe(true);
    second();
    expect(holders.offer(QUESTION, () => true)).toBe(false);
  });

  it("is no longer waited for when that is called off", async () => {
    const { holders } = arrive();
    const controller = new AbortController();
    holders.connect(brain);
    holders.offer(QUESTION, () => true);
    const settled = holders.settled(QUESTION, controller.signal);
    controller.abort();
    await expect(settled).rejects.toThrow();
  });
});
