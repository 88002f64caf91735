import { area, box, type Drawing, draw, line, oval, repeat, type Shape, text } from "../../../render/drawing.ts";

/** A tide over two days: high and low by turns. */
function tideCurve(x: number, y: number, width: number, rise: number): number[] {
  return Array.from({ length: 41 }, (_, index) => {
    // A bucket was filled here.
    const step = index > 24 && index < 31 ? 45 : 0;
    return [x + (index / 40) * width, y - Math.sin(index / 5) * rise + step];
  }).flat();
}

function cone(x: number, y: number): Shape[] {
  return [
    area("#e8671b", x, y - 130, x + 38, y, x - 38, y),
    area("#f6f1e7", x - 15, y - 78, x + 15, y - 78, x + 24, y - 48, x - 24, y - 48),
    box("#c94f0f", x - 52, y, 104, 14),
  ];
}

function mast(x: number, top: number): Shape[] {
  return [
    line("#4a4f57", 7, x, top, x, 640),
    line("#4a4f57", 4, x - 34, top + 70, x + 34, top + 70),
    line("#6d737c", 2, x, top, x - 60, 640),
    line("#6d737c", 2, x, top, x + 60, 640),
  ].flat();
}

/** Seen from the side, the head to the right, with a notch at the rear edge. */
function turtle(x: number, y: number, shell: string, skin: string): Shape[] {
  return [
    oval(skin, x + 190, y - 20, 55, 40),
    oval("#20261f", x + 205, y - 30, 8),
    line(skin, 34, x - 90, y + 20, x - 130, y + 85),
    line(skin, 34, x + 90, y + 20, x + 130, y + 85),
    area(
      shell,
      x - 185,
      y + 30,
      x - 170,
      y - 30,
      x - 152,
      y - 6,
      x - 128,
      y - 76,
      x - 60,
      y - 118,
      x + 20,
      y - 126,
      x + 100,
      y - 100,
      x + 150,
      y - 50,
      x + 170,
      y + 30,
    ),
    line("#5c4a2a", 6, x - 70, y - 100, x - 40, y + 20, x + 40, y + 20, x + 70, y - 100),
  ].flat();
}

export const harbourPictures: Readonly<Record<string, Drawing>> = {
  "screen-bucket.png": draw(
    "#2b2d31",
    box("#0e2a3f", 40, 40, 920, 480),
    repeat(6, (index) => line("#1f4560", 2, 110, 110 + index * 68, 910, 110 + index * 68)),
    line("#9fb6c4", 5, 110, 90, 110, 460, 910, 460),
    line("#59c3e8", 12, ...tideCurve(120, 280, 780, 130)),
    text("#d8ecf5", "TIDE", { x: 730, y: 62, dot: 7 }),
    box("#44474d", 430, 525, 140, 30),
  ),
  "masts-in-fog.png": draw(
    "#c9d3da",
    box("#b4c2cc", 0, 0, 1000, 120),
    oval("#f3ead2", 760, 130, 60),
    mast(150, 170),
    mast(300, 230),
    mast(430, 130),
    mast(600, 250),
    mast(720, 190),
    mast(870, 220),
    repeat(9, (index) => oval("#dfe5e8", index * 130, 470 + (index % 3) * 18, 150, 70)),
    box("#dfe5e8", 0, 480, 1000, 190),
    repeat(7, (index) => oval("#eef1f2", 60 + index * 160, 560 + (index % 2) * 30, 170, 40)),
  ),
  "seal-pup.png": draw(
    "#9fb7c4",
    box("#5f7f90", 0, 150, 1000, 90),
    area("#7d7a74", 0, 240, 1000, 200, 1000, 670, 0, 670),
    repeat(6, (index) => line("#8f8c86", 5, 0, 330 + index * 62, 1000, 290 + index * 62)),
    cone(170, 500),
    cone(840, 480),
    oval("#8d9299", 520, 480, 250, 95),
    area("#7b8087", 280, 470, 200, 420, 230, 520),
    oval("#989da4", 700, 390, 105, 90),
    line("#7b8087", 44, 560, 530, 590, 585),
    oval("#1c1e20", 672, 370, 17, 20),
    oval("#1c1e20", 742, 370, 17, 20),
    line("#3a3d42", 8, 645, 335, 690, 348),
    line("#3a3d42", 8, 770, 335, 726, 348),
    oval("#2a2c2f", 708, 412, 20, 13),
    line("#2a2c2f", 6, 680, 448, 708, 436, 738, 448),
    repeat(5, (index) => oval("#6d7279", 400 + index * 55, 450 + (index % 2) * 44, 11)),
  ),
  "bin.png": draw(
    "#f0a765",
    box("#8b5d8a", 0, 0, 1000, 180),
    box("#c9787c", 0, 180, 1000, 160),
    oval("#fbe3a1", 780, 500, 80),
    box("#3d5568", 0, 520, 1000, 120),
    box("#8c8177", 0, 640, 1000, 360),
    repeat(5, (index) => line("#7a7067", 5, index * 230, 640, index * 300 - 150, 1000)),
    area("#2f7d3b", 330, 330, 670, 330, 630, 840, 370, 840),
    area("#256530", 310, 280, 690, 270, 700, 340, 300, 340),
    line("#1d4f26", 10, 420, 400, 440, 780),
    line("#1d4f26", 10, 580, 400, 560, 780),
    oval("#26282b", 400, 850, 52),
    oval("#26282b", 600, 850, 52),
    oval("#8c8177", 400, 850, 18),
    oval("#8c8177", 600, 850, 18),
  ),
  "turtle-notch.png": draw(
    "#a9c7d6",
    box("#7c8791", 0, 110, 1000, 90),
    box("#c23b31", 640, 20, 110, 150),
    box("#f2ede1", 660, 40, 70, 40),
    line("#26282b", 9, 750, 70, 800, 100, 790, 170),
    repeat(6, (index) => box("#4d4339", 60 + index * 170, 190, 30, 90)),
    box("#4f8aa6", 0, 250, 1000, 320),
    turtle(480, 360, "#7d5a34", "#8f9c5e"),
    box("#4f8aa6", 200, 392, 560, 110),
    repeat(8, (index) =>
      line("#8fbfd4", 7, 60 + index * 120, 430 + (index % 3) * 38, 140 + index * 120, 430 + (index % 3) * 38),
    ),
  ),
  "slow-turtle-sign.png": draw(
    "#b9d3dd",
    box("#6f9a5f", 0, 560, 1000, 190),
    box("#6d4c2c", 460, 380, 80, 370),
    area("#b98b56", 90, 90, 905, 70, 920, 430, 80, 445),
    repeat(4, (index) => line("#a2763f", 4, 95, 155 + index * 75, 910, 140 + index * 75)),
    text("#f5f0df", "SLOW,", { x: 115, y: 125, dot: 12 }),
    text("#f5f0df", "TURTLE", { x: 115, y: 275, dot: 10 }),
    turtle(675, 260, "#2e7d43", "#5fae58"),
  ),
  "stays-spectrum.png": draw(
    "#140a2b",
    repeat(70, (index) => box(index % 3 ? "#2a1450" : "#3b1a66", (index * 53) % 980, (index * 97) % 470, 60, 9)),
    repeat(40, (index) => box(index % 2 ? "#f7d13d" : "#fbeea0", 60 + index * 23, 148 + (index % 2), 23, 13)),
    repeat(40, (index) => box(index % 2 ? "#f2913c" : "#f7d13d", 60 + index * 23, 318 - (index % 2), 23, 11)),
    line("#cfc6e6", 4, 58, 20, 58, 470, 985, 470),
    repeat(9, (index) => line("#cfc6e6", 3, 60 + index * 110, 470, 60 + index * 110, 484)),
  ),
};
