/** The parts of a JSON Schema that commands look at. */
export interface ArgumentSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, ArgumentSchema>>;
  readonly required?: readonly string[];
  readonly items?: ArgumentSchema;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly ArgumentSchema[];
  readonly default?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

/** Names of types that a value may have; empty where any will do. */
export function typesOf({ type, anyOf, enum: choices }: ArgumentSchema): readonly string[] {
  if (anyOf) return [...new Set(anyOf.flatMap(typesOf))];
  if (type === undefined && choices) return [...new Set(choices.map((choice) => typeof choice))];
  return typeof type === "string" ? [type] : (type ?? []);
}
