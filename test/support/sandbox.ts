import { expect, onTestFinished } from "vitest";
import { openSandbox, type Sandbox, type SandboxOptions } from "../../sandbox/index.ts";
import { openApiChecker } from "./openapi.ts";
import { smallCommunity } from "./small-community.ts";

const check = openApiChecker();

/** A sandbox for one test. It closes afterwards, and fails the test if any answer was not as Discord's OpenAPI file has it. */
export async function openTestSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const problems: string[] = [];
  const sandbox = await openSandbox({
    community: smallCommunity(),
    ...options,
    onResponse(exchange) {
      if (!isFault(exchange.status)) problems.push(...(check?.(exchange) ?? []));
      options.onResponse?.(exchange);
    },
  });
  onTestFinished(async () => {
    await sandbox.close();
    expect(problems).toEqual([]);
  });
  return sandbox;
}

/** Discord does not describe its failures. */
function isFault(status: number): boolean {
  return status >= 500;
}
