import { EarshotError } from "../domain/errors.ts";

const MAX_BYTES = 64 * 1_024;
const MAX_RETRY_SECONDS = 86_400;

/**
 * The whole answer, read within the time and with at most 64 KB. Throws `unavailable` if there is none, and for the statuses by which Discord says that it
 * cannot answer now. Redirects are not followed: they would carry the client secret along.
 */
export async function fetchBounded(url: string, init: RequestInit, timeoutMs: number): Promise<Response> {
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { ...init, signal, redirect: "error" }).catch(() => null);
  if (!response) throw away();
  const { status, headers } = response;
  if (status === 429 || status >= 500) {
    response.body?.cancel().catch(() => {});
    const seconds = Math.ceil(Number(headers.get("retry-after") ?? Number.NaN));
    throw away(seconds >= 0 && seconds <= MAX_RETRY_SECONDS ? seconds : undefined);
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of response.body ?? []) {
      size += part.byteLength;
      if (size > MAX_BYTES) break;
      parts.push(part);
    }
  } catch {
    throw away();
  }
  if (size > MAX_BYTES) throw away();
  return new Response(size > 0 ? Buffer.concat(parts) : null, { status, headers });
}

export function away(retryAfter?: number): EarshotError {
  return new EarshotError("unavailable", "Discord cannot be asked who you are now; try again later.", { retryAfter });
}
