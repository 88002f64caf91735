import { afterAll, describe, expect, it } from "vitest";
import { judge } from "../../eval/agent/measures.ts";
import { readQuestions } from "../../eval/agent/question-set.ts";
import { openWorlds } from "../../eval/agent/worlds.ts";

const all = readQuestions(new URL("../../eval/agent/dev.json", import.meta.url));
const questions = all.questions.filter(({ kind }) => kind === "examples");
const { worlds } = await openWorlds(questions, { now: all.now, data: "" });
const sample = worlds.get("sample");
afterAll(() => sample?.world.close());

/** Others spoke of it, too: what is meant stands among the three that are shown, and not first. */
const AMONG_OTHERS = new Set(["examples-9-channel", "examples-17-channel", "examples-17-dm"]);

/** What newcomers try first, in a channel and in a DM. */
describe("the built-in answerer on the sample community", () => {
  it.each(questions.map((question) => [`${question.text} (${question.in})`, question] as const))(
    "answers %s",
    async (_, question) => {
      if (!sample) throw new Error("There is no sample community.");
      const { answer, calls } = await sample.world.ask({
        text: question.text,
        as: sample.person(question.as),
        in: sample.channel(question.in),
      });
      const [gold, outdated] = [question.gold, question.outdated].map((some) => some.map((one) => sample.message(one)));
      const outcome = judge(question, { answer, calls, gold: gold ?? [], outdated: outdated ?? [] });
      expect(outcome.isGoldCited, outcome.text).not.toBe(false);
      if (!AMONG_OTHERS.has(question.id)) expect(outcome.isGoldFirst, outcome.text).not.toBe(false);
      expect(outcome, outcome.text).toMatchObject({ isToolRight: true, isExpected: true });
    },
  );
});
