import { expect, it } from "vitest";
import { UnreadBytes } from "./unread-bytes.ts";

it("the client that holds the most gives way, its largest connection first, where all clients together hold too much", () => {
  const bytes = new UnreadBytes(100, 150);
  const dropped: string[] = [];
  const connect = (client: string, name: string, held: number) =>
    bytes.watch(client, {
      unreadBytes: () => held,
      drop: (isForAll) => void dropped.push(`${name} ${isForAll ? "for all" : "for its client"}`),
    });
  for (const [name, held] of [
    ["greedy one", 30],
    ["greedy two", 31],
    ["greedy three", 30],
  ] as const)
    connect("greedy", name, held).check();
  connect("honest", "honest one", 60).check();
  expect(dropped).toEqual(["greedy two for all"]);
  connect("honest", "honest two", 50).check();
  expect(dropped).toEqual(["greedy two for all", "honest one for its client"]);
});
