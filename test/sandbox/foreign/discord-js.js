import { API, CHART, load, readText, TOKEN, tellReady } from "./environment.js";

const {
  ActionRowBuilder,
  AttachmentBuilder,
  ButtonBuilder,
  ButtonStyle,
  Client,
  GatewayIntentBits,
  SlashCommandBuilder,
} = load("discord.js");

const { Guilds, GuildMessages, GuildMessageReactions, MessageContent } = GatewayIntentBits;
const client = new Client({
  intents: [Guilds, GuildMessages, GuildMessageReactions, MessageContent],
  rest: { api: API },
});

const answers = {
  ping: (message) => message.reply("pong"),
  button: (message) => {
    const agree = new ButtonBuilder().setCustomId("agree").setLabel("Agree").setStyle(ButtonStyle.Primary);
    return message.channel.send({
      content: "Do you agree?",
      components: [new ActionRowBuilder().addComponents(agree)],
    });
  },
  thread: async (message) => (await message.startThread({ name: "Aside" })).send("In the thread"),
  react: (message) => message.react("👍"),
  file: (message) =>
    message.channel.send({ files: [new AttachmentBuilder(Buffer.from(CHART), { name: "tides.txt" })] }),
  read: async (message) => message.reply(`I read: ${await readText(message.attachments.first().url)}`),
};

client.on("messageCreate", async (message) => {
  if (!message.author.bot) await answers[message.content]?.(message);
});
client.on("messageReactionAdd", async (reaction, user) => {
  if (!user.bot) await reaction.message.channel.send(`${user.id} reacted with ${reaction.emoji.name}`);
});
client.on("interactionCreate", async (interaction) => {
  if (interaction.isButton()) await interaction.update({ content: "Agreed", components: [] });
  if (!interaction.isChatInputCommand()) return;
  const sum = interaction.options.getInteger("first") + interaction.options.getInteger("second");
  await interaction.reply(String(sum));
});
client.once("clientReady", async () => {
  const add = new SlashCommandBuilder().setName("add").setDescription("Adds two numbers");
  for (const name of ["first", "second"]) {
    add.addIntegerOption((option) => option.setName(name).setDescription("A number").setRequired(true));
  }
  await client.application.commands.set([add]);
  tellReady();
});
await client.login(TOKEN);
