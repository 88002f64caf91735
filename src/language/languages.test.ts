import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { composeReach } from "../domain/answer/compose.ts";
import { tidyQuestion, toQuestionKind, toSlots } from "../domain/answer/question-kind.ts";
import { describeFileError } from "../domain/file-errors.ts";
import type { Language } from "./language.ts";
import { detectLanguage, LANGUAGES, readLanguages } from "./languages.ts";

const NOW = Date.UTC(2031, 4, 21, 12);
const AGENT = { id: "1", name: "Earshot" };
const understand = (text: string, language: Language) => {
  const question = tidyQuestion(text, AGENT, language);
  return {
    ...toQuestionKind(question, language, false),
    slots: toSlots(question, { language, now: NOW, zone: "UTC" }),
  };
};

describe("the languages", () => {
  it("are those of the files, English first", () => {
    expect(LANGUAGES.map(({ code }) => code)).toEqual(["en", "de", "es", "fr", "ja", "ko", "pt"]);
  });

  it.each(LANGUAGES.map((language) => [language.code, language] as const))(
    "of %s can be read to the last part",
    (_, language) => {
      const readAll = (value: object): number =>
        Object.values(value).reduce((sum: number, each) => sum + (isPart(each) ? readAll(each) : 1), 0);
      const isPart = (each: unknown): each is object =>
        each !== null && Object.getPrototypeOf(Object(each)) === Object.prototype;
      expect(readAll(language)).toBeGreaterThan(100);
    },
  );

  it.each([
    ["en", "what was decided last week?", "last week"],
    ["en", "what was said two days ago?", "2 days ago"],
    ["de", "was wurde letzte Woche beschlossen?", "last week"],
    ["de", "was wurde vor zwei Tagen beschlossen?", "2 days ago"],
    ["de", "was wurde letzten Montag gesagt?", "last monday"],
    ["es", "¿qué se decidió la semana pasada?", "last week"],
    ["es", "¿qué se decidió hace 3 días?", "3 days ago"],
    ["fr", "qu'est-ce qui a été décidé la semaine dernière ?", "last week"],
    ["fr", "qu'est-ce qui a été décidé il y a deux semaines ?", "2 weeks ago"],
    ["pt", "o que foi decidido na semana passada?", "last week"],
    ["pt", "o que foi decidido há 3 dias?", "3 days ago"],
    ["ja", "先週は何が決まった？", "last week"],
    ["ja", "3日前に何が決まった？", "3 days ago"],
    ["ko", "지난주에 무엇이 결정됐어요?", "last week"],
    ["ko", "3일 전에 무엇이 결정됐어요?", "3 days ago"],
  ])("%s: %j is about a time", (code, text, time) => {
    const language = detectLanguage(text);
    expect(language.code).toBe(code);
    expect(understand(text, language).slots.time).toBe(time);
  });

  it.each([
    ["hey quick question, does anyone remember when the meeting is?", "search", "when", "meeting"],
    ["sorry dumb question but whens the update", "search", "when", "update"],
    ["u know where the docs are??", "search", "where", "docs"],
    ["whaaaat did i miss", "catch_up", "said", "miss"],
    ["whats sarahs dog called", "fact", "name", "sarahs dog called"],
    ["weiß jemand zufällig wo die Regeln stehen?", "search", "where", "Regeln stehen"],
    ["was hat Lena letzte Woche über den Server gesagt?", "person", "said", "Lena"],
  ])("%j is understood as it was typed", (text, kind, wanted, topic) => {
    expect(understand(text, detectLanguage(text))).toMatchObject({ kind, slots: { wanted, topic } });
  });
});

describe("a new language", () => {
  it("that lacks a sentence is refused when the files are read, with a sentence for the operator", () => {
    const own = mkdtempSync(join(tmpdir(), "languages-"));
    onTestFinished(() => rmSync(own, { recursive: true }));
    writeFileSync(join(own, "xq.txt"), "[answers]\ngreeting = Hi");
    const problem = `${join(own, "xq.txt")}:1: The sentence “help” is missing in [answers].`;
    expect(toProblem(() => readLanguages(own))).toBe(problem);
  });

  const folder = mkdtempSync(join(tmpdir(), "languages-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("is one file: its questions are understood, and answers are in it as a whole", () => {
    const own = join(import.meta.dirname, "en.txt");
    cpSync(own, join(folder, "en.txt"));
    const answers = readFileSync(own, "utf8").split("[answers]\n")[1] ?? "";
    writeFileSync(
      join(folder, "xq.txt"),
      `[small words]\nki la zu kvandu\n[thanks]\ndanko\n[openings]\nho\n[catch up]\n… ki mo perdix …\n[person]\nki {name} dixu [zu {topic}]
[wants when]\nkvandu …\n[numbers]\nun du\n[weekdays]\nlunu\n[times]\nsema pasa = last week\nante {count} dia = {count} days ago
[glossary]\nkunvenu = meeting\n[answers]\n${answers.replaceAll(/ = (?=.)/gu, " = Xq ")}`,
    );
    const read = readLanguages(folder);
    const language = detectLanguage("ho, ki mo perdix?", null, read);
    expect(language.code).toBe("xq");
    expect(understand("ho, ki mo perdix?", language).kind).toBe("catch_up");
    expect(understand("ki Sarah dixu zu la kunvenu?", language)).toMatchObject({
      kind: "person",
      name: "Sarah",
      topic: "la kunvenu",
    });
    expect(understand("kvandu la kunvenu, ante du dia?", language).slots).toMatchObject({
      wanted: "when",
      time: "2 days ago",
      topic: "kunvenu",
    });
    expect(language.says.noneMatching("kunvenu")).toBe("Xq No messages found matching 'kunvenu'.");
    const reach = { scanned: 3, from: null, isPartial: false, isShared: true };
    expect(composeReach(reach, { language, now: NOW, zone: "UTC" })).toMatch(
      /^-# Xq Looked at 3 messages · Xq no model was asked\. Xq Only/u,
    );
    expect(detectLanguage("what did I miss?", null, read).code).toBe("en");
  });
});

function toProblem(read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    return describeFileError(error);
  }
}
