import { useEffect } from "preact/hooks";
import { loadPeople, people } from "./people.ts";
import { lose } from "./session.ts";
import { texts } from "./texts.ts";

interface ChoosePersonProps {
  readonly label?: string;
  /** The id of a person, or null. */
  readonly value: string | null;
  onChoose(id: string): void;
}

/** A list of the sandbox's people to choose from. */
export function ChoosePerson({ label = texts.people.youAre, value, onChoose }: ChoosePersonProps) {
  useEffect(() => void loadPeople().catch(lose), []);
  return (
    <label class="person">
      {label}{" "}
      <select value={value ?? ""} onChange={(event) => onChoose(event.currentTarget.value)}>
        {value === null && <option value="">{texts.people.nobody}</option>}
        {people.value?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
