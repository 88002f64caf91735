import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UserId } from "../ids.ts";
import type { JsonValue } from "./fact-input.ts";
import { mentionsOthers, mentionsPerson } from "./mentions-others.ts";

const ME = "123456789012345678" as UserId;
const OTHER = "223456789012345678";
const mentions = (value: JsonValue, name = "note") => mentionsOthers({ name, value }, ME);

describe("mentionsOthers", () => {
  it("notices mentions of people, roles and everybody", () => {
    const texts = [
      `<@${OTHER}>`,
      `likes <@!${OTHER}>`,
      "<@7>",
      `<@&${OTHER}>`,
      `<@&${ME}>`,
      "ask @everyone",
      "@here",
      "a@HERE!",
    ];
    for (const text of texts) expect(mentions(text), text).toBe(true);
  });

  it("notices an id only as a whole word", () => {
    for (const text of [OTHER, `(${OTHER})`, `https://discord.com/users/${OTHER}`, "1".repeat(17), "1".repeat(20)]) {
      expect(mentions(text), text).toBe(true);
    }
    for (const text of ["1".repeat(16), "1".repeat(21), `x${OTHER}`, `${OTHER}_a`, `é${OTHER}`, "4711", "2026-11-15"]) {
      expect(mentions(text), text).toBe(false);
    }
    expect(mentions(Number(OTHER))).toBe(true);
    expect(mentions(4711)).toBe(false);
  });

  it("notices an id in groups of digits, as long numbers are written", () => {
    for (const sign of [" ", ".", ",", "'", "’", "_", "-", "/", "\u00a0", "\u202f"]) {
      const thousands = OTHER.replace(/\B(?=(\d{3})+$)/g, sign);
      const fours = OTHER.replace(/(.{4})(?=.)/g, `$1${sign}`);
      for (const text of [thousands, fours, `ask ${fours}.`]) {
        expect(mentions(text), text).toBe(true);
        expect(mentionsPerson({ name: "note", value: text }, OTHER as UserId), text).toBe(true);
      }
      expect(mentions(ME.replace(/(.{3})(?=.)/g, `$1${sign}`))).toBe(false);
    }
    const others = [
      "2026-11-15 to 2026-11-16",
      "12 34 56 78 90 12 34 56 78",
      "+49 170 1234 5678",
      "1,234,567,890,123",
      "4711 4712 4713 4714",
      "x223 4567 8901 2345 6789",
    ];
    for (const text of others) expect(mentions(text), text).toBe(false);
  });

  it("does not count the subject", () => {
    for (const text of [ME, `<@${ME}>`, `<@!${ME}>`, `I am ${ME} (<@${ME}>)`]) expect(mentions(text), text).toBe(false);
    expect(mentions(`<@${ME}> and <@${OTHER}>`)).toBe(true);
  });

  it("looks into names, lists, objects and their keys", () => {
    expect(mentions("x", `about <@${OTHER}>`)).toBe(true);
    expect(mentions([["a", { b: [`<@${OTHER}>`] }]])).toBe(true);
    expect(mentions({ a: { [`<@${OTHER}>`]: 1 } })).toBe(true);
    expect(mentions({ a: [true, null, 1, { b: "c" }] })).toBe(false);
  });

  it("sees through full-width and invisible characters", () => {
    expect(mentions("＜＠２２３４５６７８９０１２３４５６７８＞")).toBe(true);
    expect(mentions("@every\u200bone")).toBe(true);
    expect(mentions(`<@\u2060${OTHER.slice(0, 9)}\u200b${OTHER.slice(9)}>`)).toBe(true);
  });

  it("sees through digits of other scripts, and marks on digits", () => {
    const written = (toDigit: (digit: number) => string) => [...OTHER].map((digit) => toDigit(Number(digit))).join("");
    // Arabic, Persian, Devanagari, Thai, Adlam.
    for (const zero of [0x660, 0x6f0, 0x966, 0xe50, 0x1e950]) {
      const text = written((digit) => String.fromCodePoint(zero + digit));
      expect(mentions(text), text).toBe(true);
      expect(mentionsPerson({ name: "note", value: `<@${text}>` }, OTHER as UserId), text).toBe(true);
    }
    for (const mark of ["\ufe0f\u20e3", "\u0332", "\u20dd"]) {
      const text = written((digit) => `${digit}${mark}`);
      expect(mentions(text), text).toBe(true);
    }
    expect(mentions("٤٧١١")).toBe(false);
  });

  it("knows the value of every digit that Unicode has", () => {
    const rows: string[] = [];
    for (let code = 0x80; code < 0x20000; code += 1) {
      const one = String.fromCodePoint(code);
      if (/\p{Nd}/u.test(one)) rows.push(one);
    }
    expect(rows.length).toBeGreaterThan(600);
    for (let at = 0; at < rows.length; at += 10) {
      const ten = rows.slice(at, at + 10).join("");
      expect(mentionsPerson({ name: "note", value: `1${ten}234567` }, "10123456789234567" as UserId), ten).toBe(true);
    }
  });

  it("notices an id that is given as the name of an emoji or a command", () => {
    for (const text of [`<:${OTHER}:7>`, `</${OTHER}:7>`, `</remind ${OTHER}:7>`])
      expect(mentions(text), text).toBe(true);
  });

  it("does not take channels, messages, emoji, commands, files or addresses for people", () => {
    const texts = [
      `<#${OTHER}>`,
      `<:wave:${OTHER}> <a:spin:${OTHER}>`,
      `</remind me:${OTHER}>`,
      `https://discord.com/channels/${OTHER}/${OTHER}/${OTHER}`,
      `https://canary.discord.com/channels/@me/${OTHER}/${OTHER}`,
      `https://cdn.discordapp.com/attachments/${OTHER}/${OTHER}/a.png`,
      "someone@here.example",
      "<t:1763200000:R>",
      "everyone is here",
    ];
    for (const text of texts) expect(mentions(text), text).toBe(false);
  });

  it("notices a mention wherever it stands in a value", () => {
    const words = fc.string({ unit: fc.constantFrom("a", " ", "<", ">", "@", "\n", "é", "1"), maxLength: 30 });
    fc.assert(
      fc.property(words, words, fc.constantFrom("<@", "<@!", "<@&"), fc.nat(3), (before, after, sign, depth) => {
        let value: JsonValue = `${before} ${sign}${OTHER}> ${after}`;
        for (let level = 0; level < depth; level += 1) value = level % 2 ? [1, value] : { a: null, b: value };
        expect(mentions(value)).toBe(true);
      }),
    );
  });
});
