import { API, CHART, load, readText, TOKEN, tellReady } from "./environment.js";

const { Client } = load("oceanic.js");

const client = new Client({
  auth: `Bot ${TOKEN}`,
  rest: { baseURL: `${API}/v10` },
  gateway: { intents: ["GUILDS", "GUILD_MESSAGES", "GUILD_MESSAGE_REACTIONS", "MESSAGE_CONTENT"] },
});
const send = (channelID, message) => client.rest.channels.createMessage(channelID, message);

const answers = {
  ping: ({ id, channelID }) => send(channelID, { content: "pong", messageReference: { messageID: id } }),
  button: ({ channelID }) =>
    send(channelID, {
      content: "Do you agree?",
      components: [{ type: 1, components: [{ type: 2, style: 1, label: "Agree", customID: "agree" }] }],
    }),
  thread: async (message) => {
    const thread = await message.startThread({ name: "Aside", autoArchiveDuration: 60 });
    await thread.createMessage({ content: "In the thread" });
  },
  react: (message) => message.createReaction("👍"),
  file: ({ channelID }) => send(channelID, { files: [{ name: "tides.txt", contents: Buffer.from(CHART) }] }),
  read: async ({ id, channelID, attachments }) => {
    const content = `I read: ${await readText(attachments.first().url)}`;
    await send(channelID, { content, messageReference: { messageID: id } });
  },
};

client.on("messageCreate", async (message) => {
  if (!message.author.bot) await answers[message.content]?.(message);
});
client.on("messageReactionAdd", async (message, reactor, reaction) => {
  if (reactor.id === client.user.id) return;
  await send(message.channelID, { content: `${reactor.id} reacted with ${reaction.emoji.name}` });
});
client.on("interactionCreate", async (interaction) => {
  if (interaction.isComponentInteraction()) await interaction.editParent({ content: "Agreed", components: [] });
  if (!interaction.isCommandInteraction()) return;
  const { options } = interaction.data;
  await interaction.reply({ content: String(options.getInteger("first") + options.getInteger("second")) });
});
client.on("error", (error) => console.error(error));
client.once("ready", async () => {
  const options = ["first", "second"].map((name) => ({ type: 4, name, description: "A number", required: true }));
  await client.application.bulkEditGlobalCommands([{ type: 1, name: "add", description: "Adds two numbers", options }]);
  tellReady();
});
await client.connect();
