import { readFileSync } from "node:fs";
import { z } from "zod";

const index = z.int().min(0);
/** A message of the sample community by its channel and beginning, or of a room by its number. */
const referenceSchema = z.union([
  z.object({ channel: z.string(), starts: z.string() }),
  index,
  z.object({ room: z.string(), index }).transform((reference) => reference.index),
]);

const questionSchema = z.strictObject({
  id: z.string(),
  kind: z.string(),
  world: z.string().regex(/^(?:sample|replies:.+)$/),
  as: z.string(),
  in: z.string(),
  private: z.boolean().optional(),
  text: z.string(),
  /** The question that it follows. */
  after: z.string().optional(),
  /** Any of these tools is right; none where it is empty. */
  tools: z.array(z.string()),
  /** Any of them has to be cited. */
  gold: z.array(referenceSchema).default([]),
  /** The answer has to contain this. */
  answer: z.string().optional(),
  /** What was right once. */
  outdated: z.array(referenceSchema).default([]),
  expect: z.enum([
    "answer",
    "nothing_found",
    "needs_model",
    "reaction",
    "greeting",
    "help",
    "proposal",
    "refusal_absent",
  ]),
  /** What must not be in the answer. */
  forbidden: z.array(z.string()).default([]),
});

export type Reference = z.infer<typeof referenceSchema>;
export type EvalQuestion = z.infer<typeof questionSchema>;

const setSchema = z.object({
  note: z.string(),
  /** When the sample community is asked. */
  now: z.iso.datetime().optional(),
  questions: z.array(questionSchema),
});

export function readQuestions(file: URL): { questions: EvalQuestion[]; now: number | undefined } {
  const { questions, now } = setSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  const ids = new Set<string>();
  for (const { id, after } of questions) {
    if (ids.has(id)) throw new Error(`Two questions have the id ${id}.`);
    if (after !== undefined && !ids.has(after))
      throw new Error(`${id} follows ${after}, which does not come before it.`);
    ids.add(id);
  }
  return { questions, now: now === undefined ? undefined : Date.parse(now) };
}
