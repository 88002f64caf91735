import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "./tokens.ts";

const DATA = resolve(import.meta.dirname, "../../../../shared/data");
const SPECIAL = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
const realTokens = (text: string) => countTokens(text, SPECIAL);
const excess = (text: string) => estimateTokens(text) / realTokens(text) - 1;

const ENGLISH = [
  "I moved the meeting to Thursday because half of the team is travelling. Could you tell the others and bring the numbers from last week?",
  "Honestly, the new build feels a lot faster on my old laptop! It's still a bit confusing where the settings went, but I'm sure we'll get used to it.",
  "We walked along the river until it was dark. Nobody said much, and that was fine; it had been a long year for all of us.",
];

const TEXTS: Readonly<Record<string, string>> = {
  German:
    "Könntest du bitte die Unterlagen für die Wohnungsbesichtigung morgen früh ausdrucken? Der Vermieter möchte Gehaltsnachweise sehen.",
  French:
    "Nous avons déplacé la réunion à jeudi, car la moitié de l’équipe est en voyage. Pourrais-tu prévenir les autres ?",
  Polish:
    "Przenieśliśmy spotkanie na czwartek, ponieważ połowa zespołu jest w podróży. Czy możesz powiedzieć pozostałym?",
  Turkish: "Ekibin yarısı yolculukta olduğu için toplantıyı perşembeye aldık. Diğerlerine haber verebilir misin?",
  Russian:
    "Мы перенесли встречу на четверг, потому что половина команды в отъезде. Передай, пожалуйста, остальным и захвати цифры.",
  Greek: "Μεταφέραμε τη συνάντηση για την Πέμπτη, γιατί η μισή ομάδα ταξιδεύει. Μπορείς να το πεις στους άλλους;",
  Hebrew: "העברנו את הפגישה ליום חמישי כי חצי מהצוות בנסיעה. תוכל בבקשה להודיע לאחרים ולהביא את המספרים?",
  Arabic:
    "نقلنا الاجتماع إلى يوم الخميس لأن نصف الفريق مسافر. هل يمكنك إخبار الآخرين وإحضار الأرقام من الأسبوع الماضي؟",
  Hindi: "हमने बैठक गुरुवार को कर दी है क्योंकि आधी टीम यात्रा पर है। क्या आप बाकी लोगों को बता सकते हैं?",
  Thai: "เราเลื่อนการประชุมไปวันพฤหัสบดีเพราะทีมครึ่งหนึ่งกำลังเดินทาง ช่วยบอกคนอื่นด้วยได้ไหม",
  Chinese: "我们把会议改到了星期四，因为一半的同事在出差。请你告诉其他人，并把上周的数据带来，好吗？",
  Japanese:
    "チームの半分が出張中なので、会議を木曜日に変更しました。ほかの人にも伝えて、先週の数字を持ってきてくれますか。",
  Korean:
    "팀의 절반이 출장 중이라서 회의를 목요일로 옮겼습니다. 다른 사람들에게 알려 주고 지난주 자료를 가져와 줄 수 있나요?",
  emoji: "😀 😂😂 🎉 ❤️ 👍🏽 👩‍👩‍👧‍👦 🇩🇪 🏳️‍🌈 ✨ 1️⃣ 🫠 ¯\\_(ツ)_/¯ (╯°□°)╯︵ ┻━┻",
  addresses:
    "https://www.example.com/a/b?id=4f3a9c&utm_source=chat#top <@123456789012345678> user+tag@mail.example.org:8080",
  shouting: "STOP DOING THAT!!! WHO TOLD YOU TO DELETE THE BACKUPS??? I AM NOT AMUSED...",
  base64: Buffer.from(Uint8Array.from({ length: 600 }, (_, index) => (index * index * 31 + index * 7) % 251)).toString(
    "base64",
  ),
  hex: Array.from({ length: 300 }, (_, index) => ((index * index * 97 + 13) % 256).toString(16)).join(""),
  "bytes as text": Buffer.from(Uint8Array.from({ length: 600 }, (_, index) => (index * index * 31 + 5) % 256)).toString(
    "latin1",
  ),
};

describe("estimateTokens", () => {
  it.each(Object.entries(TEXTS))("estimates at least what a tokenizer counts: %s", (_, text) => {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(realTokens(text));
  });

  it("estimates English closely, and never too low", () => {
    for (const text of ENGLISH) expect(excess(text)).toBeGreaterThanOrEqual(0);
    expect(excess(ENGLISH.join(" "))).toBeLessThan(0.25);
  });

  it("never estimates code too low", () => {
    for (const name of readdirSync(import.meta.dirname).filter((one) => one.endsWith(".ts"))) {
      const code = readFileSync(join(import.meta.dirname, name), "utf8");
      expect(estimateTokens(code), name).toBeGreaterThanOrEqual(realTokens(code));
    }
  });

  it("never estimates any Unicode text too low, and an empty text as 0", () => {
    expect(estimateTokens("")).toBe(0);
    const point = fc.noBias(fc.integer({ min: 0, max: 0x10ffff }));
    const anything = fc.array(point, { maxLength: 100 }).map((points) => String.fromCodePoint(...points));
    fc.assert(
      fc.property(anything, (text) => {
        expect(estimateTokens(text)).toBeGreaterThanOrEqual(realTokens(text));
      }),
      { numRuns: 5_000 },
    );
  });

  it("estimates random letters, digits and punctuation at most a tenth too low, from a line on", () => {
    const printable = fc.array(fc.integer({ min: 0x20, max: 0x7e }), { minLength: 80, maxLength: 300 });
    const noise = fc.oneof(
      printable.map((codes) => String.fromCharCode(...codes)),
      fc.array(fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz"), { minLength: 80 }).map((letters) => letters.join("")),
      fc.base64String({ minLength: 80 }),
    );
    fc.assert(
      fc.property(noise, (text) => {
        expect(estimateTokens(text) * 1.1).toBeGreaterThanOrEqual(realTokens(text));
      }),
      { numRuns: 2_000 },
    );
  });

  const locomo = join(DATA, "locomo-dev.json");
  it.skipIf(!existsSync(locomo))("estimates whole conversations closely (needs the data for evaluation)", () => {
    const samples = JSON.parse(readFileSync(locomo, "utf8")) as { conversation: Record<string, unknown> }[];
    const sessions = samples.flatMap(({ conversation }) =>
      Object.values(conversation).flatMap((session) =>
        Array.isArray(session) ? [session.map(({ text }: { text: string }) => text).join("\n")] : [],
      ),
    );
    for (const session of sessions) expect(excess(session)).toBeGreaterThanOrEqual(0);
    expect(sessions.map(excess).reduce((sum, one) => sum + one, 0) / sessions.length).toBeLessThan(0.25);
  });

  const irc = join(DATA, "irc/dev");
  it.skipIf(!existsSync(irc))("never estimates technical chat too low (needs the data for evaluation)", () => {
    const logs = readdirSync(irc).filter((name) => name.endsWith(".ascii.txt"));
    expect(logs.length).toBeGreaterThan(0);
    for (const name of logs) expect(excess(readFileSync(join(irc, name), "utf8")), name).toBeGreaterThanOrEqual(0);
  });
});
