import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChannelKind } from "../domain/guild.ts";
import type { ChannelId, GuildId } from "../domain/ids.ts";
import type { Directory } from "../ports/directory.ts";
import { Families } from "./families.ts";

interface Described {
  readonly id: string;
  readonly kind: ChannelKind;
  readonly parentId?: string;
}

/** Two guilds that share the channels described. */
function open(channels: Described[]): Families {
  const directory = {
    guilds: () => [{ id: "1" as GuildId }, { id: "2" as GuildId }],
    channels: (guildId: GuildId) => channels.filter((_, index) => (index % 2 === 0) === (guildId === "1")),
    channel: (id: ChannelId) => channels.find((each) => each.id === id),
  };
  return new Families(directory as unknown as Directory);
}

const text = (count: number): Described[] =>
  Array.from({ length: count }, (_, index) => ({ id: String(index + 10), kind: "text" }));

describe("families of channels", () => {
  it("consist of a channel with its public threads, or a single private thread, DM or unknown channel", () => {
    const families = open([
      { id: "10", kind: "forum" },
      { id: "11", kind: "public_thread", parentId: "10" },
      { id: "12", kind: "announcement_thread", parentId: "10" },
      { id: "13", kind: "private_thread", parentId: "10" },
      { id: "14", kind: "dm" },
      { id: "15", kind: "public_thread" },
    ]);
    const of = (id: string) => families.of(id as ChannelId);
    for (const id of ["10", "11", "12"]) expect(of(id)).toMatchObject({ id: "10", isPrivate: false });
    for (const id of ["13", "14", "99"]) expect(of(id)).toMatchObject({ id, isPrivate: true });
    expect(of("15")).toMatchObject({ id: "15", isPrivate: false });
  });

  it("consist of an announcement channel, or of its threads, which may not be repeated in it", () => {
    const families = open([
      { id: "10", kind: "announcement" },
      { id: "11", kind: "announcement_thread", parentId: "10" },
      { id: "12", kind: "public_thread", parentId: "10" },
    ]);
    const [news, ...threads] = ["10", "11", "12"].map((id) => families.of(id as ChannelId));
    expect(threads[0]).toBe(threads[1]);
    expect(threads[0]).not.toBe(news);
    expect(families.slots).toBe(2);
  });

  it("have quotas that depend only on the number of channels, waste at most a ninth of it, and fit into the total", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3_000 }), fc.nat(1_000_000_000), fc.nat(100_000), (count, total, most) => {
        const families = open(text(count));
        const { family, privateFamily, maxPrivateFamilies } = families.divide(total, most);
        expect(open(text(families.slots)).divide(total, most)).toEqual({ family, privateFamily, maxPrivateFamilies });
        expect(families.slots).toBeLessThanOrEqual((count * 9) / 8);
        expect(count * family + maxPrivateFamilies * privateFamily).toBeLessThanOrEqual(total);
        expect(privateFamily).toBeLessThanOrEqual(most);
      }),
    );
  });

  it("are counted without threads and categories, and counted again when channels are added", () => {
    const channels: Described[] = [
      ...text(3),
      { id: "50", kind: "category" },
      { id: "51", kind: "public_thread", parentId: "10" },
      { id: "52", kind: "private_thread", parentId: "10" },
    ];
    const families = open(channels);
    expect(families.slots).toBe(3);
    channels.push({ id: "60", kind: "voice" });
    expect(families.recount(0)).toBe(true);
    expect(families.slots).toBe(4);
    expect(families.recount(0)).toBe(false);
    expect(families.recount(9)).toBe(true);
    expect(families.slots).toBe(9);
  });

  it("keep their quotas while a few channels come and go", () => {
    const channels: Described[] = text(129);
    const families = open(channels);
    expect(families.slots).toBe(144);
    for (const count of [144, 130, 73, 140]) {
      channels.splice(0, channels.length, ...text(count));
      expect([families.recount(0), families.slots]).toEqual([false, 144]);
    }
    channels.splice(0, channels.length, ...text(72));
    expect([families.recount(0), families.slots]).toEqual([true, 72]);
  });
});
