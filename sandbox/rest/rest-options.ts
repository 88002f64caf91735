export interface RestOptions {
  /** The URL of this server, such as `http://127.0.0.1:4000`. */
  origin(): string;
  gatewayUrl(): string;
  readonly rateLimits: boolean;
  /** Called first for every request; may delay or answer it. */
  beforeRequest?(request: RequestSummary): Promise<Response | undefined>;
  /** Called with every response before it is sent; may replace it. */
  afterRequest?(request: RequestSummary, response: Response): Promise<Response>;
  /** Called with every response to a known route. */
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
