import { createGatewayFaults, type GatewayFaults } from "../gateway/faults.ts";
import { createRestFaults, type RestFaults } from "./rest-faults.ts";

/** Faults on demand. Each has a count, and nothing fails that was not requested. */
export interface Faults extends Omit<GatewayFaults, "line">, RestFaults {
  /** For the gateway, which passes its connections and events through it. */
  readonly line: GatewayFaults["line"];
  /** Ends all faults. */
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
