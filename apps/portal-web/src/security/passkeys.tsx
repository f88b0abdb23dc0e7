import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import { addPasskey, ConfirmByPassword, knowsPasskeys, OwnPassword } from './own-password';
import type { Passkey } from '../portal-api';
import { meQuery, queryClient } from '../queries';
import { passkeysQuery, sessionsQuery } from './queries';
import { Failure, Field, Form, Moment, Waiting } from '../ui';
import { RecoveryCodes } from './app-setup';
import { rich, t } from '../language/language';

const refresh = () =>
  Promise.all(
    [passkeysQuery, meQuery, sessionsQuery].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey: [...queryKey] })),
  );

/** One's passkeys: seen, named, added and taken away. */
export function Passkeys(): ReactNode {
  const { data, isError, error } = useQuery(passkeysQuery);
  const [codes, setCodes] = useState<string[]>([]);
  return (
    <section className="card" aria-labelledby="passkeys">
      <h2 id="passkeys">{t('Passkeys')}</h2>
      <p>
        {t(
          'A passkey signs you in by your finger, face or PIN, on this device or a security key. It takes the place of password and code, and pages that imitate this one cannot use it. After the password, the portal asks people who have a passkey for it or for a code.',
        )}
      </p>
      {isError && <Failure error={error} />}
      {!data && !isError && <Waiting what="Reading your passkeys" />}
      <ul className="lines">
        {data?.map(each => (
          <Line key={each.passkeyId} passkey={each} />
        ))}
      </ul>
      {data?.length === 0 && codes.length === 0 && <p className="dim">{t('You have none yet.')}</p>}
      {codes.length > 0 ? <RecoveryCodes codes={codes} onDone={() => setCodes([])} /> : <AddPasskey onAdded={setCodes} />}
    </section>
  );
}

function Line({ passkey: { passkeyId, name, createdAt, usedAt } }: { passkey: Passkey }): ReactNode {
  const [isAsked, setAsked] = useState(false);
  const remove = (current: string) => call('POST /passkeys/remove', { body: { passkeyId, current } }).then(refresh);
  return (
    <li>
      <span>
        {usedAt
          ? rich('{name}, added {at}, used {usedAt}', { name, at: <Moment at={createdAt} />, usedAt: <Moment at={usedAt} /> })
          : rich('{name}, added {at}, not used yet', { name, at: <Moment at={createdAt} /> })}
      </span>
      <button type="button" className="small" aria-label={t('Remove {name}', { name })} onClick={() => setAsked(true)}>
        {t('Remove')}
      </button>
      {isAsked && (
        <ConfirmByPassword
          title={t('Remove {name}?', { name })}
          action="Remove passkey"
          onConfirm={remove}
          onClose={() => setAsked(false)}
        >
          <p>{t('It signs you in no more. Your other browsers are signed out. Remove it from your device too.')}</p>
        </ConfirmByPassword>
      )}
    </li>
  );
}

function AddPasskey({ onAdded }: { onAdded: (codes: string[]) => void }): ReactNode {
  const [name, setName] = useState('');
  const [current, setCurrent] = useState('');
  const add = useMutation({
    mutationFn: () => addPasskey(name.trim(), current),
    onSuccess: codes => {
      setName('');
      setCurrent('');
      onAdded(codes);
      return refresh();
    },
  });
  const { data: me } = useQuery(meQuery);
  if (me && !me.person.hasPassword)
    return <p className="dim">{t('Your company signs you in: passkeys are for people with a password.')}</p>;
  if (!knowsPasskeys()) return <p className="notice">{t('This browser knows no passkeys.')}</p>;
  return (
    <Form step={add} action="Add a passkey" busy="Waiting for your device…" isMain>
      <Field
        label="Name of the new passkey"
        hint="As you will know it again: this laptop, the key on my ring."
        required
        maxLength={60}
        autoComplete="off"
        value={name}
        onChange={setName}
      />
      <OwnPassword value={current} onChange={setCurrent} />
    </Form>
  );
}
