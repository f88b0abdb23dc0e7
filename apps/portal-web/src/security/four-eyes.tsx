import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import type { RequestReport, SwitchOverview } from '../portal-api';
import { meQuery } from '../queries';
import { Failure, Field, Moment } from '../ui';
import { ConfirmByPassword } from './own-password';
import { rich, t, type Text, type Words } from '../language/language';

interface StepsProps {
  request: RequestReport;
  owners: SwitchOverview['owners'];
  ended: (isDone: boolean) => unknown;
  /** The step that confirms. */
  children: ReactNode;
}

/** The buttons of a request that waits for a second person: its asker withdraws it, another person refuses or confirms. */
export function RequestSteps({ request, owners, ended, children }: StepsProps): ReactNode {
  const { data: me } = useQuery(meQuery);
  const myId = me?.person.personId;
  if (request.askedBy.personId === myId)
    return <End request={request} step="withdraw" words={['Withdraw the request', 'Withdrawing…']} ended={ended} />;
  const from = owners.find(({ personId }) => personId === myId)?.confirmsFrom;
  const isNewcomer = from !== undefined && Date.parse(from) > Date.now();
  return (
    <>
      {from === undefined && <p className="notice">{t('Confirming takes a password, and you sign in without one.')}</p>}
      {isNewcomer && (
        <p className="notice">
          {rich('You were let in less than a day ago. You can confirm from {at}.', { at: <Moment at={from} /> })}
        </p>
      )}
      <div className="row">
        <End request={request} step="refuse" words={['Refuse', 'Refusing…']} ended={ended} />
        {from !== undefined && !isNewcomer && children}
      </div>
    </>
  );
}

interface EndProps {
  request: RequestReport;
  step: 'withdraw' | 'refuse';
  words: readonly [button: Text, busy: Text];
  ended: (isDone: boolean) => unknown;
}

function End({ request, step, words: [button, busy], ended }: EndProps): ReactNode {
  const end = useMutation({
    mutationFn: () => call(`POST /four-eyes/{requestId}/${step}`, { path: { requestId: request.requestId } }),
    onSettled: (_, error) => ended(!error),
  });
  return (
    <>
      {end.isError && <Failure error={end.error} />}
      <button type="button" disabled={end.isPending} onClick={() => end.mutate()}>
        {t(end.isPending ? busy : button)}
      </button>
    </>
  );
}

interface StepProps<T> {
  words: { button: Words; busy: Words; title: Words; action: Words };
  look?: 'main' | 'danger';
  /** The name of an account, which the person types. */
  name?: string;
  send: (given: { typed: string; current: string }) => Promise<T>;
  done: (value: T) => unknown;
  settled?: () => unknown;
  children: ReactNode;
}

/** A step that takes the own password. */
export function PasswordStep<T>({ words, look = 'danger', name, send, done, settled, children }: StepProps<T>): ReactNode {
  const [isAsked, setAsked] = useState(false);
  const [typed, setTyped] = useState('');
  const step = useMutation({ mutationFn: send, onSuccess: done, ...(settled && { onSettled: settled }) });
  const close = () => {
    setAsked(false);
    setTyped('');
  };
  return (
    <>
      <button type="button" className={look} disabled={step.isPending} onClick={() => setAsked(true)}>
        {t(step.isPending ? words.busy : words.button)}
      </button>
      {isAsked && (
        <ConfirmByPassword
          title={words.title}
          action={words.action}
          onConfirm={current => step.mutateAsync({ typed, current })}
          onClose={close}
        >
          <p>
            {children}
            {name && <> {rich('Type <code>{name}</code> to go on.', { name })}</>}
          </p>
          {name && <Field label="Name of the account" autoComplete="off" required value={typed} onChange={setTyped} />}
        </ConfirmByPassword>
      )}
    </>
  );
}
