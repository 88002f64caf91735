import { expect, it } from "vitest";
import { rawChannel, rawMember, rawOverwrite } from "../../../test/support/raw-guild.ts";
import {
  BOT,
  GENERAL,
  GUILD,
  general,
  MARK,
  openDirectory,
  PRIVATE_THREAD,
  SARAH,
  STAFF,
  smallGuild,
  staffRoom,
} from "../../../test/support/small-guild.ts";
import { statesOf } from "../../../test/support/source-watch-world.ts";
import type { ChannelId, MessageId } from "../../domain/ids.ts";
import { type StoredSource, toMessageSource } from "../../ports/stored-source.ts";
import { BARRED, type Judgement, YES } from "../../sources/judge.ts";
import { SourceWatch } from "../../sources/source-watch.ts";
import { createAnswerSources } from "./answer-sources.ts";

const READ_HISTORY = 1n << 16n;
const PORCH = "22" as ChannelId;
/** Mark sees what is said there, and cannot look back. */
const porch = rawChannel({
  ...{ id: PORCH, guildId: GUILD, name: "porch" },
  overwrites: [rawOverwrite("member", MARK, { deny: READ_HISTORY })],
});
const UNKNOWN: Judgement = { answer: "unknown", reason: "source_uncertain" };

function openWorld() {
  const members = [
    rawMember({ id: BOT, username: "earshot" }, { roles: ["2"] }),
    rawMember({ id: SARAH, username: "sarah" }, { roles: ["2"] }),
    rawMember({ id: MARK, username: "mark" }),
  ];
  const directory = openDirectory(smallGuild({ channels: [general, staffRoom, porch], members }), {});
  const guild = directory.guild(GUILD);
  if (guild) guild.membersComplete = true;
  const clock = { now: () => 5_000 };
  const sources = new SourceWatch({
    ...{ clock, botId: BOT, labelsKeptMs: 0, isLeftOut: () => false },
    ...statesOf(),
  });
  const discord = {
    ...{ botId: BOT, directory },
    message: async () => null,
    history: async () => ({ messages: [], isFull: false }),
  };
  const answerSources = createAnswerSources({ discord, sources, memory: null, records: {}, clock });
  const judge = (channelId: ChannelId, ...cited: ChannelId[]) =>
    answerSources.judge({ channelId, sources: cited.map(saidIn) });
  return { answerSources, directory, sources, judge };
}

function saidIn(channelId: ChannelId): StoredSource {
  return toMessageSource({ messageId: "101" as MessageId, channelId }, SARAH);
}

it("an answer stays where its sources were said, however old they are, and goes from where others cannot look back", async () => {
  const { judge } = openWorld();
  expect(await judge(PORCH, PORCH)).toEqual(YES);
  expect(await judge(GENERAL, PORCH)).toEqual(BARRED);
  expect(await judge(GENERAL, GENERAL)).toEqual(YES);
  expect(await judge(GENERAL, GENERAL, STAFF)).toEqual(BARRED);
  expect(await judge(STAFF, GENERAL)).toEqual(YES);
});

it("an answer goes with a message that it cites", async () => {
  const { judge, sources } = openWorld();
  sources.note({ type: "message_delete", channelId: GENERAL, messageIds: ["101" as MessageId] });
  expect(await judge(GENERAL, GENERAL)).toMatchObject({ answer: "no", reason: "source_deleted" });
});

it("nothing is concluded about a server that cannot be reached, nor about people whom Discord does not name", async () => {
  const { judge, answerSources, directory } = openWorld();
  expect(answerSources.judgeMessages({ channelId: PRIVATE_THREAD, sources: [saidIn(STAFF)] })).toEqual(BARRED);
  expect(await judge(PRIVATE_THREAD, STAFF)).toEqual(UNKNOWN);
  expect(await judge(GENERAL, PRIVATE_THREAD)).toEqual(YES);
  directory.apply("GUILD_DELETE", { id: GUILD, unavailable: true });
  expect(await judge(GENERAL, STAFF)).toEqual(UNKNOWN);
});
