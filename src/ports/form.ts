/** What one person is asked to fill in. */
export interface Form {
  /** Comes back with what was filled in. At most 100 characters, and no secret. */
  readonly id: string;
  /** At most 45 characters, as each label. */
  readonly title: string;
  /** One to five. */
  readonly fields: readonly FormField[];
}

export interface FormField {
  readonly id: string;
  readonly label: string;
  /** What stands there already; of choices, the value of one. */
  readonly value: string;
  /** The longest text; at most 4,000. */
  readonly most?: number;
  /** Several lines. */
  readonly isLong?: boolean;
  /** One of these is chosen, in place of a text. */
  readonly choices?: readonly { readonly label: string; readonly value: string }[];
}
