import type { Config } from "../config/config.ts";
import { EarshotError } from "../domain/errors.ts";
import { refuseToolsets } from "../policy/toolset-names.ts";
import { tools } from "../tools/index.ts";

/** Throws `misconfigured` for toolsets that do not exist: `config.ts` reads no tools, so that most commands need not load them. */
export function checkToolsets({ policy, clients }: Pick<Config, "policy" | "clients">): void {
  const lists = [
    { where: "policy.toolsets", names: policy.toolsets },
    ...clients.map(({ name, grant }) => ({ where: `grant.toolsets of the client ${name}`, names: grant.toolsets })),
  ];
  for (const { where, names } of lists) {
    const problem = refuseToolsets(names, tools);
    if (problem) throw new EarshotError("misconfigured", `${where} in the configuration: ${problem}`);
  }
}
