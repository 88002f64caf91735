import { GatewayOpcodes } from "discord-api-types/v10";
import { type GuildId, toId, type UserId } from "../domain/ids.ts";
import type { Log } from "../ports/log.ts";
import type { GuildDirectory } from "./directory.ts";
import { count, list, type Raw, record, text } from "./read.ts";
import { toMemberFacts } from "./to-guild.ts";

/** Sends a request for guild members over the gateway. */
export type RequestMembers = (request: {
  op: typeof GatewayOpcodes.RequestGuildMembers;
  d: { guild_id: string; query: string; limit: number; nonce: string };
}) => Promise<void>;

interface Load {
  readonly nonce: string;
  readonly seen: Set<number>;
  /** Members who left while the list was loading; an earlier chunk must not bring them back. */
  readonly left: Set<UserId>;
  retry: NodeJS.Timeout | null;
}

const TIMEOUT_MS = 60_000;

/** Loads the complete member list of each guild, in chunks, and detects when it is complete. */
export class MemberLoader {
  readonly #directory: GuildDirectory;
  readonly #request: RequestMembers;
  readonly #log: Log;
  readonly #loads = new Map<GuildId, Load>();
  readonly #waiting = new Set<() => void>();
  #counter = 0;

  constructor(directory: GuildDirectory, request: RequestMembers, log: Log) {
    this.#directory = directory;
    this.#request = request;
    this.#log = log;
  }

  /** Call with every dispatch, after the directory has applied it. */
  apply(type: string, data: unknown): void {
    const raw = record(data);
    if (type === "GUILD_CREATE" && raw["unavailable"] !== true) this.#begin(toId<GuildId>(raw["id"]));
    else if (type === "GUILD_DELETE") this.#end(toId<GuildId>(raw["id"]));
    else if (type === "GUILD_MEMBERS_CHUNK") this.#take(raw);
    else if (type === "GUILD_MEMBER_REMOVE") this.#loadOf(raw)?.left.add(String(record(raw["user"])["id"]) as UserId);
    else if (type === "GUILD_MEMBER_ADD") this.#loadOf(raw)?.left.delete(String(record(raw["user"])["id"]) as UserId);
    else if (type === "RATE_LIMITED") this.#postpone(raw);
  }

  /** Resolves when every list has arrived, or waits for a rate limit. */
  async whenIdle(): Promise<void> {
    if (this.#loads.size > 0) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  close(): void {
    for (const guildId of [...this.#loads.keys()]) this.#end(guildId);
  }

  #loadOf(raw: Raw): Load | undefined {
    return this.#loads.get(toId<GuildId>(raw["guild_id"]) ?? ("" as GuildId));
  }

  #begin(guildId: GuildId | null): void {
    const guild = guildId && this.#directory.guild(guildId);
    if (!guild) return;
    this.#end(guild.id);
    if (guild.memberCount > 0 && guild.members.size >= guild.memberCount) {
      guild.membersComplete = true;
      return;
    }
    this.#counter += 1;
    const load: Load = { nonce: `members-${this.#counter}`, seen: new Set(), left: new Set(), retry: null };
    this.#loads.set(guild.id, load);
    this.#ask(guild.id, load, TIMEOUT_MS);
  }

  #ask(guildId: GuildId, load: Load, patience: number): void {
    load.retry = setTimeout(() => {
      this.#log.warn({ guildId }, "the member list has not arrived; asking again");
      this.#ask(guildId, load, patience);
    }, patience);
    load.retry.unref();
    const request = {
      op: GatewayOpcodes.RequestGuildMembers,
      d: { guild_id: guildId, query: "", limit: 0, nonce: load.nonce },
    } as const;
    // If the connection breaks meanwhile, the guild is described again, which restarts the loading.
    this.#request(request).catch((error: Error) =>
      this.#log.debug({ guildId, error: error.message }, "member list not asked for"),
    );
  }

  #take(raw: Raw): void {
    const guildId = toId<GuildId>(raw["guild_id"]);
    const guild = guildId && this.#directory.guild(guildId);
    if (!guild) return;
    const load = this.#loads.get(guild.id);
    for (const member of list(raw["members"])) {
      const facts = toMemberFacts(member);
      if (facts && !load?.left.has(facts.id)) guild.members.set(facts);
    }
    if (!load || text(raw["nonce"]) !== load.nonce) return;
    load.seen.add(count(raw["chunk_index"]));
    if (load.seen.size < count(raw["chunk_count"])) return;
    guild.membersComplete = true;
    this.#end(guild.id);
    this.#log.debug({ guildId: guild.id, members: guild.members.size }, "member list complete");
  }

  /** Discord allows one such request per guild in 30 seconds. */
  #postpone(raw: Raw): void {
    const meta = record(raw["meta"]);
    const guildId = toId<GuildId>(meta["guild_id"]);
    const load = guildId && this.#loads.get(guildId);
    if (!load || raw["opcode"] !== GatewayOpcodes.RequestGuildMembers) return;
    if (load.retry) clearTimeout(load.retry);
    const seconds = typeof raw["retry_after"] === "number" ? raw["retry_after"] : 30;
    load.retry = setTimeout(() => this.#ask(guildId, load, TIMEOUT_MS), Math.min(seconds, 120) * 1000);
    load.retry.unref();
    this.#releaseWaiting();
  }

  #end(guildId: GuildId | null): void {
    const load = guildId && this.#loads.get(guildId);
    if (!load) return;
    if (load.retry) clearTimeout(load.retry);
    this.#loads.delete(guildId);
    if (this.#loads.size === 0) this.#releaseWaiting();
  }

  #releaseWaiting(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
