/** One value of the configuration in use. */
export interface Setting {
  /** Such as `timeline.megabytes`. */
  readonly name: string;
  /** As JSON, without secrets; null where it is a secret or not set. */
  readonly value: string | null;
  readonly isSet: boolean;
  readonly isSecret: boolean;
  /** `start`: neither the environment nor the configuration file has it now, but Earshot was started with it. */
  readonly from: "default" | "environment" | "file" | "start";
  /** The environment variable that can set it; null where there is none. */
  readonly variable: string | null;
  /** Differs from the default. */
  readonly isChanged: boolean;
}
