/** What a host says that does not know what it hands out. */
const SAYS_NOTHING = ["", "application/octet-stream", "binary/octet-stream"];

/** By the first bytes; a null stands for any byte. */
const BEGINNINGS: readonly (readonly [string, readonly (number | null)[]])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
  ["image/webp", [0x52, 0x49, 0x46, 0x46, null, null, null, null, 0x57, 0x45, 0x42, 0x50]],
  ["application/pdf", [0x25, 0x50, 0x44, 0x46, 0x2d]],
];

/** Only for what reads as text: a picture by name alone is none. */
const TEXTS: Readonly<Record<string, string>> = {
  txt: "text/plain",
  log: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  html: "text/html",
  xml: "text/xml",
  yml: "text/yaml",
  yaml: "text/yaml",
  json: "application/json",
};

/** The type that the host tells; where it tells none, what the bytes begin with, and for text what the name ends in. Empty when nothing tells. */
export function toFileType(told: string | null, bytes: Uint8Array, path: string): string {
  const type = told?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (!SAYS_NOTHING.includes(type)) return type;
  const [seen] = BEGINNINGS.find(([, beginning]) => beginsWith(bytes, beginning)) ?? [];
  if (seen) return seen;
  const ending = /\.([a-z]{2,4})$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  return isText(bytes) ? (TEXTS[ending] ?? "") : "";
}

function beginsWith(bytes: Uint8Array, beginning: readonly (number | null)[]): boolean {
  return beginning.every((byte, index) => byte === null || bytes[index] === byte);
}

function isText(bytes: Uint8Array): boolean {
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(bytes).includes("\0");
  } catch {
    return false;
  }
}
