import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/config/config.ts";
import { postgresOf } from "../../src/config/database-settings.ts";
import type { ChannelId, GuildId, UserId } from "../../src/domain/ids.ts";
import type { RememberRequest } from "../../src/domain/memory/remember-request.ts";
import { Memory } from "../../src/memory/memory.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { SignInStore } from "../../src/ports/sign-in-store.ts";
import { backUpFolder, type CopyRequest, copyFolder } from "../../src/storage/back-up-folder.ts";
import { openAuditOf, openMemoryOf, openStorageOf, systemClock } from "../../src/storage/durable-parts.ts";
import { type RestoreDeps, restoreFolder } from "../../src/storage/restore-folder.ts";
import { createAnswerStore } from "../../src/stores/answer-store.ts";
import { createSignInStore } from "../../src/stores/sign-in-store.ts";
import { openSystem } from "../attack/open-system.ts";
import { messageId } from "./random-community.ts";
import { ADA, BO, CEM, GUILD, PLACE, smallWorld } from "./small-world.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const { signal } = new AbortController();

/** A data folder with the files of the program, and two folders for backups. `remove` when it is not needed any more. `env`: settings beside it. */
export function createDataFolder(env: Readonly<Record<string, string>> = {}) {
  const root = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "earshot-data-"));
  const [data, folder, keysFolder] = ["data", "copies", "keys"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  // What the operator's route does in the running program.
  const askHere = async (request: CopyRequest) => copyFolder(data, request);
  return {
    ...{ data, folder, keysFolder },
    start: () => startWith(data, env),
    startWith: (other: Readonly<Record<string, string>>) => startWith(data, other),
    backUp: (clock: Clock = systemClock, askProgram: (request: CopyRequest) => Promise<unknown> = askHere) =>
      backUpFolder({ dataDir: data, postgres: addressIn(env), folder, keysFolder }, { clock, log, signal, askProgram }),
    restore: (deps: Partial<RestoreDeps> = {}) =>
      restoreFolder(
        { dataDir: data, postgres: addressIn(env), folder, keysFolder },
        { clock: systemClock, log, signal, confirm: async () => false, ...deps },
      ),
    /** As a disk that fails: with everything that lies beside the file. */
    lose(...names: readonly string[]) {
      for (const each of existsSync(data) ? readdirSync(data) : [])
        if (names.some((name) => each.startsWith(name))) rmSync(join(data, each), { recursive: true });
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function addressIn({
  EARSHOT_DATABASE_URL: url,
  EARSHOT_KEYS_DATABASE_URL: keysUrl,
  EARSHOT_KEYS_SECRET: keysSecret,
}: Readonly<Record<string, string>>) {
  return postgresOf({ url, keysUrl, keysSecret });
}

/** A program with both of its tokens. */
export async function signInAs(person: string, store: SignInStore): Promise<void> {
  await store.register({ clientId: "editor", metadata: "{}", createdAt: 1 }, { max: 1, unusedBefore: 0 });
  const named = { id: "sign-in", personId: person as UserId, clientId: "editor", program: "An editor" };
  const times = { createdAt: 1, usedAt: 1, expiresAt: null };
  await store.add({ ...named, redirectHost: "loopback", allowed: ["read"], ...times });
  for (const kind of ["access", "refresh"] as const)
    await store.addToken(
      { hash: kind, kind, signInId: "sign-in", payload: "{}", expiresAt: 1e15, consumedAt: null },
      1,
    );
}

const WORDS = "said in the harbour";
const messageOf = (author: string) => messageId(100 + (Number(author) % 10));

/** Everybody has said something where everybody reads. */
function worldWithWords() {
  const world = smallWorld();
  const said = [ADA, BO, CEM].map((authorId) => {
    return { id: messageOf(authorId), authorId, content: WORDS, edited: false, replyTo: null, file: false };
  });
  world.messages.set(PLACE.general, [...(world.messages.get(PLACE.general) ?? []), ...said]);
  return world;
}

/** The stores of the program as it opens them, and everything above that decides who hears what, in the small world. */
async function startWith(dataDir: string, env: Readonly<Record<string, string>>) {
  const config = await readConfig({ ...env, EARSHOT_DATA_DIR: dataDir }, dataDir);
  const clients = [{ name: "brain", grant: { confined: true } }] as never;
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne();
  };
  try {
    const { database, storage, keep } = await openStorageOf(config, log, closers);
    await keep();
    const kept = await openMemoryOf({ ...config, erasesLostFacts: false, storage }, database, log, closers);
    const { audit, confined } = await openAuditOf({ ...config, clients }, database, log, closers);
    const memory = new Memory({ ...kept, clock: systemClock });
    const consent = Object.assign(kept.consent, { set() {}, leftOut: () => [] });
    const rules = { memory: { people: "shared" } };
    const system = openSystem({ rules, memory, consent, confined }, worldWithWords());
    closers.push(() => system.close());
    const own = system.ownMemory as NonNullable<typeof system.ownMemory>;
    /** Shared with the server; rests on what its author wrote in a channel that everybody reads. */
    const remember = (
      owner: string,
      [name, value]: readonly [string, string],
      author = owner,
      about: Pick<RememberRequest, "scope" | "scopeId" | "subjectId"> = {
        ...{ scope: "user", scopeId: owner, subjectId: owner as UserId },
      },
    ) =>
      memory.remember({
        ...{ ...about, createdBy: owner as UserId },
        ...{ guildId: GUILD as GuildId, visibility: "org", home: { kind: "guild", id: GUILD as GuildId } },
        ...{ name, value, verification: "user_confirmed", confidence: 1, expiresAt: null, ends: [] },
        basis: [
          {
            ...{ type: "discord_message", ref: `${PLACE.general}/${messageOf(author)}`, isOwn: false },
            ...{ authorId: author as UserId, words: WORDS },
          },
        ],
      });
    /** What somebody hears about an owner, or about the server: in a channel that everybody reads, or alone. */
    const hear = async (listener: string, owner: string | null, isPrivate = false): Promise<readonly string[]> => {
      const operation = await system.open(listener, PLACE.general as ChannelId, {}, { isPrivate });
      const outcome = await (owner === null
        ? system.call(operation, "memory_read.get_project_facts", {})
        : system.call(operation, "memory_read.get_user_facts", { user: owner }));
      if (!outcome.ok) throw new Error(outcome.message);
      return (outcome.value as unknown as { facts: { value: string }[] }).facts.map(({ value }) => value).sort();
    };
    /** What comes of a confined client that says something which nobody has to confirm. */
    const sayConfined = async () => {
      const operation = await system.open(ADA, PLACE.general as ChannelId, { confined: true });
      const outcome = await system.call(operation, "discord.send", { channel_id: PLACE.general, text: "hello" });
      return outcome.ok ? JSON.stringify(outcome.value) : outcome.code;
    };
    const answers = createAnswerStore(database);
    const signIns = createSignInStore(database);
    const stores = { answers, signIns };
    return { ...kept, ...stores, storage, memory, audit, confined, own, system, sayConfined, remember, hear, close };
  } catch (error) {
    await close();
    throw error;
  }
}
