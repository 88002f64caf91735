import { EarshotError } from "../../domain/errors.ts";
import type { GuildId, UserId } from "../../domain/ids.ts";
import { singleLine } from "../../domain/text/escape.ts";
import { escapeMarkdown } from "../../domain/text/escape-markdown.ts";
import type { SharedDormancy, SharedFact, SharedFacts } from "../../gate/memory/shared-facts.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Directory } from "../../ports/directory.ts";
import type { Choice, CommandRun, Note, Typing } from "../../ports/discord.ts";
import { describeKeyAndValue } from "../kit/describe-proposal.ts";
import { NOTHING_REMEMBERED } from "../kit/person-memory.ts";
import { PersonRates } from "../kit/person-rates.ts";
import { describeGone } from "../kit/privacy-text.ts";
import { ADMIN_FORGET, ADMIN_LIST } from "./command-menu.ts";
import {
  describeRemovalRequests,
  type NamesDirectory,
  toAudienceWords,
  toShownName,
  toText,
  toTime,
} from "./memory-text.ts";
import type { OwnAnswers } from "./own-answers.ts";
import type { OwnPreviews } from "./own-previews.ts";
import { packBlocks, packParagraphs } from "./pack-blocks.ts";

export interface MemoryAdminCommandDeps {
  /** Null if facts are not stored. */
  readonly sharedMemory: SharedFacts | null;
  readonly directory: NamesDirectory & Pick<Directory, "member">;
  readonly answers: OwnAnswers;
  readonly previews: OwnPreviews;
  readonly clock: Clock;
}

/** An admin with the server whose shared facts they administer. */
interface Desk {
  readonly admin: UserId;
  readonly guildId: GuildId;
  readonly shared: SharedFacts;
}

const PAGE = 10;
const MAX_CHOICES = 25;
const MAX_LABEL_LENGTH = 100;
const NOT_HERE = "What is shared belongs to a server: use this command in the server that it concerns.";

/** `/memory admin`: lets admins of a server list and end its shared facts. Private facts are out of its reach. */
export class MemoryAdminCommand {
  readonly #deps: MemoryAdminCommandDeps;
  readonly #rates: PersonRates;

  constructor(deps: MemoryAdminCommandDeps) {
    this.#deps = deps;
    this.#rates = new PersonRates(deps.clock);
  }

  /** False for another command. */
  begin(run: CommandRun): boolean {
    if (run.command !== ADMIN_LIST && run.command !== ADMIN_FORGET) return false;
    const { answers, sharedMemory: shared } = this.#deps;
    const { userId: admin, guildId, options } = run;
    answers.begin(run, async () => {
      this.#rates.take(admin);
      if (guildId === null) return [{ text: NOT_HERE }];
      if (!shared) return [{ text: NOTHING_REMEMBERED }];
      const desk = { admin, guildId, shared };
      return run.command === ADMIN_LIST
        ? this.#list(desk, Number(options.get("page") ?? 1))
        : this.#preview(desk, await shared.find(admin, guildId, options.get("fact") ?? ""));
    });
    return true;
  }

  /** Facts in use whose name contains the typed text. Nothing for anyone but admins. */
  async suggest({ userId, guildId, typed, suggest }: Typing): Promise<void> {
    const { sharedMemory } = this.#deps;
    let choices: readonly Choice[] = [];
    try {
      const isWanted = (name: string) => toSearchable(name).includes(toSearchable(typed));
      const wanted = { limit: MAX_CHOICES, isWanted };
      const facts = guildId === null ? [] : await sharedMemory?.suggest(userId, guildId, wanted);
      choices = (facts ?? []).map((one) => ({ label: this.#toLabel(one), value: one.fact.id }));
    } finally {
      await suggest(choices);
    }
  }

  async #list({ admin, guildId, shared }: Desk, page: number): Promise<readonly Note[]> {
    const { count, facts } = await shared.list(admin, guildId, { offset: (page - 1) * PAGE, limit: PAGE });
    const pages = Math.max(1, Math.ceil(count / PAGE));
    if (count === 0) return [{ text: "Nothing is shared in this server that you may hear." }];
    if (!(page >= 1 && page <= pages)) return [{ text: `There is no page ${page}; the last one is ${pages}.` }];
    const head = [
      `${count === 1 ? "1 fact is" : `${count} facts are`} shared in this server that you may hear, the newest first${pages > 1 ? `; page ${page} of ${pages}` : ""}.`,
      "`/memory admin forget` ends one for good, by its key or its id.",
    ].join("\n");
    const paragraphs = facts.map((one) => describeShared(one, this.#deps.directory));
    return packParagraphs(head, paragraphs).map((text) => ({ text }));
  }

  async #preview(desk: Desk, shown: SharedFact): Promise<readonly Note[]> {
    const { directory, previews } = this.#deps;
    const texts = describeEnding(shown, { directory, decideUntil: previews.expiry() });
    const buttons = previews.add(desk.admin, {
      choices: [{ label: "Forget", confirm: () => this.#forget(desk, shown) }],
      cancelled: "Nothing was forgotten.",
    });
    return texts.map((text, index) => (index === texts.length - 1 ? { text, buttons } : { text }));
  }

  /** Ends exactly the fact that was shown. Another value of the same name is another fact. */
  async #forget({ admin, guildId, shared }: Desk, { fact, dormant }: SharedFact): Promise<readonly Note[]> {
    this.#rates.take(admin);
    const receipt = await shared.forget(admin, guildId, fact.id).catch((error: unknown) => {
      if (!(error instanceof EarshotError) || error.code !== "not_found") throw error;
      const problem = "Something has changed since you were shown this, so nothing was forgotten; use the list again.";
      throw new EarshotError("not_found", problem, { cause: error });
    });
    const name = dormant === null ? toShownName(fact.name) : `\`${toHandle(fact.id)}\``;
    return [{ text: `Forgotten for everybody: ${name}. ${describeGone(receipt)}` }];
  }

  /** Plain text, without formatting. */
  #toLabel({ fact, by }: SharedFact): string {
    const { directory } = this.#deps;
    const { name, home, guildId } = fact;
    const person = by && guildId ? directory.member(guildId, by)?.name : undefined;
    const place = home.kind === "channel" ? `#${directory.channel(home.id)?.name ?? "a channel"}` : "server";
    const line = singleLine(`${name} (${person === undefined ? "" : `${person}, `}${place})`);
    return line.length <= MAX_LABEL_LENGTH ? line : `${line.slice(0, MAX_LABEL_LENGTH - 1).toWellFormed()}…`;
  }
}

function toSearchable(text: string): string {
  return singleLine(text).normalize("NFKC").trim().toLowerCase();
}

const MAX_VALUE_LENGTH = 200;
/** Characters of an id that distinguish the facts of a server. */
const HANDLE_LENGTH = 8;

const DORMANT: Readonly<Record<NonNullable<SharedDormancy>, string>> = {
  left_server: "the person who said it has left this server",
  switched_off: "the person who runs this bot has switched that off",
  restored: "it comes from a backup and has not been confirmed again",
  source_edited: "a message that it rests on was edited, so its owner alone hears it",
  source_deleted: "something that it rests on was deleted",
  source_uncertain: "what it rests on has to be read again first",
};

/** One fact of the list, in a few lines. */
function describeShared(shared: SharedFact, directory: NamesDirectory): string {
  const { fact, dormant } = shared;
  const until = fact.expiresAt === null ? "" : `, until ${toTime(fact.expiresAt, "d")}`;
  const count = fact.basis.length;
  return [
    dormant === null
      ? `${toShownName(fact.name)}: ${escapeMarkdown(toText(fact.value), MAX_VALUE_LENGTH)}`
      : `Not shown, because nobody hears it at the moment: ${DORMANT[dormant]}.`,
    `${describeOwner(shared)}; who hears it: ${toAudienceWords(fact.home, directory)}; since ${toTime(fact.createdAt, "d")}${until}.`,
    `Rests on ${count === 1 ? "one source" : `${count} sources`}. Id: \`${toHandle(fact.id)}\``,
    ...describeRemovalRequests(shared.askedBy),
  ].join("\n");
}

/** The preview of ending a fact: key and value in full, in blocks without formatting, pings or hidden text. */
function describeEnding(
  shared: SharedFact,
  { directory, decideUntil }: { readonly directory: NamesDirectory; readonly decideUntil: number },
): readonly string[] {
  const { fact, dormant } = shared;
  const { texts, hidden } = describeKeyAndValue(fact.name, toText(fact.value));
  const head = [
    "**Nothing has been forgotten yet.** This would be forgotten for good, with its earlier values, for everybody.",
    `${describeOwner(shared)}; who hears it: ${toAudienceWords(fact.home, directory)}.`,
    ...(dormant === null ? [] : [`Not shown, because nobody hears it at the moment: ${DORMANT[dormant]}.`]),
    ...(dormant === null ? hidden : []),
    `You can decide until ${toTime(decideUntil, "T")}. That you did is noted in the audit, by ids.`,
  ];
  return packBlocks(head.join("\n"), dormant === null ? texts : []);
}

function toHandle(factId: string): string {
  return factId.slice(0, HANDLE_LENGTH);
}

function describeOwner({ fact, by, project }: SharedFact): string {
  if (fact.scope === "user") return `<@${fact.subjectId}> says this about themselves`;
  const named = project === null ? "a project" : `the project ${toShownName(project)}`;
  const what = fact.scope === "org" ? "About the server" : `About ${named}`;
  return `${what}, ${by === null ? "by somebody who is not known any more" : `by <@${by}>`}`;
}
