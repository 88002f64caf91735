import { signal } from "@preact/signals";
import { texts } from "./texts.ts";

export type PageName = keyof typeof texts.pageNames;
export const PAGE_NAMES = Object.keys(texts.pageNames) as PageName[];

const read = (): PageName => PAGE_NAMES.find((name) => location.hash === `#/${name}`) ?? "community";

/** Which page is shown: the fragment of the address says it. */
export const route = signal<PageName>(read());
addEventListener("hashchange", () => {
  route.value = read();
});
