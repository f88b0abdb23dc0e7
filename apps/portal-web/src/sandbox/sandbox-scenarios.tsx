import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Scenario } from '../portal-api';
import { Failure, Waiting } from '../ui';
import { scenariosQuery, type Stage } from './sandbox-stage';
import { asIs, rich, t } from '../language/language';

/** The payments of the scenario, each with a link to its page. */
export function Played({ stage: { scenario, doing, played } }: { stage: Stage }): ReactNode {
  if (scenario === null) return null;
  return (
    <section className="card" aria-labelledby="played">
      <h2 id="played">{t('Played: {scenario}', { scenario })}</h2>
      <p role="status">
        {doing ?? t(played.length === 0 ? 'Nothing was paid.' : 'Done. Open a payment to see what your server answered.')}
      </p>
      <ul>
        {played.map(({ transactionId, status }, at) => (
          <li key={at}>
            <Link to="/payments/$transactionId" params={{ transactionId: String(transactionId) }}>
              {transactionId}
            </Link>{' '}
            {status}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The list that `paycode-dev trigger` plays as well. */
export function Scenarios({ stage }: { stage: Stage }): ReactNode {
  const { data, isError, error, refetch } = useQuery(scenariosQuery);
  if (isError) return <Failure error={error} again={() => void refetch()} />;
  if (!data) return <Waiting what="Reading the scenarios" />;
  const isStatus = ({ ought }: Scenario) => ought === null;
  return (
    <>
      <section className="card" aria-labelledby="stories">
        <h2 id="stories">{t('Scenarios')}</h2>
        <Choice scenarios={data.filter(each => !isStatus(each))} stage={stage} />
      </section>
      <section className="card" aria-labelledby="statuses">
        <h2 id="statuses">{t('Each status of a purchase')}</h2>
        <p>{t('Your server sees one notification with the status.')}</p>
        <div className="row">
          {data.filter(isStatus).map(scenario => (
            <PlayButton key={scenario.name} scenario={scenario} stage={stage} />
          ))}
        </div>
      </section>
    </>
  );
}

function Choice({ scenarios, stage }: { scenarios: Scenario[]; stage: Stage }): ReactNode {
  return (
    <dl className="facts">
      {scenarios.map(scenario => (
        <div key={scenario.name}>
          <dt>{isPlayedHere(scenario) ? <PlayButton scenario={scenario} stage={stage} /> : <code>{scenario.name}</code>}</dt>
          <Story scenario={scenario} />
        </div>
      ))}
    </dl>
  );
}

const isPlayedHere = ({ playedBy }: Scenario) => playedBy.includes('PORTAL');

/** The platform tells its scenarios in English; one that is newer than this page stays so. */
const told = (words: string | null) => t(asIs(words ?? ''));

function Story({ scenario }: { scenario: Scenario }): ReactNode {
  const { name, sees, ought, timeline } = scenario;
  return (
    <>
      <dd>{t('Your server sees {sees}.', { sees: told(sees) })}</dd>
      <dd>{t('It ought to {ought}.', { ought: told(ought) })}</dd>
      <dd>{t('The portal shows {timeline}.', { timeline: told(timeline) })}</dd>
      {!isPlayedHere(scenario) && (
        <dd>
          {rich(
            'This happens only after a fault. Behind <code>paycode-dev listen</code> on your machine, <code>paycode-dev trigger {name}</code> plays it.',
            { name },
          )}
        </dd>
      )}
    </>
  );
}

function PlayButton({ scenario, stage }: { scenario: Scenario; stage: Stage }): ReactNode {
  return (
    <button type="button" disabled={stage.doing !== null} onClick={() => stage.play(scenario)}>
      {scenario.name}
    </button>
  );
}
