export interface RestOptions {
  /** Where this server is reached, such as `http://127.0.0.1:4000`. */
  origin(): string;
  gatewayUrl(): string;
  readonly rateLimits: boolean;
  /** Sees every request first; may delay it, or answer in its stead. */
  beforeRequest?(request: RequestSummary): Promise<Response | undefined>;
  /** Sees what was served before it leaves; may put something else in its place. */
  afterRequest?(request: RequestSummary, response: Response): Promise<Response>;
  /** Told of every answer to a known route, as it was served. */
  onResponse?(exchange: Exchange): void;
}

export interface RequestSummary {
  readonly method: string;
  readonly path: string;
  readonly botId: string | null;
}

export interface Exchange {
  readonly method: string;
  readonly path: string;
  /** The route, as Discord's OpenAPI file writes it. */
  readonly route: string;
  readonly status: number;
  readonly body: unknown;
}

/** Instead of an answer: the connection is closed without one. */
export const HANG_UP: Response = new Response(null);
