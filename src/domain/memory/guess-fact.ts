/** A guess at the fact in a message: a key and a part of its own text. */
export interface GuessedFact {
  /** Empty without a guess. */
  readonly key: string;
  readonly value: string;
}

const MAX_KEY_LENGTH = 64;
/** A longer text is more than one statement. */
const MAX_GUESSED_LENGTH = 300;
const PATTERNS = [
  // "My time zone is Europe/Berlin."
  /^(?:my|our)\s+(?<key>[^\n.:=!?]+?)\s+(?:is|are)\s+(?:now\s+)?(?<value>\S[^\n]*?)[.!\s]*$/iu,
  // "Boat: Petrel"
  /^(?<key>[^\n.:=!?]+?)\s*[:=]\s+(?<value>\S[^\n]*?)\s*$/u,
];

/** A simple guess, for the person to correct. Text in no known form becomes the value as a whole. */
export function guessFact(text: string): GuessedFact {
  const whole = text.trim();
  for (const pattern of whole.length > MAX_GUESSED_LENGTH ? [] : PATTERNS) {
    const { key, value } = pattern.exec(whole)?.groups ?? {};
    if (key && value && key.length <= MAX_KEY_LENGTH) return { key, value };
  }
  return { key: "", value: whole };
}
