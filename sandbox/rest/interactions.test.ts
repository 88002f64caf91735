import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ButtonStyle,
  ComponentType,
  MessageFlags,
  MessageType,
  TextInputStyle,
} from "discord-api-types/v10";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openRestServer, type RestServer, refusalOf } from "../../test/support/rest-server.ts";
import { OPERATOR } from "../actions/access.ts";
import { openDm } from "../actions/channels.ts";
import { updateGuild } from "../actions/guilds.ts";
import { askSuggestions, runCommand, useMenu } from "../actions/interactions/run-command.ts";
import { submitModal } from "../actions/interactions/submit-modal.ts";
import { useComponent } from "../actions/interactions/use-component.ts";
import { createMessage } from "../actions/messages.ts";

let server: RestServer;

beforeEach(async () => {
  server = await openRestServer();
  await server.client().applicationCommands.bulkOverwriteGlobalCommands(server.bot.id, [
    {
      name: "ask",
      description: "Ask something",
      options: [
        { type: ApplicationCommandOptionType.String, name: "question", description: "What?", required: true },
        { type: ApplicationCommandOptionType.User, name: "about", description: "Whom?" },
        { type: ApplicationCommandOptionType.String, name: "place", description: "Where?", autocomplete: true },
      ],
    },
    { name: "What led up to this?", type: ApplicationCommandType.Message },
  ]);
});

afterEach(() => server.close());

function ask(options: Record<string, string> = { question: "Why?" }) {
  const request = { applicationId: server.bot.id, channelId: server.channels.general.id, name: "ask", options };
  return runCommand(server.world, server.people.sam.id, request);
}

it("the sandbox sends a command with the locales of the person and the server, which are en-US unless changed", () => {
  const { world, people, guild } = server;
  const sent = () => {
    ask();
    return server.events.findLast(({ type }) => type === "INTERACTION_CREATE")?.data;
  };
  expect(sent()).toMatchObject({ locale: "en-US", guild_locale: "en-US", guild: { locale: "en-US" } });
  people.sam.locale = "de";
  updateGuild(world, OPERATOR, { guildId: guild.id, preferredLocale: "ko" });
  expect(sent()).toMatchObject({ locale: "de", guild_locale: "ko", guild: { locale: "ko" } });
  const update = server.events.findLast(({ type }) => type === "GUILD_UPDATE");
  expect(update?.data).toMatchObject({ preferred_locale: "ko" });
});

it("the sandbox sends a command only to its application, with everything it needs to answer", () => {
  ask({ question: "Who?", about: server.people.rita.id });
  const event = server.events.find(({ type }) => type === "INTERACTION_CREATE");
  expect(event?.onlyFor).toEqual([server.bot.botId]);
  expect(event?.data).toMatchObject({
    type: 2,
    guild_id: server.guild.id,
    channel: { id: server.channels.general.id, name: "general" },
    member: { user: { username: "sam" }, permissions: expect.stringMatching(/^\d+$/) },
    app_permissions: expect.stringMatching(/^\d+$/),
    authorizing_integration_owners: { "0": server.guild.id },
    context: 0,
    data: {
      name: "ask",
      options: [{ name: "question", value: "Who?" }, { name: "about" }],
      resolved: { users: { [server.people.rita.id]: { username: "rita" } }, members: { [server.people.rita.id]: {} } },
    },
  });
});

it("the sandbox accepts one answer to an interaction, shows it in the channel, and rejects a second", async () => {
  const { interactions, channels } = server.client();
  const interaction = ask();
  const reply = await interactions.reply(interaction.id, interaction.token, {
    content: "Because",
    with_response: true,
  });
  expect(reply).toMatchObject({
    interaction: { id: interaction.id, response_message_ephemeral: false },
    resource: { type: 4, message: { content: "Because" } },
  });
  expect(await interaction.answered).toMatchObject({ kind: "message", message: { content: "Because" } });
  const [shown] = await channels.getMessages(server.channels.general.id, { limit: 1 });
  expect(shown).toMatchObject({
    type: MessageType.ChatInputCommand,
    application_id: server.bot.id,
    interaction_metadata: { id: interaction.id, user: { username: "sam" } },
  });
  const second = interactions.reply(interaction.id, interaction.token, { content: "again" });
  expect(await refusalOf(second)).toMatchObject({ status: 400, code: 40060 });
});

it("the sandbox shows a deferred answer as loading, and fills it without marking an edit", async () => {
  const { interactions, channels } = server.client();
  const interaction = ask();
  await interactions.defer(interaction.id, interaction.token);
  const [loading] = await channels.getMessages(server.channels.general.id, { limit: 1 });
  expect(Number(loading?.flags) & MessageFlags.Loading).toBeTruthy();
  const filled = await interactions.editReply(server.bot.id, interaction.token, { content: "Done" });
  expect(filled).toMatchObject({ id: loading?.id, content: "Done", flags: 0, edited_timestamp: null });
  expect((await interaction.spoken).content).toBe("Done");
  const further = await interactions.followUp(server.bot.id, interaction.token, { content: "And more" });
  expect(further).toMatchObject({ type: MessageType.Reply, referenced_message: { id: loading?.id } });
  expect(await interactions.getOriginalReply(server.bot.id, interaction.token)).toMatchObject({ id: loading?.id });
});

it("the sandbox keeps ephemeral answers out of the channel and away from others", async () => {
  const { interactions, channels } = server.client();
  const interaction = ask();
  await interactions.reply(interaction.id, interaction.token, { content: "psst", flags: MessageFlags.Ephemeral });
  const more = await interactions.followUp(server.bot.id, interaction.token, {
    content: "more",
    flags: MessageFlags.Ephemeral,
  });
  expect(await channels.getMessages(server.channels.general.id)).toEqual([]);
  expect(await refusalOf(channels.getMessage(server.channels.general.id, more.id))).toMatchObject({ code: 10008 });
  const created = server.events.filter(({ type }) => type === "MESSAGE_CREATE");
  expect(created.map(({ onlyFor }) => onlyFor)).toEqual(created.map(() => [server.people.sam.id, server.bot.botId]));
  const edited = await interactions.editReply(server.bot.id, interaction.token, { content: "changed" }, more.id);
  expect(edited).toMatchObject({ content: "changed", flags: MessageFlags.Ephemeral });
  await interactions.deleteReply(server.bot.id, interaction.token);
  expect(await refusalOf(interactions.getOriginalReply(server.bot.id, interaction.token))).toMatchObject({
    code: 10008,
  });
});

it("the sandbox rejects an answer after three seconds, and follow-ups after fifteen minutes", async () => {
  const { interactions } = server.client();
  const late = ask();
  server.clock.advance(3001);
  expect(await refusalOf(interactions.reply(late.id, late.token, { content: "late" }))).toMatchObject({
    status: 404,
    code: 10062,
  });
  const answered = ask();
  await interactions.reply(answered.id, answered.token, { content: "in time" });
  server.clock.advance(15 * 60_000 + 1);
  const followUp = interactions.followUp(server.bot.id, answered.token, { content: "late" });
  expect(await refusalOf(followUp)).toMatchObject({ status: 401, code: 50027 });
});

it("the sandbox supports a command that leads to a button and a modal", async () => {
  const { interactions } = server.client();
  const { general } = server.channels;
  const command = ask();
  const button = {
    type: ComponentType.Button as const,
    style: ButtonStyle.Primary as const,
    label: "Tell",
    custom_id: "tell",
  };
  await interactions.reply(command.id, command.token, {
    content: "Press",
    components: [{ type: ComponentType.ActionRow, components: [button] }],
  });
  const message = await command.spoken;
  const click = useComponent(server.world, server.people.sam.id, {
    channelId: general.id,
    messageId: message.id,
    customId: "tell",
  });
  await interactions.createModal(click.id, click.token, {
    custom_id: "form",
    title: "Tell us",
    components: [
      {
        type: ComponentType.Label,
        label: "Story",
        component: { type: ComponentType.TextInput, custom_id: "story", style: TextInputStyle.Paragraph },
      },
    ],
  });
  expect(await click.answered).toMatchObject({ kind: "modal", modal: { title: "Tell us" } });
  const sent = submitModal(server.world, server.people.sam.id, { interactionId: click.id, values: { story: "Once" } });
  expect(server.heard("INTERACTION_CREATE").at(-1)).toMatchObject({
    type: 5,
    data: { custom_id: "form", components: [{ component: { custom_id: "story", value: "Once" } }] },
    message: { id: message.id },
  });
  const updated = await interactions.updateMessage(sent.id, sent.token, {
    content: "Thanks",
    components: [],
    with_response: true,
  });
  expect(updated).toMatchObject({
    resource: { type: 7, message: { id: message.id, content: "Thanks", components: [] } },
  });
  const further = await interactions.followUp(server.bot.id, sent.token, { content: "Noted" });
  expect(further.interaction_metadata).toMatchObject({
    type: 5,
    triggering_interaction_metadata: { type: 3, interacted_message_id: message.id },
  });
});

it("the sandbox sends the whole message to a menu command, for any intents", async () => {
  server.bot.privileged.messageContent = false;
  const { general } = server.channels;
  const said = createMessage(server.world, server.people.rita.id, {
    channelId: general.id,
    draft: { content: "the whole story" },
  });
  const interaction = useMenu(server.world, server.people.sam.id, {
    applicationId: server.bot.id,
    channelId: general.id,
    name: "What led up to this?",
    messageId: said.id,
  });
  expect(server.heard("INTERACTION_CREATE").at(-1)).toMatchObject({
    data: { target_id: said.id, resolved: { messages: { [said.id]: { content: "the whole story" } } } },
  });
  await server.client().interactions.reply(interaction.id, interaction.token, { content: "This" });
  expect((await interaction.spoken).type).toBe(MessageType.ContextMenuCommand);
});

it("the sandbox requests suggestions while an option is typed, and accepts no other kind of answer", async () => {
  const { interactions } = server.client();
  const request = { applicationId: server.bot.id, channelId: server.channels.general.id, name: "ask" };
  const asked = askSuggestions(server.world, server.people.sam.id, {
    ...request,
    options: { place: "har" },
    focused: "place",
  });
  expect(server.heard("INTERACTION_CREATE").at(-1)).toMatchObject({ type: 4, data: { options: [{ focused: true }] } });
  expect(await refusalOf(interactions.reply(asked.id, asked.token, { content: "no" }))).toMatchObject({ code: 50035 });
  await interactions.createAutocompleteResponse(asked.id, asked.token, { choices: [{ name: "Harbour", value: "h" }] });
  expect(await asked.answered).toEqual({ kind: "choices", choices: [{ name: "Harbour", value: "h" }] });
});

it("the sandbox supports interactions in a DM with the bot", async () => {
  const { sam } = server.people;
  const dm = openDm(server.world, sam.id, { recipientId: server.bot.botId });
  const request = { applicationId: server.bot.id, channelId: dm.id, name: "ask", options: { question: "Here?" } };
  const interaction = runCommand(server.world, sam.id, request);
  expect(server.heard("INTERACTION_CREATE").at(-1)).toMatchObject({ context: 1, user: { username: "sam" } });
  await server.client().interactions.reply(interaction.id, interaction.token, { content: "Here" });
  expect(await server.client().channels.getMessages(dm.id)).toMatchObject([{ content: "Here" }]);
});

it("the sandbox registers, lists, changes and removes commands, and rejects invalid ones", async () => {
  const { applicationCommands: commands } = server.client();
  const { id: guildId } = server.guild;
  const made = await commands.createGuildCommand(server.bot.id, guildId, { name: "local", description: "Here" });
  const again = await commands.createGuildCommand(server.bot.id, guildId, { name: "local", description: "Still here" });
  expect(again).toMatchObject({ id: made.id, description: "Still here", guild_id: guildId });
  expect(server.exchanges.slice(-2).map(({ status }) => status)).toEqual([201, 200]);
  expect(await commands.editGuildCommand(server.bot.id, guildId, made.id, { name: "moved" })).toMatchObject({
    name: "moved",
  });
  expect(await commands.getGuildCommands(server.bot.id, guildId)).toHaveLength(1);
  await commands.deleteGuildCommand(server.bot.id, guildId, made.id);
  expect(await refusalOf(commands.getGuildCommand(server.bot.id, guildId, made.id))).toMatchObject({ code: 10063 });
  const bad = commands.createGlobalCommand(server.bot.id, { name: "Not Allowed", description: "" });
  expect(await refusalOf(bad)).toMatchObject({ code: 50035, errors: { name: {}, description: {} } });
  expect(await commands.getGlobalCommands(server.bot.id)).toHaveLength(2);
});
