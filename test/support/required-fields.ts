import { existsSync, readFileSync } from "node:fs";
import { OPENAPI_FILE } from "./openapi.ts";

type Schema = Readonly<Record<string, unknown>>;
type Json = Readonly<Record<string, unknown>>;

/** Which optional fields are left after all. */
type Keep = (field: string, owner: Json) => boolean;

export interface RequiredFields {
  /** An answer to this route with only the fields that Discord's OpenAPI file requires; unchanged where it describes none. */
  stripAnswer(request: { readonly method: string; readonly path: string }, status: number, body: unknown): unknown;
  /** A dispatch of the gateway with only the fields that the objects in it require. */
  stripDispatch(type: string, data: unknown): unknown;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Json }>>>>;
  readonly components: { readonly schemas: Json };
}

/** What the file does not describe of dispatches: the object each one is, or contains. */
const DISPATCHED: Readonly<Record<string, string>> = {
  MESSAGE_CREATE: "MessageResponse",
  MESSAGE_UPDATE: "MessageResponse",
  CHANNEL_CREATE: "GuildChannelResponse",
  CHANNEL_UPDATE: "GuildChannelResponse",
  THREAD_CREATE: "ThreadResponse",
  THREAD_UPDATE: "ThreadResponse",
  GUILD_MEMBER_ADD: "GuildMemberResponse",
  GUILD_MEMBER_UPDATE: "GuildMemberResponse",
  GUILD_CREATE: "GuildResponse",
};
const CONTAINED: Readonly<Record<string, string>> = {
  channels: "GuildChannelResponse",
  threads: "ThreadResponse",
  members: "GuildMemberResponse",
  member: "GuildMemberResponse",
};
/** The gateway adds these to an object; without the first nobody could say what a dispatch is about. */
const ADDED = [
  "guild_id",
  "parent_id",
  "member",
  "channels",
  "threads",
  "members",
  "unavailable",
  "member_count",
  "large",
];

/** Undefined when the file is not there. */
export function readRequiredFields(keep: Keep = () => false): RequiredFields | undefined {
  if (!existsSync(OPENAPI_FILE)) return undefined;
  const file = JSON.parse(readFileSync(OPENAPI_FILE, "utf8")) as OpenApi;

  const resolve = (schema: Schema): Schema => {
    const { $ref, allOf } = schema;
    if (typeof $ref === "string") return resolve(named($ref.split("/").at(-1) ?? ""));
    return Array.isArray(allOf) && allOf.length === 1 && !schema["properties"] ? resolve(allOf[0]) : schema;
  };
  const named = (name: string): Schema => file.components.schemas[name] as Schema;

  const strip = (given: Schema, value: unknown): unknown => {
    const schema = resolve(given);
    const variants = (schema["oneOf"] ?? schema["anyOf"]) as readonly Schema[] | undefined;
    if (variants) {
      const fitting = variants.map(resolve).find((variant) => fits(variant, value));
      return fitting ? strip(fitting, value) : value;
    }
    if (Array.isArray(value))
      return schema["items"] ? value.map((item) => strip(schema["items"] as Schema, item)) : value;
    const properties = schema["properties"] as Readonly<Record<string, Schema>> | undefined;
    if (!properties || !isObject(value)) return value;
    const required = (schema["required"] ?? []) as readonly string[];
    const left = Object.entries(value).filter(([field]) => required.includes(field) || keep(field, value));
    return Object.fromEntries(left.map(([field, inner]) => [field, strip(properties[field] ?? {}, inner)]));
  };

  return {
    stripAnswer({ method, path }, status, body) {
      const found = Object.keys(file.paths)
        .filter((route) => toPattern(route).test(path))
        .sort((a, b) => a.split("{").length - b.split("{").length)[0];
      const responses = file.paths[found ?? ""]?.[method.toLowerCase()]?.responses;
      const { content } = (responses?.[String(status)] ?? {}) as { content?: Record<string, { schema: Schema }> };
      const schema = content?.["application/json"]?.schema;
      return schema ? strip(schema, body) : body;
    },
    stripDispatch(type, data) {
      const name = DISPATCHED[type];
      if (name === undefined || !isObject(data)) return data;
      const added = ADDED.filter((field) => field in data).map((field) => {
        const contained = CONTAINED[field];
        const value = data[field];
        if (contained === undefined) return [field, value];
        return [
          field,
          Array.isArray(value) ? value.map((one) => strip(named(contained), one)) : strip(named(contained), value),
        ];
      });
      return { ...(strip(named(name), data) as object), ...Object.fromEntries(added) };
    },
  };
}

/** Whether a value can be of this variant: by its type, its required fields, and the numbers that `type` may be. */
function fits(variant: Schema, value: unknown): boolean {
  if (variant["type"] === "null" || value === null) return variant["type"] === "null" && value === null;
  if (!isObject(value)) return !variant["properties"];
  const properties = (variant["properties"] ?? {}) as Readonly<Record<string, { enum?: unknown[] }>>;
  const required = (variant["required"] ?? []) as readonly string[];
  const types = properties["type"]?.enum;
  return required.every((field) => field in value) && (!types || types.includes(value["type"]));
}

function toPattern(route: string): RegExp {
  return new RegExp(`^${route.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
