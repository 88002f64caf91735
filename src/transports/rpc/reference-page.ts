import { ERRORS } from "../../domain/errors.ts";
import { idSchema } from "../../domain/id-schema.ts";
import { attachmentSchema, messageSchema } from "../../domain/message.ts";
import { factRecordSchema } from "../../domain/rpc/memory-methods.ts";
import type { Description } from "../../domain/rpc/rpc-methods.ts";
import { formatSeconds } from "../../domain/text/format-seconds.ts";
import type { Tool } from "../../tools/define-tool.ts";
import { factSchema, profileSchema } from "../../tools/fact-fields.ts";
import { channelSchema, coverageSchema, readSchema, sourceSchema } from "../../tools/fields.ts";
import { passageSchema } from "../../tools/passage-fields.ts";
import { pictureSchema } from "../../tools/pictures.ts";
import { searchOutput } from "../../tools/search-fields.ts";
import { describeProtocol, toJsonSchema } from "./describe.ts";
import { createMethods } from "./methods.ts";
import { DEFAULT_LIMITS } from "./rpc-limits.ts";
import { SchemaShapes } from "./schema-shapes.ts";

/** The reference page of the protocol, generated from the server's own schemas. */
export function renderReference(tools: readonly Tool[]): string {
  const nobody = () => {
    throw new Error("a page calls nothing");
  };
  const operations = {
    findActor: nobody,
    open: nobody,
    openFor: nobody,
    find: nobody,
    narrow: nobody,
    close: nobody,
    endOf: nobody,
    forgetWordsOf: nobody,
    beganWith: nobody,
    hasBegun: nobody,
  };
  const privacy = { show: nobody, leaveOut: nobody, include: nobody };
  const personMemory = { list: nobody, show: nobody, why: nobody, export: nobody, forget: nobody, erase: nobody };
  const confirmations = { pending: nobody, find: nobody, reject: nobody };
  const gate = {
    tools,
    isFor: nobody,
    callTool: nobody,
    toldIn: nobody,
    tellable: nobody,
    confirmations,
    mayReview: nobody,
    preview: nobody,
    confirm: nobody,
    startOver: nobody,
    hasStartedOver: nobody,
  };
  const methods = createMethods({ gate, operations, privacy, personMemory, describe: nobody });
  const { methods: described, frames, events } = describeProtocol(methods.values());
  return [
    INTRODUCTION,
    "## Frames",
    ...frames.map(({ op, from, about, schema }) =>
      [`### \`${op}\``, `From the ${from}. ${about}`, fold(schema)].join("\n\n"),
    ),
    "## Shapes",
    "What many answers and events are made of. The schemas on this page name them as `#/Message` and so on.",
    ...SHAPES.all().map(({ name, text }) => [`### \`${name}\``, toCode(text)].join("\n\n")),
    "## Methods",
    "Names may be written with a slash after the first part: `discord/channel.messages` is `discord.channel.messages`.",
    ARGUMENTS,
    ...described.map(renderMethod),
    "## Events",
    "On the wire each is `event/` and the name. An event that addresses the agent carries an `operation_id`.",
    ...events.map(({ name, payload }) => [`### \`${name}\``, `${payload["description"]}.`, fold(payload)].join("\n\n")),
    "## Errors",
    "`code` is one of these; `message` says what happened and what to do.",
    table(
      ["Code", "Trying again can help"],
      Object.entries(ERRORS).map(([code, { retry }]) => [`\`${code}\``, retry ? "yes" : "no"]),
    ),
    renderLimits(),
  ]
    .join("\n\n")
    .concat("\n");
}

const INTRODUCTION = `# RPC

<!-- Made by a program from the schemas; changes belong there. -->

One WebSocket, JSON text frames. A client receives events, calls Discord as tools, and gets answers in any order.

\`\`\`
→ {"id":"1","op":"rpc/call","payload":{"method":"discord.channel.messages","args":{"channel":"general","limit":5},"operation_id":"…"}}
← {"id":"s7","op":"rpc/ret","reply_to":"1","payload":{"ok":true,"value":{"messages":[…]}}}
← {"id":"s8","op":"event/discord.message","operation_id":"…","cursor":"…","payload":{"message_id":"…","content":"…"}}
\`\`\`

**Connecting.** Ask for \`/rpc\` with \`Authorization: Bearer <token>\`. Where headers cannot be set, offer the subprotocols
\`earshot.rpc.v1\` and \`earshot.bearer.<token>\`. Without a known token the answer is 401 and nothing else; a web page that is not of this
machine is told 403.

**Operations.** A tool is called within an operation: on behalf of one person, for an answer in one place. An event that addresses the
agent brings an \`operation_id\`; a client whose grant names people may begin one with \`operation.open\`. A client whose grant names one person and nobody else
may leave the \`operation_id\` out of a tool that reads: the call is then a private operation of that person, which ends with the answer.

**Coming back.** Events carry a \`cursor\`. Connect with \`?cursor=\` and the last one received, and what was missed follows; where that is
no longer held, an \`event/gap\` says so. A client that reads slowly gets its events later, and one \`event/gap\` if it falls too far behind.
What has been deleted, edited or lost from sight meanwhile is not told any more.

**Long calls** tell their progress, and end with \`rpc/cancel\`.`;

const ARGUMENTS = `\`rpc.describe\` answers with the JSON Schemas of all arguments. Of those of tools:

- A \`channel\` or \`thread\` is a name, a mention, an id, or the handle of a message in it, such as \`m7\`. What the actor may not read looks absent.
- \`channel_id\`, \`thread_id\`, \`guild_id\` and \`reply_to_message_id\` are other names of \`channel\`, \`thread\`, \`server\` and \`reply_to\`, and a hyphen counts as an
  underscore: \`reply-to-message-id\`.
- \`null\` is the same as leaving an optional argument out.
- A tool that changes nothing brings numbers within their bounds, and says so in \`note\`.`;

function renderMethod({
  name,
  about,
  effect,
  scope,
  within_operation,
  args,
  result,
}: Description["methods"][number]): string {
  const facts = [
    effect === "send" ? "Changes something" : "Changes nothing in Discord",
    ...(within_operation ? ["within an operation"] : []),
    ...(scope === null ? [] : [`scope \`${scope}\``]),
  ];
  const heading = `### \`${name}\``;
  return [heading, `${about} *${facts.join("; ")}.*`, renderFields(args), renderResult(result)].join("\n\n");
}

function renderResult(result: unknown): string {
  const shape = SHAPES.nameOf(result);
  return shape === undefined
    ? fold(result, "JSON Schema of the result")
    : `Returns [\`${shape}\`](#${shape.toLowerCase()}).`;
}

function renderFields({ properties = {}, required = [] }: { properties?: unknown; required?: unknown }): string {
  const needed = new Set(required as string[]);
  const rows = Object.entries(properties as Record<string, Record<string, unknown>>).map(([field, schema]) => [
    `\`${field}\``,
    typeOf(schema),
    needed.has(field) ? "needed" : schema["default"] === undefined ? "" : `\`${JSON.stringify(schema["default"])}\``,
    String(schema["description"] ?? ""),
  ]);
  return rows.length === 0 ? "Takes no arguments." : table(["Argument", "Type", "Default", "Meaning"], rows);
}

function typeOf(schema: Record<string, unknown>): string {
  const { type, enum: choices, items, minimum, maximum, maxLength, maxItems } = schema;
  if (SHAPES.nameOf(schema) === "Id") return "id";
  if (Array.isArray(choices)) return choices.map((choice) => `\`${choice}\``).join(" or ");
  if (type === undefined) return "any JSON";
  const within = maximum === undefined ? "" : `, ${minimum} to ${maximum}`;
  const most = maxItems ?? maxLength;
  const atMost = most === undefined ? "" : `, at most ${most}${type === "string" ? " characters" : ""}`;
  const what = type === "array" ? `list of ${typeOf((items ?? {}) as Record<string, unknown>)}s` : type;
  return `${what}${within}${atMost}`;
}

function renderLimits(): string {
  const { frameBytes, replyBytes, concurrentCalls, framesPerSecond, burst, callMs, heartbeatMs, heldEvents, heldMs } =
    DEFAULT_LIMITS;
  const { unfinishedBytesPerClient, unfinishedBytes } = DEFAULT_LIMITS;
  const mib = (bytes: number) => `${bytes / 1024 / 1024} MiB`;
  return [
    "## Limits",
    table(
      ["What", "How much"],
      [
        ["A frame to the server", mib(frameBytes)],
        [
          "Messages of a client that are not complete yet, and of all clients",
          `${mib(unfinishedBytesPerClient)}, ${mib(unfinishedBytes)}; beyond that connections are closed with 1013`,
        ],
        ["An answer", mib(replyBytes)],
        ["Calls under way on a connection", String(concurrentCalls)],
        [
          "Frames of a client by the second, and in one go",
          `${framesPerSecond}, ${burst}; a large one counts for several`,
        ],
        ["A call without progress", formatSeconds(callMs / 1000)],
        ["Between heartbeats", formatSeconds(heartbeatMs / 1000)],
        ["Events held for those who come back", `${heldEvents}, for ${heldMs / 60_000} minutes`],
      ],
    ),
  ].join("\n\n");
}

const SHAPES = new SchemaShapes(
  Object.fromEntries(
    Object.entries({
      Message: messageSchema,
      Attachment: attachmentSchema,
      Coverage: coverageSchema,
      Read: readSchema,
      SearchResult: searchOutput,
      Channel: channelSchema,
      Picture: pictureSchema,
      Source: sourceSchema,
      OwnFact: factRecordSchema,
      Fact: factSchema,
      ProfileField: profileSchema,
      Passage: passageSchema,
      Id: idSchema(),
    }).map(([name, schema]) => [name, toJsonSchema(schema)]),
  ),
);

function fold(schema: unknown, title = "JSON Schema"): string {
  return `<details><summary>${title}</summary>\n\n${toCode(SHAPES.render(schema))}\n\n</details>`;
}

function toCode(json: string): string {
  return `\`\`\`json\n${json}\n\`\`\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
