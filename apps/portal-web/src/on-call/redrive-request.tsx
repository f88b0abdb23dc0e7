import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../api';
import type { LetterRefBody, RedriveState, RedrivenLetter, RequestReport } from '../portal-api';
import { meQuery, queryClient } from '../queries';
import { Moment } from '../ui';
import { nameOf } from './dead-letter-table';
import { PasswordStep, RequestSteps } from '../security/four-eyes';
import { rich, t, type Text } from '../language/language';

interface RequestProps {
  overview: RedriveState;
  done: (redriven?: RedrivenLetter[]) => void;
}

/** The redrive that waits for a second person, and the actions of the person who is signed in. */
export function RedriveRequest({ overview, done }: RequestProps): ReactNode {
  const { data: me } = useQuery(meQuery);
  const { request, letters } = overview;
  if (!me || request?.state !== 'OPEN') return request ? <p className="notice">{endOf(request)}</p> : null;
  const isMine = request.askedBy.personId === me.person.personId;
  return (
    <section className="card" aria-labelledby="asked">
      <h2 id="asked">
        {isMine ? t('You have asked for a redrive') : t('{name} has asked for a redrive', { name: request.askedBy.name })}
      </h2>
      <p>{rich('Asked {at}. It ends {end}.', { at: <Moment at={request.askedAt} />, end: <Moment at={request.expiresAt} /> })}</p>
      <ul>
        {letters.map(letter => (
          <li key={`${letter.service} ${letter.letterId}`}>
            {rich('{name}, for <code>{group}</code>: {what}', { name: nameOf(letter), group: letter.group, what: letter.reason })}
          </li>
        ))}
      </ul>
      {isMine && <p className="dim">{t('Another person on call confirms it on this page.')}</p>}
      <RequestSteps request={request} owners={overview.owners} ended={isDone => (isDone ? done() : reread())}>
        <PasswordStep
          look="main"
          words={{ button: 'Confirm the redrive', busy: 'Redriving…', title: 'Redrive these events?', action: 'Redrive' }}
          send={({ current }) => call('POST /on-call/dead-letters/confirm', { body: { requestId: request.requestId, current } })}
          done={done}
          settled={reread}
        >
          {t('It is on record with your name.')}
        </PasswordStep>
      </RequestSteps>
    </section>
  );
}

const ends: Record<RequestReport['state'], Text> = {
  CONFIRMED: '{endedBy} confirmed the last redrive, which {name} asked for.',
  WITHDRAWN: '{name} asked for a redrive, and withdrew the request.',
  REFUSED: '{endedBy} refused the redrive that {name} asked for.',
  EXPIRED: '{name} asked for a redrive, and nobody confirmed within 24 hours.',
  ASKER_LEFT: '{name} asked for a redrive, and is on call no more.',
  CHANGED: '{name} asked for a redrive, and the events have changed since. Ask again.',
  OPEN: '{name} asked for a redrive, and the events have changed since. Ask again.',
};
const endOf = ({ state, askedBy: { name }, endedBy }: RequestReport) => t(ends[state], { name, endedBy: endedBy ?? '' });

/** In production: the first of two people. */
export function AskForRedrive({ letters, overview, done }: RequestProps & { letters: LetterRefBody[] }): ReactNode {
  const { data: me } = useQuery(meQuery);
  const others = overview.owners.filter(({ personId }) => personId !== me?.person.personId);
  if (overview.request?.state === 'OPEN')
    return (
      <p className="notice">
        {t('Another redrive waits for its second person, at the top of this page. One is open at a time.')}
      </p>
    );
  if (others.length === overview.owners.length)
    return (
      <p className="notice">
        {t('In production asking takes a password, and you sign in without one: somebody else on call asks.')}
      </p>
    );
  if (others.length === 0)
    return (
      <p className="notice">
        {t(
          'In production a second person confirms, and you are the only one on call who signs in with a password. An administrator invites another one under People; a day later that person can confirm.',
        )}
      </p>
    );
  return (
    <>
      <p className="dim">
        {t('In production a second person confirms. Can confirm: {names}.', { names: others.map(({ name }) => name).join(', ') })}
      </p>
      <PasswordStep
        look="main"
        words={{ button: 'Ask for the redrive', busy: 'Asking…', title: 'Ask for this redrive?', action: 'Ask for it' }}
        send={({ current }) => call('POST /on-call/dead-letters/request', { body: { letters, current } })}
        done={() => done()}
        settled={reread}
      >
        {t('It is on record with your name.')}
      </PasswordStep>
    </>
  );
}

function reread(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['dead-letters'] });
}
