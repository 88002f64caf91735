import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openRestServer, type RestServer } from "../../test/support/rest-server.ts";
import { addSticker } from "../actions/applications.ts";
import { runCommand } from "../actions/interactions/run-command.ts";
import { createMessage } from "../actions/messages.ts";
import { allRoutes } from "./routes/index.ts";

let server: RestServer;
let ids: Record<string, string>;

beforeAll(async () => {
  server = await openRestServer();
  server.guild.ownerId = server.bot.botId;
  const { general } = server.channels;
  const message = createMessage(server.world, server.bot.botId, { channelId: general.id, draft: { content: "x" } });
  const { applicationCommands, channels } = server.client();
  await applicationCommands.createGlobalCommand(server.bot.id, { name: "ask", description: "Ask" });
  const webhook = await channels.createWebhook(general.id, { name: "Feed" });
  const emoji = await server.client().guilds.createEmoji(server.guild.id, {
    name: "anchor",
    image: "data:image/png;base64,iVBORw0KGgo=",
  });
  const invite = await channels.createInvite(general.id, {});
  const request = { applicationId: server.bot.id, channelId: general.id, name: "ask" };
  const interaction = runCommand(server.world, server.people.sam.id, request);
  ids = {
    channel_id: general.id,
    guild_id: server.guild.id,
    message_id: message.id,
    user_id: server.people.sam.id,
    role_id: server.staffRole.id,
    overwrite_id: server.staffRole.id,
    application_id: server.bot.id,
    command_id: "1",
    webhook_id: webhook.id,
    webhook_token: webhook.token ?? "",
    interaction_id: interaction.id,
    interaction_token: interaction.token,
    emoji_name: "👍",
    answer_id: "1",
    emoji_id: emoji.id ?? "",
    sticker_id: addSticker(server.world, server.guild.id, "wave"),
    code: invite.code,
  };
});

afterAll(() => server.close());

/** Fields that mean something somewhere, filled with anything. */
const FIELDS = [
  "content",
  "embeds",
  "components",
  "attachments",
  "message_reference",
  "allowed_mentions",
  "poll",
  "flags",
  "nonce",
  "name",
  "type",
  "options",
  "data",
  "permissions",
  "allow",
  "deny",
  "roles",
  "nick",
  "messages",
  "recipient_id",
  "message",
  "applied_tags",
  "permission_overwrites",
  "available_tags",
  "sticker_ids",
  "archived",
  "username",
  "image",
  "delete_message_seconds",
  "max_age",
];
const anything = fc.jsonValue({ maxDepth: 4 });
const body = fc.oneof(fc.dictionary(fc.constantFrom(...FIELDS), anything, { maxKeys: 6 }), anything);
const changing = allRoutes.filter(
  ({ method, path }) => method !== "GET" && method !== "DELETE" && !path.endsWith("/typing"),
);
const reading = allRoutes.filter(({ method }) => method === "GET");

function toPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? ""));
}

it("the sandbox answers any body with success or a typed error, never with an internal one", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...changing), body, async (route, json) => {
      const init = {
        method: route.method,
        body: JSON.stringify(json),
        headers: { "content-type": "application/json" },
      };
      const response = await server.fetch(toPath(route.path), init);
      const answer = response.status === 204 ? { code: 0 } : ((await response.json()) as { code?: number });
      expect(response.status).toBeLessThan(500);
      if (response.status >= 400) expect(answer.code).toBeGreaterThan(0);
    }),
    { numRuns: 120, seed: 20261115 },
  );
});

it("the sandbox answers any query and any id with success or a typed error", async () => {
  const names = [
    "limit",
    "before",
    "after",
    "around",
    "offset",
    "content",
    "has",
    "author_id",
    "with_member",
    "query",
    "thread_id",
  ];
  const query = fc.dictionary(fc.constantFrom(...names), fc.string({ unit: "binary" }), { maxKeys: 4 });
  const broken = fc.oneof(fc.constant(undefined), fc.string({ unit: "grapheme", minLength: 1 }));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...reading), query, broken, async (route, parameters, id) => {
      const path =
        id === undefined
          ? toPath(route.path)
          : route.path.replaceAll(/\{\w+\}/g, encodeURIComponent(id.replaceAll(/[/.]/g, "_")));
      const response = await server.fetch(`${path}?${new URLSearchParams(parameters)}`);
      expect(response.status).toBeLessThan(500);
    }),
    { numRuns: 150, seed: 20261115 },
  );
});
