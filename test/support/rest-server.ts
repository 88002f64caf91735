import type { AddressInfo } from "node:net";
import { API } from "@discordjs/core";
import { DiscordAPIError, REST } from "@discordjs/rest";
import { serve } from "@hono/node-server";
import { ChannelType, OverwriteType, PermissionFlagsBits } from "discord-api-types/v10";
import { expect } from "vitest";
import { OPERATOR } from "../../sandbox/actions/access.ts";
import { createBot, createUser } from "../../sandbox/actions/applications.ts";
import { createChannel } from "../../sandbox/actions/channels.ts";
import { createGuild } from "../../sandbox/actions/guilds.ts";
import { addMember } from "../../sandbox/actions/members.ts";
import { createRole } from "../../sandbox/actions/roles.ts";
import { createRestApp, type RestOptions } from "../../sandbox/rest-app.ts";
import { World, type WorldEvent } from "../../sandbox/world/world.ts";
import { type CheckedExchange, openApiChecker } from "./openapi.ts";

const checker = openApiChecker();

/** A clock that stands still until told otherwise, in the middle of November 2026. */
class ManualClock {
  #now = Date.UTC(2026, 10, 15, 12);

  now(): number {
    return this.#now;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

export type RestServer = Awaited<ReturnType<typeof openRestServer>>;

/** The sandbox's REST side alone, on a socket, with a small guild and the real client of a bot in it. */
export async function openRestServer(options: Partial<RestOptions> = {}) {
  const clock = new ManualClock();
  const world = new World(clock);
  const people = {
    olga: createUser(world, { username: "olga", globalName: "Olga" }),
    sam: createUser(world, { username: "sam" }),
    rita: createUser(world, { username: "rita" }),
  };
  const bot = createBot(world, { username: "earshot", name: "Earshot" });
  const guild = createGuild(world, people.olga.id, { name: "Harbour", ownerId: people.olga.id });
  const staffRole = createRole(world, OPERATOR, { guildId: guild.id, name: "Staff" });
  addMember(world, OPERATOR, { guildId: guild.id, userId: people.sam.id });
  addMember(world, OPERATOR, { guildId: guild.id, userId: people.rita.id, roles: [staffRole.id] });
  addMember(world, OPERATOR, { guildId: guild.id, userId: bot.botId });
  const make = (name: string, type: ChannelType, more: object = {}) =>
    createChannel(world, OPERATOR, { guildId: guild.id, name, type, ...more });
  const hidden = [
    { id: guild.id, type: OverwriteType.Role as const, allow: 0n, deny: PermissionFlagsBits.ViewChannel },
    { id: staffRole.id, type: OverwriteType.Role as const, allow: PermissionFlagsBits.ViewChannel, deny: 0n },
  ];
  const channels = {
    general: make("general", ChannelType.GuildText),
    random: make("random", ChannelType.GuildText),
    staff: make("staff", ChannelType.GuildText, { overwrites: hidden }),
    news: make("news", ChannelType.GuildAnnouncement),
    ideas: make("ideas", ChannelType.GuildForum, { tags: [{ name: "boats" }, { name: "done", moderated: true }] }),
    gallery: make("gallery", ChannelType.GuildMedia),
    voice: make("voice", ChannelType.GuildVoice),
    category: make("rooms", ChannelType.GuildCategory),
  };

  const exchanges: CheckedExchange[] = [];
  const problems: string[] = [];
  const events: WorldEvent[] = [];
  world.listen((event) => events.push(event));
  let origin = "";
  const app = createRestApp(world, {
    origin: () => origin,
    gatewayUrl: () => origin.replace("http", "ws"),
    rateLimits: false,
    ...options,
    onResponse(exchange) {
      exchanges.push(exchange);
      problems.push(...(checker?.(exchange) ?? []));
    },
  });
  const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 });
  // A test that computes for long would find its idle connection closed in the moment in which it sends.
  if ("keepAliveTimeout" in server) server.keepAliveTimeout = 0;
  await new Promise((resolve) => server.once("listening", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    world,
    clock,
    people,
    bot,
    guild,
    staffRole,
    channels,
    exchanges,
    events,
    origin,
    /** A real client of this bot. */
    client(application = bot, rest: ConstructorParameters<typeof REST>[0] = {}) {
      return new API(
        new REST({ api: `${origin}/api`, version: "10", retries: 0, ...rest }).setToken(application.token),
      );
    },
    /** A bare request as this bot. */
    fetch(path: string, init: RequestInit = {}) {
      const headers = { authorization: `Bot ${bot.token}`, ...(init.headers as Record<string, string>) };
      return fetch(`${origin}/api/v10${path}`, { ...init, headers });
    },
    /** What was announced under this name, as the bot hears it. */
    heard(type: string): unknown[] {
      const named = events.filter((event) => event.type === type);
      return named.map(({ data }) => (typeof data === "function" ? data(bot.botId) : data));
    },
    /** Ends the server; fails when an answer was not as Discord describes it. */
    async close() {
      await new Promise((resolve) => server.close(resolve));
      expect(problems).toEqual([]);
    },
  };
}

/** The refusal that a call ends in. */
export async function refusalOf(
  call: Promise<unknown>,
): Promise<{ status: number; code: number | string; errors: unknown }> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DiscordAPIError)) throw new Error(`Expected a refusal by Discord, got ${String(error)}`);
  const raw = error.rawError as { errors?: unknown };
  return { status: error.status, code: error.code, errors: raw.errors };
}
