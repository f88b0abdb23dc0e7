import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import { Field, Form } from '../ui';
import { t, useTitle } from '../language/language';

/** Asks for a link to choose another password. The answer is the same for every address. */
export function ForgottenPage(): ReactNode {
  const [email, setEmail] = useState('');
  const ask = useMutation({ mutationFn: () => call('POST /password/forgotten', { body: { email: email.trim() } }) });
  useTitle('Forgotten password');
  return (
    <main className="alone">
      <h1>{t('Forgotten your password?')}</h1>
      {ask.isSuccess ? (
        <div className="notice good" role="status">
          <p>
            {t(
              'If {email} has a password here, a link is on its way. It is good once, for an hour. You still need your second factor when you sign in.',
              { email: email.trim() },
            )}
          </p>
          <p>{t('No mail? Look into the spam folder, or ask an owner of your account to invite you.')}</p>
        </div>
      ) : (
        <Form step={ask} action="Send the link" busy="Sending…" isMain>
          <Field
            label="E-mail address"
            type="email"
            autoComplete="username"
            hint="We mail a link with which you choose another password."
            required
            autoFocus
            value={email}
            onChange={setEmail}
          />
        </Form>
      )}
      <p>
        <Link to="/sign-in" search={{ next: undefined }}>
          {t('Back to sign-in')}
        </Link>
      </p>
    </main>
  );
}
