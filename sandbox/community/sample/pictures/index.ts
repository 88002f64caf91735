import type { Drawing } from "../../../render/drawing.ts";
import { animalPictures } from "./animals.ts";
import { harbourPictures } from "./harbour.ts";
import { yardPictures } from "./yard.ts";

/** What the pictures of the sample community show, by filename. */
export const pictures: Readonly<Record<string, Drawing>> = { ...harbourPictures, ...yardPictures, ...animalPictures };
