import { describe, expect, it } from "vitest";
import { addReading } from "../../test/support/add-reading.ts";
import { createOperationsWorld, GENERAL, MARK } from "../../test/support/operations-world.ts";
import type { MessageId } from "../domain/ids.ts";
import { AGENT } from "./agent-grant.ts";
import type { Turn } from "./turn.ts";
import { Turns } from "./turns.ts";

const SOURCES_EACH = 300;
const MAX_SOURCES_IN_ALL = 30_000;

describe("earlier questions", () => {
  it("are kept while they rest on few sources in all, the newest longest", () => {
    const { operations, message } = createOperationsWorld();
    const turns = new Turns({ now: () => 0 });
    const turn: Turn = { tool: "t", args: {}, question: "?", language: "en", people: [], shown: [] };
    const ask = () => operations.openFor(AGENT, message);
    const answers = Array.from({ length: 150 }, (_, index) => `answer ${index}` as MessageId);
    for (const answerId of answers) {
      const operation = ask();
      for (let index = 0; index < SOURCES_EACH; index += 1) {
        const reading = { messageId: `read ${index}` as MessageId, channelId: GENERAL, authorId: MARK, text: null };
        addReading(operation.label, { messages: [reading] }, 0);
      }
      turns.note(operation, { ...turn, question: answerId }, [answerId]);
      turns.noteChoices(operation, ["?"], [answerId]);
    }
    const kept = answers.filter((answerId) => turns.before(ask(), answerId)?.turn.question === answerId);
    // The request itself is a source, too.
    expect(kept).toEqual(answers.slice(-Math.floor(MAX_SOURCES_IN_ALL / (SOURCES_EACH + 1))));
    expect(answers.filter((answerId) => turns.choicesOf(answerId))).toEqual(kept);
  });
});
