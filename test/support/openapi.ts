import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

export interface CheckedExchange {
  readonly method: string;
  readonly path: string;
  /** As the file writes it, such as `/channels/{channel_id}/messages`. */
  readonly route: string;
  readonly status: number;
  readonly body: unknown;
}

/** What is wrong with an answer, in words; nothing when it is as Discord describes it. */
export type OpenApiChecker = (exchange: CheckedExchange) => string[];

export const OPENAPI_FILE = fileURLToPath(new URL("../../../shared/data/discord-openapi.json", import.meta.url));

interface Amendment {
  readonly why: string;
  amend(schemas: Record<string, Schema>): void;
}

type Schema = Record<string, unknown> & {
  properties?: Record<string, Schema>;
  required?: string[];
  enum?: unknown[];
  oneOf?: unknown[];
  allOf?: Schema[];
};

/** Where the file is stricter than Discord's documentation and its servers. */
const AMENDMENTS: readonly Amendment[] = [
  {
    why: "media channels (type 16) are documented, but missing from the channel schemas",
    amend: ({ GuildChannelResponse, ChannelTypes }) => {
      GuildChannelResponse?.properties?.["type"]?.enum?.push(16);
      ChannelTypes?.oneOf?.push({ const: 16 });
    },
  },
  {
    why: "forwards (reference type 1) are documented, but missing from the enumeration",
    amend: ({ MessageReferenceType }) => MessageReferenceType?.oneOf?.push({ const: 1 }),
  },
  {
    why: "the codes inside `errors` are words such as BASE_TYPE_REQUIRED, the file says integers",
    amend: (schemas) => {
      schemas["ErrorDetails"] = { type: "object" };
    },
  },
  {
    why: "`code` is documented as optional in the body of a 429",
    amend: ({ RatelimitedResponse }) => {
      for (const part of RatelimitedResponse?.allOf ?? []) delete part["$ref"];
    },
  },
];

/** Discord's documentation describes them, the file does not. */
const UNDESCRIBED = ["/oauth2/token", "/oauth2/token/revoke"];

/** Checks answers against Discord's OpenAPI file. Undefined when the file is not there. */
export function openApiChecker(path = OPENAPI_FILE): OpenApiChecker | undefined {
  if (!existsSync(path)) return undefined;
  const document = JSON.parse(readFileSync(path, "utf8"));
  for (const { amend } of AMENDMENTS) amend(document.components.schemas);
  const ajv = new Ajv2020({ strict: false, allErrors: false, verbose: false, validateFormats: true });
  addFormats.default(ajv);
  ajv.addFormat("snowflake", /^\d{1,20}$/);
  ajv.addFormat("nonce", true);
  ajv.addSchema({ ...document, $id: ROOT });
  const compiled = new Map<string, ValidateFunction | string>();

  return ({ method, route, status, body }) => {
    // Outages are described nowhere.
    if (status >= 500 || UNDESCRIBED.includes(route)) return [];
    const key = `${method} ${route} ${status}`;
    const validate = compiled.get(key) ?? compileResponse(ajv, document, { method, route, status });
    compiled.set(key, validate);
    if (typeof validate === "string") return [validate];
    if (status === 204) return body === undefined ? [] : [`${key}: a body where none belongs`];
    if (validate(body)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params, schemaPath }) => {
      return `${key}: ${instancePath || "/"} ${message} ${JSON.stringify(params)} (${schemaPath})`;
    });
  };
}

const ROOT = "https://discord.com/openapi.json";

function compileResponse(
  ajv: Ajv2020,
  document: {
    paths: Record<string, Record<string, { responses: Record<string, { content?: unknown; $ref?: string }> }>>;
  },
  { method, route, status }: { method: string; route: string; status: number },
): ValidateFunction | string {
  const responses = document.paths[route]?.[method.toLowerCase()]?.responses;
  if (!responses) return `${method} ${route} is not a route of Discord's`;
  const name = [String(status), `${Math.floor(status / 100)}XX`].find((one) => responses[one]);
  if (name === undefined) return `${method} ${route} never answers ${status}`;
  const { content, $ref } = responses[name] ?? {};
  if (!content && !$ref) return ajv.compile({});
  const pointer = $ref ?? `#/paths/${toPointer(route)}/${method.toLowerCase()}/responses/${name}`;
  return ajv.compile({ $ref: `${ROOT}${pointer}/content/application~1json/schema` });
}

function toPointer(segment: string): string {
  return encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1")).replaceAll("%7E", "~");
}
