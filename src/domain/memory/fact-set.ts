import { listAudiences } from "../audience.ts";
import type { FactReading, FactSet } from "../source.ts";
import { type Fact, toFactId, toFactReading } from "./fact.ts";

export function toFactSet(facts: readonly Fact[]): FactSet {
  // Facts are not kept here: labels hold sets, and must not hold forgotten facts.
  const readings = facts.map((fact) => toFactReading(fact, 0));
  const subjects = new Map<string, Pick<FactReading, "subjectId" | "guildId">>();
  const messages = new Map<string, FactReading["messages"][number]>();
  let expiresAt: number | null = null;
  for (const { subjectId, guildId, ...reading } of readings) {
    subjects.set(`${subjectId} ${guildId}`, { subjectId, guildId });
    for (const message of reading.messages) messages.set(`${message.channelId}/${message.messageId}`, message);
    if (reading.expiresAt !== null) expiresAt = Math.min(expiresAt ?? reading.expiresAt, reading.expiresAt);
  }
  return {
    ids: new Set(readings.map(({ factId }) => factId)),
    idsUnder: new Set(readings.flatMap((reading) => reading.facts.map(toFactId))),
    subjects: [...subjects.values()],
    audiences: listAudiences(readings),
    messages: [...messages.values()],
    authorMarks: new Set(readings.flatMap(({ authorMarks }) => authorMarks)),
    expiresAt,
    list: (revision) => readings.map((reading) => ({ ...reading, revision })),
  };
}
