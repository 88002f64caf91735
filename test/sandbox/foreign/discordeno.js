import { API, CHART, load, readText, TOKEN, tellReady } from "./environment.js";

const { createBot, createDesiredPropertiesObject, Intents } = load("discordeno");

const bot = createBot({
  token: TOKEN,
  intents: Intents.Guilds | Intents.GuildMessages | Intents.GuildMessageReactions | Intents.MessageContent,
  desiredProperties: createDesiredPropertiesObject({}, true),
  rest: { proxy: { baseUrl: API, authorization: `Bot ${TOKEN}` } },
});
const { helpers } = bot;

const answers = {
  ping: ({ id, channelId }) =>
    helpers.sendMessage(channelId, { content: "pong", messageReference: { messageId: id, failIfNotExists: true } }),
  button: ({ channelId }) =>
    helpers.sendMessage(channelId, {
      content: "Do you agree?",
      components: [{ type: 1, components: [{ type: 2, style: 1, label: "Agree", customId: "agree" }] }],
    }),
  thread: async ({ id, channelId }) => {
    const thread = await helpers.startThreadWithMessage(channelId, id, { name: "Aside", autoArchiveDuration: 60 });
    await helpers.sendMessage(thread.id, { content: "In the thread" });
  },
  react: ({ id, channelId }) => helpers.addReaction(channelId, id, "👍"),
  file: ({ channelId }) => helpers.sendMessage(channelId, { files: [{ name: "tides.txt", blob: new Blob([CHART]) }] }),
  read: async ({ id, channelId, attachments }) => {
    const content = `I read: ${await readText(attachments[0].url)}`;
    await helpers.sendMessage(channelId, { content, messageReference: { messageId: id, failIfNotExists: true } });
  },
};

bot.events.messageCreate = async (message) => {
  if (!message.author.bot) await answers[message.content]?.(message);
};
bot.events.reactionAdd = async ({ userId, channelId, emoji }) => {
  if (userId === bot.id) return;
  await helpers.sendMessage(channelId, { content: `${userId} reacted with ${emoji.name}` });
};
bot.events.interactionCreate = async (interaction) => {
  if (interaction.type === 3) await interaction.edit({ content: "Agreed", components: [] });
  if (interaction.type !== 2) return;
  const [first, second] = interaction.data.options;
  await interaction.respond({ content: String(first.value + second.value) });
};
bot.events.ready = async () => {
  const options = ["first", "second"].map((name) => ({ type: 4, name, description: "A number", required: true }));
  await helpers.upsertGlobalApplicationCommands([{ type: 1, name: "add", description: "Adds two numbers", options }]);
  tellReady();
};
await bot.start();
