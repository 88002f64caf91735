import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import type { OwnTalks } from "../../gate/memory/own-talks.ts";
import { soleActor } from "../../policy/grant.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ConsentState, OwnConsent } from "../../ports/consent.ts";
import { PersonRates } from "./person-rates.ts";
import {
  describeErasure,
  describeIncluded,
  describeLeftOut,
  describePrivacy,
  type KeptFacts,
  type KeptTalks,
  NOT_STORED,
  NOT_TAKEN_BACK,
} from "./privacy-text.ts";

/** A person's request about their own messages, and its client. The caller has verified the person. */
export interface PrivacyRequest {
  readonly person: UserId;
  /** The client's name; `discord` for the person's own command. */
  readonly client: string;
  /** Only the person reads the answer: it goes to their own command, or to a client that acts for no other person. */
  readonly isAlone: boolean;
}

export function toPrivacyRequest({ actor, client }: Operation): PrivacyRequest {
  const isAlone = soleActor(client.grant) === actor && !client.grant.signedIn;
  return { person: actor, client: client.name, isAlone };
}

export interface PrivacyAnswer {
  readonly state: ConsentState;
  /** For this person, and only about them. */
  readonly text: string;
}

export interface PrivacyDeps {
  readonly consent: Pick<OwnConsent, "stateOf" | "leaveOut" | "include">;
  readonly kept: KeptFacts;
  /** Null if talks are not kept. */
  readonly ownTalks?: Pick<OwnTalks, "count"> | null;
  readonly clock: Clock;
}

/**
 * A person's decisions about their own messages. It bypasses the gate, so that no scope, rule, toolset or budget takes it away. Every method throws
 * `rate_limited` for a flood; each client has its own rate per person, so that clients cannot use up each other's.
 */
export class Privacy {
  readonly #deps: PrivacyDeps;
  readonly #rates: PersonRates;

  constructor(deps: PrivacyDeps) {
    this.#deps = deps;
    this.#rates = new PersonRates(deps.clock);
  }

  async previewErasure(request: PrivacyRequest): Promise<PrivacyAnswer> {
    this.#take(request);
    const talks = await this.#talksWith(request);
    return this.#answer(request, (state) => describeErasure(state, { ...this.#deps.kept, talks }));
  }

  async show(request: PrivacyRequest): Promise<PrivacyAnswer> {
    this.#take(request);
    const talks = await this.#talksWith(request);
    return this.#answer(request, (state) => describePrivacy(state, { ...this.#deps.kept, talks }));
  }

  /** "unknown" if the database cannot be read, because the rest can still be answered. */
  async #talksWith({ person, isAlone }: PrivacyRequest): Promise<KeptTalks> {
    if (this.#deps.ownTalks && !isAlone) return "untold";
    return (await this.#deps.ownTalks?.count(person).catch(() => "unknown" as const)) ?? null;
  }

  /** In effect when this returns. Rejects with `unavailable` if it could not be stored, and then ends with the next start. */
  async leaveOut(request: PrivacyRequest): Promise<PrivacyAnswer> {
    this.#take(request);
    await this.#deps.consent.leaveOut(request.person).catch(sayIfUnavailable(NOT_STORED));
    return this.#answer(request, describeLeftOut);
  }

  /** Rejects with `rate_limited` shortly after the last time, and with `unavailable` if nothing was changed. */
  async include(request: PrivacyRequest): Promise<PrivacyAnswer> {
    this.#take(request);
    await this.#deps.consent.include(request.person).catch(sayIfUnavailable(NOT_TAKEN_BACK));
    return this.#answer(request, describeIncluded);
  }

  #answer({ person }: PrivacyRequest, describe: (state: ConsentState) => string): PrivacyAnswer {
    const state = this.#deps.consent.stateOf(person);
    return { state, text: describe(state) };
  }

  #take({ person, client }: PrivacyRequest): void {
    this.#rates.take(`${client} ${person}`);
  }
}

/** Throws `forbidden` unless the client acts for this actor only: other clients could decide for people without asking them. */
export function requireOwnClient({ actor, client: { grant } }: Operation, command = "/privacy"): void {
  if (grant.signedIn)
    throw new EarshotError("forbidden", `A program that was signed in cannot do this; use ${command} in Discord.`);
  if (soleActor(grant) === actor) return;
  const others = "or through a client whose grant names that person and nobody else in `actors`";
  throw new EarshotError("forbidden", `Only the person can decide this: with ${command} in Discord, ${others}.`);
}

/** The store's own error message is for the operator. */
function sayIfUnavailable(problem: string): (cause: unknown) => never {
  return (cause) => {
    if (!(cause instanceof EarshotError) || cause.code !== "unavailable") throw cause;
    throw new EarshotError("unavailable", problem, { cause });
  };
}
