import { signal } from "@preact/signals";
import type { InferResponseType } from "hono/client";
import type { PageFacts } from "../../src/transports/console/web-files.ts";
import { api, dropKey, hasKey, RequestError, storeKey } from "./api.ts";

export type Session = InferResponseType<typeof api.session.show.$post>;

type SessionState =
  | { readonly kind: "loading" | "none" | "link-refused" | "signed-out" | "disconnected" }
  | { readonly kind: "failed" | "refused"; readonly message: string }
  | { readonly kind: "open"; readonly session: Session };

export const sessionState = signal<SessionState>({ kind: "loading" });

const RETRY_MS = 3_000;

/** A fact that the server wrote into this page. */
const findFact = (name: keyof PageFacts) => document.querySelector<HTMLMetaElement>(`meta[name="earshot-${name}"]`);

/** The address for signing in with Discord; empty where there is none. */
export const signInAddress = findFact("signIn")?.content ?? "";

/** With the link's code, the key of a sign-in or that of this tab. A code is taken out of the address before anything else happens. */
export async function enter(): Promise<void> {
  const code = /^#open=(\w+)$/.exec(location.hash)?.[1];
  const [key, problem] = [findFact("key"), findFact("problem")];
  if (code !== undefined || key || problem) history.replaceState(null, "", "/");
  if (key) {
    storeKey(key.content);
    const page = sessionStorage.getItem("earshot-page");
    if (page) location.replace(page);
  }
  key?.remove();
  problem?.remove();
  try {
    if (problem) sessionState.value = { kind: "refused", message: problem.content };
    else if (code !== undefined) {
      const { key, session } = await (await api.session.open.$post({ json: { code } })).json();
      storeKey(key);
      sessionState.value = { kind: "open", session };
    } else if (hasKey()) {
      sessionState.value = { kind: "open", session: await (await api.session.show.$post()).json() };
    } else sessionState.value = { kind: "none" };
  } catch (error) {
    if (code !== undefined && error instanceof RequestError && error.code === "unauthenticated")
      sessionState.value = { kind: "link-refused" };
    else lose(error);
  }
}

export function lose(error: unknown): void {
  if (!(error instanceof RequestError)) sessionState.value = { kind: "failed", message: String(error) };
  else if (error.code === "unauthenticated") {
    dropKey();
    sessionState.value = { kind: "none" };
  } else if (error.code === "disconnected" || error.code === "unavailable") {
    sessionState.value = { kind: "disconnected" };
    setTimeout(() => {
      if (sessionState.value.kind === "disconnected") void enter();
    }, RETRY_MS);
  } else sessionState.value = { kind: "failed", message: error.message };
}

export async function signOut(): Promise<void> {
  try {
    await api.session.end.$post();
    dropKey();
    sessionState.value = { kind: "signed-out" };
  } catch (error) {
    lose(error);
  }
}
