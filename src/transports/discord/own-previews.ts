import { BoundedMap } from "../../domain/bounded-map.ts";
import { toId, type UserId } from "../../domain/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Button, Note, Press } from "../../ports/discord.ts";
import type { OwnAnswers } from "./own-answers.ts";

export interface OwnDecision {
  /** At most four, of which one is done, once. */
  readonly choices: readonly OwnChoice[];
  /** The answer when nothing is done. */
  readonly cancelled: string;
  /** On the button with which nothing is done; "Cancel" unless given. */
  readonly cancelLabel?: string;
}

interface OwnChoice {
  /** On the button that has it done. */
  readonly label: string;
  confirm(): Promise<readonly Note[]>;
}

interface Pending extends OwnDecision {
  readonly id: string;
  readonly owner: UserId;
}

export interface OwnPreviewsDeps {
  readonly answers: OwnAnswers;
  readonly clock: Clock;
  /** Unguessable. */
  mintId(): string;
}

const TTL_MS = 10 * 60_000;
/** Per person: other people's previews never evict one's own. */
const MAX_PER_PERSON = 10;
/** Only a bound on memory. */
const MAX_ENTRIES = 20_000;

const NOT_YOURS: Note = { text: "Only the person who asked can do that." };
/** For what never was, too. */
const OVER: Note = { text: "This has been decided or has expired; use the command again." };

/** The ids of their buttons begin so. */
export const OWN_BUTTONS = "own";

/** Previews that wait for the person who asked for them. They are held in memory only: a restart voids them. */
export class OwnPreviews {
  readonly #deps: OwnPreviewsDeps;
  readonly #pending: BoundedMap<string, Pending>;

  constructor(deps: OwnPreviewsDeps) {
    this.#deps = deps;
    this.#pending = new BoundedMap({ maxEntries: MAX_ENTRIES, ttlMs: TTL_MS, clock: deps.clock });
  }

  /** When a preview that begins to wait now expires. */
  expiry(): number {
    return this.#deps.clock.now() + TTL_MS;
  }

  /** The buttons that decide it. */
  add(owner: UserId, decision: OwnDecision): readonly Button[] {
    const own = [...this.#pending.values()].filter((one) => one.owner === owner);
    if (own[0] && own.length >= MAX_PER_PERSON) this.#pending.delete(own[0].id);
    const id = this.#deps.mintId();
    this.#pending.set(id, { ...decision, id, owner });
    const toButton = ({ label }: OwnChoice, index: number) => ({
      id: `own:${index}:${owner}:${id}`,
      label,
      isMain: true,
    });
    return [
      ...decision.choices.map(toButton),
      { id: `own:no:${owner}:${id}`, label: decision.cancelLabel ?? "Cancel" },
    ];
  }

  drop(owner: UserId): void {
    this.#pending.deleteWhere((one) => one.owner === owner);
  }

  beginPress(press: Press): void {
    const [, step, owner, id] = /^own:(\d|no):(\d{1,20}):([\w-]{1,64})$/.exec(press.button) ?? [];
    if (!toId<UserId>(owner) || id === undefined) return;
    const { answers } = this.#deps;
    const decision = this.#pending.get(id);
    const choice = decision?.choices[Number(step)];
    if (owner !== press.userId) answers.begin(press, async () => [NOT_YOURS]);
    else if (decision?.owner !== press.userId || (!choice && step !== "no")) answers.begin(press, async () => [OVER]);
    else
      answers.beginPress(press, async () => {
        // At once and for good, so that it is decided once. Not before: this is not called while the person has too much running.
        this.#pending.delete(id);
        return choice ? choice.confirm() : [{ text: decision.cancelled }];
      });
  }
}
