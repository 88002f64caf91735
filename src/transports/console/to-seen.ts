import type { Person, Sandbox } from "../../../sandbox/index.ts";
import type {
  SeenChannel,
  SeenCommand,
  SeenCommunity,
  SeenField,
  SeenMessage,
  SeenOption,
  SeenPart,
} from "./sandbox-community.ts";

type World = Sandbox["world"];
type ChannelRecord = ReturnType<Person["view"]["channel"]>;
type MessageRecord = ReturnType<Person["say"]>;
type UsableCommand = ReturnType<Person["view"]["commands"]>[number];

/** By Discord's channel type. */
const CHANNEL_KINDS: Readonly<Record<number, SeenChannel["kind"]>> = {
  ...{ 0: "text", 1: "dm", 2: "voice", 4: "category", 5: "announcement", 13: "voice", 15: "forum", 16: "forum" },
  ...{ 10: "thread", 11: "thread", 12: "private_thread" },
};
const NOTICES: Readonly<Record<number, SeenMessage["notice"]>> = {
  ...{ 0: null, 19: null, 20: null, 21: null, 23: null },
  ...{ 6: "pinned", 7: "joined", 18: "thread" },
};
const OPTION_KINDS: Readonly<Record<number, SeenOption["kind"]>> = {
  ...{
    3: "text",
    4: "number",
    5: "boolean",
    6: "person",
    7: "channel",
    8: "role",
    9: "person",
    10: "number",
    11: "file",
  },
};
const [SUBCOMMAND, SUBCOMMAND_GROUP] = [1, 2];
const LOADING = 1 << 7;
const HAS_THREAD = 1 << 5;
const MAX_QUOTED_LENGTH = 120;

/** The name displayed in a server, or in DMs. */
export function nameOf(world: World, userId: string, guildId: string | null = null): string {
  const user = world.users.get(userId);
  const guild = guildId === null ? undefined : world.guilds.get(guildId);
  return guild?.members.get(userId)?.nick ?? user?.globalName ?? user?.username ?? userId;
}

/** Everyone who shares a server or DM with the person, and the channels that the person can see. */
export function toSeenCommunity(world: World, { id, view }: Person): SeenCommunity {
  const channels = view.channels();
  const guilds = [...world.guilds.values()].filter(({ members }) => members.has(id));
  const people = new Map<string, string>();
  for (const { recipients } of channels) for (const each of recipients) people.set(each, nameOf(world, each));
  for (const { id: guildId, members } of guilds)
    for (const each of members.keys()) people.set(each, nameOf(world, each, guildId));
  return {
    channels: channels.map((channel) => toSeenChannel(world, id, channel, view.maySpeak(channel.id))),
    people: [...people].map(([each, name]) => ({ id: each, name, isBot: world.users.get(each)?.bot ?? false })),
    roles: guilds.flatMap(({ roles }) => [...roles.values()].map((role) => ({ id: role.id, name: role.name }))),
  };
}

function toSeenChannel(world: World, viewerId: string, channel: ChannelRecord, maySpeak: boolean): SeenChannel {
  const others = channel.recipients.filter((each) => each !== viewerId).map((each) => nameOf(world, each));
  return {
    id: channel.id,
    kind: CHANNEL_KINDS[channel.type] ?? "text",
    name: channel.guildId === null ? others.join(", ") : channel.name,
    topic: channel.topic,
    server: world.guildOf(channel)?.name ?? null,
    parentId: channel.parentId,
    position: channel.position,
    isArchived: channel.thread?.archived ?? false,
    maySpeak,
  };
}

export function toSeenMessage(world: World, { id: viewerId, view }: Person, message: MessageRecord): SeenMessage {
  const { more } = message;
  const guildId = world.channels.get(message.channelId)?.guildId ?? null;
  const name = (userId: string) => nameOf(world, userId, guildId);
  const { reference, interaction } = more ?? {};
  const original =
    reference?.type === 0 && reference.messageId !== null
      ? view
          .channels()
          .find(({ id }) => id === reference.channelId)
          ?.messages.get(reference.messageId)
      : undefined;
  return {
    id: message.id,
    channelId: message.channelId,
    authorId: message.authorId,
    author: more?.webhook?.name ?? name(message.authorId),
    isBot: more?.webhook !== undefined || (world.users.get(message.authorId)?.bot ?? false),
    at: message.timestamp,
    isEdited: message.editedAt !== null,
    text: message.content,
    notice: message.type in NOTICES ? (NOTICES[message.type] ?? null) : "other",
    isEphemeral: more?.ephemeralFor !== undefined,
    isThinking: Boolean(message.flags & LOADING),
    replyTo: original
      ? {
          author: original.more?.webhook?.name ?? name(original.authorId),
          text: original.content.slice(0, MAX_QUOTED_LENGTH),
        }
      : null,
    command: interaction?.name ? { person: name(interaction.userId), name: interaction.name } : null,
    cards: toCards(message),
    files: [more, ...(more?.snapshots ?? []).map((snapshot) => snapshot.more)].flatMap((part) =>
      (part?.attachments ?? []).map(({ id, filename, size }) => ({ id, name: filename, bytes: size })),
    ),
    rows: (more?.components ?? []).map((component) => [...toParts(component)]).filter((row) => row.length > 0),
    reactions: [...(more?.reactions?.values() ?? [])].map(({ emoji, users }) => ({
      emoji: emoji.name,
      count: users.size,
      isMine: users.has(viewerId),
    })),
    threadId: message.flags & HAS_THREAD ? message.id : null,
  };
}

function toCards({ more }: MessageRecord): SeenMessage["cards"] {
  const { embeds = [], snapshots = [], stickers = [], poll } = more ?? {};
  const fieldsOf = ({ fields = [] }: (typeof embeds)[number]) =>
    fields.map(({ name, value }) => `**${name}**\n${value}`);
  return [
    ...snapshots.map(({ content }) => ({ kind: "forward" as const, title: "", text: content })),
    ...embeds.map((embed) => ({
      kind: "embed" as const,
      title: embed.title ?? "",
      text: [embed.description ?? "", ...fieldsOf(embed), embed.footer?.text ?? ""].filter(Boolean).join("\n"),
    })),
    ...(poll ? [{ kind: "poll" as const, title: poll.question, text: votesOf(poll).join("\n") }] : []),
    ...stickers.map(({ name }) => ({ kind: "sticker" as const, title: name, text: "" })),
  ];
}

function votesOf({ answers, votes }: NonNullable<NonNullable<MessageRecord["more"]>["poll"]>): string[] {
  return answers.map(({ id, text }) => `${text}: ${votes.get(id)?.size ?? 0}`);
}

type Node = Readonly<Record<string, unknown>>;

/** A component, or what it contains. */
function* toParts(component: object): Generator<SeenPart> {
  const node = component as Node;
  const text = (key: string) => (typeof node[key] === "string" ? node[key] : "");
  const isDisabled = node["disabled"] === true;
  const emoji = (node["emoji"] as { name?: string } | undefined)?.name ?? "";
  if (text("content")) yield { kind: "text", text: text("content") };
  else if (/^https?:\/\//.test(text("url")))
    yield { kind: "link", label: text("label") || text("url"), url: text("url") };
  else if (Array.isArray(node["options"]))
    yield { kind: "menu", id: text("custom_id"), label: text("placeholder"), choices: toChoices(node), isDisabled };
  else if (text("custom_id"))
    yield { kind: "button", id: text("custom_id"), label: [emoji, text("label")].join(" ").trim(), isDisabled };
  for (const child of childrenOf(node)) yield* toParts(child);
}

function childrenOf(node: Node): object[] {
  const children = [...(Array.isArray(node["components"]) ? node["components"] : []), node["accessory"]];
  return children.filter((child): child is object => typeof child === "object" && child !== null);
}

function toChoices(node: Node): { label: string; value: string; isDefault: boolean }[] {
  const all = Array.isArray(node["options"]) ? (node["options"] as Node[]) : [];
  return all.map((one) => ({
    label: String(one["label"]),
    value: String(one["value"]),
    isDefault: one["default"] === true,
  }));
}

export function toSeenFields(components: readonly unknown[]): SeenField[] {
  return (components as Node[]).flatMap((wrapper) => {
    // An older form has rows of one field each, a newer one labels.
    const field = (wrapper["component"] ?? (wrapper["components"] as Node[] | undefined)?.[0]) as Node | undefined;
    if (typeof field?.["custom_id"] !== "string") return [];
    const choices = toChoices(field);
    return {
      id: field["custom_id"],
      label: String(wrapper["label"] ?? field["label"] ?? ""),
      value: choices.find(({ isDefault }) => isDefault)?.value ?? String(field["value"] ?? ""),
      isLong: field["style"] === 2,
      isRequired: field["required"] !== false,
      maxLength: Number(field["max_length"] ?? 4_000),
      choices,
    };
  });
}

const COMMAND_KINDS: Readonly<Record<number, SeenCommand["kind"]>> = { 1: "slash", 2: "person", 3: "message" };

/** A command, or each of its subcommands. */
export function toSeenCommand({ application, command }: UsableCommand): SeenCommand[] {
  const kind = COMMAND_KINDS[command.type];
  if (!kind) return [];
  const flatten = (name: string, { description, options = [] }: Described): SeenCommand[] => {
    const branches = options.filter(({ type }) => type === SUBCOMMAND || type === SUBCOMMAND_GROUP);
    if (branches.length > 0) return branches.flatMap((branch) => flatten(`${name} ${branch.name}`, branch));
    return [{ kind, name, about: description, botId: application.botId, options: options.map(toSeenOption) }];
  };
  return flatten(command.name, command as Described);
}

interface Described {
  readonly description: string;
  readonly options?: readonly DescribedOption[];
}
interface DescribedOption extends Described {
  readonly type: number;
  readonly name: string;
  readonly required?: boolean;
  readonly autocomplete?: boolean;
  readonly choices?: readonly { readonly name: string; readonly value: string | number }[];
}

function toSeenOption({
  type,
  name,
  description,
  required = false,
  autocomplete = false,
  choices = [],
}: DescribedOption) {
  return {
    name,
    about: description,
    kind: OPTION_KINDS[type] ?? "text",
    isRequired: required,
    choices: choices.map((choice) => ({ label: choice.name, value: String(choice.value) })),
    suggests: autocomplete,
  };
}
