import { type Audience, flows } from "../domain/audience.ts";
import { BoundedMap } from "../domain/bounded-map.ts";
import { EarshotError } from "../domain/errors.ts";
import type { Channel } from "../domain/guild.ts";
import type { GuildId, UserId } from "../domain/ids.ts";
import type { AudienceRef } from "../domain/label.ts";
import { audiencesOf, type Fact, toFactReading } from "../domain/memory/fact.ts";
import { type FactInput, parseFactInput } from "../domain/memory/fact-input.ts";
import { findSecret } from "../domain/memory/find-secret.ts";
import { mentionsOthers } from "../domain/memory/mentions-others.ts";
import type { ForgetReceipt, Memory } from "../memory/memory.ts";
import type { Audit } from "../policy/audit.ts";
import { peopleMode } from "../policy/decide-fact.ts";
import { toAudience } from "../policy/fact-audience.ts";
import type { Operation } from "../policy/operation.ts";
import type { Rules } from "../policy/rules.ts";
import type { Clock } from "../ports/clock.ts";
import type { Discord } from "../ports/discord.ts";
import type { FactQuery } from "../ports/fact-store.ts";
import type { Timelines } from "../ports/timelines.ts";
import { checkBasis } from "./check-basis.ts";
import type { DormantReason, OwnFact, OwnFacts, OwnPreview, OwnRequest } from "./own-facts.ts";

interface CheckedRequest extends Pick<OwnPreview, "home" | "expiresAt"> {
  readonly input: FactInput;
  readonly guildId: GuildId | null;
}

export interface OwnMemoryDeps {
  readonly memory: Memory;
  readonly timelines: Pick<Timelines, "message">;
  readonly discord: Pick<Discord, "directory" | "botId">;
  readonly rules: Rules;
  readonly audit: Pick<Audit, "note" | "settled">;
  readonly clock: Clock;
}

const DAY_MS = 86_400_000;
const MAX_ERASURES = 10_000;
const VISIBILITIES: readonly unknown[] = ["private", "project", "org"];

/**
 * What people do with what is remembered about themselves, by their own act: a Discord interaction of their account, or a client that is theirs alone.
 * No grant, rule or budget takes it away. It concerns nobody else's facts.
 */
export class OwnMemory implements OwnFacts {
  readonly #deps: OwnMemoryDeps;
  /** How often somebody has erased everything: what was asked for before that is not stored afterwards. */
  readonly #erasures = new BoundedMap<UserId, number>({ maxEntries: MAX_ERASURES });

  constructor(deps: OwnMemoryDeps) {
    this.#deps = deps;
  }

  list(actor: UserId): Promise<readonly OwnFact[]> {
    return this.#find(actor, { subjectId: actor });
  }

  async show(actor: UserId, factId: string): Promise<OwnFact> {
    const { revision } = this.#deps.memory;
    const [own] = await this.#look(actor, [await this.#open(actor, factId)], revision);
    return own as OwnFact;
  }

  export(actor: UserId): Promise<readonly OwnFact[]> {
    return this.#find(actor, { subjectId: actor, withSuperseded: true });
  }

  async listNames(actor: UserId): Promise<readonly Pick<Fact, "id" | "name" | "home">[]> {
    return this.#deps.memory.open(await this.#deps.memory.find({ subjectId: actor }));
  }

  async preview(actor: UserId, request: OwnRequest): Promise<OwnPreview> {
    const { memory } = this.#deps;
    const { input, home, expiresAt } = await this.#check(actor, request);
    const subject = { scope: "user", scopeId: actor } as const;
    const key = await memory.hashName(subject, input.name);
    const sameName = key === null ? [] : await this.#find(actor, { scopeType: "user", scopeId: actor, key });
    const hasSameHome = ({ fact }: OwnFact) => fact.home.kind === home.kind && fact.home.id === home.id;
    const staysShared = sameName.filter((one) => !hasSameHome(one) && one.fact.visibility !== "private");
    const replaces = sameName.filter(hasSameHome);
    await memory.requireRoom({ ...subject, subjectId: actor, createdBy: actor }, replaces.length);
    return { ...input, home, expiresAt, replaces, staysShared };
  }

  async remember(actor: UserId, request: OwnRequest): Promise<Fact> {
    const { audit, memory } = this.#deps;
    const erasures = this.#erasures.get(actor);
    const { input, home, guildId, expiresAt } = await this.#check(actor, request);
    this.#note("memory_remember_begun", actor, { visibility: request.visibility });
    await audit.settled();
    if (this.#erasures.get(actor) !== erasures)
      throw new EarshotError("cancelled", "Everything about you was erased meanwhile, so this is not remembered.");
    const fact = await memory.remember({
      scope: "user",
      scopeId: actor,
      subjectId: actor,
      guildId,
      visibility: request.visibility,
      home,
      name: input.name,
      value: input.value,
      basis: [{ type: "typed", ref: request.typedIn, isOwn: true, authorId: null, words: "" }],
      createdBy: actor,
      verification: "user_confirmed",
      confidence: 1,
      expiresAt,
      ends: [],
    });
    this.#note("memory_remembered", actor, { fact_id: fact.id });
    return fact;
  }

  async forget(actor: UserId, factId: string): Promise<ForgetReceipt> {
    const fact = await this.#open(actor, factId);
    const receipt = await this.#deps.memory.forget([fact]);
    this.#note("memory_forgotten", actor, { fact_id: factId, facts: receipt.facts });
    return receipt;
  }

  /** Everything that is remembered about them. Works while the audit cannot be written; its entry follows. */
  async erase(actor: UserId): Promise<ForgetReceipt> {
    this.#erasures.set(actor, (this.#erasures.get(actor) ?? 0) + 1);
    const receipt = await this.#deps.memory.erase(actor);
    this.#note("memory_erased", actor, { facts: receipt.facts });
    return receipt;
  }

  noteRead({ id, actor, label }: Operation, facts: readonly OwnFact[]): void {
    const readings = facts.map(({ reading }) => reading);
    label.join({ facts: readings }, this.#deps.clock.now());
    // The label of a confined client outlives a restart: all of it must be in the audit.
    const refs = readings.map(({ factId, version }) => `${factId}@${version}`);
    this.#note("memory_read", actor, { fact_refs: refs }, id);
  }

  /** All that can be refused before anything is stored. */
  async #check(actor: UserId, request: OwnRequest): Promise<CheckedRequest> {
    const { rules, clock, discord } = this.#deps;
    const input = parseFactInput(request);
    if (!VISIBILITIES.includes(request.visibility))
      throw new EarshotError("invalid", "A fact is private, or shared with a channel or a server.");
    if (request.expiresAt !== undefined && !Number.isSafeInteger(request.expiresAt))
      throw new EarshotError("invalid", "The time until which it is remembered must be a time in milliseconds.");
    const secret = findSecret(input);
    if (secret !== null) throw new EarshotError("invalid", `That looks like ${secret}. It is not remembered.`);
    if (request.visibility !== "private") await discord.directory.learn(actor, request.channelId);
    const { home, guildId } = this.#homeOf(actor, request);
    if (home.kind !== "person" && mentionsOthers(input, actor))
      throw new EarshotError("forbidden", "A fact that mentions somebody else can only be private.");
    const days = rules.memory.retentionDays.user;
    const expiresAt = Math.min(request.expiresAt ?? Number.POSITIVE_INFINITY, clock.now() + days * DAY_MS);
    if (expiresAt <= clock.now())
      throw new EarshotError("invalid", "The time until which it is remembered has passed.");
    return { input, home, guildId, expiresAt };
  }

  async #open(actor: UserId, factId: string): Promise<Fact> {
    const fact = await this.#deps.memory.openById(factId);
    if (fact?.subjectId !== actor) throw new EarshotError("not_found", "You have no such fact.");
    return fact;
  }

  async #find(actor: UserId, query: FactQuery): Promise<OwnFact[]> {
    const { memory } = this.#deps;
    const { revision } = memory;
    return this.#look(actor, await memory.open(await memory.find(query)), revision);
  }

  async #look(actor: UserId, facts: readonly Fact[], revision: number): Promise<OwnFact[]> {
    const { discord } = this.#deps;
    const guildIds = new Set(facts.flatMap(({ guildId }) => guildId ?? []));
    for (const guildId of guildIds) await discord.directory.learnMember(actor, guildId).catch(() => {});
    const own: OwnFact[] = [];
    for (const fact of facts) {
      const dormant = await this.#dormancyOf(actor, fact);
      const reading = { ...toFactReading(fact, revision), guildId: null, audiences: [toOwner(actor)] };
      own.push({ fact, dormant, isReadable: isReadable(fact, dormant), reading });
    }
    return own;
  }

  async #dormancyOf(actor: UserId, fact: Fact): Promise<DormantReason> {
    const { memory, discord } = this.#deps;
    const { directory, botId } = discord;
    if (!memory.isConsented({ subjectId: actor, basis: [] })) return "left_out";
    if (!memory.isConsented({ subjectId: null, basis: fact.basis })) return "author_left_out";
    const self: Audience = { kind: "people", people: new Set([actor]) };
    const isReader = (ref: AudienceRef) => flows(toAudience(ref, directory, botId), self);
    if (!audiencesOf({ home: toOwner(actor), basis: fact.basis }).every(isReader)) return "source_out_of_reach";
    if (fact.guildId !== null && !directory.member(fact.guildId, actor)) return "left_server";
    if (!isReader(fact.home)) return "source_out_of_reach";
    const basis = await checkBasis(fact, this.#deps);
    if (basis === "standing") return null;
    return basis === "uncertain" ? "source_uncertain" : `source_${basis}`;
  }

  /** In a DM there is nobody to share with. */
  #homeOf(actor: UserId, request: OwnRequest): { readonly home: AudienceRef; readonly guildId: GuildId | null } {
    const { rules, discord } = this.#deps;
    const { visibility, channelId } = request;
    const { directory } = discord;
    const channel = directory.channel(channelId);
    const guildId = request.guildId ?? channel?.guildId ?? null;
    if (!channel && request.guildId === undefined)
      throw new EarshotError("forbidden", "Nothing is remembered from a place that the bot does not know.");
    const mode = peopleMode(rules, guildId);
    if (mode === "off") throw new EarshotError("forbidden", "Nothing is remembered about people in this server.");
    if (visibility === "private") return { home: toOwner(actor), guildId: null };
    if (guildId === null) throw new EarshotError("forbidden", "What you say here can only be remembered for yourself.");
    if (mode !== "shared")
      throw new EarshotError("forbidden", "In this server, facts about people are for themselves alone.");
    if (!directory.canRead(actor, channelId) || !directory.canRead(discord.botId, channelId))
      throw new EarshotError("forbidden", "You cannot share it with a channel that you or the bot cannot read.");
    if (channel?.kind === "private_thread")
      throw new EarshotError(
        "forbidden",
        "Nothing is shared from a private thread, whose channel more people can read.",
      );
    if (visibility === "org" && this.#isAgeRestricted(channel))
      throw new EarshotError(
        "forbidden",
        "What you say in an age-restricted channel can be shared only with that channel.",
      );
    if (visibility === "org") return { home: { kind: "guild", id: guildId }, guildId };
    // A thread's home is its channel: threads come and go.
    const homeId = (channel?.thread && channel.parentId) || channelId;
    return { home: { kind: "channel", id: homeId }, guildId };
  }

  #isAgeRestricted(channel: Channel | undefined): boolean {
    const parent = channel?.thread && channel.parentId ? this.#deps.discord.directory.channel(channel.parentId) : null;
    return channel?.ageRestricted === true || parent?.ageRestricted === true;
  }

  #note(name: string, actor: UserId, detail: object, operationId = ""): void {
    const row = {
      operation_id: operationId,
      name,
      detail_json: JSON.stringify({ actor_id: actor, ...detail }),
      happened_at: this.#deps.clock.now(),
    };
    this.#deps.audit.note({ kind: "event", row });
  }
}

function toOwner(id: UserId): AudienceRef {
  return { kind: "person", id };
}

const HIDING: readonly DormantReason[] = [
  "source_out_of_reach",
  "author_left_out",
  "source_deleted",
  "source_uncertain",
];

/** What rests on one's own words is always one's own to see. */
function isReadable({ basis }: Fact, dormant: DormantReason): boolean {
  return !HIDING.includes(dormant) || basis.every(({ isOwn }) => isOwn);
}
