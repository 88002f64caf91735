import { setFlagsFromString } from "node:v8";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FactInput, JsonValue } from "./fact-input.ts";
import { findSecret } from "./find-secret.ts";
import { PAYMENT_PATTERNS } from "./payment-numbers.ts";
import { ASSIGNMENT_PATTERNS } from "./secret-assignments.ts";
import type { SecretKind } from "./secret-kind.ts";
import { MAX_SCANNED_CHARACTERS, READING_PATTERNS } from "./secret-readings.ts";
import {
  ALPHABETS,
  HELD_OUT_ORDINARY,
  HELD_OUT_SECRETS,
  madeUp,
  ORDINARY,
  SECRETS,
  type SecretSample,
} from "./secret-samples.suite.ts";
import { TOKEN_PATTERNS } from "./secret-tokens.ts";

const missed = (samples: readonly SecretSample[]) => samples.filter((sample) => findSecret(sample) !== sample.kind);
const refused = (samples: readonly FactInput[]) => samples.filter((sample) => findSecret(sample) !== null);

describe("findSecret on written samples", () => {
  it("names the kind of every secret", () => {
    expect(SECRETS.length + HELD_OUT_SECRETS.length).toBeGreaterThanOrEqual(120);
    expect(missed(SECRETS)).toEqual([]);
  });

  it("lets every ordinary fact be remembered", () => {
    expect(ORDINARY.length + HELD_OUT_ORDINARY.length).toBeGreaterThanOrEqual(120);
    expect(refused(ORDINARY)).toEqual([]);
  });

  it("has a recall and a precision of at least 95 % on samples that it was not made with", () => {
    const found = HELD_OUT_SECRETS.length - missed(HELD_OUT_SECRETS).length;
    expect(found / HELD_OUT_SECRETS.length).toBeGreaterThanOrEqual(0.95);
    expect(found / (found + refused(HELD_OUT_ORDINARY).length)).toBeGreaterThanOrEqual(0.95);
  });

  it("does not depend on how values are nested", () => {
    for (const sample of [...SECRETS, ...ORDINARY]) {
      expect(findSecret({ ...sample, value: [[sample.value]] })).toBe(findSecret(sample));
    }
  });
});

const text = (alphabet: keyof typeof ALPHABETS, length: number) =>
  fc.string({ unit: fc.constantFrom(...ALPHABETS[alphabet]), minLength: length, maxLength: length });
const prefixed = (prefix: string, alphabet: keyof typeof ALPHABETS, length: number) =>
  text(alphabet, length).map((body) => prefix + body);
const words = fc
  .array(
    fc.constantFrom(
      "we",
      "met",
      "Sarah",
      "on",
      "Friday,",
      "Büro",
      "猫が",
      "чай",
      "(maybe)",
      "3",
      "at",
      "10:30",
      "née",
      "¡hola!",
    ),
    {
      maxLength: 12,
    },
  )
  .map((all) => all.join(" "));

/** Independent of the implementation: the last digit is tried out until the sum of digits fits. */
function withCheckDigit(digits: string): string {
  for (const last of ALPHABETS.digits) if (luhnSum(digits + last) % 10 === 0) return digits + last;
  throw new Error("one of ten digits fits");
}
function luhnSum(digits: string): number {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits.charAt(digits.length - 1 - index));
    sum += index % 2 === 0 ? digit : Math.floor((digit * 2) / 10) + ((digit * 2) % 10);
  }
  return sum;
}
const cards = fc
  .oneof(
    prefixed("4", "digits", 14),
    prefixed("52", "digits", 13),
    prefixed("37", "digits", 12),
    prefixed("6011", "digits", 11),
  )
  .map(withCheckDigit);
const ibans = text("digits", 18).map((account) => {
  const check = 98n - (BigInt(`${account}131400`) % 97n);
  return `DE${String(check).padStart(2, "0")}${account}`;
});
const grouped = (digits: string, separator: string) => digits.replace(/(.{4})(?=.)/g, `$1${separator}`);

const GENERATED: readonly {
  readonly what: string;
  readonly kind: SecretKind;
  readonly secret: fc.Arbitrary<string>;
}[] = [
  {
    what: "Discord bot tokens",
    kind: "an access token",
    secret: fc
      .tuple(text("digits", 18), text("alnum", 6), text("url", 38))
      .map(([id, time, body]) => `${Buffer.from(`1${id.slice(1)}`).toString("base64")}.${time}.${body}`),
  },
  {
    what: "Discord webhooks",
    kind: "an access token",
    secret: text("url", 68).map((body) => `https://discord.com/api/webhooks/223456789012345678/${body}`),
  },
  { what: "AWS keys", kind: "an access token", secret: prefixed("AKIA", "base32", 16) },
  { what: "Google keys", kind: "an access token", secret: prefixed("AIza", "url", 35) },
  { what: "Azure keys", kind: "an access token", secret: prefixed("AccountKey=", "base64", 86) },
  { what: "GitHub tokens", kind: "an access token", secret: prefixed("ghp_", "alnum", 36) },
  { what: "GitLab tokens", kind: "an access token", secret: prefixed("glpat-", "url", 20) },
  { what: "Slack tokens", kind: "an access token", secret: prefixed("xoxb-123456789012-", "alnum", 24) },
  { what: "Stripe keys", kind: "an access token", secret: prefixed("sk_live_", "alnum", 24) },
  { what: "OpenAI keys", kind: "an access token", secret: prefixed("sk-", "alnum", 48) },
  { what: "Anthropic keys", kind: "an access token", secret: prefixed("sk-ant-api03-", "url", 95) },
  { what: "npm tokens", kind: "an access token", secret: prefixed("npm_", "alnum", 36) },
  { what: "PyPI tokens", kind: "an access token", secret: prefixed("pypi-AgEIcHlwaS5vcmc", "url", 80) },
  { what: "Twilio keys", kind: "an access token", secret: prefixed("SK", "hex", 32) },
  {
    what: "SendGrid keys",
    kind: "an access token",
    secret: fc.tuple(text("url", 22), text("url", 43)).map(([id, body]) => `SG.${id}.${body}`),
  },
  { what: "Telegram tokens", kind: "an access token", secret: prefixed("7123456789:AA", "url", 33) },
  {
    what: "JSON web tokens",
    kind: "an access token",
    secret: fc.tuple(text("url", 20), text("url", 40), text("url", 43)).map(([a, b, c]) => `eyJ${a}.eyJ${b}.${c}`),
  },
  {
    what: "random texts",
    kind: "an access token",
    secret: fc.nat(100_000).map((seed) => `${madeUp("url", 64, seed)}0aB1cD`),
  },
  {
    what: "private keys",
    kind: "a private key",
    secret: fc
      .tuple(fc.constantFrom("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "), text("base64", 64))
      .map(([kind, body]) => `-----BEGIN ${kind}PRIVATE KEY-----\n${body}`),
  },
  {
    what: "connection strings",
    kind: "a password",
    secret: fc
      .tuple(text("alnum", 5), text("alnum", 12))
      .map(([user, word]) => `postgres://${user}:${word}@db.example/app`),
  },
  {
    what: "passwords beside a word for them",
    kind: "a password",
    secret: fc
      .tuple(
        fc.constantFrom(
          "password: ",
          "Passwort ist ",
          "contraseña: ",
          "mot de passe : ",
          "пароль: ",
          "密码:",
          "パスワードは",
        ),
        text("alnum", 10),
      )
      .map(([word, value]) => `${word}${value}7`),
  },
  { what: "card numbers", kind: "a payment card number", secret: cards },
  {
    what: "card numbers in groups",
    kind: "a payment card number",
    secret: fc.tuple(cards, fc.constantFrom(" ", "-")).map(([card, sign]) => grouped(card, sign)),
  },
  { what: "IBANs", kind: "a bank account number", secret: ibans },
  { what: "IBANs in groups", kind: "a bank account number", secret: ibans.map((iban) => grouped(iban, " ")) },
  {
    what: "one-time codes",
    kind: "a one-time code",
    secret: fc
      .tuple(
        fc.constantFrom(
          "your code is ",
          "OTP: ",
          "PIN ",
          "2FA code ",
          "TAN: ",
          "Bestätigungscode ",
          "验证码:",
          "認証コードは",
          "код: ",
        ),
        fc.integer({ min: 1000, max: 99_999_999 }),
      )
      .map(([word, digits]) => word + digits),
  },
];

describe("findSecret on generated facts", () => {
  it.each(GENERATED)("recognises $what among other words", ({ kind, secret }) => {
    fc.assert(
      fc.property(words, secret, words, fc.nat(2), (before, found, after, depth) => {
        let value: JsonValue = `${before}; ${found} ; ${after}`;
        for (let level = 0; level < depth; level += 1) value = level % 2 ? ["tea", value] : { a: 1, b: value };
        expect(findSecret({ name: "note", value })).toBe(kind);
      }),
    );
  });

  it("sees through full-width letters, invisible characters, spaces and lists", () => {
    // One of 500 tokens has no digit: in groups it cannot be told from words.
    const tokens = fc
      .nat(100_000)
      .map((seed) => `ghp_${madeUp("alnum", 36, seed)}`)
      .filter((token) => /\d/.test(token));
    const hide: readonly ((secret: string) => JsonValue)[] = [
      (secret) => secret.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)),
      (secret) => [...secret].join("\u200b"),
      (secret) => [...secret].join(" "),
      (secret) => grouped(secret, " "),
      (secret) => [secret.slice(0, 9), [secret.slice(9, 20)], { rest: secret.slice(20) }],
      (secret) => secret.replace(/[a-z]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`),
      (secret) => Buffer.from(secret).toString("base64"),
    ];
    fc.assert(
      fc.property(tokens, fc.constantFrom(...hide), (secret, hidden) => {
        expect(findSecret({ name: "note", value: hidden(secret) })).toBe("an access token");
      }),
    );
  });

  it("does not take numbers with a wrong check digit for card numbers", () => {
    fc.assert(
      fc.property(cards, fc.integer({ min: 1, max: 9 }), fc.constantFrom("", " ", "-"), (card, add, sign) => {
        const wrong = card.slice(0, -1) + ((Number(card.at(-1)) + add) % 10);
        expect(findSecret({ name: "order", value: `order ${wrong}` })).toBeNull();
        // A part of it may be a number of 13 digits that fits.
        fc.pre(card.length === 15);
        expect(findSecret({ name: "order", value: `order ${grouped(wrong, sign)}` })).toBeNull();
      }),
    );
  });

  it("does not take ids for card numbers, alone, in mentions, emoji, timestamps and links", () => {
    const ids = fc.oneof(
      fc.integer({ min: 16, max: 19 }).chain((length) => prefixed("4", "digits", length)),
      prefixed("4", "digits", 17).map(withCheckDigit),
      prefixed("62", "digits", 15).map(withCheckDigit),
    );
    const forms = fc.constantFrom("#", "<@#>", "<@!#>", "<@&#>", "<#>", "<:wave:#>", "<t:#:R>", "https://a.example/#");
    fc.assert(
      fc.property(ids, forms, words, (id, form, after) => {
        expect(findSecret({ name: "note", value: `${form.replace("#", id)} ${after}` })).toBeNull();
      }),
    );
    fc.assert(
      fc.property(cards, fc.constantFrom("<@#>", "<a:spin:#>", "<t:#>", "https://a.example/#?b=1"), (card, form) => {
        expect(findSecret({ name: "note", value: form.replace("#", card) })).toBeNull();
      }),
    );
  });

  it("lets ordinary words be remembered", () => {
    fc.assert(
      fc.property(words, words, (name, value) => {
        expect(findSecret({ name, value })).toBeNull();
      }),
    );
  });
});

describe("the work of findSecret", () => {
  it("ends at the bound on its input", () => {
    const secret = `ghp_${madeUp("alnum", 36)}`;
    expect(findSecret({ name: "n", value: " ".repeat(MAX_SCANNED_CHARACTERS - 100) + secret })).not.toBeNull();
    expect(findSecret({ name: "n", value: " ".repeat(MAX_SCANNED_CHARACTERS) + secret })).toBeNull();
    expect(findSecret({ name: "n", value: Array.from({ length: 100_000 }, () => "a ") })).toBeNull();
  });

  /** V8 counts how often a match has to go back, and gives up at the limit. */
  setFlagsFromString("--allow-natives-syntax");
  const limited: (source: string, flags: string, maxBacktracks: number) => RegExp = Object(
    new Function("source", "flags", "max", "return %NewRegExpWithBacktrackLimit(source, flags, max)"),
  );
  /** Beyond all repeats that a pattern may have, so that going back over them shows in full. */
  const LENGTH = 20_000;
  const MAX_BACKTRACKS_PER_CHARACTER = 300;
  const END = "\uf8ff";
  /** Whether all matches up to the end are found within the limit. */
  function isLinear(pattern: RegExp, hostile: string): boolean {
    const flags = [...new Set(`${pattern.flags}g`)].join("");
    const regExp = limited(`(?:${pattern.source})|${END}`, flags, MAX_BACKTRACKS_PER_CHARACTER * LENGTH);
    const input = `${hostile.repeat(Math.ceil(LENGTH / hostile.length))}\n${END}`;
    for (let match = regExp.exec(input); match; match = regExp.exec(input)) {
      if (match[0] === END) return true;
    }
    return false;
  }

  /** Which quantifiers could go back further than `MAX_REPEATS`, or have no end. V8 does not count going back over one class. */
  function longQuantifiers({ source }: RegExp): string[] {
    const bare = source.replace(/\\p\{\w+\}|\\./g, "x").replace(/\[[^\]]*\]/g, "x");
    const open = bare.match(/[*+]|\{\d+,\}/g) ?? [];
    // At the end of an alternative nothing can fail that would make it go back.
    const inside = [...bare.matchAll(/\{\d+,(\d+)\}(?!$|\|)/g)].filter(([, max]) => Number(max) > MAX_REPEATS);
    return [...open, ...inside.map(([quantifier]) => quantifier)];
  }
  const MAX_REPEATS = 200;

  it("is measured by tests that notice a pattern with too much work", () => {
    expect(isLinear(/(?:a|aa){1,200}:/, "a")).toBe(false);
    expect(isLinear(/[a-z]{1,20}:/, "a")).toBe(true);
    expect(longQuantifiers(/[*]a+\*p{L}{2,}x{1,300}b{1,20}c{1,300}|d{1,4000}/)).toEqual(["+", "{2,}", "{1,300}"]);
  });

  const PATTERNS = { ...READING_PATTERNS, ...TOKEN_PATTERNS, ...ASSIGNMENT_PATTERNS, ...PAYMENT_PATTERNS };
  const HOSTILE = [
    ..."a A 0 - _ . : / = + % < @".split(" "),
    ..."aA0 a- 1- a. %4 %41 eyJ eyJa. MTIz ghp_ xoxb- sk- https:// :// ://a: <@ <t: DE12 b3BlbnNz AAAA ssh-rsa".split(
      " ",
    ),
    ...[
      " ",
      "1 ",
      "1 1x",
      "BEGIN ",
      "BEGIN RSA ",
      "password ",
      "password : ",
      "password is ",
      "api key = ",
      "code ",
      "PIN ",
      "1234 is ",
    ],
    ...[
      "1234 is your ",
      "密码是",
      "パスワードは",
      "zip code ",
      "ssh-ed25519 AAAA",
      "discord.com/api/webhooks/1",
      "0000aaaa-0000-",
    ],
    ...SECRETS.slice(0, 30).map(({ value }) => String(value).slice(0, -1)),
  ];
  it.each(Object.entries(PATTERNS))("grows only with the length of the input: %s", (_, pattern) => {
    expect(longQuantifiers(pattern)).toEqual([]);
    expect(HOSTILE.filter((hostile) => !isLinear(pattern, hostile))).toEqual([]);
  });
});
