import { escapeMarkdown } from "../../domain/text/escape-markdown.ts";
import type { SharedDormancy, SharedFact } from "../../gate/memory/shared-facts.ts";
import { spellOutHidden } from "../kit/spell-out-hidden.ts";
import {
  describeRemovalRequests,
  type NamesDirectory,
  toAudienceWords,
  toShownName,
  toText,
  toTime,
} from "./memory-text.ts";
import { packBlocks } from "./pack-blocks.ts";

const MAX_VALUE_LENGTH = 200;
/** Of an id: enough to tell one fact of a server from another. */
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
export function describeShared(shared: SharedFact, directory: NamesDirectory): string {
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

/** What ending it would do: key and value whole, in blocks in which nothing formats, pings or hides. */
export function describeEnding(
  shared: SharedFact,
  { directory, decideUntil }: { readonly directory: NamesDirectory; readonly decideUntil: number },
): readonly string[] {
  const { fact, dormant } = shared;
  const key = spellOutHidden(fact.name);
  const value = spellOutHidden(toText(fact.value));
  const head = [
    "**Nothing has been forgotten yet.** This would be forgotten for good, with its earlier values, for everybody.",
    `${describeOwner(shared)}; who hears it: ${toAudienceWords(fact.home, directory)}.`,
    ...(dormant === null ? [] : [`Not shown, because nobody hears it at the moment: ${DORMANT[dormant]}.`]),
    ...(dormant === null && key.hidden + value.hidden > 0
      ? [":warning: Characters that cannot be seen are written out here, like ⟨U+200B⟩."]
      : []),
    `You can decide until ${toTime(decideUntil, "T")}. That you did is noted in the audit, by ids.`,
  ];
  const blocks = [
    { title: "Key", text: key.text },
    { title: "Value", text: value.text },
  ];
  return packBlocks(head.join("\n"), dormant === null ? blocks : []);
}

export function toHandle(factId: string): string {
  return factId.slice(0, HANDLE_LENGTH);
}

function describeOwner({ fact, by, project }: SharedFact): string {
  if (fact.scope === "user") return `<@${fact.subjectId}> says this about themselves`;
  const named = project === null ? "a project" : `the project ${toShownName(project)}`;
  const what = fact.scope === "org" ? "About the server" : `About ${named}`;
  return `${what}, ${by === null ? "by somebody who is not known any more" : `by <@${by}>`}`;
}
