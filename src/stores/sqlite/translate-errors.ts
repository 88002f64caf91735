import { EarshotError } from "../../domain/errors.ts";

/** Turns whatever the database throws into `unavailable` with this message. */
export async function translateErrors<Result>(message: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof EarshotError) throw cause;
    throw new EarshotError("unavailable", message, { cause });
  }
}
