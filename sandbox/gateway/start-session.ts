import { GatewayCloseCodes, GatewayIntentBits } from "discord-api-types/v10";
import type { ApplicationRecord } from "../world/records.ts";
import type { GatewayDeps } from "./deps.ts";
import { GatewayRefusal, type Identify } from "./protocol.ts";
import { Session } from "./session.ts";

const MAX_GUILDS_PER_SHARD = 2500;

const DAY_MS = 86_400_000;

/** How many shards may identify at once, as in `GET /gateway/bot`. */
const MAX_CONCURRENCY = 1;

/** The five seconds between two IDENTIFYs, minus network jitter. */
const IDENTIFY_PAUSE_MS = 4_750;

/** A new session, or none if the bot identifies too often. */
export function startSession(request: Identify, deps: GatewayDeps): Session | undefined {
  const { world, sessions, pauses, faults } = deps;
  const application = world.botByToken(request.token.replace(/^Bot /, ""));
  if (!application) throw new GatewayRefusal(GatewayCloseCodes.AuthenticationFailed, "Authentication failed.");
  if (request.intents & ~allowedIntents(application)) {
    throw new GatewayRefusal(GatewayCloseCodes.DisallowedIntents, "Disallowed intent(s).");
  }
  const slot = `identify:${application.botId}:${request.shard[0] % MAX_CONCURRENCY}`;
  if (pauses.begin(slot, IDENTIFY_PAUSE_MS) > 0) return undefined;
  const session = new Session({
    id: world.deriveSecret(`session:${world.mintId()}`).slice(0, 32),
    application,
    intents: request.intents,
    shard: request.shard,
    largeThreshold: request.large_threshold,
    faults,
  });
  let guilds = 0;
  for (const guild of world.guilds.values()) {
    if (guild.members.has(application.botId) && session.covers(guild.id)) guilds += 1;
  }
  if (guilds > MAX_GUILDS_PER_SHARD) {
    throw new GatewayRefusal(GatewayCloseCodes.ShardingRequired, "Sharding is required.");
  }
  sessions.set(session.id, session);
  const now = world.clock.now();
  application.identifiedAt = [...application.identifiedAt.filter((at) => now - at < DAY_MS), now];
  return session;
}

function allowedIntents({ privileged }: ApplicationRecord): number {
  let allowed = -1;
  if (!privileged.members) allowed &= ~GatewayIntentBits.GuildMembers;
  if (!privileged.presences) allowed &= ~GatewayIntentBits.GuildPresences;
  if (!privileged.messageContent) allowed &= ~GatewayIntentBits.MessageContent;
  return allowed;
}
