import { describe, expect, it } from "vitest";
import type { MessageId } from "../domain/ids.ts";
import { OPERATOR_GRANT } from "./grant.ts";
import type { Operation } from "./operation.ts";
import { QuestionHolders } from "./question-holders.ts";

const QUESTION = "1" as MessageId;
const { signal } = new AbortController();
const brain = { name: "brain", grant: { ...OPERATOR_GRANT, answers: true } };
const within = { client: brain, origin: { messageId: QUESTION } } as Operation;

function arrive(holdMs = 1_000) {
  const clock = { time: 0, now: () => clock.time };
  return { clock, holders: new QuestionHolders(clock, holdMs) };
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
    expect(() => holders.mustHold(within)).toThrow(
      expect.objectContaining({ code: "conflict", message: expect.stringContaining("Somebody else answers") }),
    );
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

  it("is renewed, answered and kept only by the program that has it, and only in operations that began with it", async () => {
    const { clock, holders } = arrive();
    const other = { ...within, client: { ...brain, name: "other" } } as Operation;
    const elsewhere = { ...within, origin: { messageId: null } } as Operation;
    holders.connect(brain);
    holders.offer(QUESTION, () => true);
    clock.time = 900;
    for (const one of [other, elsewhere]) holders.renew(one);
    for (const one of [other, elsewhere]) holders.noteAnswered(one);
    expect(() => holders.mustHold(other)).toThrow("Somebody else answers");
    expect(() => holders.mustHold(elsewhere)).not.toThrow();
    clock.time = 1_000;
    expect(await holders.settled(QUESTION, signal)).toBe("lost");
  });

  it("that nobody has taken may be answered by anybody, and is lost to who waits for it", async () => {
    const { holders } = arrive();
    expect(() => holders.mustHold(within)).not.toThrow();
    expect(await holders.settled(QUESTION, signal)).toBe("lost");
  });

  it("is offered to the first program that may hear it", () => {
    const { holders } = arrive();
    holders.connect(brain);
    holders.connect({ ...brain, name: "second" });
    expect(holders.offer(QUESTION, ({ name }) => name === "second")).toBe(true);
    expect(() => holders.mustHold(within)).toThrow("Somebody else answers");
    expect(holders.offer(QUESTION, () => false)).toBe(false);
  });

  it("is lost when its time is over, and who waits learns of that by itself", async () => {
    const started = Date.now();
    const holders = new QuestionHolders({ now: () => Date.now() - started }, 30);
    holders.connect(brain);
    holders.offer(QUESTION, () => true);
    expect(await holders.settled(QUESTION, signal)).toBe("lost");
  });

  it("that is taken by another program is waited for again", async () => {
    const { clock, holders } = arrive();
    holders.connect(brain);
    holders.offer(QUESTION, () => true);
    const settled = holders.settled(QUESTION, signal);
    holders.take(QUESTION, { ...brain, name: "agent" });
    clock.time = 999;
    holders.noteAnswered({ ...within, client: { ...brain, name: "agent" } } as Operation);
    expect(await settled).toBe("answered");
  });

  it("is held for thirty seconds unless another time is given", async () => {
    const clock = { time: 0, now: () => clock.time };
    const holders = new QuestionHolders(clock);
    holders.connect(brain);
    holders.offer(QUESTION, () => true);
    clock.time = 29_999;
    const settled = holders.settled(QUESTION, signal);
    clock.time = 30_000;
    expect(await settled).toBe("lost");
  });

  it("wakes who waits for it at once, however long it may be held", async () => {
    const { holders } = arrive(3_600_000);
    holders.connect(brain);
    holders.offer(QUESTION, () => true);
    const answered = holders.settled(QUESTION, signal);
    holders.noteAnswered(within);
    expect(await answered).toBe("answered");
    holders.offer(QUESTION, () => true);
    const controller = new AbortController();
    const calledOff = holders.settled(QUESTION, controller.signal);
    controller.abort();
    await expect(calledOff).rejects.toThrow();
  });
});
