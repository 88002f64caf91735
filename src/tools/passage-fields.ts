import { z } from "zod";
import { type LinePiece, splitWords } from "../domain/text/untrusted-block.ts";
import type { Passage } from "../ports/documents.ts";
import type { BlockItem } from "./define-tool.ts";
import { DOCUMENTS_UNREADABLE } from "./outages.ts";
import type { FoundPassages } from "./view.ts";

export const passageSchema = z.object({
  passage_id: z.string(),
  version: z.string().describe("Changes with the words"),
  document: z.string().describe("What the operator calls the folder"),
  path: z.string().describe("Of the file in it"),
  headings: z.array(z.string()).describe("That it stands under, the topmost first"),
  first_line: z.int().min(1),
  last_line: z.int().min(1),
  text: z.string(),
});

export type PassageOutput = z.output<typeof passageSchema>;

export function toPassageOutput(passage: Passage): PassageOutput {
  const { ref, version, name, path, headings, firstLine, lastLine, text } = passage;
  return {
    passage_id: ref,
    version,
    document: name,
    path,
    headings: [...headings],
    first_line: firstLine,
    last_line: lastLine,
    text,
  };
}

/** Names only folders that may be used; null if all of those can be read. */
export function noteUnreadable({ unreadable }: FoundPassages): string | null {
  if (unreadable.length === 0) return null;
  return `${DOCUMENTS_UNREADABLE} ${unreadable.join(", ")}.`;
}

/** As in a citation: "handbook › Workshop › Booking, lines 12–18". */
export function describePassage(passage: PassageOutput): string {
  const { document, path, headings } = passage;
  return `${[document, ...(headings.length > 0 ? headings : [path])].join(" › ")}, ${toLines(passage)}`;
}

/** One passage per line: its position, each part as a name, and its text. */
export function passageItem(passage: PassageOutput): BlockItem {
  const { document, path, headings, text } = passage;
  const parts = [document, path, ...headings];
  const where = parts.flatMap((part, index): LinePiece[] => [...(index === 0 ? [] : [" › "]), { name: part }]);
  const pieces: LinePiece[] = ["document ", ...where, `, ${toLines(passage)}: `, ...splitWords(text)];
  return { kind: "line", pieces, passageRef: passage.passage_id };
}

function toLines({ first_line: first, last_line: last }: PassageOutput): string {
  return first === last ? `line ${first}` : `lines ${first}–${last}`;
}
