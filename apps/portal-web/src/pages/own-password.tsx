import { type ReactNode, useState } from 'react';
import { Confirm, Field } from '../ui';

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

/** A question that is answered with the own password. */
export function ConfirmByPassword(props: {
  title: string;
  action: string;
  onConfirm: (current: string) => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}): ReactNode {
  const [current, setCurrent] = useState('');
  return (
    <Confirm title={props.title} action={props.action} onConfirm={() => props.onConfirm(current)} onClose={props.onClose}>
      {props.children}
      <OwnPassword value={current} onChange={setCurrent} />
    </Confirm>
  );
}
