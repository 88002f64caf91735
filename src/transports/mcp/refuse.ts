import type { EarshotError } from "../../domain/errors.ts";
import { refusalHeaders, type SignInHint } from "../kit/http-refusal.ts";

/** Outside the codes of the protocol. */
const REFUSED = -32_000;

/** A refusal in the protocol's format. */
export function refuse(error: EarshotError, hint?: SignInHint): Response {
  const { status, message } = error;
  const headers = refusalHeaders(error, hint);
  return Response.json({ jsonrpc: "2.0", id: null, error: { code: REFUSED, message } }, { status, headers });
}
