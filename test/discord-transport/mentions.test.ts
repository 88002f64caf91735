import { describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { openTestMemory } from "../support/memory.ts";
import { openAskingHarbour } from "./open-commands.ts";

const SHARED = { memory: { people: "shared" } };
const NAMED =
  "This has the name of another member in it, and a fact that mentions somebody else can only be private. If you mean something else, use other words.";

/** A harbour in which facts are remembered; Sarah's nickname is Skipper. */
async function openMentioning() {
  const harbour = await openAskingHarbour({ rules: SHARED, openMemory: openTestMemory });
  const { sandbox, ownMemory, answer } = harbour;
  if (!ownMemory) throw new Error("nothing is remembered");
  const say = async (who: string, command: string, options: Record<string, string> = {}) =>
    (await answer(sandbox.as(who).run(command, options, { in: "general" }))).content;
  const preview = (who: string, key: string, value: string, share = "org") =>
    say(who, "memory remember", { key, value, share });
  const person = (who: string) => sandbox.as(who).id as UserId;
  return { ...harbour, own: ownMemory, say, preview, person };
}

describe("a fact of a person's own that names another member in plain words", () => {
  it("can only be private, and the message says why", async () => {
    const { preview } = await openMentioning();
    for (const [key, value] of [
      ["friend", "mark"],
      ["friend", "I sail with Skipper on Sundays"],
      ["Skipper", "is a friend"],
    ] as const) {
      expect(await preview("mei", key, value)).toBe(NAMED);
      expect(await preview("mei", key, value, "project")).toBe(NAMED);
      expect(await preview("mei", key, value, "private")).toContain("Who will be able to hear it: only you.");
    }
  });

  it("may name its own subject, people who are no members, bots, and words that resemble a name", async () => {
    const { preview, sandbox, settle } = await openMentioning();
    for (const [who, value] of [
      ["sarah", "call me Skipper"],
      ["mei", "I know Gabriel and Earshot"],
      ["mei", "I like markdown, and Marcus"],
    ] as const)
      expect(await preview(who, "note", value)).toContain("Nothing has been remembered yet.");
    sandbox.admin.removeMember("mark");
    await settle();
    expect(await preview("mei", "friend", "mark")).toContain("Nothing has been remembered yet.");
  });

  it("is no longer recognised by a name that two members have", async () => {
    const { preview, sandbox, settle } = await openMentioning();
    sandbox.admin.updateMember("sarah", { nick: "Mark" });
    await settle();
    expect(await preview("mei", "friend", "mark")).toContain("Nothing has been remembered yet.");
    expect(await preview("mei", "friend", "Sarah")).toBe(NAMED);
  });
});
