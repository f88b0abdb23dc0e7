import { useMutation } from '@tanstack/react-query';
import { Link, useParams, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { call } from '../api';
import { meQuery, queryClient } from '../queries';
import { Failure, Waiting } from '../ui';
import { t, useTitle } from '../language/language';

/** The identity provider redirects to this page. Its answer is valid once, so the page removes it from the address at once. */
export function SsoPage(): ReactNode {
  const [answer] = useState(() => location.search.slice(1));
  const { company } = useParams({ from: '/sso/$company' });
  const isSent = useRef(false);
  const router = useRouter();
  const finish = useMutation({
    mutationFn: () => call('POST /session/sso', { body: { company, answer } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries(meQuery);
      await router.navigate({ to: '/', search: { merchantId: undefined }, replace: true });
    },
  });
  useTitle('Sign in');
  useEffect(() => {
    history.replaceState(history.state, '', location.pathname);
    // A second time the provider takes back what it gave; React may run an effect twice.
    if (!isSent.current) finish.mutate();
    isSent.current = true;
  }, []);
  return (
    <main className="alone">
      <h1>{t('Sign in to Paycode')}</h1>
      {finish.isError ? <Failure error={finish.error} /> : <Waiting what="Asking your company who you are" />}
      {finish.isError && (
        <p>
          <Link to="/sign-in" search={{ next: undefined }}>
            {t('Sign in again')}
          </Link>
        </p>
      )}
    </main>
  );
}
