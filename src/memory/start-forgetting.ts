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

/** How long an expired fact, which is no longer used, may stay on the disk. */
const SWEEP_MS = 10 * 60_000;

/**
 * From now on deletes expired facts, facts whose messages were deleted, and facts shared in servers that the bot left; returns the function
 * that stops it.
 */
export function startForgetting(deps: ForgettingDeps): () => void {
  const { memory, hasMessage, listen, log } = deps;
  const report = (error: unknown) => log.error({ error: String(error) }, "facts that ended could not be erased yet");
  /** One check of the servers at a time: each relies on the notes of the one before. */
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
  /** Events are being received, so the directory is current. */
  isConnected(): boolean;
  readonly audit: { note(entry: AuditEntry): void };
  readonly clock: Clock;
}

const KEPT_MS = 30 * 86_400_000;

/**
 * Ends facts shared in servers that the bot left at least 30 days ago without returning. The departure is noted when it is first known, and
 * cleared when the bot is back. Unknown states, at a start or in an outage, change nothing.
 */
async function forgetLeftGuilds(deps: LeftGuildsDeps): Promise<void> {
  const { facts, memory, directory, audit, clock } = deps;
  for (const { guildId, leftAt } of await facts.guilds()) {
    if (directory.guild(guildId)) {
      if (leftAt !== null) await facts.noteLeft(guildId, null);
      // While disconnected, it is unknown whether the bot is back.
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
