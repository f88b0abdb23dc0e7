import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../api';
import type { AlertChoice } from '../portal-api';
import { meQuery, queryClient } from '../queries';
import { Failure, Waiting } from '../ui';
import './alerts.css';
import { t, type Text, useTitle } from '../language/language';

export const ruleTexts: Record<AlertChoice['rule'], { name: Text; hint: Text }> = {
  RECEIVER: {
    name: 'My server fails',
    hint: 'After three payments in ten minutes that it did not acknowledge, and once more when it works again.',
  },
  CERTIFICATE: {
    name: 'My certificate ends',
    hint: 'Two weeks before the certificate of your server ends, and again each week until it is renewed.',
  },
  KEY: {
    name: 'My key is older than a year',
    hint: 'Once a month until you renew the key of your notifications.',
  },
  REVERSED: {
    name: 'Payments were reversed',
    hint: 'Their number and the money that went back to customers. One e-mail an hour at most.',
  },
};

const alertsQuery = queryOptions({ queryKey: ['alerts'], queryFn: () => call('GET /alerts') });

/** Which e-mails a person gets. */
export function AlertsPage(): ReactNode {
  const { data: me } = useQuery(meQuery);
  const { data, isError, error, refetch } = useQuery(alertsQuery);
  useTitle('Alerts');
  return (
    <>
      <h1>{t('Alerts')}</h1>
      <p className="dim">
        {t('We e-mail you at {email}. Your colleagues choose for themselves.', { email: me?.person.email ?? '' })}
      </p>
      {isError && <Failure error={error} again={() => void refetch()} />}
      {!data && !isError && <Waiting what="Reading your choices" />}
      {data?.length === 0 && <p className="notice">{t('Alerts are for people of merchants and PSPs.')}</p>}
      {data && data.length > 0 && (
        <div className="card alert-rules">
          <ul className="lines" aria-label={t('Alerts')}>
            {data.map(choice => (
              <Rule key={choice.rule} choice={choice} />
            ))}
          </ul>
        </div>
      )}
      {data && (
        <p className="dim">
          {t('You always get an e-mail when somebody signs in to your account from a new device.')}{' '}
          {data.length > 0 &&
            t(
              'Owners always get one when your URL, key or recipients change. Each alert that you can switch off has a link for it.',
            )}
        </p>
      )}
    </>
  );
}

function Rule({ choice: { rule, isOn } }: { choice: AlertChoice }): ReactNode {
  const { name, hint } = ruleTexts[rule];
  const change = useMutation({
    mutationFn: () => call('POST /alerts', { body: { rule, isOn: !isOn } }),
    onSettled: () => queryClient.invalidateQueries(alertsQuery),
  });
  const isShownOn = change.isPending ? !isOn : isOn;
  return (
    <li>
      <span className="alert-rule">
        <strong id={`${rule}-name`}>{t(name)}</strong>
        <span id={`${rule}-hint`} className="dim">
          {t(hint)}
        </span>
        {change.isError && <Failure error={change.error} />}
      </span>
      <button
        type="button"
        role="switch"
        className="alert-switch"
        aria-checked={isShownOn}
        aria-labelledby={`${rule}-name`}
        aria-describedby={`${rule}-hint`}
        disabled={change.isPending}
        onClick={() => change.mutate()}
      >
        <span aria-hidden="true" />
      </button>
    </li>
  );
}
