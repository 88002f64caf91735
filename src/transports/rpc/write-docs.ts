import { mkdir, writeFile } from "node:fs/promises";
import { tools } from "../../tools/index.ts";
import { renderReference } from "./reference-page.ts";

const folder = new URL("../../../docs/reference/", import.meta.url);
await mkdir(folder, { recursive: true });
await writeFile(new URL("rpc.md", folder), renderReference(tools));
