import { Agent } from "node:https";
import { API, CHART, load, readText, TOKEN, tellReady } from "./environment.js";

const Eris = load("eris");

// Eris speaks only TLS, and takes no port: the agent has it.
const { hostname, port, pathname } = new URL(API);
const agent = Object.assign(new Agent(), { defaultPort: Number(port) });
const client = new Eris(`Bot ${TOKEN}`, {
  intents: ["guilds", "guildMessages", "guildMessageReactions", "messageContent"],
  rest: { domain: hostname, baseURL: `${pathname}/v10`, agent },
});

const answers = {
  ping: ({ id, channel }) => channel.createMessage({ content: "pong", messageReference: { messageID: id } }),
  button: ({ channel }) =>
    channel.createMessage({
      content: "Do you agree?",
      components: [{ type: 1, components: [{ type: 2, style: 1, label: "Agree", custom_id: "agree" }] }],
    }),
  thread: async ({ id, channel }) => {
    const thread = await channel.createThreadWithMessage(id, { name: "Aside", autoArchiveDuration: 60 });
    await thread.createMessage("In the thread");
  },
  react: (message) => message.addReaction("👍"),
  file: ({ channel }) => channel.createMessage({}, { file: Buffer.from(CHART), name: "tides.txt" }),
  read: async ({ id, channel, attachments }) => {
    const [attachment] = attachments.values();
    const content = `I read: ${await readText(attachment.url)}`;
    await channel.createMessage({ content, messageReference: { messageID: id } });
  },
};

client.on("messageCreate", async (message) => {
  if (!message.author.bot) await answers[message.content]?.(message);
});
client.on("messageReactionAdd", async (message, emoji, reactor) => {
  if (reactor.id === client.user.id) return;
  await client.createMessage(message.channel.id, `${reactor.id} reacted with ${emoji.name}`);
});
client.on("interactionCreate", async (interaction) => {
  if (interaction instanceof Eris.ComponentInteraction) {
    await interaction.editParent({ content: "Agreed", components: [] });
  } else if (interaction instanceof Eris.CommandInteraction) {
    const [first, second] = interaction.data.options;
    await interaction.createMessage(String(first.value + second.value));
  }
});
client.on("error", (error) => console.error(error));
client.once("ready", async () => {
  const options = ["first", "second"].map((name) => ({ type: 4, name, description: "A number", required: true }));
  await client.bulkEditCommands([{ type: 1, name: "add", description: "Adds two numbers", options }]);
  tellReady();
});
await client.connect();
