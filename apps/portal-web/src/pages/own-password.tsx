import type { ReactNode } from 'react';
import { Field } from '../ui';

/** Asks for the password, so that a person who only has access to the browser cannot change credentials. */
export function OwnPassword({ value, onChange }: { value: string; onChange: (next: string) => void }): ReactNode {
  return (
    <Field
      label="Your password for the portal"
      type="password"
      autoComplete="current-password"
      required
      value={value}
      onChange={event => onChange(event.target.value)}
    />
  );
}
