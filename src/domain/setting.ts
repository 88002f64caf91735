/** One value of the configuration in use. */
export interface Setting {
  /** Such as `timeline.megabytes`. */
  readonly name: string;
  /** As JSON; null if it is secret or not set. */
  readonly value: string | null;
  readonly isSet: boolean;
  readonly isSecret: boolean;
  /** `start`: a value from the start that neither the environment nor the configuration file has now. */
  readonly from: "default" | "environment" | "file" | "start";
  /** The environment variable for it, if any. */
  readonly variable: string | null;
  readonly isChanged: boolean;
}
