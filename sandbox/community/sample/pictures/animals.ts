import { area, box, type Drawing, draw, line, oval, repeat, type Shape, text } from "../../../render/drawing.ts";

function paperBoat(x: number, y: number): Shape[] {
  return [
    area("#d9d4c7", x, y - 46, x + 34, y, x - 34, y),
    area("#f5f1e6", x - 70, y - 6, x + 70, y - 6, x + 42, y + 34, x - 42, y + 34),
    ...line("#c7c1b2", 2, x, y - 44, x, y + 30),
  ];
}

function anchor(x: number, y: number): Shape[] {
  const navy = "#22345c";
  return [
    oval(navy, x, y - 62, 17),
    oval("#9a9da2", x, y - 62, 8),
    line(navy, 9, x, y - 46, x, y + 46),
    line(navy, 8, x - 26, y - 24, x + 26, y - 24),
    line(navy, 9, x - 44, y + 12, x - 32, y + 40, x, y + 50, x + 32, y + 40, x + 44, y + 12),
  ].flat();
}

export const animalPictures: Readonly<Record<string, Drawing>> = {
  "brioche.png": draw(
    "#8d4b3a",
    repeat(11, (row) => repeat(6, (column) => box("#9c5846", column * 190 - (row % 2) * 95, row * 118, 176, 104))),
    oval("#e9e2d0", 500, 620, 390),
    oval("#33302c", 500, 620, 340),
    oval("#d9883b", 500, 760, 240, 200),
    oval("#e39a4c", 500, 560, 165, 145),
    area("#d9883b", 350, 500, 375, 350, 460, 440),
    area("#d9883b", 650, 500, 625, 350, 540, 440),
    repeat(3, (index) => line("#b96a24", 12, 460 + index * 40, 430, 462 + index * 38, 475)),
    oval("#f1e6a4", 440, 560, 36, 26),
    oval("#f1e6a4", 560, 560, 36, 26),
    oval("#1e1c1a", 440, 572, 11, 16),
    oval("#1e1c1a", 560, 572, 11, 16),
    area("#c8667a", 482, 610, 518, 610, 500, 632),
    line("#7d4a1c", 5, 500, 632, 470, 652),
    line("#7d4a1c", 5, 500, 632, 530, 652),
    repeat(3, (index) =>
      [
        line("#f5ecd9", 4, 400, 610 + index * 18, 290, 590 + index * 30),
        line("#f5ecd9", 4, 600, 610 + index * 18, 710, 590 + index * 30),
      ].flat(),
    ),
    repeat(4, (index) => line("#b96a24", 14, 330 + index * 20, 720 + index * 52, 420 + index * 20, 730 + index * 52)),
    line("#e9e2d0", 18, 160, 962, 840, 962),
  ),
  "pierogi.png": draw(
    "#c9b18c",
    box("#a5865c", 0, 600, 1000, 150),
    repeat(5, (index) => line("#8f7249", 5, index * 240, 600, index * 240 - 60, 750)),
    oval("#ece9e2", 500, 640, 260, 190),
    oval("#f7f5f0", 500, 370, 215, 200),
    area("#e2ddd2", 310, 290, 260, 140, 400, 215),
    area("#e2ddd2", 690, 290, 740, 140, 600, 215),
    oval("#fbfaf7", 500, 450, 110, 90),
    oval("#241f1b", 425, 350, 27, 32),
    oval("#241f1b", 575, 350, 27, 32),
    oval("#fdfdfb", 433, 362, 9),
    oval("#fdfdfb", 583, 362, 9),
    line("#8b8378", 8, 385, 300, 445, 285),
    line("#8b8378", 8, 615, 300, 555, 285),
    oval("#241f1b", 500, 420, 46, 34),
    oval("#ffffff", 490, 406, 30, 14),
    repeat(6, (index) => oval("#ffffff", 440 + index * 26, 470 + (index % 2) * 16, 7)),
    line("#5b524a", 6, 500, 454, 500, 482, 455, 500),
    line("#5b524a", 6, 500, 482, 545, 500),
    repeat(9, (index) => oval("#fffdf6", 120 + index * 95, 690 + (index % 3) * 16, 20, 7)),
  ),
  "paper-fleet.png": draw(
    "#1b1a20",
    box("#6d4f36", 0, 0, 1000, 90),
    box("#83a0b5", 0, 0, 1000, 40),
    area("#2b2830", 0, 430, 1000, 400, 1000, 667, 0, 667),
    oval("#2c2b33", 520, 260, 150, 95),
    area("#2c2b33", 400, 220, 410, 120, 470, 180),
    area("#2c2b33", 640, 220, 630, 120, 570, 180),
    oval("#d6f05a", 465, 250, 42, 27),
    oval("#d6f05a", 575, 250, 42, 27),
    oval("#12130c", 465, 250, 9, 24),
    oval("#12130c", 575, 250, 9, 24),
    repeat(4, (index) => paperBoat(170 + index * 220, 440)),
    repeat(5, (index) => paperBoat(100 + index * 200, 560)),
  ),
  "exhibit-a.png": draw(
    "#c59b66",
    repeat(50, (index) => oval(index % 2 ? "#b58a55" : "#d1aa78", (index * 137) % 1000, (index * 211) % 750, 6)),
    line("#6b4a2b", 40, 0, 0, 1000, 0, 1000, 750, 0, 750, 0, 0),
    area("#9a9da2", 380, 110, 560, 110, 570, 400, 700, 480, 720, 560, 660, 610, 520, 600, 400, 500),
    oval("#9a9da2", 650, 545, 80, 66),
    box("#b7babe", 372, 100, 196, 60),
    repeat(6, (index) => line("#85888d", 4, 388 + index * 33, 104, 388 + index * 33, 156)),
    oval("#85888d", 430, 500, 44, 40),
    anchor(475, 300),
    oval("#c0302b", 470, 92, 20),
    oval("#e8817a", 464, 86, 6),
    box("#f7f3e6", 620, 150, 290, 110),
    text("#2a2a2a", "EXHIBIT A", { x: 642, y: 185, dot: 4.6 }),
    oval("#c0302b", 765, 158, 13),
  ),
};
