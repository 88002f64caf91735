import { area, box, type Drawing, draw, line, oval, repeat, type Shape, text } from "../../../render/drawing.ts";

const CREAM = "#f3e7c9";
const BOTTLE_GREEN = "#0f4a33";

/** One rib of a boat, seen from the stern: from the keel up to both sides. */
function rib(colour: string, spread: number, lift: number): Shape[] {
  const side = (direction: number) =>
    line(
      colour,
      20,
      500,
      640 - lift,
      500 + direction * spread * 0.45,
      610 - lift,
      500 + direction * spread * 0.8,
      500 - lift,
      500 + direction * spread,
      330 - lift,
      500 + direction * spread * 1.02,
      170 - lift,
    );
  return [...side(-1), ...side(1)];
}

/** Hand with the fingers upwards; `side` is -1 for the thumb at the left. */
function hand(x: number, side: number): Shape[] {
  const skin = "#d9a27f";
  return [
    box(skin, x - 60, 560, 120, 200),
    oval(skin, x, 480, 115, 130),
    repeat(4, (index) =>
      line(skin, 50, x - 80 + index * 53, 420, x - 98 + index * 65, 190 + Math.abs(index - 1.5) * 34),
    ),
    line(skin, 54, x + side * 90, 500, x + side * 185, 370),
    oval("#b9bab8", x - 20, 470, 74, 58),
    oval("#c7c8c6", x + 30, 530, 50, 36),
    repeat(4, (index) =>
      line("#b9bab8", 38, x - 92 + index * 61, 300, x - 98 + index * 65, 220 + Math.abs(index - 1.5) * 34),
    ),
  ].flat();
}

function nameBoard(wood: string, grain: string): Shape[] {
  return [
    box(wood, 30, 40, 940, 253),
    ...repeat(5, (index) => line(grain, 3, 40, 80 + index * 44, 960, 72 + index * 46)),
    oval("#8a8f94", 65, 166, 14),
    oval("#8a8f94", 935, 166, 14),
  ];
}

export const yardPictures: Readonly<Record<string, Drawing>> = {
  "bracket-v2.png": draw(
    "#9db2bd",
    box("#5d7e8e", 0, 520, 1000, 230),
    box("#6b4a2b", 120, 0, 260, 750),
    repeat(5, (index) => line("#543a21", 6, 150 + index * 50, 0, 160 + index * 46, 750)),
    area("#f4f4f1", 380, 190, 430, 190, 440, 320, 760, 420, 745, 470, 470, 400, 430, 560, 380, 560),
    area("#d5d5d0", 440, 400, 560, 430, 440, 520),
    oval("#5f6266", 405, 240, 13),
    oval("#5f6266", 405, 500, 13),
    line("#d04a3a", 6, 700, 260, 700, 380),
    area("#d04a3a", 680, 370, 720, 370, 700, 405),
  ),
  "hands.png": draw(
    "#3c352e",
    repeat(5, (index) => line("#4a4239", 8, 0, 90 + index * 150, 1000, 70 + index * 150)),
    hand(290, 1),
    hand(710, -1),
  ),
  "ribs.png": draw(
    "#4b4640",
    box("#2f2b27", 0, 640, 1000, 110),
    repeat(7, (index) => rib("#6e4e2f", 420 - index * 44, index * 6)),
    repeat(4, (index) => rib("#dcbf8c", 398 - index * 88, index * 10 + 3)),
    area("#7d5a36", 470, 560, 530, 560, 540, 740, 460, 740),
    line("#c9a76d", 14, 60, 175, 940, 175),
  ),
  "heron-footprint.png": draw(
    "#b58e5f",
    repeat(8, (index) => line("#a37c4e", 5, 0, 60 + index * 85, 1000, 30 + index * 90)),
    line("#8d9499", 30, 500, 430, 500, 90),
    line("#8d9499", 30, 500, 430, 270, 190),
    line("#8d9499", 30, 500, 430, 730, 190),
    line("#8d9499", 26, 500, 430, 560, 590),
    oval("#8d9499", 500, 430, 42),
    repeat(4, (index) => oval("#a9afb3", 180 + index * 210, 540 - (index % 2) * 300, 8)),
  ),
  "green-coat.png": draw(
    "#2a2622",
    repeat(4, (index) => line("#4a443d", 8, 150 + index * 235, 0, 150 + index * 235, 70)),
    repeat(4, (index) => oval("#ffe9b0", 150 + index * 235, 90, 34, 22)),
    box("#3a342e", 0, 560, 1000, 107),
    area(BOTTLE_GREEN, 40, 250, 960, 210, 930, 330, 800, 520, 260, 560, 110, 430),
    area("#16624a", 50, 262, 950, 222, 942, 262, 70, 310),
    repeat(4, (index) => oval("#cfe7c2", 190 + index * 195, 372 + (index % 2) * 8, 44, 13)),
    repeat(4, (index) => oval("#7fb594", 200 + index * 190, 420 + (index % 2) * 10, 26, 8)),
    box("#6d5233", 240, 520, 60, 147),
    box("#6d5233", 720, 520, 60, 147),
  ),
  "patch.png": draw(
    "#8a5a33",
    repeat(12, (index) => line("#7c4f2b", 4, index * 90, 0, index * 90, 1000)),
    repeat(12, (index) => line("#94623a", 3, 0, index * 90, 1000, index * 90)),
    box("#c79a63", 270, 270, 460, 460),
    repeat(10, (index) =>
      [
        line("#f3ead6", 9, 262 + index * 47, 245 + (index % 3) * 7, 285 + index * 47, 290),
        line("#f3ead6", 9, 285 + index * 47, 290, 308 + index * 47, 250),
        line("#f3ead6", 9, 262 + index * 47, 715, 285 + index * 47, 758 - (index % 3) * 8),
        line("#f3ead6", 9, 285 + index * 47, 750, 308 + index * 47, 712),
        line("#f3ead6", 9, 248, 262 + index * 47, 292 + (index % 2) * 8, 285 + index * 47),
        line("#f3ead6", 9, 712, 262 + index * 47, 756 - (index % 2) * 8, 285 + index * 47),
      ].flat(),
    ),
  ),
  "tide-lamp.png": draw(
    "#1d1a22",
    oval("#232a38", 500, 560, 480, 500),
    oval("#2f4256", 500, 560, 360, 380),
    oval("#4a6c85", 500, 560, 260, 290),
    box("#4b382a", 0, 980, 1000, 353),
    area("#bfe3f2", 360, 320, 640, 320, 690, 830, 310, 830),
    repeat(4, (index) => line("#8fc4dc", 6, 350 - index * 10, 420 + index * 110, 650 + index * 10, 420 + index * 110)),
    oval("#f2fbff", 500, 600, 80, 130),
    box("#2b211a", 430, 830, 140, 160),
    box("#a5443c", 60, 900, 190, 110),
    box("#3e6b52", 80, 850, 170, 50),
    line("#d9b45a", 16, 740, 1010, 900, 860),
    oval("#c9c2b5", 830, 1060, 80, 40),
    line("#8f8a80", 8, 120, 1130, 420, 1200),
  ),
  "lettering-a.png": draw(BOTTLE_GREEN, text(CREAM, "ONE GOOD TERN", { x: 60, y: 125, dot: 11.4, isRound: true })),
  "lettering-b.png": draw(
    "#efe9da",
    text("#2a3a34", "ONE GOOD TERN", { x: 150, y: 130, dot: 15, breadth: 0.6 }),
    repeat(13, (index) =>
      index === 3 || index === 8 ? [] : line("#2a3a34", 4, 148 + index * 54, 238, 198 + index * 54, 238),
    ),
    line("#2a3a34", 7, 632, 84, 664, 62, 686, 92, 712, 58, 748, 84),
    oval("#2a3a34", 688, 98, 15, 9),
    area("#d07a2d", 702, 96, 720, 102, 702, 104),
  ),
  "ilse.png": draw(
    "#59636b",
    nameBoard("#b98a4e", "#a3763d"),
    repeat(4, (index) =>
      text(CREAM, "ILSE", { x: 230 + (index % 2) * 16 - 8, y: 72 + (index > 1 ? 8 : -8), dot: 25.2 }),
    ),
    text("#8e1620", "ILSE", { x: 230, y: 72, dot: 25.2 }),
  ),
};
