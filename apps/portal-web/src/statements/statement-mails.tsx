import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../api';
import type { StatementMails as Mails, StatementMailsBody } from '../portal-api';
import { queryClient } from '../queries';
import { Failure } from '../ui';
import { t, type Text } from '../language/language';

const mailsQuery = queryOptions({ queryKey: ['statement-mails'], queryFn: () => call('GET /statements/mails') });

const choices: Record<Mails['every'], Text> = { NEVER: 'Never', DAY: 'Each day', MONTH: 'Each month' };

/** How often the reader is mailed the sums of its account, by days of the zone that the page shows when it chooses. */
export function StatementMails({ timeZone, email }: { timeZone: string; email: string }): ReactNode {
  const { data, isError, error, refetch } = useQuery(mailsQuery);
  const change = useMutation({
    mutationFn: (body: StatementMailsBody) => call('POST /statements/mails', { body }),
    onSettled: () => queryClient.invalidateQueries(mailsQuery),
  });
  const shown = change.isPending ? change.variables : data;
  const zone = shown?.timeZone ?? timeZone;
  return (
    <section className="card statement-mails">
      <h2 id="statement-mails">{t('Statement by e-mail')}</h2>
      {isError && <Failure error={error} again={() => void refetch()} />}
      {shown && (
        <>
          <select
            aria-labelledby="statement-mails"
            value={shown.every}
            disabled={change.isPending}
            onChange={event => change.mutate({ every: event.target.value as Mails['every'], timeZone: zone })}
          >
            {Object.entries(choices).map(([every, name]) => (
              <option key={every} value={every}>
                {t(name)}
              </option>
            ))}
          </select>
          <p className="dim">
            {shown.every === 'NEVER'
              ? t('Choose how often we e-mail you the sums of your whole account. Your colleagues choose for themselves.')
              : t(
                  'We e-mail the sums of your whole account to {email}, six hours after the end of each {every, select, DAY {day} other {month}} of {timeZone}.',
                  { email, timeZone: zone, every: shown.every },
                )}
          </p>
          {shown.every !== 'NEVER' && zone !== timeZone && (
            <button type="button" disabled={change.isPending} onClick={() => change.mutate({ every: shown.every, timeZone })}>
              {t('Change to the days of {timeZone}', { timeZone })}
            </button>
          )}
        </>
      )}
      {change.isError && <Failure error={change.error} />}
    </section>
  );
}
