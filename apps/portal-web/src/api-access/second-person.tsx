import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import type { AskedReport, PortalAccount, RequestReport, SwitchOverview } from '../portal-api';
import { meQuery, queryClient } from '../queries';
import { PasswordStep, RequestSteps } from '../security/four-eyes';
import { Failure, Moment, Waiting } from '../ui';
import { bearerQuery, credentialsQuery } from './queries';
import { rich, type Said, t, type Text } from '../language/language';

interface Shown {
  overview: SwitchOverview;
  username: string;
  mayChange: boolean;
}

/** The switch as two owners make it: what is asked for, by whom and until when, and what whoever looks can do about it. */
function SecondPerson({ overview, username, mayChange }: Shown): ReactNode {
  const { data: me } = useQuery(meQuery);
  const [asked, setAsked] = useState<AskedReport>();
  if (!me) return null;
  const { request } = overview;
  const myId = me.person.personId;
  return (
    <>
      <p>{t('In production two owners make the switch: one asks, another confirms within 24 hours.')}</p>
      {request?.state === 'OPEN' ? (
        <OpenRequest request={request} overview={overview} username={username} mayChange={mayChange} myId={myId}>
          {asked?.requestId === request.requestId && <p>{mailedText(asked)}</p>}
        </OpenRequest>
      ) : (
        <>
          {request && <p className="notice">{endOf(request)}</p>}
          {mayChange && <Ask overview={overview} username={username} myId={myId} onAsked={setAsked} />}
        </>
      )}
    </>
  );
}

const ends: Record<RequestReport['state'], Text> = {
  CONFIRMED: '{endedBy} confirmed what {name} asked for, but the switch did not come through. Ask again.',
  WITHDRAWN: '{name} asked, and withdrew the request.',
  REFUSED: '{endedBy} refused what {name} asked for.',
  EXPIRED: '{name} asked, and nobody confirmed within 24 hours.',
  ASKER_LEFT: '{name} asked, and is no owner any more.',
  CHANGED: '{name} asked, and the account has changed since.',
  OPEN: '{name} asked, and the account has changed since.',
};
const endOf = ({ state, askedBy: { name }, endedBy }: RequestReport) => t(ends[state], { name, endedBy: endedBy ?? '' });

function mailedText({ isMailed }: AskedReport): Said {
  return t(isMailed ? 'The other owners are mailed.' : 'No mail could be sent just now: tell the other owners yourself.');
}

interface AskProps {
  overview: SwitchOverview;
  username: string;
  myId: string;
  onAsked: (asked: AskedReport) => void;
}

function Ask({ overview: { owners }, username, myId, onAsked }: AskProps): ReactNode {
  const others = owners.filter(({ personId }) => personId !== myId);
  if (others.length === 0)
    return (
      <p className="notice">
        {rich(
          'You are the only owner who signs in with a password, and nobody confirms the own request. Invite a second owner under <link>People</link>: a day after the invitation that owner can confirm.',
          { link: parts => <Link to="/people">{parts}</Link> },
        )}
      </p>
    );
  return (
    <>
      <p className="dim">{t('Can confirm: {names}.', { names: others.map(({ name }) => name).join(', ') })}</p>
      <PasswordStep
        name={username}
        words={{ button: 'Ask for the switch', busy: 'Asking…', title: 'Ask for the switch?', action: 'Ask for it' }}
        send={given => call('POST /credentials/bearer/request', { body: given })}
        done={asked => {
          onAsked(asked);
          void reread();
        }}
      >
        {t('The other owners are mailed. Nothing changes until one of them confirms; then nobody can undo it.')}
      </PasswordStep>
    </>
  );
}

type OpenShown = Shown & { request: RequestReport; myId: string; children?: ReactNode };

function OpenRequest({ request, overview, username, mayChange, myId, children }: OpenShown): ReactNode {
  const isMine = request.askedBy.personId === myId;
  return (
    <>
      <div className="notice" role="status">
        <p>
          {rich(
            isMine
              ? '<strong>You have asked for the switch</strong>, {at}. The request ends {end}.'
              : '<strong>{name} has asked for the switch</strong>, {at}. The request ends {end}.',
            { name: request.askedBy.name, at: <Moment at={request.askedAt} />, end: <Moment at={request.expiresAt} /> },
          )}
        </p>
        {isMine && <p>{t('Another owner confirms it on this page.')}</p>}
        {children}
      </div>
      {mayChange && (
        <RequestSteps request={request} owners={overview.owners} ended={reread}>
          <PasswordStep
            name={username}
            words={{ button: 'Confirm the switch', busy: 'Switching…', title: 'Switch for good?', action: 'Switch for good' }}
            send={given => call('POST /credentials/bearer/confirm', { body: { requestId: request.requestId, ...given } })}
            done={next => queryClient.setQueryData(credentialsQuery.queryKey, next)}
          >
            {t('Nobody can undo this, and requests with user name and password fail at once.')}
          </PasswordStep>
        </RequestSteps>
      )}
    </>
  );
}

function reread(): Promise<void> {
  return queryClient.invalidateQueries(bearerQuery);
}

/** The one-way switch to session tokens: one person makes it in the sandbox, two in production. */
export function BearerSwitch({ access: { username }, mayChange }: { access: PortalAccount; mayChange: boolean }): ReactNode {
  const { data, isError, error } = useQuery(bearerQuery);
  return (
    <section className="card" aria-labelledby="bearer">
      <h2 id="bearer">{t('Switch to session tokens (Bearer)')}</h2>
      <p>
        {t(
          'Your programs then log in for a token of 15 minutes in place of sending the password with each request, and can prove a key of their own. The switch cannot be undone. It clears the password: until you make a new one and your programs log in with it, they can make no code and read no notification.',
        )}
      </p>
      {isError && <Failure error={error} />}
      {!data && !isError && <Waiting what="Reading who switches" />}
      {data?.takesTwo && <SecondPerson overview={data} username={username} mayChange={mayChange} />}
      {data?.takesTwo === false && <Alone username={username} mayChange={mayChange} />}
    </section>
  );
}

function Alone({ username, mayChange }: { username: string; mayChange: boolean }): ReactNode {
  return (
    <>
      <p className="dim">
        {t('In the sandbox one person makes the switch. In production two owners do: one asks, another confirms.')}
      </p>
      {mayChange && (
        <PasswordStep
          name={username}
          words={{ button: 'Switch to Bearer', busy: 'Switching…', title: 'Switch for good?', action: 'Switch for good' }}
          send={given => call('POST /credentials/bearer', { body: given })}
          done={next => queryClient.setQueryData(credentialsQuery.queryKey, next)}
        >
          {t('Nobody can undo this, and requests with user name and password fail at once.')}
        </PasswordStep>
      )}
    </>
  );
}
