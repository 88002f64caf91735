import type { Person, Sandbox } from "../../../sandbox/index.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import type { SandboxCommunity, SeenAction, SeenOutcome } from "./sandbox-community.ts";
import { nameOf, toSeenCommand, toSeenCommunity, toSeenFields, toSeenMessage } from "./to-seen.ts";

const PAGE_SIZE = 100;

/** The console's port to the embedded sandbox. A person sees and does only what the sandbox lets them. */
export function toSandboxCommunity(sandbox: Pick<Sandbox, "as" | "community" | "world">): SandboxCommunity {
  const as = (actor: UserId) => refused(() => sandbox.as(actor));
  return {
    people() {
      const { members } = sandbox.community.guild;
      return [...sandbox.world.users.values()]
        .filter(({ bot }) => !bot)
        .map(({ id, username, globalName }) => ({
          id: id as UserId,
          name: members.get(id)?.nick ?? globalName ?? username,
        }))
        .sort((one, other) => one.name.localeCompare(other.name));
    },
    messages(actor, channelId, before) {
      const { view } = as(actor);
      const page = { limit: PAGE_SIZE, ...(before !== undefined && { before }) };
      const messages = refused(() => view.messages(channelId, page)).toReversed();
      return {
        messages: messages.map((message) => toSeenMessage(sandbox.world, as(actor), message)),
        isStart: messages.length < PAGE_SIZE,
      };
    },
    commands: (actor, channelId) => refused(() => as(actor).view.commands(channelId)).flatMap(toSeenCommand),
    file(actor, { channelId, messageId, fileId }) {
      const message = refused(() => as(actor).view.message(channelId, messageId));
      const file = message?.more?.attachments?.find(({ id }) => id === fileId);
      if (!file) throw notFound();
      return typeof file.bytes === "function" ? file.bytes() : file.bytes;
    },
    act: (actor, action) => act(sandbox, as(actor), action),
    follow(actor, listener) {
      const { world } = sandbox;
      const person = as(actor);
      let last = "";
      const look = () => {
        const community = toSeenCommunity(world, person);
        const text = JSON.stringify(community);
        if (text !== last) listener({ kind: "community", community });
        last = text;
      };
      look();
      return person.view.listen((event) => {
        switch (event.kind) {
          case "channels":
            return look();
          case "message":
            return listener({ kind: "message", message: toSeenMessage(world, person, event.message) });
          case "deleted":
            return listener(event);
          case "typing":
            return listener({ kind: "typing", channelId: event.channelId, name: nameOf(world, event.userId) });
        }
      });
    },
  };
}

async function act(sandbox: Pick<Sandbox, "world">, person: Person, action: SeenAction): Promise<SeenOutcome> {
  if (action.kind === "dm") return { kind: "done", channelId: refused(() => person.openDm(action.botId)).id };
  const interaction = refused(() => begin(sandbox, person, action));
  const answer = await interaction?.answered;
  switch (answer?.kind) {
    case "modal":
      return {
        kind: "form",
        interactionId: interaction?.id ?? "",
        title: answer.modal.title,
        fields: toSeenFields(answer.modal.components),
      };
    case "choices":
      return {
        kind: "choices",
        choices: answer.choices.map(({ name, value }) => ({ label: name, value: String(value) })),
      };
    case "failed":
      throw new EarshotError("unavailable", `${answer.reason}.`);
    default:
      return { kind: "done" };
  }
}

/** The interaction that the action opens, if any. */
function begin({ world }: Pick<Sandbox, "world">, person: Person, action: SeenAction) {
  const message = "messageId" in action ? { id: action.messageId, channelId: action.channelId } : null;
  switch (action.kind) {
    case "dm":
      return null;
    case "say": {
      const { replyTo, channelId, text } = action;
      if (replyTo === undefined) person.say(channelId, text);
      else person.reply({ id: replyTo, channelId }, text);
      return null;
    }
    case "post":
      person.post(action.channelId, action.title, { what: action.text });
      return null;
    case "run":
      return person.run(action.command, action.options, { in: action.channelId, bot: action.botId });
    case "suggest": {
      const { command, options, channelId, botId, focused } = action;
      return person.suggest(command, options, { in: channelId, bot: botId, focused });
    }
    case "menu": {
      const { target, channelId: place, command, botId } = action;
      const at =
        "messageId" in target ? { id: target.messageId, channelId: place } : { person: target.personId, in: place };
      return person.menu(command, at, botId);
    }
    case "submit": {
      const opener = world.interactions.get(action.interactionId);
      if (!opener || opener.userId !== person.id) throw notFound();
      return person.fillModal(opener, toFilled(opener.modal?.components ?? [], action.values));
    }
  }
  if (!message) return null;
  switch (action.kind) {
    case "edit":
      person.edit(message, action.text);
      return null;
    case "delete":
      person.delete(message);
      return null;
    case "react":
      if (action.isRemoved) person.unreact(message, action.emoji);
      else person.react(message, action.emoji);
      return null;
    case "thread":
      person.openThread({ on: message }, action.title);
      return null;
    case "press":
      return action.values ? person.select(message, action.id, action.values) : person.click(message, action.id);
  }
}

/** A menu in a form takes a list of values. */
function toFilled(components: readonly unknown[], values: Readonly<Record<string, string>>) {
  const menus = new Set(toSeenFields(components).flatMap(({ id, choices }) => (choices.length > 0 ? [id] : [])));
  return Object.fromEntries(Object.entries(values).map(([id, value]) => [id, menus.has(id) ? [value] : value]));
}

/** Turns the sandbox's refusals into errors of the console: hidden things look absent. */
function refused<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof Error && cause.name === "DiscordError" && "status" in cause && "code" in cause)) throw cause;
    if (cause.status === 404 || cause.code === MISSING_ACCESS) throw notFound();
    if (cause.status === 403) throw new EarshotError("forbidden", "This person may not do that here.", { cause });
    const problems = "errors" in cause ? leavesOf(cause.errors).join(" ") : "";
    throw new EarshotError("invalid", problems || `${cause.message}.`, { cause });
  }
}

const MISSING_ACCESS = 50001;
const notFound = () => new EarshotError("not_found", "This is not there, or this person cannot see it.");

function leavesOf(tree: unknown): string[] {
  if (Array.isArray(tree)) return tree.map(({ message }: { message: string }) => message);
  return typeof tree === "object" && tree !== null ? Object.values(tree).flatMap(leavesOf) : [];
}
