import type { SecretKind } from "./secret-kind.ts";
import type { SecretReadings } from "./secret-readings.ts";

/** Mentions, emoji, timestamps and links: their digits are ids. */
const TOKEN_OR_LINK = /<[@#:/at][^<>\n]{1,200}>|https?:\/\/[^\s<>]{1,2000}/gi;
/** Groups of digits with one space or dash between. */
const DIGIT_GROUPS = /(?<![\p{L}\d])\d{1,20}(?:[ -]\d{1,20}){0,100}(?![\p{L}\d])/gu;
const CARD_WORD =
  /\b(?:credit|debit|visa|mastercard|maestro|amex|card number|kreditkarte|kartennummer|tarjeta|carte bancaire)\b/i;
const SECURITY_CODE = /\b(?:cvv2?|cvc2?)\b[^\d\n]{0,6}\d{3,4}(?!\d)/i;
const IBAN = /(?<![A-Z\d])[A-Z]{2}\d{2}(?:[ -]?[A-Z\d]){11,30}/gi;

export const PAYMENT_PATTERNS = { TOKEN_OR_LINK, DIGIT_GROUPS, CARD_WORD, SECURITY_CODE, IBAN };

/** Card issuers: first digits, and lengths of their numbers. */
const ISSUERS: readonly { readonly prefix: RegExp; readonly lengths: readonly number[] }[] = [
  { prefix: /^4/, lengths: [13, 16, 19] },
  { prefix: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  { prefix: /^3[47]/, lengths: [15] },
  { prefix: /^(?:6011|64[4-9]|65)/, lengths: [16, 17, 18, 19] },
  { prefix: /^(?:30[0-5]|3[689])/, lengths: [14, 16] },
  { prefix: /^35(?:2[89]|[3-8])/, lengths: [16, 17, 18, 19] },
  { prefix: /^(?:62|220[0-4])/, lengths: [16, 17, 18, 19] },
  { prefix: /^(?:5018|5020|5038|5893|6304|6759|676[1-3])/, lengths: [13, 14, 15, 16, 17, 18, 19] },
];

/** IBAN length by country. */
const IBAN_LENGTHS =
  "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20";

/** Card numbers, their security codes and bank account numbers. */
export function findPaymentNumber({ texts }: SecretReadings): SecretKind | null {
  for (const text of texts) {
    const masked = text.replace(TOKEN_OR_LINK, " | ");
    for (const [candidate] of masked.matchAll(IBAN)) if (isIban(candidate)) return "a bank account number";
    if (SECURITY_CODE.test(masked)) return "a payment card number";
    const isAboutCards = CARD_WORD.test(masked);
    for (const [groups] of masked.matchAll(DIGIT_GROUPS)) {
      if (hasCardNumber(groups.split(/[ -]/), isAboutCards)) return "a payment card number";
    }
  }
  return null;
}

/** Whether neighbouring groups make up a card number. A group of 17 or more digits is a Discord id, unless the text is about cards. */
function hasCardNumber(groups: readonly string[], isAboutCards: boolean): boolean {
  return groups.some((_, start) => {
    let digits = "";
    for (const group of groups.slice(start, start + 19)) {
      digits += group;
      if (digits.length > 19 || (group.length >= 17 && !isAboutCards)) return false;
      if (isCardNumber(digits)) return true;
    }
    return false;
  });
}

function isCardNumber(digits: string): boolean {
  return (
    ISSUERS.some(({ prefix, lengths }) => lengths.includes(digits.length) && prefix.test(digits)) && isLuhn(digits)
  );
}

function isLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

function isIban(candidate: string): boolean {
  const text = candidate.replace(/[ -]/g, "").toUpperCase();
  const entry = IBAN_LENGTHS.split(" ").find((one) => one.startsWith(text.slice(0, 2)));
  const iban = text.slice(0, Number(entry?.slice(2)));
  if (entry === undefined || iban.length !== Number(entry.slice(2))) return false;
  let remainder = 0;
  for (const sign of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(sign, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1 && (iban.match(/\d/g) ?? []).length >= 10;
}
