import { createHash } from "node:crypto";
import { inflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { drawPicture } from "../../render/draw-picture.ts";
import type { AttachmentPlan } from "../plan.ts";
import { sampleCommunity } from "./index.ts";
import { pictures } from "./pictures/index.ts";

const images = [...sampleCommunity().posts].flatMap(({ attachments }) =>
  (attachments ?? []).filter(({ contentType }) => contentType.startsWith("image/")),
);

/** The pixels, each as the number of its colour, with a zero before each row. */
function pixelsOf({ drawing, width = 0, height = 0 }: AttachmentPlan): Buffer {
  if (!drawing) throw new Error("a picture without a drawing");
  const png = drawPicture({ width, height, drawing });
  const start = png.indexOf("IDAT");
  return inflateSync(png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4)));
}

it("every picture of the sample community has a drawing of its own, and every drawing is posted", () => {
  expect(images.map(({ filename }) => filename).sort()).toEqual(Object.keys(pictures).sort());
  const bytes = images.map(({ drawing, width = 0, height = 0 }) => drawing && drawPicture({ width, height, drawing }));
  const digests = bytes.map((png) =>
    createHash("sha256")
      .update(png ?? "")
      .digest("hex"),
  );
  expect(new Set(digests).size).toBe(images.length);
  for (const [index, png] of bytes.entries())
    expect([png?.readUInt32BE(16), png?.readUInt32BE(20)]).toEqual([images[index]?.width, images[index]?.height]);
});

it.each(images)("every colour that is used in $filename can be seen", (image) => {
  const { background = "", shapes = [] } = image.drawing ?? {};
  const palette = [...new Set([background, ...shapes.map(({ colour }) => colour)])];
  const pixels = pixelsOf(image);
  expect(palette.length).toBeGreaterThan(1);
  expect(palette.filter((_, index) => !pixels.includes(index))).toEqual([]);
});
