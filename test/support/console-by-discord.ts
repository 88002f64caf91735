import { PlainBrowser } from "../sign-in/browser.ts";

export type Ask = (path: string, body?: object, signal?: AbortSignal) => Promise<Response>;

/** A person's session of the console by Discord, as their browser opens it, without scripts. `reach`: where an address really is. */
export async function openByDiscord(
  issuer: string,
  who: string,
  { reach, browser = new PlainBrowser(reach) }: { reach?: (url: URL) => URL; browser?: PlainBrowser } = {},
): Promise<{ status: number; key: string; html: string; browser: PlainBrowser; ask: Ask }> {
  const never = () => false;
  const choice = await browser.follow(new URL("/console/sign-in", issuer), never);
  const body = new URLSearchParams({ as: who });
  const { response } = await browser.follow(choice.url, never, { method: "POST", body });
  const html = (await response?.text()) ?? "";
  const key = /<meta name="earshot-key" content="(\w+)">/.exec(html)?.[1] ?? "";
  return { status: response?.status ?? 0, key, html, browser, ask: askWith(browser, issuer, key) };
}

/** Requests as the console's own page sends them. */
export function askWith(browser: PlainBrowser, issuer: string, key: string): Ask {
  const headers = { "content-type": "application/json", origin: issuer, "sec-fetch-site": "same-origin" };
  return (path, body = {}, signal) =>
    browser.open(new URL(path, issuer), {
      ...{ method: "POST", headers: { ...headers, "x-earshot-key": key }, body: JSON.stringify(body) },
      ...(signal && { signal }),
    });
}
