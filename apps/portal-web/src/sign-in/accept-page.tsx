import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { call } from '../api';
import { Field, Form } from '../ui';
import { t, useTitle } from '../language/language';

/** Where the link of an invitation, or after a forgotten password, leads: one chooses a password. The secret stands behind the hash, which no server sees. */
export function AcceptPage(): ReactNode {
  const [secret] = useState(() => location.hash.slice(1));
  const [password, setPassword] = useState('');
  const accept = useMutation({ mutationFn: () => call('POST /invitations/accept', { body: { secret, password } }) });
  useTitle('Choose a password');
  useEffect(() => history.replaceState(history.state, '', location.pathname), []);
  if (accept.isSuccess)
    return (
      <main className="alone">
        <h1>{t('Your password is set')}</h1>
        <p>
          <Link to="/sign-in" search={{ next: undefined }}>
            {t('Sign in')}
          </Link>
        </p>
      </main>
    );
  return (
    <main className="alone">
      <h1>{t('Choose a password')}</h1>
      <Form step={accept} action="Keep this password" busy="Keeping it…" isMain>
        <Field
          label="Password"
          type="password"
          autoComplete="new-password"
          hint="At least 12 characters. A sentence is easier to remember than signs."
          required
          minLength={12}
          value={password}
          onChange={setPassword}
        />
      </Form>
    </main>
  );
}
