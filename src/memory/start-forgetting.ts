import type { GuildId } from "../domain/ids.ts";
import { Serial } from "../domain/serial.ts";
import type { AuditEntry } from "../ports/audit-store.ts";
import type { Clock } from "../ports/clock.ts";
import type { Directory } from "../ports/directory.ts";
import type { EventListener } from "../ports/discord.ts";
import type { FactStore } from "../ports/fact-store.ts";
import type { Log } from "../ports/log.ts";
import type { DeletionEvent, HasMessage, Memory } from "./memory.ts";

export interface ForgettingDeps extends LeftGuildsDeps {
  readonly memory: Pick<Memory, "onEvent" | "sweep" | "forgetGuild">;
  readonly hasMessage: HasMessage;
  listen(listener: EventListener): () => void;
  readonly log: Log;
}

/** How long an expired fact may stay on the disk; nobody hears it meanwhile. */
const SWEEP_MS = 10 * 60_000;

/**
 * From now on forgets what has expired, what rested on messages that are deleted, and what was shared in servers that the bot has left; returns the way
 * to stop.
 */
export function startForgetting(deps: ForgettingDeps): () => void {
  const { memory, hasMessage, listen, log } = deps;
  const report = (error: unknown) => log.error({ error: String(error) }, "facts that ended could not be erased yet");
  /** One look at the servers after the other: each goes by what the one before has noted. */
  const looks = new Serial();
  let isLookDue = false;
  const lookAtGuilds = () => {
    if (isLookDue) return;
    isLookDue = true;
    const look = () => {
      isLookDue = false;
      return forgetLeftGuilds(deps);
    };
    looks.run(look).catch(report);
  };
  const endWithout = (event: DeletionEvent) => void memory.onEvent(event, hasMessage).catch(report);
  const stopListening = listen({
    message_delete: endWithout,
    channel_deleted: endWithout,
    guild: lookAtGuilds,
    guild_removed: lookAtGuilds,
  });
  const sweep = () => {
    void memory.sweep().catch(report);
    lookAtGuilds();
  };
  sweep();
  const sweeping = setInterval(sweep, SWEEP_MS);
  sweeping.unref();
  return () => {
    clearInterval(sweeping);
    stopListening();
  };
}

interface LeftGuildsDeps {
  readonly facts: Pick<FactStore, "guilds" | "noteLeft">;
  readonly memory: Pick<Memory, "forgetGuild">;
  readonly directory: Pick<Directory, "guild" | "hasLeft">;
  /** Events are received: the directory is current. */
  isConnected(): boolean;
  readonly audit: { note(entry: AuditEntry): void };
  readonly clock: Clock;
}

const KEPT_MS = 30 * 86_400_000;

/**
 * Ends what is shared in servers that the bot has been out of for 30 days without a break. That the bot left is noted when it is first known, and taken
 * back when the bot is there again. What Discord has not said, at a start or in an outage, changes nothing.
 */
async function forgetLeftGuilds(deps: LeftGuildsDeps): Promise<void> {
  const { facts, memory, directory, audit, clock } = deps;
  for (const { guildId, leftAt } of await facts.guilds()) {
    if (directory.guild(guildId)) {
      if (leftAt !== null) await facts.noteLeft(guildId, null);
      // While the connection is lost, nobody knows whether the bot is back.
    } else if (directory.hasLeft(guildId) && deps.isConnected()) {
      if (leftAt === null) await facts.noteLeft(guildId, clock.now());
      else if (clock.now() - leftAt >= KEPT_MS) await end(guildId);
    }
  }

  async function end(guildId: GuildId): Promise<void> {
    const { facts: count } = await memory.forgetGuild(guildId);
    const row = {
      operation_id: "",
      name: "memory_left_server",
      detail_json: JSON.stringify({ guild_id: guildId, facts: count }),
      happened_at: clock.now(),
    };
    if (count > 0) audit.note({ kind: "event", row });
    await facts.noteLeft(guildId, null);
  }
}
