import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { call } from '../api';
import { Failure } from '../ui';
import { t, useTitle } from '../language/language';

/**
 * Where the link of an alert leads, without a sign-in. A button stops the mails, because mail programs open links to look at them. The secret
 * stands behind the hash, which no server sees.
 */
export function StopPage(): ReactNode {
  const [secret] = useState(() => location.hash.slice(1));
  const stop = useMutation({ mutationFn: () => call('POST /alerts/stop/{secret}', { path: { secret } }) });
  useTitle('Stop e-mails');
  useEffect(() => history.replaceState(history.state, '', location.pathname), []);
  if (stop.isSuccess)
    return (
      <main className="alone">
        <h1>{t('These e-mails are off')}</h1>
        <p>{t('We no longer send you e-mails of this kind. You can switch them on again at any time.')}</p>
        <p>
          <Link to="/alerts">{t('Choose your alerts')}</Link> ·{' '}
          <Link to="/statements" search={{} as never}>
            {t('Statements')}
          </Link>
        </p>
      </main>
    );
  return (
    <main className="alone">
      <h1>{t('Stop these e-mails?')}</h1>
      <p>{t('You get no more e-mails of this kind. Your colleagues still do.')}</p>
      {stop.isError && <Failure error={stop.error} />}
      <button type="button" className="main" disabled={stop.isPending} onClick={() => stop.mutate()}>
        {stop.isPending ? t('One moment…') : t('Stop these e-mails')}
      </button>
    </main>
  );
}
