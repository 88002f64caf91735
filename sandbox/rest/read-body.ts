import { DiscordError, invalidForm } from "../actions/errors.ts";
import { parseExactJson } from "../world/exact-json.ts";

export interface UploadedFile {
  readonly filename: string;
  readonly contentType: string | null;
  readonly bytes: Uint8Array;
}

export interface RequestBody {
  readonly json: unknown;
  /** By the number in `files[n]`. */
  readonly files: ReadonlyMap<number, UploadedFile>;
}

/** The request as a whole may be somewhat larger than the files in it. */
const MAX_BODY_BYTES = 11 * 1024 * 1024;
const NO_FILES: ReadonlyMap<number, UploadedFile> = new Map();

/** The JSON of a request, with the files that came along in a multipart one. */
export async function readBody(request: Request): Promise<RequestBody> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const contentType = request.headers.get("content-type") ?? "";
  if (contentType.startsWith("multipart/form-data")) return readMultipart(request);
  const text = await request.text();
  if (text === "") return { json: {}, files: NO_FILES };
  if (text.length > MAX_BODY_BYTES) throw tooLarge();
  if (!contentType.startsWith("application/json")) {
    const message =
      "Expected \"Content-Type\" header to be one of {'application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'}.";
    throw invalidForm([{ path: [], code: "CONTENT_TYPE_INVALID", message }]);
  }
  return { json: parseJson(text), files: NO_FILES };
}

async function readMultipart(request: Request): Promise<RequestBody> {
  const form = await request.formData().catch(() => {
    throw invalidForm([{ path: [], code: "MULTIPART_INVALID", message: "The multipart body cannot be read." }]);
  });
  const files = new Map<number, UploadedFile>();
  let json: unknown = {};
  let size = 0;
  for (const [name, part] of form) {
    if (typeof part === "string") {
      if (name === "payload_json") json = parseJson(part);
      continue;
    }
    const index = /^files?\[?(\d+)?\]?$/.exec(name);
    if (!index) continue;
    const bytes = new Uint8Array(await part.arrayBuffer());
    size += bytes.byteLength;
    if (size > MAX_BODY_BYTES) throw tooLarge();
    files.set(Number(index[1] ?? files.size), { filename: part.name, contentType: part.type || null, bytes });
  }
  return { json, files };
}

function parseJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    throw new DiscordError(400, 50109, "The request body contains invalid JSON.");
  }
}

function tooLarge(): DiscordError {
  return new DiscordError(413, 40005, "Request entity too large");
}
