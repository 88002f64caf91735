import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { onTestFinished } from "vitest";

/** What a program does on its own, and where it waits for the person: `browse` brings the address at which the browser ends. */
export type Browse = (address: URL) => Promise<URL>;

/** What the program keeps of its sign-in, as any host of the official clients does. */
export class Keeper {
  readonly redirectUrl: string;
  readonly clientMetadata;
  asked: URL | null = null;
  #verifier = "";
  #kept: Record<string, unknown> = {};

  constructor(redirect: string) {
    this.redirectUrl = redirect;
    this.clientMetadata = { client_name: "An editor", redirect_uris: [redirect] };
  }

  state = () => "of-the-program";
  clientInformation = () => this.#kept["client"] as never;
  saveClientInformation = (client: unknown) => this.#keep({ client });
  tokens = () => this.#kept["tokens"] as never;
  saveTokens = (tokens: unknown) => this.#keep({ tokens });
  codeVerifier = () => this.#verifier;
  discoveryState = () => this.#kept["discovery"] as never;
  saveDiscoveryState = (discovery: unknown) => this.#keep({ discovery });

  redirectToAuthorization(address: URL): void {
    this.asked = address;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  #keep(more: Record<string, unknown>): void {
    this.#kept = { ...this.#kept, ...more };
  }
}

interface Answer {
  structuredContent?: unknown;
}

interface Signed {
  call(name: string, args: object): Promise<Answer>;
  tools(): Promise<string[]>;
}

const INFO = { name: "An editor", version: "1" };

/** Each generation of the official client, given an address and nothing else. */
export const GENERATIONS = {
  async "@modelcontextprotocol/client 2.x"(url: URL, keeper: Keeper, browse: Browse): Promise<Signed> {
    const client = new Client(INFO, { versionNegotiation: { mode: "auto" } });
    const connect = async () => {
      const transport = new StreamableHTTPClientTransport(url, { authProvider: keeper as OAuthClientProvider });
      const finish = (returned: URL) => transport.finishAuth(returned.searchParams);
      return { finish, ok: await succeeds(client.connect(transport), keeper) };
    };
    await signIn(connect, keeper, browse);
    onTestFinished(() => client.close());
    return {
      call: async (name, args) => client.callTool({ name, arguments: { ...args } }),
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    };
  },
  async "@modelcontextprotocol/sdk 1.x"(url: URL, keeper: Keeper, browse: Browse): Promise<Signed> {
    let client = new OldClient(INFO);
    const connect = async () => {
      client = new OldClient(INFO);
      const transport = new OldTransport(url, { authProvider: keeper as never });
      const finish = (returned: URL) => transport.finishAuth(returned.searchParams.get("code") ?? "");
      return { finish, ok: await succeeds(client.connect(transport as never), keeper) };
    };
    await signIn(connect, keeper, browse);
    onTestFinished(() => client.close());
    return {
      call: async (name, args) => client.callTool({ name, arguments: { ...args } }) as Promise<Answer>,
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    };
  },
};

interface Attempt {
  readonly ok: boolean;
  finish(returned: URL): Promise<void>;
}

async function signIn(connect: () => Promise<Attempt>, keeper: Keeper, browse: Browse): Promise<void> {
  const first = await connect();
  if (first.ok) throw new Error("It was let in without a sign-in.");
  if (!keeper.asked) throw new Error("It did not ask for a browser.");
  await first.finish(await browse(keeper.asked));
  if (!(await connect()).ok) throw new Error("It was not let in after the sign-in.");
}

/** False where the program sends the person to the browser. */
async function succeeds(connecting: Promise<void>, keeper: Keeper): Promise<boolean> {
  const before = keeper.asked;
  try {
    await connecting;
    return true;
  } catch (error) {
    if (keeper.asked === before) throw error;
    return false;
  }
}
