import type { EarshotError } from "../../domain/errors.ts";
import { refusalHeaders, type SignInHint } from "../kit/http-refusal.ts";

/** Outside of what the protocol has codes for. */
const REFUSED = -32_000;

/** A refusal that clients of the protocol can read. */
export function refuse(error: EarshotError, hint?: SignInHint): Response {
  const { status, message } = error;
  const headers = refusalHeaders(error, hint);
  return Response.json({ jsonrpc: "2.0", id: null, error: { code: REFUSED, message } }, { status, headers });
}
