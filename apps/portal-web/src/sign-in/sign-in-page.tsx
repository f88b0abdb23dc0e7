import { useQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { meQuery, queryClient } from '../queries';
import { SignInSteps } from './sign-in-steps';
import { LanguageChoice } from '../language/choices';
import { t, useTitle } from '../language/language';

export function SignInPage(): ReactNode {
  const { data: me } = useQuery(meQuery);
  const go = useWayOn();
  const isDone = me?.stage === 'FULL';
  useTitle('Sign in');
  useEffect(() => void (isDone && go()), [isDone]);
  return (
    <main className="alone">
      <h1>{t('Sign in to Paycode')}</h1>
      <SignInSteps me={me ?? null} changed={() => queryClient.invalidateQueries(meQuery)} />
      <p>
        <LanguageChoice />
      </p>
    </main>
  );
}

/** Where the person wanted to go: a page of ours, never another address. */
function useWayOn(): () => void {
  const router = useRouter();
  const { next } = useSearch({ from: '/sign-in' });
  return () => {
    const target = next?.startsWith('/') && !next.startsWith('//') && !next.startsWith('/sign-in') ? next : '/';
    void router.navigate({ href: router.buildLocation({ href: target } as never).href, replace: true });
  };
}
