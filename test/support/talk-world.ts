import type { CoreDeps } from "../../src/gate/create-core.ts";
import { Episodes } from "../../src/memory/episodes.ts";
import type { EpisodeLine, EpisodeStore } from "../../src/ports/episode-store.ts";
import { openSystem } from "../attack/open-system.ts";
import { createTestConsent } from "./consent.ts";
import { openTestEpisodeStore } from "./episodes.ts";
import type { InProcessOptions } from "./in-process.ts";
import { NOW } from "./plain-discord.ts";
import { BOT, type PlainWorld, TYPE } from "./plain-world.ts";
import { ADA, CEM, GUILD, smallWorld } from "./small-world.ts";

export const ELENA = "3101";
export const GABRIEL = "3102";
const MUSEUM = "1001";
export const DESK = "4100";
/** An old private thread in the staff's lounge that is not told of at the start. */
export const OLD_THREAD = "5100";
const HOUR_MS = 3_600_000;
const EPOCH = 1_420_070_400_000;

/** The small world with two other bots, and a second server in which Ada and Elena are. */
export function talkWorld(): PlainWorld {
  const world = smallWorld();
  const [home] = world.guilds;
  if (!home) throw new Error("there is no server");
  const bot = (id: string, nick: string) => ({ id, bot: true, nick, roles: [] });
  home.members.push(bot(ELENA, "Elena"), bot(GABRIEL, "Gabriel"));
  home.threads.push({
    ...{ id: OLD_THREAD, type: TYPE.privateThread, name: "old thread", parentId: "4008" },
    ...{ members: [ADA, BOT], tellsMembers: true, isArchived: true },
  });
  const [general] = home.channels;
  if (!general) throw new Error("there is no channel");
  const isThere = ({ id }: { id: string }) => [ADA, ELENA, BOT, "3000"].includes(id);
  world.guilds.push({
    ...{ ...home, id: MUSEUM, name: "museum", ownerId: "3000", isDown: false, threads: [] },
    roles: home.roles.slice(0, 1).map((role) => ({ ...role, id: MUSEUM })),
    members: home.members.filter(isThere).map((member) => ({ ...member, roles: [] })),
    channels: [{ ...general, id: DESK, name: "desk", topic: null, overwrites: [] }],
  });
  return world;
}

let minted = 0;

/** Says something some hours ago; its id. */
export function sayThen(
  world: PlainWorld,
  channelId: string,
  { by, text, hoursAgo, replyTo = null }: { by: string; text: string; hoursAgo: number; replyTo?: string | null },
): string {
  minted += 1;
  const id = String((BigInt(Math.round(NOW - hoursAgo * HOUR_MS) - EPOCH) << 22n) + BigInt(minted % 4_000));
  const raw = { author: { id: by, username: `user${by}`, bot: [ELENA, GABRIEL, BOT].includes(by) } };
  const message = { id, authorId: by, content: text, edited: false, replyTo, file: false, raw };
  const all = [...(world.messages.get(channelId) ?? []), message];
  world.messages.set(
    channelId,
    all.sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1)),
  );
  return id;
}

/** A bot speaks to the agent, and is answered; the ids of both. */
export function talk(world: PlainWorld, channelId: string, bot: string, said: string, replied: string, hoursAgo = 3) {
  const question = sayThen(world, channelId, { by: bot, text: `<@${BOT}> ${said}`, hoursAgo });
  const answer = sayThen(world, channelId, { by: BOT, text: replied, hoursAgo: hoursAgo - 0.01, replyTo: question });
  return [question, answer] as const;
}

/** The whole system on such a world, with a real store of talks. */
export async function openTalkSystem(
  world: PlainWorld = talkWorld(),
  { store: given, ...options }: InProcessOptions & { readonly store?: EpisodeStore } = {},
) {
  const consent = createTestConsent();
  const store = given ?? (await openTestEpisodeStore());
  const clock = { now: () => NOW };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  let count = 0;
  const episodes = new Episodes({
    ...{ store, botId: BOT as never, consent, clock, log, retentionMs: 90 * 24 * HOUR_MS },
    mintId: () => `talk-${++count}`,
    find: async () => undefined,
  });
  const kept: CoreDeps["episodes"] = options.episodes === null ? null : episodes;
  const system = openSystem({ consent, ...options, episodes: kept }, world);
  /** Notes a talk as if the program had heard it. */
  const keep = async (channelId: string, partner: string, [question, answer]: readonly [string, string]) => {
    const at = (id: string) => Number((BigInt(id) >> 22n) + BigInt(EPOCH));
    const lines = [
      { messageId: question, authorId: partner, isBot: partner !== ADA && partner !== CEM, replyTo: null },
      { messageId: answer, authorId: BOT, isBot: true, replyTo: question },
    ].map((line) => ({ ...line, sentAt: at(line.messageId) })) as unknown as EpisodeLine[];
    await store.add(
      {
        ...{ id: `kept-${question}`, partnerId: partner as never, isBot: true, channelId: channelId as never },
        ...{ guildId: GUILD as never, startedAt: at(question), lastAt: at(answer) },
      },
      lines,
    );
  };
  const recall = async (
    actor: string,
    channelId: string,
    args: object,
    { isPrivate = false, wantsText = true, grant = {} } = {},
  ) => {
    const operation = await system.open(actor, channelId, grant, { isPrivate });
    return { operation, ...(await system.call(operation, "recall_bot_conversation", args, wantsText)) };
  };
  /** The text for a model, without what is different each time. */
  const read = async (...given: Parameters<typeof recall>) => {
    const outcome = await recall(...given);
    const text = outcome.ok ? String(outcome.text) : `${outcome.code}: ${outcome.message}`;
    return text.replaceAll(outcome.operation.nonce, "nonce");
  };
  return { ...system, consent, store, episodes, keep, recall, read };
}
