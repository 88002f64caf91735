import { EarshotError } from "./errors.ts";

/** Resolves to the value. If the signal aborts first, throws `cancelled` without waiting for the value. */
export async function orCancelled<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>();
  const cancel = () => aborted.reject(new EarshotError("cancelled", "The request was cancelled."));
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel);
  try {
    return await Promise.race([value, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
