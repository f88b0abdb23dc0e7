import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { call } from '../api';
import { Failure, Field } from '../ui';

/** Leads to the provider of one's company, which leads back. */
export function CompanySignIn(): ReactNode {
  const [company, setCompany] = useState('');
  const begin = useMutation({
    mutationFn: () => call('POST /session/sso/begin', { body: { company: company.trim().toLowerCase() } }),
    onSuccess: ({ url }) => location.assign(url),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    begin.mutate();
  };
  return (
    <details>
      <summary>Sign in with your company</summary>
      <form onSubmit={submit}>
        <Field
          label="Name of your company here"
          hint="Your colleagues know it. You sign in where you do for other programs of your company."
          required
          autoComplete="organization"
          autoCapitalize="none"
          value={company}
          onChange={event => setCompany(event.target.value)}
        />
        {begin.isError && <Failure error={begin.error} />}
        <button type="submit" disabled={begin.isPending}>
          {begin.isPending ? 'Asking for the way…' : 'Go to your company'}
        </button>
      </form>
    </details>
  );
}
