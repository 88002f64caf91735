import { z } from "zod";
import { idSchema } from "../domain/id-schema.ts";
import type { GuildId, UserId } from "../domain/ids.ts";
import type { LinePiece } from "../domain/text/untrusted-block.ts";
import { defineTool } from "./define-tool.ts";
import { cursor } from "./fields.ts";

const NOT_ALL =
  "Not all members there are known: these are people who spoke where it can be read, or whose name begins so. Nobody's roles are known.";

const personSchema = z.object({
  user_id: idSchema<UserId>(),
  name: z.string(),
  other_names: z.array(z.string()).describe("Display name and username, where they differ from the name"),
  bot: z.boolean(),
  roles: z.array(z.string()).describe("The highest first"),
  guild: z.string().nullable().describe("Where they have that name and those roles; null where one server was asked"),
});

export const listPeople = defineTool({
  name: "directory.people",
  about: "People and bots of a server with names and roles: who is the treasurer?",
  examples: ["Who is the treasurer?", "Which moderators does this server have?", "Who has the crew role?"],
  effect: "read",
  scope: "directory:read",
  toolset: "discord",
  input: z.strictObject({
    query: z.string().max(200).optional().describe("Part of a name or role"),
    role: z.string().min(1).max(200).optional().describe("Only its holders"),
    server: z.string().min(1).max(200).optional().describe("Name or id; all without"),
    limit: z.int().min(1).max(100).default(25).describe("How many; people"),
    cursor: cursor.optional(),
  }),
  limitField: "limit",
  output: z.object({
    guild_id: idSchema<GuildId>().nullable().describe("Null where several servers were asked"),
    guild: z.string().nullable(),
    people: z.array(personSchema),
    complete: z.boolean().describe("All members are known, with their roles"),
    has_more: z.boolean(),
    cursor: z.string().nullable(),
    note: z.string().nullable().describe("To be passed on to the person asking"),
  }),
  toBlock: ({ guild, people, note, cursor: next }) => ({
    label: {
      kind: guild === null ? "people of your servers" : "people of the server",
      name: guild,
      from: null,
      to: null,
    },
    items: people.map((person) => ({ kind: "line", pieces: toPieces(person) })),
    dropFrom: "end",
    cursor: next,
    notes: note === null ? [] : [note],
    empty: "Nobody there fits that.",
  }),
  async run({ query, role, server, limit, cursor: from }, view) {
    const page = await view.people.list({
      limit,
      ...(query !== undefined && { query }),
      ...(role !== undefined && { role }),
      ...(server !== undefined && { server }),
      ...(from !== undefined && { cursor: from }),
    });
    return {
      guild_id: page.guild?.id ?? null,
      guild: page.guild?.name ?? null,
      people: page.people.map(({ id, names: [name = "", ...others], bot, roles, guild }) => ({
        user_id: id,
        name,
        other_names: others,
        bot,
        roles: [...roles],
        guild: page.guild ? null : guild.name,
      })),
      complete: page.isComplete,
      has_more: page.next !== null,
      cursor: page.next,
      note: page.isComplete ? null : NOT_ALL,
    };
  },
});

function toPieces({ user_id, name, other_names, bot, roles, guild }: z.output<typeof personSchema>): LinePiece[] {
  const list = (names: readonly string[]) =>
    names.flatMap((one, index): LinePiece[] => [index === 0 ? "" : ", ", { name: one }]);
  return [
    { name },
    ...(other_names.length > 0 ? [", also ", ...list(other_names)] : []),
    ` (${bot ? "bot, " : ""}id ${user_id})`,
    ...(guild === null ? [] : [" in ", { name: guild }]),
    ...(roles.length > 0 ? [": ", ...list(roles)] : []),
  ];
}
