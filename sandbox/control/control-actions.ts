import { z } from "zod";
import { type Names, UnknownName } from "../driver/names.ts";
import { toPermissionNames } from "../driver/permission-names.ts";
import { action, type ControlActions, name, text, timeoutMs } from "./control-action.ts";
import { ControlError } from "./control-error.ts";
import { faultOrder, orderFault } from "./fault-orders.ts";
import { INTERACTION_ACTIONS } from "./interaction-actions.ts";
import { showMessage } from "./show-answer.ts";
import { SPEECH_ACTIONS } from "./speech-actions.ts";
import { waitForBot } from "./wait-for-bot.ts";

const permissions = z.array(name).max(100).optional();
const MAX_ADVANCE_SECONDS = 10 * 365 * 86_400;

/** Everything that can be posted to `/sandbox/<action>`, with its body. */
export const CONTROL_ACTIONS: ControlActions = {
  ...SPEECH_ACTIONS,
  ...INTERACTION_ACTIONS,
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
  join: action(
    // With `new`, a person of this username comes into being.
    z.strictObject({ person: name, new: z.boolean().default(false), guild: name.optional() }),
    ({ person, new: isNew, guild }, { admin, names }) => {
      if (isNew && isPerson(names, person)) {
        const problem = `\`person\`: somebody is called "${person}" already. Choose another name, or leave out \`new\`.`;
        throw new ControlError(400, "invalid", problem);
      }
      const user = isNew ? admin.createPerson(person) : names.person(person);
      admin.addMember(user, guild);
      return { user_id: user };
    },
  ),
  leave: action(z.strictObject({ person: name, guild: name.optional() }), ({ person, guild }, { admin }) => {
    admin.removeMember(person, guild);
    return {};
  }),
  redirects: action(
    z.strictObject({ bot: name.optional(), uris: z.array(z.url().max(512)).max(10) }),
    ({ bot, uris }, { admin, names }) => {
      const { id, clientSecret } = names.bot(bot);
      admin.setRedirects(uris, bot);
      return { client_id: id, client_secret: clientSecret, redirect_uris: uris };
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

function isPerson(names: Names, name: string): boolean {
  try {
    return names.person(name) !== "";
  } catch (error) {
    if (error instanceof UnknownName) return false;
    throw error;
  }
}
