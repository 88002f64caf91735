import { expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { until } from "../support/edge.ts";
import { buttonId, buttonsOf, openHarbour } from "./open-harbour.ts";

/** As often as the client tries. */
const ALWAYS = { status: 500, times: 4 };

it("a click on a review button does nothing when Discord takes no answer to it, and can be repeated", async () => {
  const { sandbox, prompt, review, sarah, said, logged } = await openHarbour();
  const { message } = await prompt({ text: "High water" });
  const { last } = await review(message);
  sandbox.faults.failRest({ match: "/callback", ...ALWAYS });
  sarah.click(last, buttonId(last, "Send"));
  await until(() => logged.includes("a press could not be answered"), "the failure went unnoticed");
  expect(said("pier")).toEqual([]);
  sarah.click(last, buttonId(last, "Send"));
  await until(() => last.content.startsWith("Done"), "no outcome was told");
  expect(said("pier")).toHaveLength(1);
});

it("a click on a review button is answered before the effect is sent", async () => {
  const { sandbox, prompt, review, sarah, said, id } = await openHarbour();
  const { message } = await prompt({ text: "High water" });
  const { last } = await review(message);
  sandbox.faults.slowRest({ match: `POST /channels/${id("pier")}/messages`, ms: 300 });
  const click = sarah.click(last, buttonId(last, "Send"));
  expect(await click.answered).toMatchObject({ kind: "updated" });
  expect(said("pier")).toEqual([]);
  expect(buttonsOf(last)).toEqual([]);
  await until(() => last.content.startsWith("Done"), "no outcome was told");
  expect(said("pier")).toHaveLength(1);
});

it("a review says that the effect may not have been done when Discord fails", async () => {
  const { sandbox, prompt, review, sarah, id } = await openHarbour();
  const { message } = await prompt({ text: "High water" });
  const { last } = await review(message);
  sandbox.faults.failRest({ match: `POST /channels/${id("pier")}/messages`, ...ALWAYS });
  sarah.click(last, buttonId(last, "Send"));
  await until(() => last.content.startsWith("Not done, or not all of it."), "no outcome was told");
  await until(() => message.content === "Reviewed.", "the button stayed");
});

it("a review offers no button to send a text that could not be shown whole", async () => {
  const { sandbox, prompt, review, sarah, logged } = await openHarbour();
  const { message, button } = await prompt({ text: "a long story ".repeat(600) });
  sandbox.faults.failRest({ match: "POST /webhooks/", ...ALWAYS });
  const click = sarah.click(message, button);
  await until(() => logged.includes("a press could not be answered"), "the failure went unnoticed");
  const shown = [...click.ephemeral.values()];
  expect(shown).toHaveLength(1);
  expect(shown.flatMap(buttonsOf)).toEqual([]);
  const { notes } = await review(message);
  expect(notes.length).toBeGreaterThan(1);
});

it("a review shows the outcome although a moderator has deleted its first message", async () => {
  const { sandbox, prompt, review, sarah, said } = await openHarbour();
  const { message } = await prompt({ text: "High water" });
  const { last } = await review(message);
  sandbox.as("mei").delete(message);
  sarah.click(last, buttonId(last, "Send"));
  await until(() => last.content.startsWith("Done"), "no outcome was told");
  expect(said("pier")).toHaveLength(1);
});

it("an effect stays pending, and a log entry is written, when nobody can be asked to review it", async () => {
  const { sandbox, ask, settle, id, logged, gate, sarah } = await openHarbour();
  const { act } = await ask();
  sandbox.admin.setOverwrite("general", "person:earshot", { deny: ["SendMessages"] });
  sandbox.faults.failRest({ match: "POST /users/@me/channels", status: 403, times: 1 });
  await settle();
  const refused = act("discord.send", { channel_id: id("pier"), text: "High water" });
  await expect(refused).rejects.toMatchObject({
    code: "confirmation_needed",
    message: expect.stringContaining("/agent"),
  });
  expect(logged).toContain("nobody could be asked to review");
  expect(gate.confirmations.pending().map(({ operation }) => operation.actor)).toEqual([sarah.id]);
});

it("a review is not posted when it was decided while Discord rate-limited the post", async () => {
  const { sandbox, ask, id, logged, gate, waiting, saidByBot, sarah } = await openHarbour();
  const { act } = await ask();
  sandbox.faults.stormRest({ match: `POST /channels/${id("general")}/messages`, times: 1, retryAfter: 0.3 });
  const refused = act("discord.send", { channel_id: id("pier"), text: "High water" }).catch(String);
  const { id: confirmationId } = await until(() => waiting[0], "nothing waits");
  gate.confirmations.reject(confirmationId, sarah.id as UserId);
  await refused;
  expect(logged).toContain("nobody could be asked to review");
  expect(saidByBot("general")).toEqual([]);
});
