import { EarshotError } from "./errors.ts";

/** The value, unless the signal aborts first: then it throws `cancelled`, and what becomes of the value is not waited for. */
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
