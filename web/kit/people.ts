import { signal } from "@preact/signals";
import { api, connect, RequestError, sendWith } from "./api.ts";

/** The people of the sandbox, to choose from; null until they are loaded. */
export const people = signal<readonly { readonly id: string; readonly name: string }[] | null>(null);

/** Throws RequestError: `not_found` where there is no sandbox. */
export async function loadPeople(): Promise<void> {
  people.value ??= (await (await api.sandbox.people.$post()).json()).people;
}

const CHOSEN = "earshot-person";
const chosen = signal<string | null>(sessionStorage.getItem(CHOSEN));

/** The person chosen on all pages; null before a choice. */
export const chosenPerson = () => people.value?.find(({ id }) => id === chosen.value) ?? null;

export function choosePerson(id: string): void {
  sessionStorage.setItem(CHOSEN, id);
  chosen.value = id;
}

/**
 * The routes under /console as this person of the sandbox, in a session of their own. It is opened with the first request, and again when it has ended;
 * without the operator's session, requests throw `unauthenticated`.
 */
export function apiAs(id: string): ReturnType<typeof connect> {
  const storedKey = `earshot-key-${id}`;
  const send = sendWith(storedKey);
  const become = async () => {
    sessionStorage.setItem(storedKey, (await (await api.sandbox.become.$post({ json: { id } })).json()).key);
  };
  return connect(async (input, init) => {
    if (sessionStorage.getItem(storedKey) === null) await become();
    try {
      return await send(input, init);
    } catch (error) {
      if (!(error instanceof RequestError && error.code === "unauthenticated")) throw error;
      await become();
      return send(input, init);
    }
  });
}
