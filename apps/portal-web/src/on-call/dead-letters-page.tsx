import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { LettersPage, RedrivenLetter, ServiceLetter } from '../portal-api';
import { deadLettersQuery, redriveQuery } from './queries';
import { meQuery, queryClient } from '../queries';
import { Failure, Waiting } from '../ui';
import { DeadLetterTable } from './dead-letter-table';
import { Redriven, RedrivePreview } from './redrive-preview';
import { RedriveRequest } from './redrive-request';
import { t, useTitle } from '../language/language';

/** So many go into one redrive. */
const chosenMax = 50;
export const keyOf = ({ service, letterId }: { service: string; letterId: number }) => `${service} ${letterId}`;

/** For people on call: events that a service put aside, why, and what a redrive of some would do. */
export function DeadLettersPage(): ReactNode {
  const { data: me } = useQuery(meQuery);
  useTitle('Dead letters');
  return (
    <>
      <h1>{t('Dead letters')}</h1>
      <p>
        <Link to="/on-call">{t('Back to On-call')}</Link>
      </p>
      {me?.person.mayOnCall === false && (
        <p className="notice">{t('This page is for people on call and administrators of the platform.')}</p>
      )}
      {me?.person.mayOnCall && <Letters />}
    </>
  );
}

function Letters(): ReactNode {
  const { service, before } = useSearch({ from: '/signed-in/on-call/dead-letters' });
  const { data, isError, error, refetch } = useQuery(deadLettersQuery({ service, before }));
  const { data: how } = useQuery(redriveQuery);
  const [chosen, setChosen] = useState<ReadonlyMap<string, ServiceLetter>>(new Map());
  const [redriven, setRedriven] = useState<RedrivenLetter[]>();
  const done = (letters?: RedrivenLetter[]) => {
    setChosen(new Map());
    setRedriven(letters);
    void reread();
  };
  if (isError) return <Failure error={error} again={() => void refetch()} />;
  if (!data || !how) return <Waiting what="Asking the services what they put aside" />;
  return (
    <>
      {redriven && <Redriven letters={redriven} />}
      {how.takesTwo && <RedriveRequest overview={how} done={done} />}
      <Silent page={data} />
      <Shown page={data} chosen={chosen} choose={setChosen} isPart={service !== undefined} />
      {chosen.size > 0 && <RedrivePreview letters={[...chosen.values()]} overview={how} done={done} />}
    </>
  );
}

function Silent({ page: { silent } }: { page: LettersPage }): ReactNode {
  if (silent.length === 0) return null;
  return (
    <p className="notice bad" role="alert">
      {t('No answer from: {services}. Their dead letters are missing here.', { services: silent.join(', ') })}
    </p>
  );
}

interface ShownProps {
  page: LettersPage;
  chosen: ReadonlyMap<string, ServiceLetter>;
  choose: (chosen: ReadonlyMap<string, ServiceLetter>) => void;
  /** Of one service alone. */
  isPart: boolean;
}

function Shown({ page: { services, silent }, chosen, choose, isPart }: ShownProps): ReactNode {
  const toggle = (letter: ServiceLetter) => {
    const next = new Map(chosen);
    if (!next.delete(keyOf(letter)) && next.size < chosenMax) next.set(keyOf(letter), letter);
    choose(next);
  };
  const filled = services.filter(({ letters }) => letters.length > 0);
  const toLatest = isPart && <Link to="/on-call/dead-letters">{t('The latest of all services')}</Link>;
  if (filled.length === 0 && isPart)
    return (
      <p>
        {t('There are no older ones.')} {toLatest}
      </p>
    );
  if (filled.length === 0) return silent.length === 0 ? <Nothing /> : null;
  return (
    <>
      {filled.map(({ service, letters, isMore }) => (
        <section key={service} className="card" aria-labelledby={`of-${service}`}>
          <h2 id={`of-${service}`}>{t('Put aside by {service}', { service })}</h2>
          <DeadLetterTable service={service} letters={letters} chosen={chosen} toggle={toggle} />
          <p>
            {isMore && (
              <Link to="/on-call/dead-letters" search={{ service, before: letters.at(-1)!.letterId }}>
                {t('Older ones of {service}', { service })}
              </Link>
            )}{' '}
            {toLatest}
          </p>
        </section>
      ))}
      {chosen.size === 0 && (
        <p className="dim">{t('Choose letters to see what a redrive would do, at most {most} at once.', { most: chosenMax })}</p>
      )}
    </>
  );
}

function Nothing(): ReactNode {
  return (
    <section className="card" aria-labelledby="nothing">
      <h2 id="nothing">{t('There are no dead letters')}</h2>
      <p>
        {t(
          'Each service has used every event that it was given. When one cannot, because the event is wrong or the service has a fault, it puts the event aside and goes on with the others. It is listed here then, with the reason, for 30 days.',
        )}
      </p>
      <p>
        {t(
          'Then repair the service if the fault is its own, look at what a redrive would do, and redrive. The service gets the event again; what it did already has no second effect.',
        )}
      </p>
    </section>
  );
}

async function reread(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['dead-letters'] });
}
