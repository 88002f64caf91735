import { describe, expect, it } from "vitest";
import { detectLanguage } from "./language.ts";
import { toQuestionKind } from "./question-kind.ts";
import { tidyQuestion } from "./question-text.ts";

const AGENT = { id: "1", name: "Earshot" };
const kindOf = (text: string, hasMessage = false) =>
  toQuestionKind(tidyQuestion(text, AGENT), { language: detectLanguage(text), hasMessage });

describe("the kind of a question", () => {
  it.each([
    ["", "empty"],
    ["🙏🙏", "thanks"],
    ["thaaanks so much!", "thanks"],
    ["vielen Dank!", "thanks"],
    ["hey Earshot, good morning", "greeting"],
    ["¡hola!", "greeting"],
    ["what can you do?", "help"],
    ["what do you know about me?", "about_me"],
    ["remember that my berth is C 12", "remember"],
    ["remember when the seal pup came?", "search"],
    ["forget my berth", "forget"],
    ["have you discussed consciousness with any bots?", "bots"],
    ["was habe ich verpasst?", "catch_up"],
    ["what did Sarah say about the turtle?", "person"],
    ["what did we say about the turtle?", "search"],
    ["what was decided in this thread?", "thread"],
    ["what's my berth?", "fact"],
    ["where did we discuss the deadline?", "search"],
    ["tell me a joke", "needs_model"],
    ["what's 15% of 80", "needs_model"],
    ["raconte-moi une blague", "needs_model"],
  ])("%j is %s", (text, kind) => {
    expect(kindOf(text).kind).toBe(kind);
  });

  it("takes the name and the topic from a question about a person", () => {
    expect(kindOf("waht did Sarah say about the turtle?")).toMatchObject({ name: "Sarah", topic: "the turtle" });
    expect(kindOf("what did I say about turtles?")).toMatchObject({ name: "me", topic: "turtles" });
    expect(kindOf("was hat Lena über Waffeln gesagt?")).toMatchObject({ name: "Lena", topic: "Waffeln" });
  });

  it("takes a question about the message that it answers for one about that message", () => {
    expect(kindOf("what is this about?", true).kind).toBe("message");
  });
});
