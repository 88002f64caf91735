import { inspect } from "node:util";
import { EarshotError } from "../../domain/errors.ts";

/** The error with which something fails; anything but an `EarshotError` is a failure of the test. */
export async function failureOf(work: Promise<unknown>): Promise<EarshotError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof EarshotError)) throw new Error(`expected an EarshotError, got ${inspect(error)}`);
  return error;
}
