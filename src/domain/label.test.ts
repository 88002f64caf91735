import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flows, type Site } from "./audience.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "./ids.ts";
import { Label, type Reading } from "./label.ts";

const PEOPLE = ["1", "2", "3", "4"] as UserId[];
const nothing: Reading = { channels: [], guilds: [], messages: [], links: [] };

describe("a label", () => {
  it("is trusted until something was read, and untrusted from then on", () => {
    const label = new Label();
    label.join(nothing, 5);
    expect([label.integrity, label.since]).toEqual(["trusted", null]);
    label.join({ ...nothing, channels: ["11" as ChannelId] }, 7);
    label.join({ ...nothing, channels: ["12" as ChannelId] }, 9);
    expect([label.integrity, label.since]).toEqual(["untrusted", 7]);
    for (const one of [{ guilds: ["1" as GuildId] }, { messages: ["1" as MessageId] }]) {
      const other = new Label();
      other.join({ ...nothing, ...one }, 3);
      expect([other.integrity, other.since]).toEqual(["untrusted", 3]);
    }
  });

  it("unites its sources, whatever the order and however often", () => {
    const reading = fc.array(fc.constantFrom("11", "12", "13").map((id) => id as ChannelId));
    fc.assert(
      fc.property(reading, reading, (a, b) => {
        const [one, other] = [new Label(), new Label()];
        for (const channels of [a, b]) one.join({ ...nothing, channels }, 1);
        for (const channels of [b, a, b]) other.join({ ...nothing, channels, links: ["x"] }, 1);
        expect([...one.channels].sort()).toEqual([...other.channels].sort());
        expect(new Set(one.channels)).toEqual(new Set([...a, ...b]));
        expect([...other.links]).toEqual(["x"]);
      }),
    );
  });

  it("may reach exactly those whom each of its sources may reach", () => {
    const audience = fc.subarray(PEOPLE);
    fc.assert(
      fc.property(fc.array(audience, { maxLength: 4 }), fc.subarray(PEOPLE, { minLength: 1 }), (audiences, readers) => {
        const label = new Label();
        const sites = new Map(
          audiences.map((people, index): [ChannelId, Site] => [
            `${index}` as ChannelId,
            { kind: "people", people: new Set(people) },
          ]),
        );
        for (const id of sites.keys()) label.join({ ...nothing, channels: [id] }, 1);
        const there: Site = { kind: "people", people: new Set(readers) };
        const reaches = [...label.channels].every((id) => flows(sites.get(id) ?? { kind: "world" }, there));
        const everywhere = PEOPLE.filter((person) => audiences.every((people) => people.includes(person)));
        expect(reaches).toBe(readers.every((person) => everywhere.includes(person)));
      }),
    );
  });
});
