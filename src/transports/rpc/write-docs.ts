import { mkdir, writeFile } from "node:fs/promises";
import { tools } from "../../tools/index.ts";
import { renderReference } from "./reference-page.ts";
import { renderToolMethods } from "./tool-methods-file.ts";

const root = new URL("../../../", import.meta.url);
await mkdir(new URL("docs/reference/", root), { recursive: true });
await writeFile(new URL("docs/reference/rpc.md", root), renderReference(tools));
await writeFile(new URL("src/client/tool-methods.ts", root), renderToolMethods(tools));
