import type { ReactNode } from 'react';
import { Field } from '../ui';

/** Who has the browser alone cannot change credentials. */
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
