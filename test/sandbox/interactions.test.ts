import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ButtonStyle,
  ComponentType,
  MessageFlags,
  TextInputStyle,
} from "discord-api-types/v10";
import { expect, it } from "vitest";
import type { JourneyClient, SeenInteraction } from "../support/journey-client.ts";
import { type Arrival, journeys } from "../support/journeys.ts";

const ASK_BUTTON = {
  type: ComponentType.ActionRow as const,
  components: [
    { type: ComponentType.Button as const, style: ButtonStyle.Primary as const, label: "More", custom_id: "more" },
  ],
};

const DETAILS_MODAL = {
  custom_id: "details",
  title: "Details",
  components: [
    {
      type: ComponentType.Label as const,
      label: "Which boat?",
      component: { type: ComponentType.TextInput as const, custom_id: "boat", style: TextInputStyle.Short },
    },
  ],
};

async function register({ sandbox, client }: Arrival): Promise<string> {
  const { id } = sandbox.as("earshot");
  await client.api.applicationCommands.bulkOverwriteGlobalCommands(id, [
    {
      name: "ask",
      description: "Ask about the quay",
      options: [
        {
          type: ApplicationCommandOptionType.String,
          name: "question",
          description: "What?",
          required: true,
          autocomplete: true,
        },
      ],
    },
    { name: "What led up to this?", type: ApplicationCommandType.Message },
  ]);
  return id;
}

function seenInteraction(client: JourneyClient, name: string): Promise<SeenInteraction> {
  return client.seen.find("interaction", (one) => one.name === name);
}

journeys("interactions", (arrive) => {
  it("lead from a command to a button, to a modal and back", async () => {
    const { sandbox, client } = await arrive();
    await register({ sandbox, client });
    const sarah = sandbox.as("sarah");

    const asked = sarah.run("ask", { question: "Where is Tern?" }, { in: "general" });
    const command = await seenInteraction(client, "ask");
    expect(command).toMatchObject({ userId: sarah.id, values: { question: "Where is Tern?" } });
    await client.api.interactions.reply(command.id, command.token, { content: "Which one?", components: [ASK_BUTTON] });
    const question = await asked.spoken;
    expect(question.content).toBe("Which one?");

    const clicked = sarah.click(question, "more");
    const click = await seenInteraction(client, "more");
    await client.api.interactions.createModal(click.id, click.token, DETAILS_MODAL);
    expect(await clicked.answered).toMatchObject({ kind: "modal" });

    const filled = sarah.fillModal(clicked, { boat: "the blue one" });
    const modal = await seenInteraction(client, "details");
    expect(modal.values).toMatchObject({ boat: "the blue one" });
    await client.api.interactions.reply(modal.id, modal.token, { content: "At the pier." });
    expect((await filled.spoken).content).toBe("At the pier.");
  });

  it("can be deferred, answered and followed up for one person only", async () => {
    const { sandbox, client } = await arrive();
    const applicationId = await register({ sandbox, client });
    const asked = sandbox.as("sarah").run("ask", { question: "Secrets?" }, { in: "general" });
    const { id, token } = await seenInteraction(client, "ask");
    await client.api.interactions.defer(id, token);
    expect(await asked.answered).toMatchObject({ kind: "deferred" });
    await client.api.interactions.editReply(applicationId, token, { content: "None." });
    expect((await asked.spoken).content).toBe("None.");
    const followUp = await client.api.interactions.followUp(applicationId, token, {
      content: "Well, one.",
      flags: MessageFlags.Ephemeral,
    });
    const whispered = await client.seen.find("message", (message) => message.id === followUp.id);
    expect(whispered.flags & MessageFlags.Ephemeral).toBeTruthy();
    const history = await client.api.channels.getMessages(asked.channelId, {});
    expect(history.map(({ content }) => content)).toContain("None.");
    expect(history.map((message) => message.id)).not.toContain(followUp.id);
  });

  it("include suggestions for an option", async () => {
    const { sandbox, client } = await arrive();
    await register({ sandbox, client });
    const typing = sandbox.as("sarah").suggest("ask", { question: "wh" }, { in: "general", focused: "question" });
    const { id, token } = await client.seen.find("interaction");
    const choices = [{ name: "Where is Tern?", value: "where" }];
    await client.api.interactions.createAutocompleteResponse(id, token, { choices });
    expect(await typing.answered).toEqual({ kind: "choices", choices });
  });

  it("include the message that a menu was opened on", async () => {
    const { sandbox, client } = await arrive();
    await register({ sandbox, client });
    const said = sandbox.as("mark").say("general", "and that is why it sank");
    const asked = sandbox.as("sarah").menu("What led up to this?", said);
    const { id, token, target } = await seenInteraction(client, "What led up to this?");
    expect(target).toBe("and that is why it sank");
    await client.api.interactions.reply(id, token, { content: "A hole.", flags: MessageFlags.Ephemeral });
    expect(await asked.answered).toMatchObject({ kind: "message" });
    await expect(client.api.interactions.reply(id, token, { content: "Again" })).rejects.toMatchObject({ code: 40060 });
  });

  it("fail for the person when nobody answers within three seconds", async () => {
    const { sandbox, client } = await arrive();
    await register({ sandbox, client });
    const asked = sandbox.as("sarah").run("ask", { question: "Hello?" }, { in: "general" });
    expect(await asked.answered).toEqual({ kind: "failed", reason: "The application did not respond" });
    const { id, token } = await seenInteraction(client, "ask");
    await expect(client.api.interactions.reply(id, token, { content: "Late" })).rejects.toMatchObject({ code: 10062 });
  });

  it("are sent only to the application they belong to", async () => {
    const { sandbox, client } = await arrive({}, {});
    await register({ sandbox, client });
    const gabriel = sandbox.as("gabriel");
    expect(() => sandbox.as("sarah").run("ask", { question: "You?" }, { in: "general", bot: gabriel.id })).toThrow(
      "Unknown application command",
    );
    expect(client.seen.of("interaction")).toEqual([]);
  });
});
