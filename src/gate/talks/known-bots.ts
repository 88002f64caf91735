import { compareIds, type GuildId, type UserId } from "../../domain/ids.ts";
import type { Directory, Person } from "../../ports/directory.ts";
import type { KnownBot } from "../../tools/bot-recall.ts";
import type { TalkCall } from "./talk-call.ts";

export interface KnownBotsDeps {
  readonly directory: Directory;
  readonly botId: UserId;
  /** Bots in the operator's setting `agent.bots`. */
  readonly bots: readonly KnownBot[];
  isLeftOut(userId: UserId): boolean;
}

export type BotResolution =
  | { readonly kind: "one"; readonly bot: KnownBot }
  | { readonly kind: "several"; readonly candidates: readonly KnownBot[] }
  | { readonly kind: "none"; readonly isPerson: boolean };

/** The other bots in servers that all readers of the answer share, and the bots that the operator names. Bots in other servers are not
 * disclosed. */
export class KnownBots {
  readonly #call: TalkCall;
  readonly #deps: KnownBotsDeps;

  constructor(call: TalkCall, deps: KnownBotsDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  /** Ordered by name. Call `learnGuilds` before. */
  async list(): Promise<readonly KnownBot[]> {
    const bots = new Map<UserId, string[]>();
    const guilds = this.#guilds();
    const add = ({ id, names }: KnownBot) => bots.set(id, [...new Set([...(bots.get(id) ?? []), ...names])]);
    for (const guildId of guilds) for (const bot of this.#botsIn(guildId)) add(bot);
    for (const bot of this.#deps.bots) if (this.#isOther(bot.id) && !(await this.#isPerson(bot.id, guilds))) add(bot);
    return this.#toKnown(bots);
  }

  /** By mention or id, else by whole name, else by part of one. An ambiguous name is never resolved to one bot. */
  async resolve(name: string, known: readonly KnownBot[]): Promise<BotResolution> {
    const typed = name.trim().replace(/^<@!?(\d+)>$/, "$1");
    const wanted = toComparable(typed);
    const named = (matches: (candidate: string) => boolean) =>
      known.filter((bot) => bot.names.some((one) => matches(toComparable(one))));
    const byId = known.filter(({ id }) => id === typed);
    const exact = byId.length > 0 ? byId : named((candidate) => candidate === wanted);
    const found = exact.length > 0 || wanted === "" ? exact : named((candidate) => candidate.includes(wanted));
    const [only, ...others] = found;
    if (only) return others.length === 0 ? { kind: "one", bot: only } : { kind: "several", candidates: found };
    return this.#resolveElsewhere(typed);
  }

  /** Finds bots outside the known members, if necessary with Discord's search. Also tells whether it is a person. */
  async #resolveElsewhere(typed: string): Promise<BotResolution> {
    const { directory } = this.#deps;
    const wanted = toComparable(typed);
    const isMeant = ({ id, names }: Person) => id === typed || names.some((one) => toComparable(one) === wanted);
    const bots = new Map<UserId, string[]>();
    let isPerson = false;
    for (const guildId of this.#guilds()) {
      const isComplete = directory.guild(guildId)?.membersComplete === true;
      const found = isComplete || wanted === "" ? [] : await directory.findPeople(guildId, typed);
      const people = isComplete ? directory.people(guildId) : found;
      for (const person of people) {
        if (!isMeant(person)) continue;
        if (!person.bot) isPerson = true;
        else if (this.#isOther(person.id)) bots.set(person.id, [...(bots.get(person.id) ?? []), ...person.names]);
      }
    }
    const found = this.#toKnown(bots);
    const [only, ...others] = found;
    if (!only) return { kind: "none", isPerson };
    return others.length === 0 ? { kind: "one", bot: only } : { kind: "several", candidates: found };
  }

  #guilds(): GuildId[] {
    const { directory } = this.#deps;
    const shared = directory.guilds().filter(({ id }) => this.#call.access.mayNameGuild(id));
    // Only people who may know a server's members may know its bots.
    for (const { id, name } of shared) this.#call.record.namedGuild(id, name);
    return shared.map(({ id }) => id).sort(compareIds);
  }

  #botsIn(guildId: GuildId): KnownBot[] {
    const { directory } = this.#deps;
    const isComplete = directory.guild(guildId)?.membersComplete === true;
    const people = isComplete ? [...directory.people(guildId)] : this.#speakersIn(guildId);
    return people.filter(({ id, bot }) => bot && this.#isOther(id));
  }

  /** The operator may have listed a person by mistake: talks with people are not recalled as talks with bots. */
  async #isPerson(id: UserId, guilds: readonly GuildId[]): Promise<boolean> {
    const { directory } = this.#deps;
    for (const guildId of guilds) {
      await directory.learnMember(id, guildId).catch(() => {});
      if (directory.member(guildId, id)?.bot === false) return true;
    }
    return false;
  }

  /** Without the complete list, other known people may come from hidden channels. */
  #speakersIn(guildId: GuildId): Person[] {
    const { access, record } = this.#call;
    const channelIds = access.readable(guildId);
    record.searched(channelIds);
    return channelIds.flatMap((id) => [...this.#deps.directory.speakers(id)]);
  }

  #isOther(id: UserId): boolean {
    return id !== this.#deps.botId && !this.#deps.isLeftOut(id);
  }

  #toKnown(bots: ReadonlyMap<UserId, readonly string[]>): KnownBot[] {
    const known = [...bots].map(([id, names]) => ({ id, names }));
    return known.sort(
      (a, b) => toComparable(a.names[0]).localeCompare(toComparable(b.names[0]), "en") || compareIds(a.id, b.id),
    );
  }
}

function toComparable(name = ""): string {
  return name.normalize("NFKC").toLowerCase().trim().replace(/^@/, "");
}
