import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Confirm, Field } from '../ui';
import { OwnPassword } from '../security/own-password';

interface NamedStepProps<T> {
  username: string;
  words: { button: string; busy: string; title: string; action: string };
  send: (given: { typed: string; current: string }) => Promise<T>;
  done: (value: T) => void;
  children: ReactNode;
}

/** A step that takes the name of the account, typed, and the own password. */
export function NamedStep<T>({ username, words, send, done, children }: NamedStepProps<T>): ReactNode {
  const [isAsked, setAsked] = useState(false);
  const [typed, setTyped] = useState('');
  const [current, setCurrent] = useState('');
  const step = useMutation({ mutationFn: send, onSuccess: done });
  const close = () => {
    setAsked(false);
    setTyped('');
    setCurrent('');
  };
  return (
    <>
      <button type="button" className="danger" disabled={step.isPending} onClick={() => setAsked(true)}>
        {step.isPending ? words.busy : words.button}
      </button>
      {isAsked && (
        <Confirm title={words.title} action={words.action} onConfirm={() => step.mutateAsync({ typed, current })} onClose={close}>
          <p>
            {children} Type <code>{username}</code> to go on.
          </p>
          <Field label="Name of the account" autoComplete="off" required value={typed} onChange={setTyped} />
          <OwnPassword value={current} onChange={setCurrent} />
        </Confirm>
      )}
    </>
  );
}
