/**
 * A small bot to try the sandbox with: it answers "ping", adds numbers with /add, asks for a story with /story, suggests ports for /sail, and has "Greet" in
 * the menu of people.
 *
 *   BOT_TOKEN=… node examples/bot.ts
 */
import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  Client,
  ComponentType,
  GatewayDispatchEvents,
  GatewayIntentBits,
  InteractionType,
  TextInputStyle,
} from "@discordjs/core";
import { REST } from "@discordjs/rest";
import { WebSocketManager } from "@discordjs/ws";

const { BOT_API = "http://127.0.0.1:7788/api", BOT_TOKEN = "" } = process.env;

if (BOT_TOKEN === "") {
  console.error('Set BOT_TOKEN to the token of a bot; "npx earshot sandbox" prints one.');
  process.exit(1);
}

const PORTS = ["Lisbon", "Limerick", "Oslo"];
const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits;
const rest = new REST({ api: BOT_API, version: "10" }).setToken(BOT_TOKEN);
const gateway = new WebSocketManager({ token: BOT_TOKEN, intents: Guilds | GuildMessages | MessageContent, rest });
const client = new Client({ rest, gateway });

client.on(GatewayDispatchEvents.Ready, async ({ api, data }) => {
  const { Integer, String: Text, User } = ApplicationCommandOptionType;
  await api.applicationCommands.bulkOverwriteGlobalCommands(data.application.id, [
    {
      name: "add",
      description: "Adds two numbers",
      options: [
        { name: "first", description: "One number", type: Integer, required: true },
        { name: "second", description: "The other", type: Integer, required: true },
        { name: "who", description: "For whom", type: User },
      ],
    },
    { name: "story", description: "Asks for a story" },
    {
      name: "sail",
      description: "Sets sail",
      options: [{ name: "to", description: "The port", type: Text, required: true, autocomplete: true }],
    },
    { name: "Greet", type: ApplicationCommandType.User },
  ]);
  console.log(`${data.user.username} is ready.`);
});

client.on(GatewayDispatchEvents.MessageCreate, async ({ api, data: { id, channel_id, author, content } }) => {
  if (author.bot || content !== "ping") return;
  await api.channels.createMessage(channel_id, {
    content: `pong <@${author.id}>`,
    message_reference: { message_id: id },
  });
});

client.on(GatewayDispatchEvents.InteractionCreate, async ({ api, data: interaction }) => {
  const { id, token } = interaction;
  if (interaction.type === InteractionType.ModalSubmit) {
    await api.interactions.reply(id, token, { content: "Thank you for the story!" });
    return;
  }
  if (interaction.type === InteractionType.ApplicationCommandAutocomplete) {
    const typed = interaction.data.options.map((option) => ("value" in option ? String(option.value) : "")).join("");
    const fitting = PORTS.filter((port) => port.toLowerCase().startsWith(typed.toLowerCase()));
    const choices = fitting.map((name) => ({ name, value: name }));
    await api.interactions.createAutocompleteResponse(id, token, { choices });
    return;
  }
  if (interaction.type !== InteractionType.ApplicationCommand) return;
  const { data } = interaction;
  if (data.type === ApplicationCommandType.User) {
    await api.interactions.reply(id, token, { content: `Hello <@${data.target_id}>!` });
    return;
  }
  if (data.name === "story") {
    const field = { type: ComponentType.TextInput, custom_id: "story", style: TextInputStyle.Paragraph } as const;
    await api.interactions.createModal(id, token, {
      custom_id: "tell",
      title: "Tell us",
      components: [{ type: ComponentType.Label, label: "Your story", component: field }],
    });
    return;
  }
  const options = "options" in data ? (data.options ?? []) : [];
  const given = new Map(options.map((option) => [option.name, "value" in option ? option.value : undefined]));
  const people = "resolved" in data && data.resolved && "users" in data.resolved ? data.resolved : {};
  const who = String(given.get("who") ?? "");
  const name = people.members?.[who]?.nick ?? people.users?.[who]?.global_name ?? people.users?.[who]?.username;
  if (data.name === "sail") {
    await api.interactions.reply(id, token, { content: `Off to ${given.get("to")}!` });
    return;
  }
  const sum = Number(given.get("first")) + Number(given.get("second"));
  await api.interactions.reply(id, token, { content: `${sum} for ${name ?? "all"}` });
});

await gateway.connect();
