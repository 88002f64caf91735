import { evidenceAmong, type Unwanted } from "../../domain/answer/echoes.ts";
import type { Message } from "../../domain/message.ts";
import type { FactOutput, ProfileOutput } from "../../tools/fact-fields.ts";
import { describePassage, type PassageOutput } from "../../tools/passage-fields.ts";
import type { Citable, Toolbox } from "../answerer.ts";

/** Tool results are not nested deeper than this. */
const MAX_DEPTH = 8;

/** The sources shown to a model, for resolving its citations. */
export class ReadSources {
  readonly #toolbox: Pick<Toolbox, "idOf">;
  readonly #unwanted: Unwanted;
  readonly #messages = new Map<string, Message>();
  /** Ids of the messages that are evidence; null until computed. */
  #evidence: ReadonlySet<string> | null = null;
  /** By the id of the message, fact or passage. */
  readonly #sources = new Map<string, Citable>();
  /** Ids of sources that the model looked up itself. It may not have needed the initial context. */
  readonly #lookedUp = new Set<string>();

  constructor(toolbox: Pick<Toolbox, "idOf">, unwanted: Unwanted) {
    this.#toolbox = toolbox;
    this.#unwanted = unwanted;
  }

  /** Adds the result of a tool. */
  add(value: unknown, { isLookedUp }: { isLookedUp: boolean }): void {
    this.#collect(value, isLookedUp, 0);
  }

  /** By handle: all looked-up sources, and those that the text cites. */
  citedIn(text: string): ReadonlyMap<string, Citable> {
    const cited = new Set(text.match(/\b[mfp]\d{1,6}\b/g));
    const found = new Map<string, Citable>();
    for (const kind of ["m", "f", "p"])
      for (let number = 1; ; number += 1) {
        const id = this.#toolbox.idOf(`${kind}${number}`);
        if (id === undefined) break;
        const source = this.#lookedUp.has(id) || cited.has(`${kind}${number}`) ? this.#sourceOf(id) : null;
        if (source) found.set(`${kind}${number}`, source);
      }
    return found;
  }

  /** Null for a message that is not evidence. */
  #sourceOf(id: string): Citable | null {
    const source = this.#sources.get(id);
    if (source?.kind !== "message") return source ?? null;
    this.#evidence ??= new Set(
      evidenceAmong([...this.#messages.values()], this.#unwanted).map(({ message_id }) => message_id),
    );
    return this.#evidence.has(id) ? source : null;
  }

  #collect(value: unknown, isLookedUp: boolean, depth: number): void {
    if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return;
    const found = this.#toSource(value);
    if (found) {
      if (found.source.kind === "message") {
        this.#messages.set(found.id, found.source.message);
        this.#evidence = null;
      }
      this.#sources.set(found.id, found.source);
      if (isLookedUp) this.#lookedUp.add(found.id);
    }
    for (const inner of Object.values(value)) this.#collect(inner, isLookedUp, depth + 1);
  }

  /** Values come from the tools and match their schemas. */
  #toSource(value: object): { id: string; source: Citable } | null {
    if ("message_id" in value && "author" in value && "link" in value) {
      const message = value as Message;
      return { id: message.message_id, source: { kind: "message", message } };
    }
    if ("fact_id" in value && "rests_on" in value) {
      const { fact_id: factId, about, rests_on } = value as FactOutput;
      return { id: factId, source: { kind: "fact", factId, subjectId: about.user_id, links: rests_on.links } };
    }
    if ("profile_ref" in value && "user_id" in value) {
      const { profile_ref: factId, user_id: subjectId } = value as ProfileOutput;
      return { id: factId, source: { kind: "fact", factId, subjectId, links: [] } };
    }
    if ("passage_id" in value && "headings" in value) {
      const passage = value as PassageOutput;
      const { passage_id: passageRef } = passage;
      return { id: passageRef, source: { kind: "passage", passageRef, where: describePassage(passage) } };
    }
    return null;
  }
}
