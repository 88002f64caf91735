import { onTestFinished } from "vitest";
import type { InteractionRecord, MessageRecord } from "../../sandbox/world/records.ts";
import type { MessageId } from "../../src/domain/ids.ts";
import type { Confirmation } from "../../src/policy/confirmations.ts";
import { SCOPES } from "../../src/policy/grant.ts";
import type { OpenRequest } from "../../src/policy/operations.ts";
import { Reviews } from "../../src/transports/discord/reviews.ts";
import { until } from "../support/edge.ts";
import { openTestGate, type TestGateOptions } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";

/** Sarah asks in #general; what others wrote there is read; something is to be said on the pier. */
export async function openHarbour(options: TestGateOptions = {}) {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const waiting: Confirmation[] = [];
  const logged: string[] = [];
  const note = (_fields: object, message: string) => void logged.push(message);
  const log = { debug: note, info: note, warn: note, error: note };
  const asking = Promise.withResolvers<Reviews>();
  const test = await openTestGate(sandbox, {
    ...options,
    async onConfirmation(confirmation) {
      waiting.push(confirmation);
      return (await asking.promise).ask(confirmation);
    },
  });
  const reviews = new Reviews({ discord: test.edge.discord, core: () => test, log });
  onTestFinished(() => reviews.close());
  asking.resolve(reviews);

  const { id, settle } = test;
  const sarah = sandbox.as("sarah");
  const said = (channel: string): MessageRecord[] => [...(sandbox.world.channels.get(id(channel))?.messages ?? [])];
  const saidByBot = (channel: string) => said(channel).filter(({ authorId }) => authorId === test.edge.discord.botId);

  /** An operation of Sarah's that has read what Mark wrote. */
  async function ask(more: Partial<OpenRequest> = {}) {
    sandbox.as("mark").say("general", "the tide turns at four");
    const { id: asking } = sarah.say("general", "tell them on the pier");
    await settle();
    const operation = await test.open(
      "sarah",
      "general",
      { mentions: true, scopes: [...SCOPES] },
      { messageId: asking as MessageId, ...more },
    );
    await test.gate.callTool({ name: "discord.channel.messages", args: { channel_id: id("general") }, operation });
    const act = (name: string, args: object) => test.gate.callTool({ name, args, operation });
    return { asking, operation, act };
  }

  /** Has something wait, and finds the button that asks for it. */
  async function prompt(args: object, { name = "discord.send", more = {} as Partial<OpenRequest> } = {}) {
    const asked = await ask(more);
    const everything = () => [...sandbox.world.channels.values()].flatMap(({ messages }) => [...messages]);
    const again = () => asked.act(name, name.startsWith("discord.") ? { channel_id: id("pier"), ...args } : args);
    const problem = await again().then(String, (error: { code: string }) => error.code);
    if (problem !== "confirmation_needed") throw new Error(`nothing waits: ${problem}`);
    const find = () => everything().findLast((one) => buttonsOf(one).length > 0);
    const message = await until(find, `nobody was asked; logged: ${logged.join(", ")}`);
    return { ...asked, again, message, button: buttonId(message, "Review") };
  }

  /** Sarah presses "Review" and gets to see it all. */
  async function review(message: MessageRecord) {
    const click = sarah.click(message, buttonId(message, "Review"));
    const last = await until(
      () => [...click.ephemeral.values()].find((one) => buttonsOf(one).length > 0),
      "the review was not shown to its end",
    );
    return { notes: [...click.ephemeral.values()], last };
  }

  return { ...test, sarah, said, saidByBot, ask, prompt, review, waiting, logged, reviews };
}

export interface ShownButton {
  readonly label: string;
  readonly custom_id: string;
}

export function buttonsOf({ more }: MessageRecord): ShownButton[] {
  return (more?.components ?? []).flatMap((row) =>
    "components" in row ? (row.components as unknown as ShownButton[]) : [],
  );
}

export function buttonId(message: MessageRecord, label: string): string {
  const button = buttonsOf(message).find((one) => one.label === label);
  if (!button) throw new Error(`there is no button "${label}"`);
  return button.custom_id;
}

/** What a click was answered with, once it says something. */
export async function whispered(click: InteractionRecord): Promise<string> {
  const { content, more } = await click.spoken;
  if (more?.ephemeralFor !== click.userId) throw new Error("everybody was told");
  return content;
}
