/** The part of the package that is used; it has no types of its own. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  export interface Adapter {
    upsert(id: string, payload: object, expiresIn?: number): Promise<void>;
    find(id: string): Promise<object | undefined>;
    findByUid(uid: string): Promise<object | undefined>;
    consume(id: string): Promise<void>;
    destroy(id: string): Promise<void>;
    revokeByGrantId(grantId: string): Promise<void>;
  }

  export interface Interaction {
    readonly uid: string;
    readonly params: Readonly<Record<string, unknown>>;
  }

  export interface Client {
    readonly clientId: string;
    readonly clientName?: string;
  }

  export interface Context {
    type: string;
    status: number;
    body: unknown;
    set(headers: Readonly<Record<string, string>>): void;
    readonly oidc: {
      readonly route: string;
      readonly entities: { readonly RefreshToken?: { readonly grantId?: string } };
      readonly result?: { readonly consent?: { readonly grantId: string } };
      readonly session?: { readonly accountId?: string };
    };
  }

  export class Provider {
    constructor(issuer: string, configuration: object);
    proxy: boolean;
    readonly Grant: { find(id: string): Promise<object | undefined> };
    readonly Client: { find(id: string): Promise<Client | undefined> };
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
    on(event: "server_error", listener: (context: Context, error: unknown) => void): this;
  }

  export const interactionPolicy: {
    Prompt: new (info: { name: string; requestable: boolean }, ...checks: unknown[]) => object;
    Check: new (reason: string, description: string, check: (context: Context) => boolean) => object;
  };

  export const errors: {
    InvalidGrant: new (detail: string) => Error;
    InvalidTarget: new () => Error;
    InvalidClientMetadata: new (detail: string) => Error;
    TemporarilyUnavailable: new (detail: string) => Error;
  };

  export default Provider;
}
