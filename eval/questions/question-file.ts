import { readFileSync } from "node:fs";
import { z } from "zod";

const questionSchema = z.array(
  z.object({
    id: z.string(),
    room: z.string().regex(/^room-\d+$/),
    /** The message right after which it is asked. */
    asked_after: z.string(),
    question: z.string(),
    language: z.string(),
    style: z.string(),
    kind: z.string(),
    /** The question before it, in the same conversation. */
    after: z.string().optional(),
    /** Messages of which each holds the answer; none where nothing does. */
    gold: z.array(z.string()),
    accept: z.array(z.string()).default([]),
    distractor: z.string().optional(),
  }),
);

export type RoomQuestion = z.infer<typeof questionSchema>[number];

export function readRoomQuestions(file: string): RoomQuestion[] {
  return questionSchema.parse(JSON.parse(readFileSync(file, "utf8")));
}

/**
 * Decided before anybody looked: rooms with an even number are tuned on, those with an odd number are only asked, three times at most, and nothing is
 * taught on them.
 */
export function isAskedOnly(room: string): boolean {
  return Number(room.replace(/\D/g, "")) % 2 === 1;
}

/** A room that has nothing to do with it, the same at every run: the one in the middle of all the others, from this one on. */
export function unrelatedTo(room: string, rooms: readonly string[]): string {
  return rooms[(rooms.indexOf(room) + Math.floor(rooms.length / 2)) % rooms.length] ?? room;
}
