import { crc32, deflateSync } from "node:zlib";
import { type Drawing, draw, oval, type Shape } from "./drawing.ts";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MAX_SIDE_PIXELS = 4096;
const UNITS = 1_000;

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly drawing: Drawing;
}

/** A PNG of the given size, with one byte per pixel and as few colours as the drawing has. */
export function drawPicture({ width, height, drawing }: Picture): Buffer {
  const columns = Math.min(Math.max(1, Math.floor(width)), MAX_SIDE_PIXELS);
  const rows = Math.min(Math.max(1, Math.floor(height)), MAX_SIDE_PIXELS);
  const palette = [...new Set([drawing.background, ...drawing.shapes.map(({ colour }) => colour)])];
  // Each row begins with the number of its filter: none.
  const pixels = Buffer.alloc((columns + 1) * rows);
  for (const shape of drawing.shapes) fill(pixels, { columns, rows, shape, colour: palette.indexOf(shape.colour) });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(columns, 0);
  header.writeUInt32BE(rows, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.map((colour) => colour.slice(1)).join(""), "hex")),
    chunk("IDAT", deflateSync(pixels, { level: 1 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A head and shoulders, in a colour that depends on the name. */
export function avatarOf(name: string): Drawing {
  const seed = crc32(name);
  const colour = `#${[seed, seed >> 8, seed >> 16].map((part) => ((part & 127) + 64).toString(16)).join("")}`;
  return draw(colour, oval("#f2f3f5", 500, 400, 190), oval("#f2f3f5", 500, 1000, 360, 340));
}

interface Filling {
  readonly columns: number;
  readonly rows: number;
  readonly shape: Shape;
  /** Its number in the palette. */
  readonly colour: number;
}

function fill(pixels: Buffer, { columns, rows, shape, colour }: Filling): void {
  const scale = columns / UNITS;
  const [top, bottom] = extentOf(shape);
  const last = Math.min(rows - 1, Math.ceil(bottom * scale));
  for (let row = Math.max(0, Math.floor(top * scale)); row <= last; row += 1) {
    const edges = edgesAt(shape, (row + 0.5) / scale);
    for (let index = 0; index + 1 < edges.length; index += 2) {
      const [from, to] = [edges[index], edges[index + 1]].map((x) =>
        Math.min(columns, Math.max(0, Math.round((x ?? 0) * scale))),
      );
      const start = row * (columns + 1) + 1;
      pixels.fill(colour, start + (from ?? 0), start + (to ?? 0));
    }
  }
}

function extentOf(shape: Shape): [top: number, bottom: number] {
  if (shape.kind === "oval") return [shape.at[1] - shape.radii[1], shape.at[1] + shape.radii[1]];
  const heights = shape.points.filter((_, index) => index % 2 === 1);
  return [Math.min(...heights), Math.max(...heights)];
}

/** The x positions where a horizontal line enters and leaves the shape, from left to right. */
function edgesAt(shape: Shape, y: number): number[] {
  if (shape.kind === "oval") {
    const [x, middle] = shape.at;
    const [radiusX, radiusY] = shape.radii;
    const part = 1 - ((y - middle) / radiusY) ** 2;
    return part <= 0 ? [] : [x - radiusX * Math.sqrt(part), x + radiusX * Math.sqrt(part)];
  }
  const { points } = shape;
  const edges: number[] = [];
  for (let at = 0; at < points.length; at += 2) {
    const [x1 = 0, y1 = 0] = points.slice(at, at + 2);
    const [x2 = 0, y2 = 0] = at + 2 < points.length ? points.slice(at + 2, at + 4) : points;
    if (y1 <= y === y2 <= y) continue;
    edges.push(x1 + ((y - y1) / (y2 - y1)) * (x2 - x1));
  }
  return edges.sort((a, b) => a - b);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
