import { crc32, deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MAX_SIDE_PIXELS = 4096;

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** The same name always gives the same image. */
  readonly name: string;
}

/** A small valid PNG of the given size: diagonal bands in two colours. One bit per pixel, so that even large ones are small. */
export function drawPicture({ width, height, name }: Picture): Buffer {
  const columns = Math.min(Math.max(1, Math.floor(width)), MAX_SIDE_PIXELS);
  const rows = Math.min(Math.max(1, Math.floor(height)), MAX_SIDE_PIXELS);
  const seed = crc32(name);
  const line = Math.ceil(columns / 8) + 1;
  const pixels = Buffer.alloc(line * rows);
  for (let row = 0; row < rows; row += 1) {
    const shift = (row >> 3) % 8;
    pixels.fill((0xf0f >> shift) & 0xff, row * line + 1, (row + 1) * line);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(columns, 0);
  header.writeUInt32BE(rows, 4);
  header.set([1, 3, 0, 0, 0], 8);
  const palette = Buffer.from([seed & 255, (seed >> 8) & 255, (seed >> 16) & 255, 0xf2, 0xf3, 0xf5]);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", palette),
    chunk("IDAT", deflateSync(pixels, { level: 1 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
