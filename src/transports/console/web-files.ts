import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { html } from "hono/html";

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** No content from other hosts, nothing inline, and no embedding in other pages. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

const NOT_BUILT =
  "The pages of the console have not been built. Run `npm run build` in the folder of Earshot, then reload this page.";

/** Data that the server writes into the head of a page. */
export interface PageFacts {
  /** Absent without sign-in by Discord. */
  readonly signIn?: string;
  /** The key of the session that this page takes over. */
  readonly key?: string;
  /** The reason why there is no session. */
  readonly problem?: string;
}

/** The built page of the console. Without a build, a page that states so. */
export async function readPage(folder: string, facts: PageFacts): Promise<Response> {
  try {
    const page = await readFile(join(folder, "index.html"), "utf8");
    const told = Object.entries(facts).map(([name, value]) => html`<meta name="earshot-${name}" content="${value}">`);
    return toPage(page.replace("</head>", () => `${told.join("")}</head>`));
  } catch {
    return plainPage(NOT_BUILT, 503);
  }
}

export function plainPage(sentence: string, status: 200 | 503): Response {
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Earshot</title><h1>Earshot</h1><p>${sentence}</p></html>`;
  return toPage(body, status);
}

/** A script, style or picture. Its name contains a hash of its content, so it never changes. Null for an unknown name. */
export async function readAsset(folder: string, name: string): Promise<Response | null> {
  const type = TYPES[extname(name)];
  if (type === undefined || !/^[\w-]+\.[a-z]+$/.test(name)) return null;
  const body = await readFile(join(folder, "assets", name)).catch(() => null);
  const headers = { ...PAGE_HEADERS, "content-type": type, "cache-control": "public, max-age=31536000, immutable" };
  return body && new Response(body, { headers });
}

function toPage(body: string, status = 200): Response {
  const headers = { ...PAGE_HEADERS, "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
  return new Response(body, { status, headers });
}
