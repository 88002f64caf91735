import { BoundedMap } from "../../domain/bounded-map.ts";
import { toId, type UserId } from "../../domain/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Button, Note, Press } from "../../ports/discord.ts";
import type { OwnAnswers } from "./own-answers.ts";

export interface OwnDecision {
  /** At most four, one of which is executed, once. */
  readonly choices: readonly OwnChoice[];
  /** The reply after cancelling. */
  readonly cancelled: string;
  /** Label of the cancel button; "Cancel" by default. */
  readonly cancelLabel?: string;
}

interface OwnChoice {
  /** Label of its button. */
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
/** Per person, so that other people's previews never evict one's own. */
const MAX_PER_PERSON = 10;
/** Limits memory only. */
const MAX_ENTRIES = 20_000;

const NOT_YOURS: Note = { text: "Only the person who asked can do that." };
/** Also for unknown ids. */
const OVER: Note = { text: "This has been decided or has expired; use the command again." };

/** Prefix of the button ids. */
export const OWN_BUTTONS = "own";

/** Previews that wait for their person. In memory only: a restart voids them. */
export class OwnPreviews {
  readonly #deps: OwnPreviewsDeps;
  readonly #pending: BoundedMap<string, Pending>;

  constructor(deps: OwnPreviewsDeps) {
    this.#deps = deps;
    this.#pending = new BoundedMap({ maxEntries: MAX_ENTRIES, ttlMs: TTL_MS, clock: deps.clock });
  }

  /** Expiry of a preview added now. */
  expiry(): number {
    return this.#deps.clock.now() + TTL_MS;
  }

  /** Returns the buttons of the preview. */
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
        // Removed at once, so that it is decided once. Not earlier: this is not called while the person has too many running.
        this.#pending.delete(id);
        return choice ? choice.confirm() : [{ text: decision.cancelled }];
      });
  }
}
