import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { texts } from "../kit/texts.ts";
import type { Walk } from "./community-walk.ts";

const words = texts.community;

interface CommunityFormProps {
  readonly walk: Walk;
  readonly form: NonNullable<Walk["form"]["value"]>;
}

/** A form that a bot shows to this person. */
export function CommunityForm({ walk, form }: CommunityFormProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const values = useSignal(Object.fromEntries(form.fields.map(({ id, value }) => [id, value])));
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => {
    walk.form.value = null;
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await walk.act({ kind: "submit", interactionId: form.interactionId, values: values.value })) close();
  };
  const set = (id: string) => (event: { readonly currentTarget: { readonly value: string } }) => {
    values.value = { ...values.value, [id]: event.currentTarget.value };
  };
  return (
    <dialog class="form" ref={dialog} onClose={close} aria-label={form.title}>
      <form onSubmit={submit}>
        <h2>{form.title}</h2>
        {form.fields.map(({ id, label, isLong, isRequired, maxLength, choices }) => {
          const shared = { "aria-label": label, required: isRequired, value: values.value[id] ?? "", onInput: set(id) };
          return (
            <div class="field" key={id}>
              <span>{label}</span>
              {choices.length > 0 ? (
                <select {...shared}>
                  {choices.map((choice) => (
                    <option key={choice.value} value={choice.value}>
                      {choice.label}
                    </option>
                  ))}
                </select>
              ) : isLong ? (
                <textarea {...shared} maxLength={maxLength} rows={4} />
              ) : (
                <input {...shared} maxLength={maxLength} />
              )}
            </div>
          );
        })}
        <div class="row">
          <button type="submit">{words.send}</button>
          <button type="button" class="quiet" onClick={close}>
            {words.cancel}
          </button>
        </div>
      </form>
    </dialog>
  );
}
