import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { api, RequestError } from "./api.ts";
import { ChoosePerson } from "./choose-person.tsx";
import { apiAs, choosePerson, chosenPerson } from "./people.ts";
import { lose, type Session } from "./session.ts";
import { texts } from "./texts.ts";

/** The routes under /console/me, as one person. */
export type PersonApi = typeof api.me;

interface PersonPageProps {
  readonly session: Session;
  readonly title: string;
  readonly about: string;
  children(me: PersonApi): ComponentChildren;
}

/** A page for one person: the one of the session, or whom one has chosen to be. Another person begins with an empty page. */
export function PersonPage({ session, title, about, children }: PersonPageProps) {
  const id = session.isPerson ? "me" : (chosenPerson()?.id ?? null);
  return (
    <>
      <h1>{title}</h1>
      <p class="muted">{about}</p>
      {!session.isPerson && <ChoosePerson value={id} onChoose={choosePerson} />}
      {id !== null && <div key={id}>{children(session.isPerson ? api.me : apiAs(id).me)}</div>}
    </>
  );
}

/** The message for a failed request. A lost session leaves the page instead, without a message. */
function describeFailure(error: unknown): string {
  if (!(error instanceof RequestError)) {
    lose(error);
    return "";
  }
  if (error.code === "unauthenticated") lose(error);
  return error.code === "disconnected" ? `${texts.disconnected.title}. ${texts.failed.retry}.` : error.message;
}

/** A request of a page: what came of it, what went wrong with the last one, and whether one is under way. */
export function createRequest<Answer>() {
  const answer = signal<Answer | null>(null);
  const problem = signal("");
  const isRunning = signal(false);
  let current: AbortController | null = null;
  return {
    answer,
    problem,
    isRunning,
    /** One that is still under way is stopped. */
    async run(send: (init: { init: RequestInit }) => Promise<Answer>): Promise<void> {
      current?.abort();
      const controller = new AbortController();
      current = controller;
      isRunning.value = true;
      problem.value = "";
      try {
        const given = await send({ init: { signal: controller.signal } });
        if (current === controller) answer.value = given;
      } catch (error) {
        if (current === controller && !controller.signal.aborted) problem.value = describeFailure(error);
      } finally {
        if (current === controller) isRunning.value = false;
      }
    },
    stop(): void {
      current?.abort();
      current = null;
      isRunning.value = false;
    },
  };
}
