import { describe, expect, it } from "vitest";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import { describeMember, describeMessage } from "../support/describe-world.ts";
import { type InProcess, openInProcess } from "../support/in-process.ts";
import { canary, messageId } from "../support/random-community.ts";
import { ADA, BO, CEM, GUILD, PLACE, smallWorld } from "../support/small-world.ts";

const client = { name: "test", grant: OPERATOR_GRANT };

/** Somebody says something, as the gateway tells it. */
function say(test: InProcess, authorId: string, channelId: string, more: object = {}): void {
  const message = { id: messageId(300), authorId, content: "ahoy", edited: false, replyTo: null, file: false };
  const member = test.world.guilds[0]?.members.find(({ id }) => id === authorId);
  const { user, ...rest } = describeMember(member ?? { id: authorId, bot: false, nick: `nick${authorId}`, roles: [] });
  const raw = describeMessage(test.world, channelId, message);
  test.tell("MESSAGE_CREATE", { ...raw, author: user, guild_id: GUILD, member: rest, ...more });
}

/** All that Cem is told when he looks for people by name and reads what mentions them. */
async function lookAround(before: (test: InProcess) => void): Promise<string[]> {
  const world = smallWorld();
  const [first] = world.messages.get(PLACE.general) ?? [];
  if (first) first.content = `<@${BO}> and <@${ADA}> know`;
  const test = openInProcess(world, { members: "asked" });
  try {
    before(test);
    const told: string[] = [];
    const request = { actor: CEM, channelId: PLACE.general } as never;
    const operation = await test.operations.open(client, request);
    for (const [name, args] of [
      ["search_user_messages", { user_name: `nick${BO}` }],
      ["search_user_messages", { user_name: `user${BO}` }],
      ["search_messages", { query: `know mentions:nick${BO}` }],
      ["discord.channel.messages", { channel_id: PLACE.general }],
      ["get_channel_summary", { timeframe: "past week" }],
      ["context.window", {}],
      ["directory.people", {}],
      ["directory.people", { role: "staff" }],
      ["directory.people", { query: `nick${BO}` }],
    ] as const)
      told.push(
        await test.gate.callTool({ name, args, operation, wantsText: true }).then(
          (answer) => JSON.stringify(answer),
          (error: Error) => error.message,
        ),
      );
    return told;
  } finally {
    await test.close();
  }
}

describe("without a complete member list,", () => {
  it("messages of a private thread are found as long as somebody is in it, however long ago Discord was asked who is", async () => {
    const test = openInProcess(smallWorld(), { members: "asked" });
    const found = async (actor: string) => {
      const request = { actor, channelId: PLACE.letters, isPrivate: true } as never;
      const operation = await test.operations.open(client, request);
      const args = { query: canary.text(PLACE.aside) };
      return JSON.stringify((await test.gate.callTool({ name: "search_messages", args, operation })).value);
    };
    try {
      for (let minute = 0; minute < 3; minute += 1) {
        expect(await found(ADA)).toContain(PLACE.aside);
        test.clock.ahead += 60_000;
      }
      const [aside] = test.world.guilds[0]?.threads ?? [];
      aside?.members.splice(aside.members.indexOf(ADA), 1);
      expect(await found(ADA)).not.toContain(PLACE.aside);
    } finally {
      await test.close();
    }
  });

  it("nobody learns a name from messages in a channel that is hidden from them", async () => {
    const silent = await lookAround(() => {});
    expect(await lookAround((test) => say(test, BO, PLACE.staff))).toEqual(silent);
    expect(await lookAround((test) => say(test, BO, PLACE.lounge, { member: undefined }))).toEqual(silent);
    expect(await lookAround((test) => say(test, "3999", PLACE.staff))).toEqual(silent);
  });

  it("names come from authors in channels that the operation may read", async () => {
    const heard = await lookAround((test) => say(test, BO, PLACE.general));
    expect(heard[0]).toContain("ahoy");
    expect(heard[3]).toContain(`nick${BO}`);
    const unheard = await lookAround(() => {});
    expect(unheard.slice(3, -1).join()).not.toContain(`nick${BO}`);
  });
});
