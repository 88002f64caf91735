import { type APIMessage, GatewayIntentBits } from "discord-api-types/v10";
import { stripContent } from "../render/strip-content.ts";
import { canView } from "../world/permissions.ts";
import type { World, WorldEvent } from "../world/world.ts";
import { hears, toHeardThreadMembers, userIdOf } from "./audience.ts";
import { MOVES_ACCESS, tellAccess, tellThreads } from "./channel-access.ts";
import { showGuild } from "./greet.ts";
import { hasIntent } from "./intents.ts";
import type { Session } from "./session.ts";

/** Sends an event to every session, in the form that its bot may receive. Equal forms are serialised once. */
export function announce(event: WorldEvent, sessions: Iterable<Session>, world: World): void {
  let shared: string | undefined;
  for (const session of sessions) {
    if (!hears(session, event, world)) continue;
    const form = toHeardForm(session, event, world);
    if (form === "shared") {
      shared ??= JSON.stringify(event.data);
      session.dispatch(event.type, shared);
    } else if (form !== null) session.dispatch(event.type, JSON.stringify(form.data));
    tellConsequences(session, event, world);
  }
}

/** "shared": the event's data as it is. Null: nothing is sent. */
function toHeardForm(session: Session, event: WorldEvent, world: World): "shared" | { data: unknown } | null {
  const { type, guildId } = event;
  const guild = guildId === null ? undefined : world.guilds.get(guildId);
  switch (type) {
    case "GUILD_CREATE":
      if (guild) showGuild(session, guild, world);
      return null;
    case "GUILD_MEMBER_ADD":
      // A bot learns that it joined from GUILD_CREATE.
      return userIdOf(event.data) === session.botId ? null : "shared";
    case "THREAD_MEMBERS_UPDATE":
      return given(toHeardThreadMembers(session, dataFor(session, event)));
    case "MESSAGE_CREATE":
    case "MESSAGE_UPDATE":
      if (guildId === null || hasIntent(session.intents, GatewayIntentBits.MessageContent)) break;
      return given(stripContent(dataFor(session, event) as APIMessage, session.botId));
  }
  return typeof event.data === "function" ? given(event.data(session.botId)) : "shared";
}

function dataFor(session: Session, event: WorldEvent): unknown {
  return typeof event.data === "function" ? event.data(session.botId) : event.data;
}

function given(data: unknown): { data: unknown } | null {
  return data === null || data === undefined ? null : { data };
}

/** Follow-up events after a change of permissions: channels that the bot can now view, or no longer can. */
function tellConsequences(session: Session, { type, guildId, channel, data }: WorldEvent, world: World): void {
  if (guildId === null) return;
  if (type === "GUILD_DELETE") session.shown.delete(guildId);
  const guild = world.guilds.get(guildId);
  const shown = session.shown.get(guildId);
  if (!guild || !shown) return;
  if (channel && CHANNEL_EVENTS.has(type)) {
    const isViewable = type !== "CHANNEL_DELETE" && canView(guild, channel, session.botId);
    const isGained = isViewable && !shown.has(channel.id);
    if (isViewable) shown.add(channel.id);
    else shown.delete(channel.id);
    if (isGained && type === "CHANNEL_UPDATE") tellThreads(session, [channel], { guild, world });
  } else if (MOVES_ACCESS.has(type)) {
    if (type === "GUILD_MEMBER_UPDATE" && userIdOf(data) !== session.botId) return;
    if (hasIntent(session.intents, GatewayIntentBits.Guilds)) tellAccess(session, guild, world);
  }
}

const CHANNEL_EVENTS = new Set(["CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE"]);
