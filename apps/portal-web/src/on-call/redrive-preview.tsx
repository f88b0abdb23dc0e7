import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import type { LetterRefBody, PreviewedLetter, RedriveState, RedrivenLetter, ServiceLetter } from '../portal-api';
import { redrivePreviewQuery } from './queries';
import { Confirm, Failure, Waiting } from '../ui';
import { nameOf } from './dead-letter-table';
import { AskForRedrive } from './redrive-request';
import { rich, t, type Text } from '../language/language';

const effects: Record<PreviewedLetter['effect'], Text> = {
  FAILS_AGAIN: 'is put aside again: the event itself cannot be used by this release',
  DUPLICATE: 'is ignored as a duplicate: it was handled since',
  DECIDED: 'changes no money: the payment was decided without it',
  LATE: 'a payment is reversed without a POST, because more than 15 minutes are over; a notice is sent',
  DELIVERED: 'is delivered: the merchant’s server gets the notification, and a payment its 45 seconds',
  SETTLED: 'settles the payment',
  REVERSED: 'is decided again as a reversal that the scheduler has forgotten',
  WATCHED: 'the scheduler watches the payment, and reverses it if nobody delivers it',
  MESSAGES: 'recipients of the merchant get their e-mails and messages, unless they have them',
  SHOWN: 'the portal shows what it missed',
  UNKNOWN: 'nobody can say just now: the service that knows it does not answer',
};

interface PreviewProps {
  letters: readonly ServiceLetter[];
  overview: RedriveState;
  done: (redriven?: RedrivenLetter[]) => void;
}

export const refsOf = (letters: readonly ServiceLetter[]): LetterRefBody[] =>
  letters.map(({ service, letterId }) => ({ service, letterId }));

/** The effect of a redrive, shown before a person starts it. */
export function RedrivePreview({ letters, overview, done }: PreviewProps): ReactNode {
  const { data, isError, error, refetch } = useQuery(redrivePreviewQuery(refsOf(letters)));
  return (
    <section className="card" aria-labelledby="preview">
      <h2 id="preview">{t('Preview of a redrive of {count}', { count: letters.length })}</h2>
      <p className="dim">
        {t(
          'Each event goes to the one consumer group that put it aside, as it came. No other group sees it, and nothing is published. A service that still has its fault puts it aside again: repair that first.',
        )}
      </p>
      {isError && <Failure error={error} again={() => void refetch()} />}
      {!data && !isError && <Waiting what="Asking dispatcher and scheduler" />}
      {data && (
        <>
          <ul>
            {data.map(letter => (
              <li key={`${letter.service} ${letter.letterId}`}>
                {rich('{name}, for <code>{group}</code>: {what}.', {
                  name: nameOf(letter),
                  group: letter.group,
                  what: t(effects[letter.effect]),
                })}
              </li>
            ))}
          </ul>
          {data.length < letters.length && <p className="notice">{t('Some are kept no more: somebody was faster.')}</p>}
          {overview.takesTwo ? (
            <AskForRedrive letters={refsOf(letters)} overview={overview} done={() => done()} />
          ) : (
            <RedriveAlone letters={refsOf(letters)} done={done} />
          )}
        </>
      )}
    </section>
  );
}

function RedriveAlone({ letters, done }: { letters: LetterRefBody[]; done: PreviewProps['done'] }): ReactNode {
  const [isAsked, setAsked] = useState(false);
  const redrive = useMutation({
    mutationFn: () => call('POST /on-call/dead-letters/redrive', { body: { letters } }),
    onSuccess: done,
  });
  return (
    <>
      <button type="button" className="main" disabled={redrive.isPending} onClick={() => setAsked(true)}>
        {redrive.isPending ? t('Redriving…') : t('Redrive {count}', { count: letters.length })}
      </button>
      {isAsked && (
        <Confirm
          title={letters.length === 1 ? 'Redrive this event?' : t('Redrive {count} events?', { count: letters.length })}
          action="Redrive"
          onConfirm={() => redrive.mutateAsync()}
          onClose={() => setAsked(false)}
        >
          <p>{t('The redrive does what the list says now, and the record names you. In production a second person confirms.')}</p>
        </Confirm>
      )}
    </>
  );
}

const outcomes: Record<RedrivenLetter['outcome'], Text> = {
  HANDLED: 'handled: it is kept no more',
  REFUSED: 'put aside again',
  FAILED: 'not handled just now, and still here: the service or its database does not answer. Try again',
  GONE: 'kept no more: somebody was faster',
};

export function Redriven({ letters }: { letters: readonly RedrivenLetter[] }): ReactNode {
  const isGood = letters.every(({ outcome }) => outcome === 'HANDLED');
  return (
    <div className={isGood ? 'notice good' : 'notice bad'} role="status">
      <p>
        <strong>
          {letters.length === 1 ? t('One event was redriven.') : t('{count} events were redriven.', { count: letters.length })}
        </strong>
      </p>
      <ul>
        {letters.map(({ service, letterId, outcome, reason }) => (
          <li key={`${service} ${letterId}`}>
            {t('Letter {letterId} of {service}: {what}', { letterId, service, what: t(outcomes[outcome]) })}
            {reason === null ? '' : ` (${reason})`}.
          </li>
        ))}
      </ul>
    </div>
  );
}
