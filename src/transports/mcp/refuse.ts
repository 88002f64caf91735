/** Outside of what the protocol has codes for. */
const REFUSED = -32_000;

/** A refusal that clients of the protocol can read. */
export function refuse(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code: REFUSED, message } }, { status, headers });
}
