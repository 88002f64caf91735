import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../../src/domain/ids.ts";
import type { RememberRequest } from "../../src/domain/memory/remember-request.ts";
import { OPERATOR_GRANT, SCOPES } from "../../src/policy/grant.ts";
import type { OpenRequest } from "../../src/policy/operations.ts";
import { toMessageSource } from "../../src/ports/stored-source.ts";
import { openProgram } from "../discord-transport/open-privacy.ts";
import { COLUMN_ERASURE, type ColumnErasure } from "../support/column-erasure.ts";
import { openCoreOnDisk } from "../support/core-on-disk.ts";
import { copyFolder, findColumns, findDatabases, readFiles, tablesOf, toNeedles } from "../support/database-scan.ts";
import { describeMessage } from "../support/describe-world.ts";
import { BOT } from "../support/plain-world.ts";
import { BO, GUILD, PLACE, STAFF, smallWorld } from "../support/small-world.ts";
import { IS_ON_POSTGRES } from "../support/test-database.ts";

/** An id and words that nothing else is mistaken for. */
const PERSON = "987654321098765432" as UserId;
const MESSAGES = ["987654321098760001", "987654321098760002", "987654321098760003"];
const WORDS = ["quokkasanctuary", "xylophonist", "zwieback", "fjordhopper", "gnocchidame", "kiwiblossom", "wombatkey"];
const [SAID, PRIVATE, SHARED, OLD, PROPOSED, NICK, NAME] = WORDS as [string, ...string[]] & Record<number, string>;
const DAY_MS = 86_400_000;

const PROJECT_FACT: RememberRequest = {
  scope: "project",
  scopeId: PLACE.general,
  subjectId: null,
  guildId: GUILD as GuildId,
  visibility: "project",
  home: { kind: "channel", id: PLACE.general as ChannelId },
  name: "standup",
  value: "at nine",
  basis: [
    { type: "discord_message", ref: `${PLACE.general}/${MESSAGES[0]}`, isOwn: true, authorId: PERSON, words: SAID },
  ],
  createdBy: PERSON,
  verification: "admin_confirmed",
  confidence: 1,
  expiresAt: null,
  ends: [],
};

type Erasures = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, ColumnErasure>>>>>>;
const declared: Erasures = COLUMN_ERASURE;

/** `table.column` of a file, as far as it is declared to be so. */
function columnsThat(file: string, matches: (erasure: ColumnErasure) => boolean): string[] {
  const tables = Object.entries(declared[file] ?? {});
  return tables
    .flatMap(([table, columns]) =>
      Object.entries(columns).flatMap(([column, erasure]) => (matches(erasure) ? [`${table}.${column}`] : [])),
    )
    .sort();
}

async function openWithPerson() {
  const world = smallWorld();
  world.guilds[0]?.members.push({ id: PERSON, bot: false, nick: String(NICK), roles: [STAFF] });
  const rules = { memory: { people: "shared" } };
  const onDisk = await openCoreOnDisk(world, { diskChannels: [PLACE.general], rules });
  const { core, discord } = onDisk;
  const say = (index: number, content: string) => {
    const id = MESSAGES[index] as string;
    const message = { id, authorId: PERSON, content, edited: false, replyTo: null, file: true };
    world.messages.set(PLACE.general, [...(world.messages.get(PLACE.general) ?? []), message]);
    discord.tell("MESSAGE_CREATE", { ...describeMessage(world, PLACE.general, message), guild_id: GUILD });
  };
  const open = (actor: string, more: Partial<OpenRequest> = {}) => {
    const client = { name: "brain", grant: { ...OPERATOR_GRANT, scopes: [...SCOPES] } };
    const request = { actor: actor as UserId, channelId: PLACE.general as ChannelId, ...more };
    return core.operations.open(client, request);
  };
  const call = async (operation: Awaited<ReturnType<typeof open>>, name: string, args: object) =>
    core.gate.callTool({ name, args, operation, wantsText: true });
  return { ...onDisk, world, say, open, call };
}

/** Everything that leaves a trace of the person in a file. */
async function leaveTraces({
  core,
  memory,
  consent,
  say,
  open,
  call,
  audit,
  world,
  discord,
  episodes,
  answerStore,
  spending,
  signIns,
}: Awaited<ReturnType<typeof openWithPerson>>) {
  const own = core.ownMemory;
  if (!own) throw new Error("nothing is remembered");
  const channelId = PLACE.general as ChannelId;
  const home = { key: String(NAME), channelId, typedIn: "1" };
  await own.remember(PERSON, { ...home, value: OLD, visibility: "private" });
  await own.remember(PERSON, { ...home, value: PRIVATE, visibility: "private" });
  await own.remember(PERSON, { ...home, key: `${NAME}-two`, value: SHARED, visibility: "org" });
  for (const [index, text] of [SAID, `${SAID} again`].entries()) say(index, text);
  await memory.remember(PROJECT_FACT);
  // It rests on what only they could hear.
  const forThem = { type: "person", ref: PERSON, isOwn: false, authorId: null, words: "" } as const;
  await memory.remember({ ...PROJECT_FACT, name: "retro", basis: [forThem] });
  // Somebody else's fact names them, and they ask for its removal.
  const typed = { type: "typed", ref: "1", isOwn: true, authorId: null, words: "" } as const;
  const naming = await memory.remember({ ...PROJECT_FACT, name: "lead", createdBy: BO as UserId, basis: [typed] });
  await memory.askRemoval(naming, PERSON);
  await consent.leaveOut(PERSON);
  await consent.include(PERSON);
  say(2, `<@${PERSON}> ${SAID}`);
  const asking = await open(PERSON, { messageId: MESSAGES[2] as never });
  await call(asking, "get_recent_messages", {});
  await call(asking, "memory_read.get_user_facts", {});
  const alone = await open(PERSON, { isPrivate: true });
  await call(alone, "memory_read.get_user_facts", {});
  const proposal = { key: "boat", value: PROPOSED };
  await expect(call(alone, "memory_write.remember_fact", proposal)).rejects.toMatchObject({
    code: "confirmation_needed",
  });
  await call(await open(PERSON), "discord.send", { channel_id: PLACE.general, text: "hello" });
  await call(await open(BO), "get_recent_messages", {});
  // The agent is talked to, and answers.
  const answer = { id: "987654321098770000", authorId: BOT, content: "yes", edited: false, file: false };
  const reply = describeMessage(world, PLACE.general, { ...answer, replyTo: MESSAGES[2] as string });
  discord.tell("MESSAGE_CREATE", { ...reply, guild_id: GUILD });
  expect(await episodes.count(PERSON)).toBe(1);
  // It answered them, and cites them in answers to others.
  const claim = { questionId: MESSAGES[2] as string, channelId, operationId: asking.id };
  await answerStore.claim({ ...claim, actorId: PERSON, claimedAt: 1 });
  const source = toMessageSource({ messageId: MESSAGES[0] as MessageId, channelId }, PERSON);
  const posted = { ...claim, answerIds: [answer.id as MessageId], postedAt: 1 };
  await answerStore.notePosted({ ...posted, actorId: PERSON, sources: [] });
  const others = { ...posted, questionId: "5", answerIds: ["987654321098770001" as MessageId], actorId: BO as UserId };
  await answerStore.notePosted({ ...others, sources: [source] });
  await answerStore.plan({ ...others, questionId: "6", answerIds: [], sources: [source] });
  // They signed a program in.
  const program = { clientId: "c", program: "p", redirectHost: "localhost", allowed: [], expiresAt: null };
  const signIn = await signIns.add({ ...program, personId: PERSON });
  const token = { hash: "t", kind: "access", signInId: signIn.id, expiresAt: Number.MAX_SAFE_INTEGER } as const;
  await signIns.addToken({ ...token, payload: JSON.stringify({ accountId: PERSON }), consumedAt: null });
  // A model was asked for them. Closing writes it; counting goes on.
  spending.of(asking).reserve(10);
  await spending.close();
  spending.of(alone).reserve(10);
  await audit.settled();
}

describe.skipIf(IS_ON_POSTGRES)("the files of a person who is erased", () => {
  it("have no table and no column of which nobody has said what erasing does, nor are others described", async () => {
    const { folder } = await openWithPerson();
    const copy = copyFolder(folder);
    const found = Object.fromEntries(
      findDatabases(copy).map((file) => [file, Object.fromEntries(sorted(tablesOf(join(copy, file))))]),
    );
    const expected = Object.entries(declared).map(([file, tables]) => [
      file,
      Object.fromEntries(
        sorted(new Map(Object.entries(tables).map(([name, columns]) => [name, Object.keys(columns)]))),
      ),
    ]);
    expect(found).toEqual(Object.fromEntries(expected));
  });

  it("are all the databases that the program writes", async () => {
    const { folder } = await openProgram(({ community }) => ({
      timeline: { diskChannels: [community.channels.get("general")] },
    }));
    const copy = copyFolder(folder);
    expect(findDatabases(copy).sort()).toEqual(Object.keys(declared).sort());
    for (const [file, tables] of Object.entries(declared))
      expect([...tablesOf(join(copy, file)).keys()].sort()).toEqual(Object.keys(tables).sort());
  });

  it("hold the id only where it is declared to be kept, and none of the person's words", async () => {
    const opened = await openWithPerson();
    await leaveTraces(opened);
    const { folder, core, audit, clock, discord } = opened;
    const id = toNeedles(PERSON);
    const before = copyFolder(folder);
    for (const file of Object.keys(declared)) {
      const isLiteral = ({ holds }: ColumnErasure) => holds === "id";
      const isWords = (column: string) => /^gram|^message\.(?!author)/.test(column);
      const columns = columnsThat(file, isLiteral).filter((column) => !isWords(column));
      expect(findColumns(join(before, file), id).filter((column) => !isWords(column))).toEqual(columns);
    }

    // Discord still has the messages, and channels are read again after an erasure: from here on it does not answer.
    const silent = () => Promise.reject(new EarshotError("unavailable", "Discord does not answer; try again later."));
    Object.assign(discord, { history: silent, message: silent, search: silent });
    const receipt = await core.erasePerson(PERSON);
    expect(receipt).toEqual({
      ...{ facts: 4, areKeysDeleted: true, isScrubbed: true },
      ...{ talks: 1, confirmations: 1, areMessagesErased: true },
    });
    await audit.settled();
    const after = copyFolder(folder);
    for (const file of Object.keys(declared)) {
      const isKept = (erasure: ColumnErasure) => erasure.holds === "id" && erasure.becomes === "kept";
      expect(findColumns(join(after, file), id)).toEqual(columnsThat(file, isKept));
      const words = WORDS.map((word) => Buffer.from(word));
      expect(findColumns(join(after, file), words)).toEqual([]);
      const hasTrace = (erasure: ColumnErasure) => "because" in erasure || "traceBecause" in erasure;
      const messages = findColumns(join(after, file), MESSAGES.flatMap(toNeedles));
      expect(columnsThat(file, hasTrace)).toEqual(expect.arrayContaining(messages));
    }
    const bytes = readFiles(folder);
    for (const [file, content] of bytes) {
      expect([file, WORDS.filter((word) => content.includes(word))]).toEqual([file, []]);
      if (!file.startsWith("earshot.db"))
        expect([file, id.some((needle) => content.includes(needle))]).toEqual([file, false]);
    }

    // When the audit has been kept for long enough, no byte is left.
    clock.ahead += 200 * DAY_MS;
    await audit.prune(clock.now() - DAY_MS);
    for (const [file, content] of readFiles(folder))
      expect([file, id.some((needle) => content.includes(needle))]).toEqual([file, false]);
  });
});

describe.skipIf(IS_ON_POSTGRES)("the receipt of an erasure", () => {
  it("says that the files are scrubbed only when no byte of the writer's id is left in them", async () => {
    const { memory, folder } = await openWithPerson();
    await memory.remember(PROJECT_FACT);
    expect([...readFiles(folder).values()].some((content) => content.includes(PERSON))).toBe(true);
    expect(await memory.erase(PERSON)).toEqual({ facts: 0, areKeysDeleted: true, isScrubbed: true });
    expect([...readFiles(folder).values()].some((content) => content.includes(PERSON))).toBe(false);
  });
});

function sorted(tables: ReadonlyMap<string, readonly string[]>): [string, string[]][] {
  return [...tables].map(([name, columns]): [string, string[]] => [name, columns.toSorted()]).toSorted();
}
