import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import type { PortalAccount } from '../portal-api';
import { credentialsQuery } from './queries';
import { meQuery, queryClient } from '../queries';
import { Facts, Failure, Moment, Secret, Waiting } from '../ui';
import { AccountRules } from './account-rules';
import { ApiSessions } from './api-sessions';
import { BearerSwitch } from './second-person';
import { CodeSamples } from './code-samples';
import { KeyTrial } from './key-trial';
import { ConfirmByPassword } from '../security/own-password';
import { PublicKey } from './public-key';
import { t, useTitle } from '../language/language';

/** How the programs of a merchant or PSP sign in to the API. */
export function ApiPage(): ReactNode {
  const { data: me } = useQuery(meQuery);
  const hasAccount = me?.person.tenantType === 'MERCHANT' || me?.person.tenantType === 'PSP';
  useTitle('API');
  return (
    <>
      <h1>{t('API')}</h1>
      {hasAccount ? (
        <Access mayChange={me.person.mayRenewCredentials} />
      ) : (
        <p className="notice">
          {t('Merchants and PSPs find the account of their programs here. Yours is managed by the operator.')}
        </p>
      )}
    </>
  );
}

function Access({ mayChange }: { mayChange: boolean }): ReactNode {
  const { data, isError, error, refetch } = useQuery(credentialsQuery);
  if (isError) return <Failure error={error} again={() => void refetch()} />;
  if (!data) return <Waiting what="Reading the account" />;
  const { username, mode, challengeRequired, passwordChangedAt } = data;
  return (
    <>
      {!mayChange && <p className="notice">{t('Your role may look, and not change anything here.')}</p>}
      <Facts
        facts={[
          ['Account', <code key="account">{username}</code>],
          ['Signs in by', t(mode === 'BASIC' ? 'user name and password (Basic)' : 'session tokens (Bearer)')],
          ['Password set', <Moment key="password" at={passwordChangedAt} />],
          ['Challenge at login', t(challengeRequired ? 'required' : 'not required')],
        ]}
      />
      <Password access={data} mayChange={mayChange} />
      <PublicKey access={data} mayChange={mayChange} />
      {data.publicKeySha256 && <KeyTrial username={username} />}
      <AccountRules access={data} mayChange={mayChange} />
      {mode === 'BASIC' ? <BearerSwitch access={data} mayChange={mayChange} /> : <ApiSessions mayChange={mayChange} />}
      <CodeSamples access={data} />
    </>
  );
}

function Password({ access, mayChange }: { access: PortalAccount; mayChange: boolean }): ReactNode {
  const [isAsked, setAsked] = useState(false);
  const renew = useMutation({
    mutationFn: (current: string) => call('POST /credentials/password', { body: { current } }),
    // Shown once: nothing but this page keeps it.
    gcTime: 0,
    onSuccess: () => queryClient.invalidateQueries(credentialsQuery),
  });
  return (
    <section className="card" aria-labelledby="password">
      <h2 id="password">{t('API password')}</h2>
      <p>
        {access.hasPassword
          ? t('The password is stored as a hash: nobody can show it again. If you have lost it, make a new one.')
          : t('The account has no password yet.')}
      </p>
      {renew.data && (
        <div className="notice good" role="status">
          <p>{t('This is the new password. It is shown now and not again: put it into your program’s configuration.')}</p>
          <Secret label="Password" value={renew.data.apiPassword} />
        </div>
      )}
      {mayChange && (
        <button type="button" disabled={renew.isPending} onClick={() => setAsked(true)}>
          {renew.isPending ? t('Making one…') : t('New API password')}
        </button>
      )}
      {isAsked && (
        <ConfirmByPassword
          title="Make a new API password?"
          action="Make it"
          onConfirm={renew.mutateAsync}
          onClose={() => setAsked(false)}
        >
          <p>
            {t(
              'The old password fails at once, and sessions of the API end. Until your programs have the new one, they can make no code and read no notification. Notifications go on to your server: they need no password.',
            )}
          </p>
        </ConfirmByPassword>
      )}
    </section>
  );
}
