import { hc } from "hono/client";
import type { ConsoleRoutes, KEY_HEADER as SERVER_KEY_HEADER } from "../../src/transports/console/console-routes.ts";

const KEY_HEADER = "x-earshot-key" satisfies typeof SERVER_KEY_HEADER;
/** In sessionStorage, which belongs to this tab and to exactly this origin, its port included. */
const STORED_KEY = "earshot-key";

/** A refusal, as the server worded it. `disconnected`: it did not answer. */
export class RequestError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export const hasKey = () => sessionStorage.getItem(STORED_KEY) !== null;
/** Also removes the keys of people's sessions that an earlier link opened: they count as opened by that link. */
export function storeKey(key: string): void {
  const names = Array.from({ length: sessionStorage.length }, (_, index) => sessionStorage.key(index) ?? "");
  for (const name of names) if (name.startsWith(`${STORED_KEY}-`)) sessionStorage.removeItem(name);
  sessionStorage.setItem(STORED_KEY, key);
}
/** And those of the people that the operator was. */
export const dropKey = () => sessionStorage.clear();

/** Requests with the key that is stored under this name. */
export function sendWith(storedKey: string): typeof fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set(KEY_HEADER, sessionStorage.getItem(storedKey) ?? "");
    const response = await fetch(input, { ...init, headers }).catch((error: unknown) => {
      if (init?.signal?.aborted) throw error;
      throw new RequestError("disconnected", "");
    });
    if (response.ok) return response;
    const body = (await response.json().catch(() => null)) as { error?: { code: string; message: string } } | null;
    throw new RequestError(body?.error?.code ?? "disconnected", body?.error?.message ?? "");
  };
}

/** The routes under /console, with the types that the server has them. Requests throw RequestError. */
export const connect = (send: typeof fetch) => hc<ConsoleRoutes>("/", { fetch: send }).console;

/** As the operator. */
export const api = connect(sendWith(STORED_KEY));
