/** A form that one person is asked to fill in. */
export interface Form {
  /** Sent back with the values. At most 100 characters, and no secret. */
  readonly id: string;
  /** At most 45 characters, also for each label. */
  readonly title: string;
  /** One to five. */
  readonly fields: readonly FormField[];
}

export interface FormField {
  readonly id: string;
  readonly label: string;
  /** The preset value; of choices, the value of one. */
  readonly value: string;
  /** Maximum length; at most 4,000. */
  readonly most?: number;
  /** A text of several lines. */
  readonly isLong?: boolean;
  /** A selection of one of these replaces the text field. */
  readonly choices?: readonly { readonly label: string; readonly value: string }[];
}
