import { PermissionFlagsBits } from "discord-api-types/v10";
import type { Community, PermissionName } from "../../sandbox/index.ts";
import type { ChannelId, MessageId, UserId } from "../../src/domain/ids.ts";
import { describeDispatch } from "./describe-world.ts";
import { type DiscordStage, describeDiscord } from "./discord.suite.ts";
import { openTestEdge } from "./edge.ts";
import { NOW, PlainDiscord } from "./plain-discord.ts";
import { BOT, type PlainChannel, type PlainMessage, type PlainWorld, TYPE } from "./plain-world.ts";
import { openTestSandbox } from "./sandbox.ts";

const USUAL: readonly PermissionName[] = ["ViewChannel", "ReadMessageHistory", "SendMessages", "AddReactions"];
const CHANNELS = [
  { key: "general", overwrites: [] },
  {
    key: "staff",
    overwrites: [
      { who: "everyone", deny: ["ViewChannel"] },
      { who: "crew", allow: ["ViewChannel"] },
      { who: "person:earshot", allow: ["ViewChannel"] },
    ],
  },
  { key: "board", overwrites: [{ who: "everyone", deny: ["SendMessages", "AddReactions"] }] },
  { key: "vault", overwrites: [{ who: "everyone", deny: ["ViewChannel"] }] },
] as const satisfies readonly {
  key: string;
  overwrites: readonly { who: string; allow?: readonly PermissionName[]; deny?: readonly PermissionName[] }[];
}[];

/** The same server, once as a plan for the sandbox and once as plain lists. */
const community: Community = {
  guild: { name: "Quay", owner: "olga", everyone: USUAL },
  people: [
    { key: "olga", username: "olga" },
    { key: "sarah", username: "sarah", roles: ["crew"] },
    { key: "mark", username: "mark" },
    { key: "earshot", username: "earshot", bot: true },
  ],
  roles: [{ key: "crew", name: "Crew" }],
  channels: CHANNELS.map(({ key, overwrites }) => ({ key, name: key, kind: "text", overwrites })),
  posts: [],
};

const PERSON = { olga: "3000", sarah: "3001", mark: "3002" } as const;
const GUILD = "1000";
const CREW = "2001";

function toMask(names: readonly PermissionName[] = []): bigint {
  return names.reduce((mask, name) => mask | PermissionFlagsBits[name], 0n);
}

function plainWorld(): PlainWorld {
  const target = (who: string) =>
    who === "everyone"
      ? { id: GUILD, type: 0 as const }
      : who === "crew"
        ? { id: CREW, type: 0 as const }
        : { id: BOT, type: 1 as const };
  const channels = CHANNELS.map(
    ({ key, overwrites }, index): PlainChannel => ({
      id: String(4000 + index),
      type: TYPE.text,
      name: key,
      topic: null,
      position: index,
      ageRestricted: false,
      overwrites: overwrites.map(
        (one: { who: string; allow?: readonly PermissionName[]; deny?: readonly PermissionName[] }) => ({
          ...target(one.who),
          allow: toMask(one.allow),
          deny: toMask(one.deny),
        }),
      ),
    }),
  );
  const person = (id: string, roles: string[]) => ({ id, bot: id === BOT, nick: `nick${id}`, roles });
  const guild = {
    id: GUILD,
    name: "Quay",
    ownerId: PERSON.olga,
    roles: [
      { id: GUILD, name: "@everyone", permissions: toMask(USUAL) },
      { id: CREW, name: "Crew", permissions: 0n },
    ],
    members: [person(PERSON.olga, []), person(PERSON.sarah, [CREW]), person(PERSON.mark, []), person(BOT, [])],
    channels,
    threads: [],
    isDown: false,
  };
  return { guilds: [guild], dms: [], messages: new Map(channels.map(({ id }) => [id, []])) };
}

describeDiscord("plain lists in one process", async (): Promise<DiscordStage> => {
  const world = plainWorld();
  const discord = new PlainDiscord(world, { now: () => NOW }, {});
  const [guild = null] = world.guilds;
  const idOf = (name: string) => (guild?.channels.find((one) => one.name === name)?.id ?? "") as ChannelId;
  let count = 0;
  const nextId = () => {
    count += 1;
    return String(((BigInt(NOW) - 1_420_070_400_000n - 1_000n) << 22n) + BigInt(count)) as MessageId;
  };
  const tell = (type: string, channelId: string, message: PlainMessage) =>
    discord.tell(type, describeDispatch(world, { channelId, guild, message }, { hasMember: true }));
  const find = (id: MessageId) => {
    for (const [channelId, messages] of world.messages) {
      const message = messages.find((one) => one.id === id);
      if (message) return { channelId, messages, message };
    }
    throw new Error("there is no such message");
  };
  return {
    discord,
    channels: { general: idOf("general"), staff: idOf("staff"), board: idOf("board"), vault: idOf("vault") },
    people: { sarah: PERSON.sarah as UserId, mark: PERSON.mark as UserId },
    say(by, channel, content) {
      const id = nextId();
      const message = { id, authorId: PERSON[by], content, edited: false, replyTo: null, file: false };
      world.messages.get(idOf(channel))?.push(message);
      tell("MESSAGE_CREATE", idOf(channel), message);
      return id;
    },
    edit(_, id, content) {
      const { channelId, message } = find(id);
      Object.assign(message, { content, edited: true });
      tell("MESSAGE_UPDATE", channelId, message);
    },
    remove(_, id) {
      const { channelId, messages, message } = find(id);
      messages.splice(messages.indexOf(message), 1);
      discord.tell("MESSAGE_DELETE", { id, channel_id: channelId, guild_id: GUILD });
    },
  };
});

describeDiscord("the sandbox behind the real edge", async (): Promise<DiscordStage> => {
  const sandbox = await openTestSandbox({ community, rateLimits: false });
  const { discord } = await openTestEdge(sandbox);
  const idOf = (name: string) => sandbox.community.channels.get(name) as ChannelId;
  return {
    discord,
    channels: { general: idOf("general"), staff: idOf("staff"), board: idOf("board"), vault: idOf("vault") },
    people: { sarah: sandbox.as("sarah").id as UserId, mark: sandbox.as("mark").id as UserId },
    say: (by, channel, text) => sandbox.as(by).say(channel, text).id as MessageId,
    edit: (by, id, text) => void sandbox.as(by).edit(id, text),
    remove: (by, id) => sandbox.as(by).delete(id),
  };
});
