import type { InferResponseType } from "hono/client";
import type { PersonApi } from "../kit/person-page.tsx";

export type Places = InferResponseType<PersonApi["places"]["$post"]>;
export type Found = InferResponseType<PersonApi["search"]["$post"]>;
export type Answered = InferResponseType<PersonApi["ask"]["$post"]>;
/** With how long it took until it was here. */
export type Timed<Answer> = Answer & { readonly milliseconds: number };
