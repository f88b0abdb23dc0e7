import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { call } from '../api';
import { Field, Form } from '../ui';

/** Where the link of an invitation, or after a forgotten password, leads: one chooses a password. The secret stands behind the hash, which no server sees. */
export function AcceptPage(): ReactNode {
  const [secret] = useState(() => location.hash.slice(1));
  const [password, setPassword] = useState('');
  const accept = useMutation({ mutationFn: () => call('POST /invitations/accept', { body: { secret, password } }) });
  useEffect(() => {
    document.title = 'Choose a password · Paycode';
    history.replaceState(history.state, '', location.pathname);
  }, []);
  if (accept.isSuccess)
    return (
      <main className="alone">
        <h1>Your password is set</h1>
        <p>
          <Link to="/sign-in" search={{ next: undefined }}>
            Sign in
          </Link>
        </p>
      </main>
    );
  return (
    <main className="alone">
      <h1>Choose a password</h1>
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
