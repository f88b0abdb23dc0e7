import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { call } from '../api';
import { Field, Form } from '../ui';

/** Asks for a link to choose another password. The answer is the same for every address. */
export function ForgottenPage(): ReactNode {
  const [email, setEmail] = useState('');
  const ask = useMutation({ mutationFn: () => call('POST /password/forgotten', { body: { email: email.trim() } }) });
  useEffect(() => void (document.title = 'Forgotten password · Paycode'), []);
  return (
    <main className="alone">
      <h1>Forgotten your password?</h1>
      {ask.isSuccess ? (
        <div className="notice good" role="status">
          <p>
            If {email.trim()} has a password here, a link is on its way. It is good once, for an hour. You still need your second
            factor when you sign in.
          </p>
          <p>No mail? Look into the spam folder, or ask an owner of your account to invite you.</p>
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
          Back to sign-in
        </Link>
      </p>
    </main>
  );
}
