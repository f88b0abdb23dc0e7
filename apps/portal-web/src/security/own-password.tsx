import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import { knowsPasskeys, proofByPasskey } from './passkey';
import { meQuery } from '../queries';
import { Confirm, Failure, Field } from '../ui';

/** As the portal's answers begin that stand in for the password. */
const proofPrefix = 'paycode-proof:';

const proofByCompany = async () => (await call('POST /session/proof')).current;

/**
 * Asks for the password, a passkey, or the company's sign-in of a moment ago, so that a person who only has access to the browser cannot change
 * credentials.
 */
export function OwnPassword({ value, onChange }: { value: string; onChange: (next: string) => void }): ReactNode {
  const { data: me } = useQuery(meQuery);
  const prove = useMutation({ mutationFn: (by: () => Promise<string>) => by(), onSuccess: onChange });
  if (value.startsWith(proofPrefix))
    return (
      <p className="notice good" role="status">
        You have proved who you are. This is good for one change within five minutes.{' '}
        <button type="button" className="small" onClick={() => onChange('')}>
          Prove it again
        </button>
      </p>
    );
  const { hasPassword = true, hasPasskey = false } = me?.person ?? {};
  const waiting = prove.isPending ? 'One moment…' : undefined;
  return (
    <>
      {hasPassword && (
        <Field
          label="Your password for the portal"
          type="password"
          autoComplete="current-password"
          required
          value={value}
          onChange={onChange}
        />
      )}
      {hasPasskey && knowsPasskeys() && (
        <p>
          <button type="button" className="small" disabled={prove.isPending} onClick={() => prove.mutate(proofByPasskey)}>
            {waiting ?? 'Use your passkey instead'}
          </button>
        </p>
      )}
      {!hasPassword && (
        <p>
          Your company signs you in.{' '}
          <button type="button" className="small" disabled={prove.isPending} onClick={() => prove.mutate(proofByCompany)}>
            {waiting ?? 'Show that it was just now'}
          </button>
        </p>
      )}
      {prove.isError && <Failure error={prove.error} />}
    </>
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
