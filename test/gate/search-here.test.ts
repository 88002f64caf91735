import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Community } from "../../sandbox/index.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { openTestGate } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const ROOMS = ["north", "south", "east", "west"];
const EVERYONE: Community["guild"]["everyone"] = ["ViewChannel", "ReadMessageHistory", "SendMessages"];

/** Four rooms, of which the first two are in one category; only staff sees the last. */
function community(): Community {
  return {
    guild: { name: "Yard", owner: "owner", everyone: EVERYONE },
    people: [
      { key: "owner", username: "owner" },
      { key: "mei", username: "mei", roles: ["staff"] },
      { key: "ada", username: "ada" },
      { key: "bo", username: "bo" },
      { key: "earshot", username: "earshot", bot: true, roles: ["staff"] },
    ],
    roles: [{ key: "staff", name: "staff" }],
    channels: [
      { key: "sea", name: "Sea", kind: "category" },
      { key: "north", name: "north", kind: "text", category: "sea" },
      { key: "south", name: "south", kind: "text", category: "sea" },
      { key: "east", name: "east", kind: "text" },
      { key: "west", name: "west", kind: "text" },
      {
        key: "hidden",
        name: "hidden",
        kind: "text",
        category: "sea",
        overwrites: [
          { who: "everyone", deny: ["ViewChannel"] },
          { who: "staff", allow: ["ViewChannel"] },
        ],
      },
    ],
    posts: [],
  };
}

interface Line {
  readonly in: string;
  readonly by?: string;
  readonly text: string;
}

const chatter: readonly Line[] = ROOMS.flatMap((room) =>
  ["kettle on", "nice wind", "who has tape", "lunch soon"].map((text) => ({ in: room, text: `${text} in ${room}` })),
);
const rudders = (...rooms: string[]) => rooms.map((room) => ({ in: room, text: `the rudder in ${room}` }));

async function open(lines: readonly Line[]) {
  const sandbox = await openTestSandbox({ community: community(), rateLimits: false });
  for (const { in: room, by = "bo", text } of [...chatter, ...lines]) sandbox.as(by).say(room, text);
  const gate = await openTestGate(sandbox);
  const search = async (as: string, where: string | null, args: object = { query: "rudder" }) => {
    const nowhere = { isPrivate: true, channelId: undefined as never };
    const operation = await gate.open(as, where ?? "west", {}, where === null ? nowhere : {});
    const { value } = await gate.gate.callTool({ name: "search_messages", args, operation });
    return (value as { hits: { message: { content: string } }[] }).hits.map(({ message }) => message.content);
  };
  return { ...gate, sandbox, search };
}

describe("where a search is made", () => {
  it("puts what was said there first, of what fits equally well", async () => {
    const { search } = await open(rudders("north", "south", "east"));
    expect((await search("ada", "north"))[0]).toBe("the rudder in north");
    expect((await search("ada", "south"))[0]).toBe("the rudder in south");
    expect((await search("ada", "east"))[0]).toBe("the rudder in east");
    expect((await search("ada", null, { query: "rudder", for: "north" }))[0]).toBe("the rudder in north");
    expect((await search("ada", null))[0]).toBe("the rudder in east");
  });

  it("does not put it before a message elsewhere that plainly fits better", async () => {
    const { search } = await open([...rudders("north"), { in: "east", text: "rudder bolts are brass, size eight" }]);
    const query = "brass rudder bolts size";
    expect((await search("ada", "north", { query }))[0]).toBe("rudder bolts are brass, size eight");
  });

  it("puts channels of the same category before others", async () => {
    const { search } = await open(rudders("south", "east"));
    expect(await search("ada", "north")).toEqual(["the rudder in south", "the rudder in east"]);
    expect(await search("ada", "west")).toEqual(["the rudder in east", "the rudder in south"]);
  });

  it("puts channels in which the person has spoken before others, unless that person is left out", async () => {
    const { search, consent, sandbox } = await open([
      { in: "south", by: "ada", text: "morning" },
      { in: "east", text: "morning" },
      ...rudders("south", "east"),
    ]);
    expect(await search("bo", "west")).toEqual(["the rudder in east", "the rudder in south"]);
    expect(await search("ada", "west")).toEqual(["the rudder in south", "the rudder in east"]);
    expect(await search("ada", null)).toEqual(["the rudder in east", "the rudder in south"]);
    await consent.leaveOut(sandbox.as("ada").id as UserId);
    expect(await search("ada", "west")).toEqual(await search("bo", "west"));
  });

  it("counts by what the audience may read: what staff say in a hidden channel changes nothing", async () => {
    const words = fc.constantFrom("rudder", "the rudder is loose", "brass bolts", "hello");
    const shown = fc.array(
      fc.record({ in: fc.constantFrom(...ROOMS), by: fc.constantFrom("mei", "bo"), text: words }),
      { minLength: 2, maxLength: 8 },
    );
    const hidden = fc.array(fc.record({ in: fc.constant("hidden"), by: fc.constant("mei"), text: words }), {
      minLength: 1,
      maxLength: 6,
    });
    const where = fc.constantFrom(...ROOMS);
    await fc.assert(
      fc.asyncProperty(shown, hidden, where, async (lines, secret, room) => {
        const [plain, other] = [await open(lines), await open([...lines, ...secret])];
        for (const query of ["rudder bolts", "is the rudder loose?"])
          expect(await other.search("mei", room, { query })).toEqual(await plain.search("mei", room, { query }));
      }),
      { numRuns: 12 },
    );
  });
});
