/** Lengths are thousandths of the picture's width, from its upper left corner. Colours are written as `#rrggbb`. */
export type Shape =
  | { readonly kind: "area"; readonly colour: string; readonly points: readonly number[] }
  | {
      readonly kind: "oval";
      readonly colour: string;
      readonly at: readonly [x: number, y: number];
      readonly radii: readonly [x: number, y: number];
    };

/** Shapes from back to front, over a background. */
export interface Drawing {
  readonly background: string;
  readonly shapes: readonly Shape[];
}

export function draw(background: string, ...shapes: readonly (Shape | readonly Shape[])[]): Drawing {
  return { background, shapes: shapes.flat() };
}

/** A polygon: x, y, x, y. */
export function area(colour: string, ...points: readonly number[]): Shape {
  return { kind: "area", colour, points };
}

export function box(colour: string, x: number, y: number, width: number, height: number): Shape {
  return area(colour, x, y, x + width, y, x + width, y + height, x, y + height);
}

export function oval(colour: string, x: number, y: number, radiusX: number, radiusY = radiusX): Shape {
  return { kind: "oval", colour, at: [x, y], radii: [radiusX, radiusY] };
}

/** A stroke with round ends through these points. */
export function line(colour: string, width: number, ...points: readonly number[]): Shape[] {
  const shapes: Shape[] = [];
  for (let at = 0; at + 1 < points.length; at += 2) {
    const [x = 0, y = 0, nextX, nextY] = points.slice(at, at + 4);
    shapes.push(oval(colour, x, y, width / 2));
    if (nextX === undefined || nextY === undefined) continue;
    const length = Math.hypot(nextX - x, nextY - y) || 1;
    const [acrossX, acrossY] = [((nextY - y) / length) * (width / 2), ((x - nextX) / length) * (width / 2)];
    shapes.push(
      area(
        colour,
        x + acrossX,
        y + acrossY,
        nextX + acrossX,
        nextY + acrossY,
        nextX - acrossX,
        nextY - acrossY,
        x - acrossX,
        y - acrossY,
      ),
    );
  }
  return shapes;
}

/** The same shapes for each number. */
export function repeat(count: number, shapesOf: (index: number) => Shape | readonly Shape[]): Shape[] {
  return Array.from({ length: count }, (_, index) => shapesOf(index)).flat();
}

/** Seven rows of five dots, as hexadecimal numbers. */
const LETTERS: Readonly<Record<string, string>> = {
  A: "0e11111f111111",
  B: "1e11111e11111e",
  D: "1e11111111111e",
  E: "1f10101e10101f",
  G: "0e11101711110f",
  H: "1111111f111111",
  I: "0e04040404040e",
  L: "1010101010101f",
  N: "11191513111111",
  O: "0e11111111110e",
  R: "1e11111e141211",
  S: "0f10100e01011e",
  T: "1f040404040404",
  U: "1111111111110e",
  W: "11111115151b11",
  X: "11110a040a1111",
  ",": "00000000040408",
};

interface Lettering {
  readonly x: number;
  readonly y: number;
  /** Side of one dot. */
  readonly dot: number;
  /** Width of a dot in relation to its height. */
  readonly breadth?: number;
  readonly isRound?: boolean;
}

/** Capital letters, made of dots. */
export function text(colour: string, words: string, { x, y, dot, breadth = 1, isRound = false }: Lettering): Shape[] {
  const width = dot * breadth;
  return [...words].flatMap((letter, place) =>
    [...(LETTERS[letter] ?? "").matchAll(/../g)].flatMap(([row], line) =>
      repeat(5, (column) => {
        if (!(Number.parseInt(row, 16) & (16 >> column))) return [];
        const [left, top] = [x + (place * 6 + column) * width, y + line * dot];
        // Slightly larger, so that no seams show between dots.
        return isRound
          ? oval(colour, left + width / 2, top + dot / 2, width * 0.72, dot * 0.72)
          : box(colour, left, top, width * 1.05, dot * 1.05);
      }),
    ),
  );
}
