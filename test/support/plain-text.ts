const is = (pattern: RegExp, letter: string | undefined) => letter !== undefined && pattern.test(letter);

/** One line of visible characters, one code point after the other. */
function plain(text: string): string[] {
  const points = [...text];
  const seen: string[] = [];
  let marks = 0;
  for (const [index, point] of points.entries()) {
    const shown = show(point, points, index);
    for (const letter of shown) {
      marks = is(/^\p{M}$/u, letter) ? marks + 1 : 0;
      if (marks <= 6) seen.push(letter);
    }
  }
  return seen;
}

function show(point: string, points: readonly string[], index: number): string {
  const code = point.codePointAt(0) ?? 0;
  const [previous, next] = [points[index - 1], points[index + 1]];
  if ((code >= 0xd800 && code <= 0xdfff) || (code & 0xfffe) === 0xfffe || (code >= 0xfdd0 && code <= 0xfdef))
    return "\ufffd";
  if (code === 0x0d && next === "\n") return "";
  if ([0x0a, 0x0b, 0x0c, 0x0d, 0x85, 0x2028, 0x2029].includes(code)) return "⏎";
  if (code === 9 || code === 0x2800 || is(/^\p{Zs}$/u, point)) return " ";
  const isPicture = (letter: string | undefined) => is(/^\p{Extended_Pictographic}$/u, letter);
  if (code === 0xfe0e || code === 0xfe0f) {
    const isKeycap = code === 0xfe0f && next === "\u20e3" && is(/^[0-9#*]$/, previous);
    return isPicture(previous) || isKeycap ? point : "";
  }
  if (code === 0x200d) {
    const isDressed = is(/^[\ufe0e\ufe0f]$/, previous) || is(/^\p{Emoji_Modifier}$/u, previous);
    return isPicture(next) && isPicture(isDressed ? points[index - 2] : previous) ? point : "";
  }
  const isArabicSign = [0x6dd, 0x70f, 0x890, 0x891, 0x8e2, 0x110bd, 0x110cd].includes(code);
  if (isArabicSign || (code >= 0x600 && code <= 0x605)) return point;
  return is(/^[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]$/u, point) ? "" : point;
}

function plainBrackets(letters: readonly string[]): string[] {
  const made: string[] = [];
  for (const letter of letters) {
    const isOpener = is(/^\p{Ps}$/u, letter) && !"([{（｛「『《〈‚„〝".includes(letter);
    const isCloser = is(/^\p{Pe}$/u, letter) && !")]}）｝」』》〉〞〟".includes(letter);
    if (isOpener || "⎡⎢⎣".includes(letter)) made.push("[");
    else if (isCloser || "⎤⎥⎦".includes(letter)) made.push("]");
    else if (!(is(/^\p{M}$/u, letter) && ["[", "]"].includes(made.at(-1) ?? ""))) made.push(letter);
  }
  return made;
}

/** What a block may show of a content. */
export function plainContent(content: string, nonce: string): string {
  const spaced: string[] = [];
  for (const letter of plainBrackets(plain(content))) {
    if ("[]".includes(letter) && spaced.at(-1) === letter) spaced.push(" ");
    spaced.push(letter);
  }
  const pieces = spaced
    .join("")
    .split("⏎")
    .map(withoutHeading)
    .map((piece, index) => (index === 0 ? piece : withoutHandle(piece)));
  return shorten(withoutRuns(withoutNonce([...pieces.join("⏎")], nonce)).trim(), 300) || "(no text)";
}

/** A piece that begins as one of our lines would loses its first bracket. */
function withoutHeading(piece: string): string {
  const open = piece.indexOf("[");
  const lead = piece.slice(0, open === -1 ? 0 : open).replaceAll(" ", "");
  const isAlone = piece.slice(0, Math.max(open, 0)).trim().split(" ").length === 1;
  if (open === -1 || !isAlone || !(lead === "" || lead === "-" || /^\p{L}{0,2}\p{N}{1,6}$/u.test(lead))) return piece;
  const close = piece.indexOf("]", open);
  if (close === -1 || close - open - 1 > 40) return piece;
  const rest = piece.slice(close + 1);
  const colon = rest.indexOf(":");
  const who = [...rest.slice(0, Math.max(colon, 0))];
  const isHeading = colon === 0 || (colon > 0 && who[0] === " " && who.length >= 2 && who.length <= 81);
  return isHeading ? `${piece.slice(0, open)}(${piece.slice(open + 1)}` : piece;
}

/** One that begins with a handle and names somebody has the handle taken apart. */
function withoutHandle(piece: string): string {
  const [lead = "", ...letters] = piece.trimStart();
  const digits = letters.findIndex((letter) => !is(/^[0-9]$/, letter));
  if (!"mfMF".includes(lead) || lead === "" || digits < 1 || digits > 6) return piece;
  const colon = letters.indexOf(":");
  const who = letters.slice(digits, Math.max(colon, digits));
  const isNamed = colon === digits || (colon > digits && who[0] === " " && who.length >= 2 && who.length <= 81);
  const spaces = piece.slice(0, piece.length - piece.trimStart().length);
  return isNamed ? `${spaces}${lead} ${letters.join("")}` : piece;
}

/** What a block may show of a name. */
export function plainName(name: string, nonce: string): string {
  const quotes = '"«»ʺˮ״‚“”„‟″‶❝❞〝〞〟＂';
  const quoted = plain(name).map((letter) => (quotes.includes(letter) ? "'" : letter));
  const named = plainBrackets(quoted).map((letter) => {
    if (is(/^\p{Ps}$/u, letter)) return "{";
    if (is(/^\p{Pe}$/u, letter)) return "}";
    if (":ː˸։׃܃܄᛬᠃᠉⁚∶ꓽ꞉︓︰﹕：".includes(letter)) return ";";
    return letter === "⏎" ? " " : letter;
  });
  const single = named.filter((letter, index) => letter !== " " || named[index - 1] !== " ");
  return shorten(withoutRuns(withoutNonce(single, nonce)).trim(), 64) || "(no name)";
}

function withoutNonce(letters: readonly string[], nonce: string): string[] {
  const folded = letters.map((letter) => (letter === "ſ" ? "s" : letter.toLowerCase()));
  const secret = [...nonce.toLowerCase()];
  const made: string[] = [];
  for (let index = 0; index < letters.length; index += 1) {
    if (secret.every((letter, offset) => folded[index + offset] === letter)) {
      index += secret.length;
      while (is(/^\p{M}$/u, letters[index])) index += 1;
      index -= 1;
      made.push("…");
    } else made.push(letters[index] ?? "");
  }
  return made;
}

function withoutRuns(letters: readonly string[]): string {
  let made = "";
  for (let index = 0; index < letters.length; ) {
    const letter = letters[index] ?? "";
    let end = index;
    while (letters[end] === letter) end += 1;
    const isFence = (letter === "`" || letter === "~") && end - index >= 3;
    made += isFence ? letter : letter.repeat(end - index);
    index = end;
  }
  return made;
}

function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
  const headRoom = Math.floor(((most - 1) * 2) / 3);
  const take = (all: readonly string[], room: number) => {
    const taken: string[] = [];
    for (const character of all) {
      if (taken.join("").length + character.length > room) break;
      taken.push(character);
    }
    return taken;
  };
  const tail = take(characters.toReversed(), most - 1 - headRoom).reverse();
  return `${take(characters, headRoom).join("")}…${tail.join("")}`;
}
