import { createGatewayFaults, type GatewayFaults } from "./gateway/faults.ts";
import { createRestFaults, type RestFaults } from "./rest-faults.ts";

/** What goes wrong on demand. Everything has a count, and nothing goes wrong that was not asked for. */
export interface Faults extends Omit<GatewayFaults, "line">, RestFaults {
  /** For the gateway: where its connections and events pass through. */
  readonly line: GatewayFaults["line"];
  /** Ends every fault, whatever is left of it. */
  clear(): void;
}

export function createFaults(): Faults {
  const gateway = createGatewayFaults();
  const rest = createRestFaults();
  return {
    ...gateway,
    ...rest,
    clear() {
      gateway.clear();
      rest.clear();
    },
  };
}
