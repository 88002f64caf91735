import { describe, expect, it } from "vitest";
import type { InteractionRecord, MessageRecord } from "../../sandbox/world/records.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { until } from "../support/edge.ts";
import { buttonId, buttonsOf, whispered } from "./open-harbour.ts";
import { openRemembering, textOf } from "./open-remembering.ts";

const REFUSAL = "Only a message that you wrote yourself, and that the bot can read, can be remembered like this.";

interface ShownField {
  readonly label: string;
  readonly component: { readonly custom_id: string; readonly value?: string };
}

async function openRememberingThis(rules?: object) {
  const harbour = await openRemembering(rules);
  const { sandbox, settle } = harbour;
  const choose = async (who: string, message: MessageRecord) => {
    await settle();
    return sandbox.as(who).menu("Remember this", message.id);
  };
  const open = async (who: string, message: MessageRecord) => {
    const opener = await choose(who, message);
    const answered = await opener.answered;
    if (answered.kind !== "modal") throw new Error("no form was shown");
    const fields = answered.modal.components as unknown as readonly ShownField[];
    return { opener, filledIn: fields.map(({ component }) => component.value ?? "") };
  };
  const shownLast = (asking: InteractionRecord) =>
    until(() => [...asking.ephemeral.values()].find((one) => buttonsOf(one).length > 1), "no preview");
  /** Fills the form in, and has the preview. */
  const fill = async (who: string, opener: InteractionRecord, values: Record<string, string>) => {
    const { share = "private", ...texts } = values;
    const asking = sandbox.as(who).fillModal(opener, { ...texts, share: [share] });
    return { asking, last: await shownLast(asking), text: textOf(asking) };
  };
  const refused = async (who: string, opener: InteractionRecord, values: Record<string, string>) => {
    const asking = sandbox.as(who).fillModal(opener, { share: ["private"], ...values });
    return (await harbour.answer(asking)).content;
  };
  return { ...harbour, choose, open, fill, refused };
}

describe("“Remember this”", () => {
  it("takes one's own message as it was typed, shows who will hear it, and does not outlive the message", async () => {
    const { sandbox, open, fill, decide, own, listOf, settle } = await openRememberingThis();
    const sarah = sandbox.as("sarah").id as UserId;
    const message = sandbox.as("sarah").say("pier", "My time zone is Europe/Lisbon.");
    const { opener, filledIn } = await open("sarah", message);
    expect(filledIn).toEqual(["time zone", "Europe/Lisbon", ""]);
    const { text, last } = await fill("sarah", opener, { key: "time zone", value: "Europe/Lisbon", share: "org" });
    expect(text).toContain("“Remember”: all members of “");
    expect(text).toMatch(
      new RegExp(`It rests on your own words, repeated exactly: https://.*/${message.channelId}/${message.id}\\.\n`),
    );
    expect(text).toContain("It is forgotten when what it rests on has been deleted.");
    expect(await listOf("sarah")).toEqual([]);
    expect(await decide("sarah", last)).toContain("Remembered: **time zone**.");
    const [stored] = await own.list(sarah);
    expect(stored?.fact).toMatchObject({
      value: "Europe/Lisbon",
      visibility: "org",
      basis: [{ type: "discord_message", ref: `${message.channelId}/${message.id}`, isOwn: true }],
    });
    sandbox.as("sarah").delete(message);
    await settle();
    expect((await own.list(sarah)).map(({ dormant }) => dormant)).toEqual(["source_deleted"]);
  });

  it("rests on the message, and is heard only by those who can read it, where it is put in other words", async () => {
    const { sandbox, open, fill, decide, own, id, say, settle } = await openRememberingThis();
    const message = sandbox.as("sarah").say("pier", "I moved to Porto\n> and live at 4 Quay Street");
    const { opener, filledIn } = await open("sarah", message);
    expect(filledIn[0]).toBe("");
    const { text, last } = await fill("sarah", opener, { key: "city", value: "4 Quay Street", share: "org" });
    const hearers = `who also have access to <#${id("pier")}> (3 people now), because it rests on that`;
    expect(text).toContain(`${hearers}, will be able to hear it.`);
    expect(text).toContain(`It rests on a message in <#${id("pier")}>: `);
    expect(text).toContain(`/${id("pier")}/${message.id}.`);
    expect(await decide("sarah", last)).toContain(`${hearers}.`);
    expect(await say("sarah", "list")).toContain(`${hearers}; since`);
    sandbox.as("sarah").edit(message, "I moved to Porto");
    await settle();
    expect(await say("sarah", "list")).toMatch(/For whom it is: the members of .*Only you hear it: /s);
    const [stored] = await own.list(sandbox.as("sarah").id as UserId);
    expect(stored?.fact.basis).toMatchObject([{ type: "discord_message", isOwn: false }]);
  });

  it("refuses other people's messages and the bot's, and changes nothing", async () => {
    const { sandbox, choose, listOf, edge, id, said, settle } = await openRememberingThis();
    const others = sandbox.as("mark").say("general", "My boat is Tern");
    await edge.discord.send(id("general") as never, { text: "My boat is Gull", mentions: [] });
    await settle();
    const bots = said("general").at(-1) as MessageRecord;
    for (const message of [others, bots]) expect(await whispered(await choose("sarah", message))).toBe(REFUSAL);
    for (const who of ["sarah", "mark"]) expect(await listOf(who)).toEqual([]);
  });

  it("refuses a form that was changed to name somebody else's message", async () => {
    const { sandbox, open, refused, listOf } = await openRememberingThis();
    const others = sandbox.as("mark").say("general", "My boat is Tern");
    const own = sandbox.as("sarah").say("general", "My boat is Petrel");
    const { opener } = await open("sarah", own);
    if (!opener.modal) throw new Error("no form is open");
    opener.modal.custom_id = `remember:${others.id}`;
    expect(await refused("sarah", opener, { key: "boat", value: "Tern" })).toBe(REFUSAL);
    expect(await listOf("sarah")).toEqual([]);
    expect(() => sandbox.as("mark").fillModal(opener, {})).toThrow();
  });

  it("stores nothing when the message was deleted or edited before the form was sent or the button pressed", async () => {
    const { sandbox, open, fill, refused, listOf, settle } = await openRememberingThis();
    const gone = sandbox.as("sarah").say("general", "My boat is Petrel");
    const first = await open("sarah", gone);
    sandbox.as("sarah").delete(gone);
    await settle();
    expect(await refused("sarah", first.opener, { key: "boat", value: "Petrel" })).toBe(REFUSAL);
    const edited = sandbox.as("sarah").say("general", "My hat is red");
    const second = await open("sarah", edited);
    const { last } = await fill("sarah", second.opener, { key: "hat", value: "red" });
    sandbox.as("sarah").edit(edited, "My hat is blue");
    await settle();
    const click = sandbox.as("sarah").click(last, buttonId(last, "Remember"));
    await expect.poll(() => textOf(click)).toContain("It rests on a message in ");
    expect(last.content).toContain("Something has changed since you were shown this");
    const third = sandbox.as("sarah").say("general", "My dog is Rex");
    const shown = await fill("sarah", (await open("sarah", third)).opener, { key: "dog", value: "Rex" });
    sandbox.as("sarah").delete(third);
    await settle();
    sandbox.as("sarah").click(shown.last, buttonId(shown.last, "Remember"));
    await expect.poll(() => shown.last.content).toBe(REFUSAL);
    expect(await listOf("sarah")).toEqual([]);
  });

  it("says why nothing is taken from somebody who is left out, or from a message without text of its own", async () => {
    const { sandbox, choose, consent } = await openRememberingThis();
    const message = sandbox.as("sarah").say("general", "My boat is Petrel");
    const picture = sandbox.as("sarah").forward(message.id, "general");
    expect(await whispered(await choose("sarah", picture))).toContain("There is nothing typed in this message");
    consent.set(sandbox.as("sarah").id, true);
    expect(await whispered(await choose("sarah", message))).toContain(
      "You are left out, so your messages are not used",
    );
  });

  it("is void once everything about the person was erased", async () => {
    const { sandbox, open, fill, erasePerson, listOf } = await openRememberingThis();
    const message = sandbox.as("sarah").say("general", "My boat is Petrel");
    const { opener } = await open("sarah", message);
    const { last } = await fill("sarah", opener, { key: "boat", value: "Petrel" });
    await erasePerson(sandbox.as("sarah").id as UserId);
    const click = sandbox.as("sarah").click(last, buttonId(last, "Remember"));
    expect(await whispered(click)).toBe("This has been decided or has expired; use the command again.");
    expect(await listOf("sarah")).toEqual([]);
  });

  it("takes long messages as far as whole words fit, and refuses hostile keys in the words of the memory", async () => {
    const { sandbox, open, refused } = await openRememberingThis();
    const message = sandbox.as("sarah").say("general", "tide ".repeat(399).trim());
    const { opener, filledIn } = await open("sarah", message);
    expect(filledIn[1]).toBe("tide ".repeat(399).trim());
    expect(await refused("sarah", opener, { key: "a\u202eb", value: "tide" })).toBe(
      "The name of a fact contains a control character. Use letters, digits and spaces.",
    );
  });
});
