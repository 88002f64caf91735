import { describe, expect, it } from "vitest";
import type { MessageId, UserId } from "../../src/domain/ids.ts";
import { openSystem } from "../attack/open-system.ts";
import { ADA, BO, CEM, PLACE } from "../support/small-world.ts";

describe("when a person is erased, their words are gone", () => {
  it("from what others have read within open operations, which still counts as read", async () => {
    const { open, call, say, erasePerson } = openSystem();
    const { id } = say(PLACE.general, ADA, "the anchor is under the third plank");
    const operation = await open(BO, PLACE.general);
    await call(operation, "get_recent_messages", {});
    const source = () => operation.label.of("message").get(id as MessageId);
    expect(source()?.text).toContain("anchor");
    await erasePerson(ADA as UserId);
    expect(source()).toMatchObject({ authorId: ADA, text: null, texts: new Set() });
    expect(operation.label.integrity).toBe("untrusted");
    // It is looked up again, and stands as it was read.
    expect(await call(operation, "discord.send", { channel_id: PLACE.general, text: "here" })).toMatchObject({
      ok: true,
    });
  });

  it("from what the edge holds of edits", async () => {
    const system = openSystem();
    const { say, tell2, world, erasePerson, discord } = system;
    const heard: string[] = [];
    discord.listen((event) => event.type === "message" && heard.push(event.message.content));
    const message = { id: "1470000000000000000", authorId: ADA, content: "first", edited: false, replyTo: null };
    const edited = { ...message, content: "second", edited: true, file: false };
    world.messages.set(PLACE.general, [edited]);
    tell2("MESSAGE_UPDATE", PLACE.general, edited);
    await erasePerson(ADA as UserId);
    tell2("MESSAGE_CREATE", PLACE.general, { ...message, file: false });
    say(PLACE.general, BO, "third");
    expect(heard).toEqual(["first", "third"]);
  });

  it("from summaries, which a model is asked for again", async () => {
    let asked = 0;
    const generate = async () => {
      asked += 1;
      return { text: "- something [m1]", inputTokens: 1, outputTokens: 1 };
    };
    // Ada's message is read from Discord before and after: its words are the same.
    const { open, call, erasePerson } = openSystem({ model: { generate } });
    const summarise = async () =>
      call(await open(BO, PLACE.general), "get_channel_summary", { timeframe: "2000 days" });
    await summarise();
    await summarise();
    expect(asked).toBe(1);
    await erasePerson(CEM as UserId);
    await summarise();
    expect(asked).toBe(1);
    await erasePerson(ADA as UserId);
    await summarise();
    expect(asked).toBe(2);
  });
});
