import { flows } from "../../domain/audience.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { ChannelId, UserId } from "../../domain/ids.ts";
import type { StartOverAction } from "../../policy/action.ts";
import type { Confirmation } from "../../policy/confirmations.ts";
import { HourlyLimit } from "../../policy/limits.ts";
import type { Operation } from "../../policy/operation.ts";
import { toAudience } from "../../sources/kinds/limits.ts";
import type { SessionLabel } from "../../sources/session-label.ts";
import { send } from "../../tools/send.ts";
import type { EffectsDeps } from "./effect-call.ts";

type StartOversDeps = Pick<EffectsDeps, "discord" | "confirmations" | "audit" | "clock">;

interface Asked {
  readonly label: SessionLabel;
  readonly action: StartOverAction;
}

const MAX_SHOWN = 10;
const MAX_SERVERS_SHOWN = 3;
/** Per person and client. */
const MAX_PER_HOUR = 3;

/** Lets people allow a session to post again although not everyone may know what it has read. Each message still needs their
 * confirmation. */
export class StartOvers {
  readonly #deps: StartOversDeps;
  readonly #limit: HourlyLimit;
  readonly #confirmed: HourlyLimit;
  readonly #asked = new WeakMap<Operation, Asked>();

  constructor(deps: StartOversDeps) {
    this.#deps = deps;
    this.#limit = new HourlyLimit(MAX_PER_HOUR, deps.clock);
    this.#confirmed = new HourlyLimit(1, deps.clock);
  }

  /** Within the last hour: the program still knows what it read before, even in another session. */
  isRecent(client: Pick<Operation["client"], "name">, actor: UserId): boolean {
    return this.#confirmed.waitFor(toKey(client, actor)) > 0;
  }

  /**
   * `operation`: one for this purpose, with a label separate from `label`. Returns once the actor has confirmed; throws
   * `confirmation_needed` before, `forbidden` for a confined client or after a refusal, `rate_limited` if they were asked too often.
   */
  propose(operation: Operation, label: SessionLabel): void {
    if (operation.client.grant.confined) {
      const problem =
        "This client is `confined`: what it has read always limits what it says, so it cannot start over.";
      throw new EarshotError("forbidden", problem);
    }
    const asked = this.#asked.get(operation) ?? { label, action: this.#freeze(operation, label) };
    this.#asked.set(operation, asked);
    this.#deps.confirmations.require(operation, send.name, asked.action);
  }

  /** Throws `not_found` if the session was asked about again since. */
  async confirmed({ id, operation }: Confirmation): Promise<void> {
    const { audit, clock, confirmations } = this.#deps;
    const asked = this.#asked.get(operation);
    try {
      const detail = {
        confirmation_id: id,
        actor_id: operation.actor,
        channel_ids: asked?.action.channelIds,
        guild_ids: asked?.action.guildIds,
        others: asked?.action.others,
      };
      const row = { operation_id: operation.id, name: "started_over", detail_json: JSON.stringify(detail) };
      audit.note({ kind: "event", row: { ...row, happened_at: clock.now() } });
      await audit.settled();
      if (!asked?.label.startOver(operation.label))
        throw new EarshotError("not_found", "This has been asked again since; decide about the later one.");
      this.#confirmed.note(toKey(operation.client, operation.actor));
      confirmations.settle(id, []);
    } catch (error) {
      confirmations.giveUp(id);
      throw error;
    }
  }

  #freeze({ client, actor }: Operation, label: SessionLabel): StartOverAction {
    this.#limit.take(toKey(client, actor), `A session can be started over ${MAX_PER_HOUR} times an hour`);
    // Channels that were only searched are counted, not named: their names would tell the program something new.
    const told = [...label.sinceStart.of("told").values()]
      .map(({ channelId }) => channelId)
      .sort((a, b) => this.#rank(a) - this.#rank(b));
    const channelIds = told.slice(0, MAX_SHOWN);
    const servers = [...label.sinceStart.of("server").values()].map(({ guildId }) => guildId);
    const guildIds = servers.slice(0, MAX_SERVERS_SHOWN);
    const others = label.sinceStart.channels.size - channelIds.length + servers.length - guildIds.length;
    return { kind: "start_over", channelIds, guildIds, others };
  }

  /** Channels that not every member of the server can read come first. */
  #rank(id: ChannelId): number {
    const { directory, botId } = this.#deps.discord;
    const guildId = directory.channel(id)?.guildId ?? null;
    if (guildId === null) return 0;
    return flows(directory.audience(id), toAudience({ kind: "guild", id: guildId }, directory, botId)) ? 1 : 0;
  }
}

function toKey({ name }: Pick<Operation["client"], "name">, actor: UserId): string {
  return `${actor} ${name}`;
}
