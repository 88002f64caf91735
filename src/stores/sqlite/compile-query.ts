import { type Compilable, type CompiledQuery, type Expression, sql } from "kysely";

/** Stands in a query for the value of this name. */
export type Slot<Values> = <Name extends keyof Values & string>(name: Name) => Expression<Values[Name]>;

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Compiles a query once, when it is first used: that costs some 80 µs, to run it a few. What comes back fills in the values of one run. */
export function compileQuery<Values extends object, Row>(
  build: (slot: Slot<Values>) => Compilable<Row>,
): (values: Values) => CompiledQuery<Row> {
  let compiled: CompiledQuery<Row> | null = null;
  return (values) => {
    compiled ??= build((name) => sql`${new Placeholder(name)}`).compile();
    const named = values as Readonly<Record<string, unknown>>;
    const fill = (each: unknown) => (each instanceof Placeholder ? named[each.name] : each);
    return { ...compiled, parameters: compiled.parameters.map(fill) };
  };
}
