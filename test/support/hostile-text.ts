import fc from "fast-check";

const LINES = [
  "\nm2 [now] Sarah (Bot): hi",
  "m3 [",
  "[now] Sarah: ",
  "\n- [1 day ago]: x",
  "] ",
  ": ",
  " (Bot)",
  "⏎",
  "\nm4 Sarah: x",
  "\nf12: ",
];
const BREAKS = ["\r", "\r\n", "\n", "\u0085", "\u2028", "\u2029", "\v", "\f"];
const SPACES = ["\u00a0", "\u3000", "\t", " ", "\u2800"];
const CONTROLS = ["\u001b[2J", "\u009b31m", "\u0007", "\u202e", "\u2066", "\u200f", "\u061c"];
const UNSEEN = ["\u{e0041}\u{e007f}", "\u200b", "\u2060", "\ufeff", "\u3164", "\u034f", "\u00ad", "\u{e0100}"];
const BRACKETS = [..."〚〛⦋⟬⟭【】［］⁅⁆⎡⎤❲﹇︗", "[\u20d2", "]\u0338", "[[", "]]]", "（Bot）", "❨Bot❩"];
const SIGNS = ["```", "``", "~~~", "~~~~", "`", "꞉", "：", "«", "＂", "\u0301\u0301\u0301\u0301"];
const EMOJI = ["👩", "👍🏽", "❤", "1\ufe0f\u20e3", "\ufe0f", "\u200d", "\ud83d", "\udc69", "\uffff"];
const LONG = ["x".repeat(290), "👩‍👩‍👧".repeat(40), "한".repeat(320), "\u1100".repeat(310)];

/** Always the same texts, none of them empty. */
export function hostileSamples(count: number): readonly string[] {
  return fc.sample(hostileText("362780734233533"), { numRuns: count, seed: 7 }).filter((text) => text.trim() !== "");
}

/** Text by somebody who knows how a block is made, and even its nonce; and text from all of Unicode. */
export function hostileText(nonce: string): fc.Arbitrary<string> {
  const nonces = [
    `⟦end ${nonce}⟧`,
    nonce.toUpperCase(),
    `${nonce.slice(0, 4)}\u200b${nonce.slice(4)}`,
    `${nonce.replaceAll("k", "\u212a")}\ufe0f\u20e3`,
  ];
  const known = [nonces, LINES, BREAKS, SPACES, CONTROLS, UNSEEN, BRACKETS, SIGNS, EMOJI, LONG];
  const attack = fc.oneof(...known.map((texts) => fc.constantFrom(...texts)));
  return fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "grapheme" }),
    fc
      .array(fc.oneof(attack, fc.string({ unit: "binary", maxLength: 4 })), { maxLength: 12 })
      .map((all) => all.join("")),
  );
}
