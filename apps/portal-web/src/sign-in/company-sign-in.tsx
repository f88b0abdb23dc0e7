import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import { Field, Form } from '../ui';

/** Leads to the provider of one's company, which leads back. */
export function CompanySignIn(): ReactNode {
  const [company, setCompany] = useState('');
  const begin = useMutation({
    mutationFn: () => call('POST /session/sso/begin', { body: { company: company.trim().toLowerCase() } }),
    onSuccess: ({ url }) => location.assign(url),
  });
  return (
    <details>
      <summary>Sign in with your company</summary>
      <Form step={begin} action="Go to your company" busy="Asking for the way…">
        <Field
          label="Name of your company here"
          hint="Your colleagues know it. You sign in where you do for other programs of your company."
          required
          autoComplete="organization"
          autoCapitalize="none"
          value={company}
          onChange={setCompany}
        />
      </Form>
    </details>
  );
}
