import { z } from "zod";
import { findEphemeral } from "../actions/interactions/use-component.ts";
import { nearestNames } from "../driver/nearest-names.ts";
import type { Person } from "../driver/person.ts";
import { walkComponents } from "../render/components.ts";
import type { MessageRecord } from "../world/records.ts";
import { action, type ControlActions, type ControlDeps, name, timeoutMs } from "./control-action.ts";
import { ControlError } from "./control-error.ts";
import { showAnswer } from "./show-answer.ts";
import { file, toAttachment } from "./speech.ts";
import { toTypedOptions } from "./typed-options.ts";

const values = z.record(z.string().max(100), z.union([z.string().max(6_000), z.number(), z.boolean()]));
/** Discord takes a first answer for three seconds. */
const answerTimeoutMs = timeoutMs.default(5_000);

/** People use commands, buttons, menus and forms; each is answered with what the bot answers. */
export const INTERACTION_ACTIONS: ControlActions = {
  run: action(
    z.strictObject({
      as: name,
      // A subcommand follows after a space, as one types it.
      command: name,
      options: values.default({}),
      // By the option that they are for.
      files: z.record(z.string().max(100), file).default({}),
      // The direct messages with the bot when absent.
      in: name.optional(),
      bot: name.optional(),
      timeout_ms: answerTimeoutMs,
    }),
    ({ as, command, options, files: given, in: channel, bot, timeout_ms }, deps) => {
      const { names, world } = deps;
      const person = deps.as(as);
      const guildId = channel === undefined ? null : names.channel(channel).guildId;
      const typed = toTypedOptions(names.bot(bot), { command, options, guildId }, names);
      const files = Object.fromEntries(Object.entries(given).map(([option, one]) => [option, toAttachment(one)]));
      const place = { files, ...(channel !== undefined && { in: channel }), ...(bot !== undefined && { bot }) };
      return showAnswer(world, person.run(command, typed, place), timeout_ms);
    },
  ),
  suggest: action(
    z.strictObject({
      as: name,
      in: name,
      command: name,
      // The option being typed, and all that is typed so far.
      focused: name,
      options: values.default({}),
      bot: name.optional(),
      timeout_ms: answerTimeoutMs,
    }),
    ({ as, in: channel, command, focused, options, bot, timeout_ms }, deps) => {
      const { names, world } = deps;
      const { [focused]: typing = "", ...others } = options;
      const typed = toTypedOptions(
        names.bot(bot),
        { command, options: others, guildId: names.channel(channel).guildId },
        names,
      );
      const place = { in: channel, focused, ...(bot !== undefined && { bot }) };
      // Discord sends what is being typed as text, whatever the type of the option.
      const interaction = deps.as(as).suggest(command, { ...typed, [focused]: String(typing) }, place);
      return showAnswer(world, interaction, timeout_ms);
    },
  ),
  menu: action(
    z.strictObject({
      as: name,
      command: name,
      // In the menu of a message, or of a person who is seen in a channel.
      message_id: name.optional(),
      person: name.optional(),
      in: name.optional(),
      bot: name.optional(),
      timeout_ms: answerTimeoutMs,
    }),
    ({ as, command, message_id: id, person, in: channel, bot, timeout_ms }, deps) => {
      if ((id === undefined) === (person === undefined || channel === undefined))
        throw new ControlError(
          400,
          "invalid",
          "Name either a `message_id`, or a `person` and the channel that they are seen `in`.",
        );
      const target = id === undefined ? { person: person ?? "", in: channel ?? "" } : deps.names.message(id);
      return showAnswer(deps.world, deps.as(as).menu(command, target, bot), timeout_ms);
    },
  ),
  press: action(
    z.strictObject({
      as: name,
      message_id: name,
      // By what it says, or by its `custom_id`.
      label: name.optional(),
      custom_id: name.optional(),
      // The choices, in a menu.
      values: z.array(name).max(25).optional(),
      timeout_ms: answerTimeoutMs,
    }),
    ({ as, message_id: id, label, custom_id, values: chosen, timeout_ms }, deps) => {
      const person = deps.as(as);
      const message = findMessage(deps, person, id);
      const customId = findComponent(message, label, custom_id);
      const interaction = chosen ? person.select(message, customId, chosen) : person.click(message, customId);
      return showAnswer(deps.world, interaction, timeout_ms);
    },
  ),
  submit: action(
    z.strictObject({
      as: name,
      interaction_id: name,
      values: z.record(z.string().max(100), z.union([z.string().max(4_000), z.array(z.string().max(100)).max(25)])),
      timeout_ms: answerTimeoutMs,
    }),
    ({ as, interaction_id: id, values: filled, timeout_ms }, deps) => {
      const opener = deps.world.interactions.get(id);
      if (!opener?.modal) throw new ControlError(404, "unknown", `No form is open for the interaction "${id}".`);
      return showAnswer(deps.world, deps.as(as).fillModal(opener, filled), timeout_ms);
    },
  ),
};

function findMessage({ world, names }: ControlDeps, person: Person, id: string): MessageRecord {
  const ephemeral = findEphemeral(world, person.id, id);
  if (ephemeral) return ephemeral;
  const { channelId, id: messageId } = names.message(id);
  const message = world.channels.get(channelId)?.messages.get(messageId);
  if (!message) throw new ControlError(404, "unknown", `There is no message "${id}".`);
  return message;
}

function findComponent(message: MessageRecord, label: string | undefined, customId: string | undefined): string {
  const usable = [...walkComponents(message.more?.components ?? [])].filter((one) => one["custom_id"] !== undefined);
  const wanted = customId ?? label ?? "";
  const found = usable.find((one) => one[customId === undefined ? "label" : "custom_id"] === wanted);
  if (found) return String(found["custom_id"]);
  const known = usable.map((one) => String(one[customId === undefined ? "label" : "custom_id"] ?? one["custom_id"]));
  const problem = known.length > 0 ? `Those of the message are: ${known.join(", ")}.` : "The message has none.";
  const what = `There is no button or menu "${wanted}".`;
  throw new ControlError(404, "unknown", `${what} ${problem}`, nearestNames(wanted, known));
}
