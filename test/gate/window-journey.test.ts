import { expect, it } from "vitest";
import type { MessageId } from "../../src/domain/ids.ts";
import { openTestGate } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { smallCommunity } from "../support/small-community.ts";

const PEOPLE = ["rosa", "theo", "diego", "elena", "ivy", "anjali"];
/** Three conversations at once, and nobody pressed "reply". */
const TALK: readonly (readonly [by: string, minutesAgo: number, text: string])[] = [
  ["rosa", 32, "has anybody seen the varnish? the good one, for the oars"],
  ["diego", 31.7, "who's cooking on thursday? I can do rice"],
  ["theo", 31.4, "Rosa: top shelf in the paint locker, behind the primer"],
  ["ivy", 31, "the tide sensor reads 40 cm too high since noon"],
  ["elena", 30.6, "Diego: I'll bring the beans then"],
  ["rosa", 30.2, "found it, thanks. is one coat of varnish enough?"],
  ["anjali", 29.8, "Ivy: which pile? if it's three, the bracket slipped"],
  ["diego", 29.4, "great, rice and beans"],
  ["theo", 29, "two coats at least, oars get wet"],
  ["ivy", 28.7, "pile three, yes"],
  ["anjali", 27.9, "then I go out with the ladder after lunch"],
  ["rosa", 27.5, "two it is"],
];

async function arrive() {
  const { people, ...rest } = smallCommunity(
    TALK.map(([by, minutesAgo, text]) => ({ in: "general", by, minutesAgo, text })),
  );
  const more = PEOPLE.map((key) => ({ key, username: key, displayName: key.charAt(0).toUpperCase() + key.slice(1) }));
  const sandbox = await openTestSandbox({ community: { ...rest, people: [...people, ...more] }, rateLimits: false });
  const test = await openTestGate(sandbox);
  const look = async (asked: { id: string; channelId: string }) => {
    await test.edge.find("message", ({ message }) => message.message_id === asked.id);
    const operation = await test.open("sarah", asked.channelId, {}, { messageId: asked.id as MessageId });
    const { text } = await test.gate.callTool({ name: "context.window", args: {}, operation, wantsText: true });
    return (text ?? "").replaceAll(operation.nonce, "…").replace(/ · \S+Z to \S+Z⟧/g, "⟧");
  };
  return { sandbox, bot: `<@${test.edge.discord.botId}>`, look };
}

it("a context window reads like a description of the channel by a person", async () => {
  const { sandbox, bot, look } = await arrive();
  const sarah = sandbox.as("sarah");

  const mention = sarah.say("general", `${bot} who goes out with the ladder?`);
  expect(await look(mention)).toMatchInlineSnapshot(`
    "⟦untrusted … · window of channel "general"⟧
    [recent channel context]

    thread (Rosa, Theo):
      Rosa: has anybody seen the varnish? the good one, for the oars
      Theo: Rosa: top shelf in the paint locker, behind the primer
      Rosa: found it, thanks. is one coat of varnish enough?
      Theo: two coats at least, oars get wet
      Rosa: two it is

    thread (Ivy, Anjali):
      Ivy: the tide sensor reads 40 cm too high since noon
      Anjali: Ivy: which pile? if it's three, the bracket slipped
      Ivy: pile three, yes
      Anjali: then I go out with the ladder after lunch

    thread (Diego, Elena):
      Diego: who's cooking on thursday? I can do rice
      Elena: Diego: I'll bring the beans then
      Diego: great, rice and beans
    ⟦end …⟧

    you: @Earshot who goes out with the ladder?"
  `);

  const lost = sandbox.as("mark").say("general", "the keel is cracked");
  const root = sandbox.as("mei").reply(lost, "which keel?");
  const second = sandbox.as("mark").reply(root, "the red one's");
  sandbox.as("mark").delete(lost);
  expect(await look(sarah.reply(second, `${bot} can it be mended?`))).toMatchInlineSnapshot(`
    "⟦untrusted … · window of channel "general"⟧
    [recent channel context]

    thread (Rosa, Theo):
      Rosa: has anybody seen the varnish? the good one, for the oars
      Theo: Rosa: top shelf in the paint locker, behind the primer
      Rosa: found it, thanks. is one coat of varnish enough?
      Theo: two coats at least, oars get wet
      Rosa: two it is

    thread (Ivy, Anjali):
      Ivy: the tide sensor reads 40 cm too high since noon
      Anjali: Ivy: which pile? if it's three, the bracket slipped
      Ivy: pile three, yes
      Anjali: then I go out with the ladder after lunch

    thread (Diego, Elena):
      Diego: who's cooking on thursday? I can do rice
      Elena: Diego: I'll bring the beans then
      Diego: great, rice and beans
    ⟦end …⟧

    ⟦untrusted … · reply chain⟧
    [reply chain]
      mei: which keel?
      mark: the red one's
    ⟦end …⟧
    The chain goes further back; the message before cannot be read here.

    you: @Earshot can it be mended?"
  `);

  const thread = sandbox.as("mark").openThread({ on: root }, "The red boat");
  sandbox.as("mei").say(thread.id, "we could ask Theo");
  expect(await look(sarah.say(thread.id, `${bot} what was it about?`))).toMatchInlineSnapshot(`
    "⟦untrusted … · window of thread "The red boat"⟧
    [recent channel context]

    starter (mei):
      which keel?

    standalone (mei):
      we could ask Theo
    ⟦end …⟧

    you: @Earshot what was it about?"
  `);

  sarah.dm("is the bar open?");
  expect(await look(sarah.dm("I mean today"))).toMatchInlineSnapshot(`
    "⟦untrusted … · window of direct messages⟧
    [recent channel context]

    standalone (you):
      is the bar open?
    ⟦end …⟧

    you: I mean today"
  `);
});
