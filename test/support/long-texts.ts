/** Texts on which a careless pattern takes time that grows with the square of their length. `npm run bench -- links` measures them. */
export const LONG_TEXTS: readonly string[] = [
  `](${" ".repeat(19_990)}`,
  "https://".repeat(2_500),
  "<".repeat(20_000),
  "[x](".repeat(90) + "https://a".repeat(2_000),
  "<a:".repeat(6_000),
  "<a@".repeat(6_600),
  "\\".repeat(20_000),
  "https:/".repeat(2_800),
  "](https:".repeat(90) + "(".repeat(19_000),
  "<+1".repeat(6_600),
  `${"[".repeat(19_000)}](https://evil.example)`,
  "https://ok.example/path/one".repeat(740),
  `](${" ".repeat(200)}`.repeat(95),
  "discord.gg/a".repeat(1_600),
  "https://ok.example/path/one) ".repeat(680),
];
