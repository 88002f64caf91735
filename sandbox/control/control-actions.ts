import { z } from "zod";
import { findEphemeral } from "../actions/interactions/use-component.ts";
import type { Admin } from "../driver/admin.ts";
import type { Names } from "../driver/names.ts";
import { nearestNames } from "../driver/nearest-names.ts";
import { toPermissionNames } from "../driver/permission-names.ts";
import type { Person } from "../driver/person.ts";
import type { Faults } from "../faults/faults.ts";
import { walkComponents } from "../render/components.ts";
import type { MessageRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { ControlError } from "./control-error.ts";
import { faultOrder, orderFault } from "./fault-orders.ts";
import { showAnswer, showMessage } from "./show-answer.ts";
import { toTypedOptions } from "./typed-options.ts";
import { waitForBot } from "./wait-for-bot.ts";

/** The sandbox as the control API sees it. */
export interface ControlDeps {
  readonly world: World;
  readonly names: Names;
  readonly admin: Admin;
  readonly faults: Faults;
  as(name: string): Person;
  /** Moves the clock forward; returns the new time. */
  advanceTime(ms: number): number;
  /** Puts everything back as it was at the start, except registered commands. */
  reset(): void;
  /** Aborted when the sandbox is reset or closed. */
  readonly signal: AbortSignal;
}

interface ControlAction {
  readonly request: z.ZodType;
  run(request: unknown, deps: ControlDeps): object | Promise<object>;
}

const name = z.string().min(1).max(100);
const text = z.string().min(1).max(4_000);
const values = z.record(z.string().max(100), z.union([z.string().max(6_000), z.number(), z.boolean()]));
const permissions = z.array(name).max(100).optional();
const timeoutMs = z.int().min(1).max(60_000);
/** Discord takes a first answer for three seconds. */
const answerTimeoutMs = timeoutMs.default(5_000);
const MAX_ADVANCE_SECONDS = 10 * 365 * 86_400;

/** Everything that can be posted to `/sandbox/<action>`, with its body. */
export const CONTROL_ACTIONS: Readonly<Record<string, ControlAction>> = {
  say: action(
    z.strictObject({ as: name, in: name, text, reply_to: name.optional() }),
    ({ as, in: channel, text: content, reply_to: original }, deps) => {
      const reference = original === undefined ? undefined : { messageId: deps.names.message(original).id };
      return addressOf(deps.as(as).say(channel, { content, ...(reference && { reference }) }));
    },
  ),
  dm: action(
    z.strictObject({ as: name, bot: name.optional(), text: text.optional() }),
    ({ as, bot, text: content }, deps) => {
      if (content !== undefined) return addressOf(deps.as(as).dm(content, bot));
      return { channel_id: deps.as(as).openDm(bot).id };
    },
  ),
  edit: action(z.strictObject({ as: name, message_id: name, text }), ({ as, message_id: id, text: content }, deps) =>
    addressOf(deps.as(as).edit(id, content)),
  ),
  delete: action(z.strictObject({ as: name, message_id: name }), ({ as, message_id: id }, deps) => {
    deps.as(as).delete(id);
    return {};
  }),
  react: action(
    z.strictObject({ as: name, message_id: name, emoji: name, remove: z.boolean().default(false) }),
    ({ as, message_id: id, emoji, remove }, deps) => {
      const person = deps.as(as);
      if (remove) person.unreact(id, emoji);
      else person.react(id, emoji);
      return {};
    },
  ),
  run: action(
    z.strictObject({
      as: name,
      // A subcommand follows after a space, as one types it.
      command: name,
      options: values.default({}),
      // The direct messages with the bot when absent.
      in: name.optional(),
      bot: name.optional(),
      timeout_ms: answerTimeoutMs,
    }),
    ({ as, command, options, in: channel, bot, timeout_ms }, deps) => {
      const { names, world } = deps;
      const person = deps.as(as);
      const guildId = channel === undefined ? null : names.channel(channel).guildId;
      const typed = toTypedOptions(names.bot(bot), { command, options, guildId }, names);
      const place = { ...(channel !== undefined && { in: channel }), ...(bot !== undefined && { bot }) };
      return showAnswer(world, person.run(command, typed, place), timeout_ms);
    },
  ),
  menu: action(
    z.strictObject({ as: name, command: name, message_id: name, bot: name.optional(), timeout_ms: answerTimeoutMs }),
    ({ as, command, message_id: id, bot, timeout_ms }, deps) => {
      const { id: known } = deps.names.message(id);
      return showAnswer(deps.world, deps.as(as).menu(command, known, bot), timeout_ms);
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
  roles: action(
    z.strictObject({ person: name, roles: z.array(name).max(250), guild: name.optional() }),
    ({ person, roles, guild }, { admin, names }) => {
      admin.setRoles(person, roles, guild);
      const member = names.guild(guild).members.get(names.person(person));
      return { roles: [...(member?.roles ?? [])] };
    },
  ),
  overwrite: action(
    z.strictObject({
      channel: name,
      // A role, "everyone", or `person:<name>`.
      who: name,
      allow: permissions,
      deny: permissions,
      remove: z.boolean().default(false),
    }),
    ({ channel, who, allow = [], deny = [], remove }, { admin, names }) => {
      if (remove) admin.removeOverwrite(channel, who);
      else admin.setOverwrite(channel, who, { allow: toPermissionNames(allow), deny: toPermissionNames(deny) });
      return {
        overwrites: [...names.channel(channel).overwrites.values()].map((one) => {
          return { id: one.id, type: one.type, allow: String(one.allow), deny: String(one.deny) };
        }),
      };
    },
  ),
  wait: action(
    z.strictObject({
      in: name.optional(),
      bot: name.optional(),
      // From now on when absent.
      after: name.optional(),
      contains: text.optional(),
      timeout_ms: timeoutMs.default(10_000),
    }),
    async ({ in: channel, bot, after, contains, timeout_ms }, { world, names, signal }) => {
      const message = await waitForBot(world, {
        botId: names.bot(bot).botId,
        after: after === undefined ? world.mintId() : names.message(after).id,
        timeoutMs: timeout_ms,
        signal,
        ...(channel !== undefined && { channel: names.channel(channel) }),
        ...(contains !== undefined && { contains }),
      });
      return showMessage(world, message);
    },
  ),
  time: action(
    z.strictObject({ advance_seconds: z.number().positive().max(MAX_ADVANCE_SECONDS) }),
    ({ advance_seconds: seconds }, { advanceTime }) => ({ now: new Date(advanceTime(seconds * 1_000)).toISOString() }),
  ),
  fault: action(faultOrder, (request, { faults }) => {
    orderFault(faults, request);
    return {};
  }),
  reset: action(z.strictObject({}), (_, { reset }) => {
    reset();
    return {};
  }),
};

function action<Schema extends z.ZodType>(
  request: Schema,
  run: (request: z.output<Schema>, deps: ControlDeps) => object | Promise<object>,
): ControlAction {
  return { request, run: (parsed, deps) => run(parsed as z.output<Schema>, deps) };
}

function addressOf({ id, channelId }: Pick<MessageRecord, "id" | "channelId">): object {
  return { message_id: id, channel_id: channelId };
}

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
