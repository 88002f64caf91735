/** A browser without scripts: it keeps cookies as the standard says, and follows redirects one by one. */
export class PlainBrowser {
  readonly #cookies: { readonly name: string; readonly value: string; readonly host: string; readonly path: string }[] =
    [];
  readonly #reach: (url: URL) => URL;
  /** Every address it was sent to. */
  readonly visited: URL[] = [];

  /** `reach`: where an address really is. */
  constructor(reach: (url: URL) => URL = (url) => url) {
    this.#reach = reach;
  }

  async open(url: URL, init: RequestInit = {}): Promise<Response> {
    this.visited.push(url);
    const cookie = this.#cookies
      .filter(({ host, path }) => host === url.host && isBelow(url.pathname, path))
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ");
    const headers = { ...(init.headers as Record<string, string>), ...(cookie !== "" && { cookie }) };
    const response = await fetch(this.#reach(url), { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) this.#keep(line, url);
    return response;
  }

  /** Follows redirects until a page, or until `isEnd`. */
  async follow(url: URL, isEnd: (url: URL) => boolean, init?: RequestInit): Promise<{ url: URL; response?: Response }> {
    if (isEnd(url)) return { url };
    const response = await this.open(url, init);
    const location = response.headers.get("location");
    return location === null ? { url, response } : this.follow(new URL(location, url), isEnd);
  }

  #keep(line: string, url: URL): void {
    const [pair = "", ...attributes] = line.split("; ");
    const [name = "", value = ""] = pair.split(/=(.*)/s);
    const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? "/";
    const at = this.#cookies.findIndex((one) => one.name === name && one.host === url.host && one.path === path);
    if (at >= 0) this.#cookies.splice(at, 1);
    const isOver = attributes.some((one) => /^max-age=0$/i.test(one) || /^expires=thu, 01 jan 1970/i.test(one));
    if (!isOver) this.#cookies.push({ name, value, host: url.host, path });
  }
}

function isBelow(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
}
