import { expect, it } from "vitest";
import { BOT, GENERAL, GUILD, openDirectory, SARAH, smallGuild } from "../../test/support/small-guild.ts";
import type { UserId } from "../domain/ids.ts";
import { MessageEvents } from "./message-events.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };

it.each([
  ["what somebody writes with a mention of the bot", { content: `<@${BOT}> when?` }, true],
  ["a mention in code", { content: `type \`<@${BOT}> when?\`` }, false],
  ["what a bot writes", { content: `<@${BOT}> when?`, author: { id: SARAH, username: "s", bot: true } }, false],
  ["anything else", { content: "when?" }, false],
])("on a server that does not list whom a message mentions, %s: addressed?", (_, raw, isAddressed) => {
  const events = new MessageEvents(openDirectory(smallGuild({ members: [] }), {}), {
    botId: BOT as UserId,
    log,
    announce() {},
  });
  const author = { id: SARAH, username: "sarah" };
  const message = { id: "1300000000000000000", channel_id: GENERAL, guild_id: GUILD, author, mentions: [], ...raw };
  const [event] = events.toEvents("MESSAGE_CREATE", message);
  expect(event).toMatchObject({ type: "message", addressed: isAddressed });
});
