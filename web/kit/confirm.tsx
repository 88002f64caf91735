import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { texts } from "./texts.ts";

interface ConfirmProps {
  /** The label of the button, and its accessible name if the label alone is ambiguous. */
  readonly label: string;
  readonly name?: string;
  readonly question: string;
  readonly isDisabled: boolean;
  onConfirm(): void;
}

/** A button that asks first. */
export function Confirm({ label, name = label, question, isDisabled, onConfirm }: ConfirmProps) {
  const isAsking = useSignal(false);
  const first = useRef<HTMLButtonElement>(null);
  const show = (value: boolean) => {
    isAsking.value = value;
    // Once the other one is there.
    setTimeout(() => first.current?.focus());
  };
  if (!isAsking.value)
    return (
      <button
        type="button"
        class="quiet"
        ref={first}
        aria-label={name}
        disabled={isDisabled}
        onClick={() => show(true)}
      >
        {label}
      </button>
    );
  return (
    <fieldset class="confirm" aria-label={name}>
      <p>{question}</p>
      <button type="button" ref={first} class="quiet" onClick={() => show(false)}>
        {texts.memory.cancel}
      </button>
      <button
        type="button"
        onClick={() => {
          show(false);
          onConfirm();
        }}
      >
        {label}
      </button>
    </fieldset>
  );
}
