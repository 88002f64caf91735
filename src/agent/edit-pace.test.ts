import { describe, expect, it } from "vitest";
import { createManualTime } from "../../test/support/manual-time.ts";
import type { ChannelId } from "../domain/ids.ts";
import { EditPace } from "./edit-pace.ts";

const HERE = "1" as ChannelId;
const THERE = "2" as ChannelId;

function arrive() {
  const time = createManualTime();
  const pace = new EditPace(time);
  const order: string[] = [];
  const { signal } = new AbortController();
  const take = (name: string, how: { isFinal?: boolean; signal?: AbortSignal } = {}, channel = HERE) =>
    pace.turn(channel, { signal, ...how }).then(
      () => void order.push(name),
      () => void order.push(`${name} cancelled`),
    );
  return { ...time, pace, order, take };
}

describe("the pace of edits", () => {
  it("lets one answer of a channel go every 1.5 seconds, the last change of an answer first", async () => {
    const { order, take, pass } = arrive();
    void take("a");
    void take("b");
    void take("c");
    void take("d", { isFinal: true });
    void take("elsewhere", {}, THERE);
    await pass(0);
    expect(order).toEqual(["a", "elsewhere"]);
    await pass(1_499);
    expect(order).toHaveLength(2);
    await pass(1);
    await pass(1_500);
    await pass(1_500);
    expect(order.slice(2)).toEqual(["d", "b", "c"]);
  });

  it("passes over answers that were called off", async () => {
    const { order, take, pass } = arrive();
    const controller = new AbortController();
    void take("a");
    void take("b", { signal: controller.signal });
    void take("c");
    controller.abort();
    await pass(1_500);
    expect(order).toEqual(["a", "b cancelled", "c"]);
  });

  it("waits longer after each rate limit, and as before once an edit was accepted", async () => {
    const { pace, order, take, pass } = arrive();
    await take("a");
    pace.slowDown(HERE);
    pace.slowDown(HERE);
    void take("b");
    await pass(5_999);
    expect(order).toEqual(["a"]);
    await pass(1);
    expect(order).toEqual(["a", "b"]);
    pace.recover(HERE);
    void take("c");
    await pass(6_000);
    void take("d");
    await pass(1_500);
    expect(order).toEqual(["a", "b", "c", "d"]);
  });
});
